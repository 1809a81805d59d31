/* test_hpp.cpp: mxerr.hpp: what checks say and do, what exceptions carry, what the guard makes of them. */
#define MXERR_SHORT_NAMES
#include <any>
#include <clocale>
#include <fstream>
#include <future>
#include <limits>
#include <set>
#include <thread>

#include "expect.hpp"
#include "mxerr/mxerr.hpp"

extern "C" int fail_in_c(int a);
int fail_elsewhere(int size);

namespace {

/* The record in the standard text form without its stack, "ok" where the guarded statements did not throw. */
std::string text_of(int status) {
  if (status == 0) return "ok";
  char buffer[MXERR_TEXT_MAX];
  mxerr_record_format(mxerr_record_peek(), nullptr, buffer, sizeof buffer);
  const std::string text = buffer;
  return text.substr(0, text.find("\nStack trace:"));
}

/* The functions of the record's frames, from the innermost outwards, each with its values. */
std::string frames_of(int status) {
  if (status == 0) return "ok";
  const mxerr_record *record = mxerr_record_peek();
  std::string text;
  for (const mxerr_frame *frame = record->frames; frame != record->frames + record->frame_count; frame++) {
    text += (text.empty() ? "" : " < ") + std::string(mxerr_text(record, frame->function));
    for (std::uint32_t i = 0; i < frame->value_count; i++) {
      const mxerr_value &value = record->values[frame->first_value + i];
      text += std::string(" ") + mxerr_text(record, value.name) + "=" + mxerr_text(record, value.text);
    }
  }
  return text;
}

/* ---- what MXNet's documentation shows compiles unchanged, and gives the kind ---- */

struct Shape {
  std::vector<int> dims;
};
std::ostream &operator<<(std::ostream &out, const Shape &shape) {
  for (std::size_t i = 0; i < shape.dims.size(); i++) out << (i ? "," : "[") << shape.dims[i];
  return out << "]";
}
struct Axes {
  int ndim() const { return 3; }
};
struct Param {
  Shape axes;
};

void transpose(const std::set<int> &axes_set, const Axes &axes, const Param &param) {
  CHECK_EQ(axes_set.size(), axes.ndim()) << "ValueError: Repeated axis in transpose."
                                         << " param.axes = " << param.axes;
}

void fatal() { LOG(FATAL) << "MyError: this is a custom error message"; }

TEST(the_lines_of_mxnets_documentation_compile_unchanged_and_give_the_kind) {
  EXPECT_IS(
      text_of(MXERR_GUARD(transpose({0, 1}, {}, {{{0, 0, 1}}}))),
      "ValueError: Check failed: axes_set.size() == axes.ndim() (2 vs. 3) : Repeated axis in transpose. "
      "param.axes = [0,0,1]");
  EXPECT_IS(frames_of(-1), "transpose axes_set.size()=2 axes.ndim()=3");
  EXPECT_IS(text_of(MXERR_GUARD(fatal())), "MyError: this is a custom error message");
}

/* ---- the kind ---- */

void say(const std::string &text) { MXERR_LOG(FATAL) << text; }

TEST(the_kind_stands_at_the_beginning_of_the_message_and_nowhere_else) {
  const struct {
    const char *text, *kind, *message;
  } rows[] = {
      {"my.QuotaError: full", "my.QuotaError", "full"},
      {"full: ValueError: no", "full", "ValueError: no"},  // a reader knows that `full` is no kind
      {" ValueError: no", "", " ValueError: no"},
      {"two words: no", "", "two words: no"},
      {"std::bad: no", "", "std::bad: no"},
      {"1Error: no", "", "1Error: no"},
      {"ValueError:no", "", "ValueError:no"},
      {"ValueError: ", "ValueError", ""},
      {"%s %n {}", "", "%s %n {}"},
      {"", "", ""},
  };
  for (const auto &row : rows) {
    EXPECT_IS(MXERR_GUARD(say(row.text)), MXERR_FAILURE);
    EXPECT_IS(mxerr_text(mxerr_record_peek(), mxerr_record_peek()->kind), std::string(row.kind));
    EXPECT_IS(mxerr_text(mxerr_record_peek(), mxerr_record_peek()->message), std::string(row.message));
  }
}

TEST(a_message_may_hold_any_bytes_and_is_cut_where_it_is_too_long) {
  const std::string bytes("E: a\0b\xff\xfe\xfd", 9);
  EXPECT_IS(MXERR_GUARD(say(bytes)), MXERR_FAILURE);
  const mxerr_record *record = mxerr_record_peek();
  EXPECT_IS(std::string(mxerr_text(record, record->message), record->message.size), bytes.substr(3));
  EXPECT_IS(MXERR_GUARD(say(std::string(1 << 20, 'x'))), MXERR_FAILURE);
  EXPECT(mxerr_record_peek()->truncated);
  EXPECT(mxerr_record_peek()->message.size > 20000);
}

/* ---- checks ---- */

struct Opaque {
  bool operator==(const Opaque &) const { return false; }
};
enum class Color { red, green };

TEST(operands_compare_by_value_and_are_shown) {
  const std::vector<int> list = {1, 2}, other = {1, 3};
  const Opaque opaque;
  int *null = nullptr, number = 1;
  const signed char small = -1;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_IS(MXERR_GUARD(CHECK_LT(-1, 0u) << "no"), 0);
  EXPECT_IS(MXERR_GUARD(CHECK_GE(0u, -1) << "no"), 0);
  EXPECT_IS(text_of(MXERR_GUARD(CHECK_EQ(-1, ~0u) << "no")),
            "Check failed: -1 == ~0u (-1 vs. 4294967295) : no");
  EXPECT_IS(text_of(MXERR_GUARD(CHECK_GT(small, 'a') << "no")), "Check failed: small > 'a' (-1 vs. 97) : no");
  EXPECT_IS(text_of(MXERR_GUARD(CHECK_EQ(list, other) << "no")),
            "Check failed: list == other ([1,2] vs. [1,3]) : no");
  EXPECT_IS(text_of(MXERR_GUARD(CHECK_EQ(opaque, opaque) << "")),
            "Check failed: opaque == opaque (<1 bytes> vs. <1 bytes>) : ");
  EXPECT_IS(text_of(MXERR_GUARD(CHECK_EQ(0.1, 0.1f) << "no")),
            "Check failed: 0.1 == 0.1f (0.1 vs. 0.10000000149011612) : no");
  EXPECT_IS(text_of(MXERR_GUARD(CHECK_NE(null, nullptr) << "no")),
            "Check failed: null != nullptr (NULL vs. NULL) : no");
  EXPECT_IS(text_of(MXERR_GUARD(CHECK_EQ(null, &number) << "no")),
            "Check failed: null == &number (NULL vs. non-NULL) : no");
  EXPECT_IS(text_of(MXERR_GUARD(CHECK_EQ(Color::red, Color::green) << "no")),
            "Check failed: Color::red == Color::green (0 vs. 1) : no");
  EXPECT_IS(text_of(MXERR_GUARD(CHECK_EQ(std::string("a"), "b") << "no")),
            "Check failed: std::string(\"a\") == \"b\" (a vs. b) : no");
  EXPECT_IS(text_of(MXERR_GUARD(CHECK(null != nullptr) << "ValueError: no")),
            "ValueError: Check failed: null != nullptr: no");
  EXPECT_IS(text_of(MXERR_GUARD(CHECK_LE(nan, 1.0) << "no")), "Check failed: nan <= 1.0 (nan vs. 1) : no");
}

TEST(an_operand_that_prints_nothing_is_shown_as_nothing) {
  const auto compare = [] { MXERR_CHECK_EQ(std::string(), "a") << "x"; };
  EXPECT_IS(text_of(MXERR_GUARD(compare())), "Check failed: std::string() == \"a\" ( vs. a) : x");
  try {
    compare();
    EXPECT(false);
  } catch (const mxerr::Error &error) {
    EXPECT_IS(error.what(), std::string("Check failed: std::string() == \"a\" ( vs. a) : x"));
  }
}

TEST(a_check_evaluates_once_and_takes_no_else_that_is_not_its_own) {
  int evaluated = 0, streamed = 0;
  const auto count = [](int *counter) { return ++*counter; };
  if (evaluated == 0)
    CHECK_EQ(count(&evaluated), 1) << count(&streamed);
  else
    evaluated = 100;
  EXPECT_IS(evaluated, 1);
  EXPECT_IS(streamed, 0);  // a message is made only of a failure
}

void with_values(int x) {
  CHECK_LT(x, 3) << "IndexError: " << mxerr::Value("x.half", x / 2.0) << mxerr::Local("twice", 2 * x)
                 << std::hex << 255;
}

TEST(named_values_become_values_of_the_frame) {
  EXPECT_IS(text_of(MXERR_GUARD(with_values(5))),
            "IndexError: Check failed: x < 3 (5 vs. 3) : x.half = 2.5ff");
  EXPECT_IS(frames_of(-1), "with_values x=5 x.half=2.5 twice=10");
}

TEST(numbers_have_a_point_in_every_locale) {
  struct Comma : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    std::string do_grouping() const override { return "\3"; }
  };
  const std::locale before = std::locale::global(std::locale(std::locale::classic(), new Comma));
  EXPECT_IS(text_of(MXERR_GUARD(CHECK_EQ(1.5, 2500.25) << 1234567 << " " << 0.5)),
            "Check failed: 1.5 == 2500.25 (1.5 vs. 2500.25) : 1234567 0.5");
  std::locale::global(before);
}

