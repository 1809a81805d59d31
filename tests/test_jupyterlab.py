"""The extension and the first notebook in a real JupyterLab and Notebook 7, in a real browser without a screen.

It needs ``mxerr[browser]`` and Chromium. Screenshots go to the folder that MXERR_SCREENSHOTS names, else to a
folder of the run.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple
from urllib.error import URLError
from urllib.request import urlopen

import nbformat
import pytest

pytest.importorskip("jupyterlab", reason="pip install 'mxerr[browser]'")
playwright = pytest.importorskip("playwright.sync_api", reason="pip install 'mxerr[browser]'")

ROOT = Path(__file__).parents[1]
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")

PATIENCE = 120_000  # milliseconds
CELLS = [
    "%load_ext mxerr",
    "from mxerr import np\nx = np.array([[1, 2], [3, 4]])\nx.transpose((0, 0))",
    "%mxerr explain",
    '%%mxerr_c\nMXERR_EXPORT int set_age(int age) {\n  MXERR_CHECK_GE(age, 0, "ValueError: negative");\n  return 0;\n}',
    "set_age(-1)",
    "%%mxerr_trace\nx.T.shape",
]


class FrontEnd(NamedTuple):
    """What is served: by which module, with notebooks below which path."""

    module: str
    path: str
    address: str = ""

    def screenshot(self, name):
        """The name of a screenshot; those of JupyterLab go by what they show."""
        return f"{name}.png" if self.module == "jupyterlab" else f"{self.module}-{name}.png"


FRONT_ENDS = [
    FrontEnd("jupyterlab", "lab/tree"),
    FrontEnd("notebook", "notebooks"),
]


@pytest.fixture(scope="module", params=FRONT_ENDS, ids=lambda front_end: front_end.module)
def lab(request, tmp_path_factory):
    """A JupyterLab or a Notebook 7, with two notebooks."""
    front_end = request.param
    pytest.importorskip(front_end.module, reason="pip install 'mxerr[browser]'")
    folder = tmp_path_factory.mktemp(front_end.module)
    shutil.copy(ROOT / "notebooks" / "01_transpose_valueerror.ipynb", folder / "first.ipynb")
    cells = [nbformat.v4.new_code_cell(cell, metadata={"tags": ["raises-exception"]}) for cell in CELLS]
    metadata = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=metadata), folder / "extension.ipynb")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    own = {f"JUPYTER_{name}_DIR": str(folder / name) for name in ("CONFIG", "DATA", "RUNTIME")}
    options = {
        "ServerApp.port": port,
        "ServerApp.root_dir": folder,
        "IdentityProvider.token": "",
        "LabApp.expose_app_in_browser": True,
        "LabApp.news_url": "",
    }
    command = [sys.executable, "-m", front_end.module, "--no-browser", "--allow-root", "--ip=127.0.0.1"]
    with (folder / "log.txt").open("wb") as log:
        process = subprocess.Popen(
            [*command, *(f"--{name}={value}" for name, value in options.items())],
            env={**os.environ, **own, "IPYTHONDIR": str(folder / "ipython")},
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
    address = f"http://127.0.0.1:{port}"
    try:
        _wait_for(address, process, folder / "log.txt")
        yield front_end._replace(address=address)
    finally:
        process.terminate()
        process.wait(PATIENCE / 1000)


def _wait_for(address, process, log):
    deadline = time.monotonic() + PATIENCE / 1000
    while time.monotonic() < deadline and process.poll() is None:
        try:
            urlopen(f"{address}/api", timeout=5).close()
            return
        except (URLError, TimeoutError):
            time.sleep(0.5)
    pytest.fail(f"Jupyter did not start:\n{log.read_text(errors='replace')[-3000:]}")


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as api:
        browser = api.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def page(browser):
    page = browser.new_page(viewport={"width": 1100, "height": 1300})
    page.set_default_timeout(PATIENCE)
    yield page
    page.close()


@pytest.fixture(scope="session")
def screenshots(tmp_path_factory):
    folder = Path(os.environ.get("MXERR_SCREENSHOTS") or tmp_path_factory.mktemp("screenshots"))
    folder.mkdir(parents=True, exist_ok=True)
    return folder


CONNECTED = """async notebook => {
  const sessions = await (await fetch('/api/sessions')).json();
  return sessions.some(({path, kernel}) =>
    path === notebook && kernel.connections > 0 && kernel.execution_state === 'idle');
}"""


def run_all(page, lab, notebook):
    """Open a notebook, and run all of its cells."""
    page.goto(f"{lab.address}/{lab.path}/{notebook}?reset")
    page.wait_for_selector(".jp-Notebook .jp-CodeCell")
    if lab.module == "jupyterlab":
        page.wait_for_function(
            "() => window.jupyterapp?.shell.currentWidget?.context?.sessionContext?.session?.kernel?.status === 'idle'"
        )
        page.evaluate("() => window.jupyterapp.commands.execute('notebook:run-all-cells')")
        return
    page.wait_for_function(CONNECTED, arg=notebook)
    page.wait_for_selector('.jp-Notebook-ExecutionIndicator[data-status="idle"]', state="attached")
    page.wait_for_timeout(1000)  # what the server knows, the page knows soon; before, it runs nothing
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name="Run All Cells", exact=True).click()


def outputs(page, cell, *, of=".jp-OutputArea-output"):
    """The outputs of a code cell of the notebook in front."""
    return page.locator(".jp-Notebook .jp-CodeCell").nth(cell).locator(of)


def picture_of(page, first, last, path):
    """Take a picture of some neighbouring code cells."""
    cells = page.locator(".jp-Notebook .jp-CodeCell")
    cells.nth(first).evaluate("cell => cell.scrollIntoView()")
    top, bottom = cells.nth(first).bounding_box(), cells.nth(last).bounding_box()
    height = bottom["y"] + bottom["height"] - top["y"]
    page.screenshot(path=path, clip={**top, "height": height})


def settled(page):
    """Wait until no cell waits or runs."""
    page.wait_for_function(
        "() => ![...document.querySelectorAll('.jp-InputPrompt')].some(p => p.innerText.includes('[*]'))"
    )


def change_theme(page, theme):
    page.evaluate("theme => window.jupyterapp.commands.execute('apputils:change-theme', {theme})", theme)
    page.wait_for_selector(f'body[data-jp-theme-name="{theme}"]', state="attached")


def test_errors_explanations_and_cells_of_c_are_shown(page, lab, screenshots):
    run_all(page, lab, "extension.ipynb")
    outputs(page, 5, of="svg[role=img]").wait_for()
    error = outputs(page, 1).inner_text()
    for text in ("Python calls C: MXImperativeInvoke", "MXERR_CHECK_EQ(axes_set.size", "1 against 2"):
        assert text in error
    assert "formatter failed" not in error
    assert outputs(page, 1, of='[data-mime-type="application/vnd.jupyter.stderr"]').count() == 1
    explanation = outputs(page, 2, of="section")
    assert explanation.get_attribute("aria-label").startswith("Explanation of mxerr.error.ValueError")
    assert "Python calls C" in explanation.inner_text()
    assert explanation.locator("ol > li").count() > 3
    assert "Cell In[4], line 3, in set_age" in outputs(page, 4).inner_text()
    assert "transpose.infer_shape" in outputs(page, 5, of="table").text_content()
    page.screenshot(path=screenshots / lab.screenshot("extension"))
    picture_of(page, 3, 4, screenshots / lab.screenshot("cells"))  # the README has it


@pytest.mark.parametrize("theme", ["JupyterLab Light", "JupyterLab Dark"])
def test_an_explanation_can_be_read_in_light_and_in_dark(page, lab, screenshots, theme):
    if lab.module != "jupyterlab":
        pytest.skip("Notebook has the themes of JupyterLab, and gives no way to its commands")
    run_all(page, lab, "extension.ipynb")
    change_theme(page, theme)
    explanation = outputs(page, 2, of="section")
    explanation.wait_for()
    settled(page)
    explanation.screenshot(path=screenshots / lab.screenshot(f"explain-{theme[11:].lower()}"))
    for element in ("strong", "code", "caption", "th"):
        text, ground = explanation.locator(element).first.evaluate(COLOURS)
        assert contrast(text, ground) > 4.5, f"{element}: {text} on {ground}"


COLOURS = """element => {
  const numbers = colour => colour.match(/[0-9.]+/g).map(Number);
  let behind = element;
  while (behind && (numbers(getComputedStyle(behind).backgroundColor)[3] ?? 1) === 0) behind = behind.parentElement;
  return [numbers(getComputedStyle(element).color), numbers(getComputedStyle(behind).backgroundColor)];
}"""


def contrast(first, second):
    """The contrast of two colours by WCAG 2: (L1 + 0.05) / (L2 + 0.05), of their relative luminances."""

    def luminance(colour):
        linear = [
            c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in (v / 255 for v in colour[:3])
        ]
        return sum(weight * value for weight, value in zip((0.2126, 0.7152, 0.0722), linear, strict=True))

    light, dark = sorted((luminance(first), luminance(second)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_the_measure_of_contrast_knows_what_cannot_be_read():
    assert contrast([255, 255, 255], [0, 0, 0]) == pytest.approx(21)
    assert contrast([119, 119, 119], [255, 255, 255]) < 4.5


def test_an_explanation_is_reached_by_keyboard(page, lab):
    run_all(page, lab, "extension.ipynb")
    summary = outputs(page, 5, of="summary")
    summary.wait_for()
    settled(page)
    summary.focus()
    page.keyboard.press("Enter")
    outputs(page, 5, of="details[open] table").wait_for()


def test_the_first_notebook_shows_its_c_frames(page, lab, screenshots):
    run_all(page, lab, "first.ipynb")
    settled(page)
    shown = page.locator(".jp-Notebook .jp-OutputArea-output", has_text="MXERR_CHECK_EQ(axes_set.size")
    shown.first.wait_for(state="attached")  # what is out of sight is drawn when there is time
    page.screenshot(path=screenshots / lab.screenshot("first"))