/* ---- frames ---- */

std::vector<int> three = {1, 2, 3};

int inner(int i) { return i < 0 ? fail_elsewhere(5) : MXERR_CALL(three.at(static_cast<std::size_t>(i))); }
int middle(int i) { return MXERR_CALL_WITH((inner(i)), mxerr::Local("i", i), mxerr::Local("list", three)); }
void outer(int i) { MXERR_CALL(middle(i)); }

TEST(a_call_that_throws_adds_frames_whatever_the_type_of_the_exception) {
  EXPECT_IS(frames_of(MXERR_GUARD(outer(1))), "ok");
  EXPECT_IS(frames_of(MXERR_GUARD(outer(-1))), "fail_elsewhere size=5 < middle i=-1 list=[1,2,3] < outer");
  EXPECT_IS(frames_of(MXERR_GUARD(outer(7))), "inner < middle i=7 list=[1,2,3] < outer");
}

TEST(frames_of_an_exception_that_was_caught_do_not_reach_the_next) {
  try {
    outer(7);
  } catch (const std::out_of_range &) {
  }
  EXPECT_IS(frames_of(MXERR_GUARD(throw std::out_of_range("x"))), "");
  EXPECT_IS(frames_of(MXERR_GUARD(MXERR_CALL(three.at(9)))), "operator()");
}

struct FailsInDestructor {
  ~FailsInDestructor() {
    try {
      outer(7);
    } catch (const std::exception &) {
    }
  }
};
int with_cleanup(int i) {
  const FailsInDestructor cleanup;
  return MXERR_CALL(inner(i));
}

TEST(a_failure_that_a_destructor_swallows_takes_no_frames_along) {
  EXPECT_IS(frames_of(MXERR_GUARD(MXERR_CALL(with_cleanup(-1)))),
            "fail_elsewhere size=5 < with_cleanup < operator()");
}

struct Throwing {};
std::ostream &operator<<(std::ostream &, const Throwing &) { throw std::runtime_error("printing failed"); }

int with_throwing_value() { return MXERR_CALL_WITH((inner(-1)), mxerr::Local("value", Throwing())); }

TEST(a_value_that_cannot_be_printed_does_not_take_the_place_of_the_error) {
  EXPECT_IS(text_of(MXERR_GUARD(with_throwing_value())),
            "ValueError: Check failed: size < 3 (5 vs. 3) : elsewhere");
}

TEST(an_error_crosses_threads_with_its_frames) {
  std::future<void> result = std::async(std::launch::async, [] { outer(-1); });
  EXPECT_IS(frames_of(MXERR_GUARD(result.get())), "fail_elsewhere size=5 < middle i=-1 list=[1,2,3] < outer");
}

TEST(an_error_of_c_becomes_an_exception_and_back) {
  EXPECT_IS(frames_of(MXERR_GUARD(MXERR_CHECK_CALL(fail_in_c(2)))), "ok");
  EXPECT_IS(text_of(MXERR_GUARD(MXERR_CHECK_CALL(fail_in_c(3)))),
            "ValueError: Check failed: a == 2 (3 vs. 2) : in C, a is 3. ");
  EXPECT_IS(frames_of(-1), "check a=3 twice=6 < fail_in_c < operator()");
}

/* ---- the exception ---- */

struct QuotaError : mxerr::Error {
  explicit QuotaError(const std::string &text) : Error("QuotaError", text) {}
};

TEST(an_error_keeps_code_and_attributes_and_copies_do_not_share_changes) {
  QuotaError error("too much: 100%");
  EXPECT_IS(error.what(), std::string("QuotaError: too much: 100%"));
  QuotaError copy = error;
  copy.set_code(7);
  copy.set_attribute("unit", std::string("by\0tes", 6));
  copy.set_attribute("unit", "bytes");
  EXPECT(!error.code() && error.attributes().empty());
  EXPECT_IS(text_of(MXERR_GUARD(throw copy)), "QuotaError: too much: 100%");
  const mxerr_record *record = mxerr_record_peek();
  EXPECT(record->has_code && record->code == 7 && record->attribute_count == 1);
  EXPECT_IS(mxerr_text(record, record->attributes[0].text), std::string("bytes"));
}

/* ---- the guard ---- */

TEST(each_exception_of_the_standard_library_has_its_kind) {
  EXPECT_IS(text_of(MXERR_GUARD(throw std::invalid_argument("x"))), "ValueError: x");
  EXPECT_IS(text_of(MXERR_GUARD(throw std::domain_error("x"))), "ValueError: x");
  EXPECT_IS(text_of(MXERR_GUARD(throw std::length_error("x"))), "ValueError: x");
  EXPECT_IS(text_of(MXERR_GUARD(throw std::range_error("x"))), "ValueError: x");
  EXPECT_IS(text_of(MXERR_GUARD(throw std::out_of_range("x"))), "IndexError: x");
  EXPECT_IS(text_of(MXERR_GUARD(throw std::overflow_error("x"))), "OverflowError: x");
  EXPECT_IS(text_of(MXERR_GUARD(throw std::underflow_error("x"))), "FloatingPointError: x");
  EXPECT_IS(text_of(MXERR_GUARD(throw std::bad_alloc())), "MemoryError: std::bad_alloc");
  EXPECT_IS(text_of(MXERR_GUARD(throw std::bad_array_new_length())),
            "MemoryError: std::bad_array_new_length");
  EXPECT_IS(text_of(MXERR_GUARD((void)std::any_cast<int>(std::any(1.5)))), "TypeError: bad any_cast");
  EXPECT_IS(text_of(MXERR_GUARD(throw std::runtime_error("x: y"))), "RuntimeError: x: y");
  EXPECT_IS(text_of(MXERR_GUARD(throw std::logic_error("x"))), "RuntimeError: x");
  EXPECT_IS(text_of(MXERR_GUARD(throw 42)), "RuntimeError: a C++ exception of type int was thrown");
  EXPECT_IS(text_of(MXERR_GUARD(throw "text")), "RuntimeError: text");
  EXPECT_IS(text_of(MXERR_GUARD(throw std::string("text"))), "RuntimeError: text");
}

void open_stream() {
  std::ifstream file;
  file.exceptions(std::ios::failbit);
  file.open("no/such/file");
}

TEST(a_system_error_has_its_number_as_the_code) {
  EXPECT_IS(text_of(MXERR_GUARD(throw std::system_error(ENOENT, std::generic_category(), "open"))),
            "IOError: open: No such file or directory");
  const mxerr_record *record = mxerr_record_peek();
  EXPECT(record->has_code);
  EXPECT_IS(record->code, ENOENT);
  EXPECT_IS(text_of(MXERR_GUARD(open_stream())).substr(0, 9), "IOError: ");
}

int api(int i) { MXERR_API(MXERR_GUARD(outer(i))); }
int free_handle(int i) { MXERR_API_QUIET(MXERR_GUARD(outer(i))); }

TEST(the_guard_is_a_status_for_the_macros_of_c) {
  EXPECT_IS(api(0), 0);
  EXPECT_IS(frames_of(api(-1)), "fail_elsewhere size=5 < middle i=-1 list=[1,2,3] < outer < api");
  EXPECT_IS(mxerr_record_peek()->state, MXERR_READY);
  const int status = free_handle(7);  // in a destructor, while the error above waits to be read
  EXPECT_IS(status, MXERR_FAILURE);
  EXPECT_IS(text_of(status), "ValueError: Check failed: size < 3 (5 vs. 3) : elsewhere");
}

TEST(a_quiet_failure_leaves_code_and_attributes_of_the_waiting_error_alone) {
  mxerr::Error first("AError: first"), second("BError: second");
  first.set_code(1);
  second.set_code(2);
  second.set_attribute("name", "value");
  EXPECT_IS(MXERR_GUARD(throw first), MXERR_FAILURE);
  const bool quiet = mxerr_quiet_enter();
  EXPECT_IS(MXERR_GUARD(throw second), MXERR_FAILURE);
  mxerr_quiet_leave(quiet);
  EXPECT_IS(mxerr_record_peek()->code, 1);
  EXPECT_IS(mxerr_record_peek()->attribute_count, 0u);
}

}  // namespace

int main() { return run_all(); }
