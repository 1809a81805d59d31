/* comma_locale.h: a locale that writes 1,5, for tests that must not be moved by it. */
#ifndef MXERR_TESTS_COMMA_LOCALE_H
#define MXERR_TESTS_COMMA_LOCALE_H

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Makes the process write decimal commas. NULL, or why it could not. */
static inline const char *enter_comma_locale(void) {
  static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8"};
  static const char make[] =
      "d=$(mktemp -d) && printf 'LC_NUMERIC\\ndecimal_point \",\"\\nthousands_sep \"\"\\ngrouping -1\\n"
      "END LC_NUMERIC\\n' > $d/source && { localedef -c -i $d/source -f ANSI_X3.4-1968 $d/comma 2> /dev/null; "
      "test -e $d/comma/LC_NUMERIC && echo $d; }";
  char folder[256] = "";
  FILE *output;
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if (setlocale(LC_ALL, names[i]) != NULL) return NULL;
  output = popen(make, "r");
  if (output == NULL) return "no shell to make a locale";
  if (fgets(folder, sizeof folder, output) == NULL) folder[0] = '\0';
  pclose(output);
  folder[strcspn(folder, "\n")] = '\0';
  if (folder[0] == '\0') return "no locale with a decimal comma, and no localedef that makes one";
  setenv("LOCPATH", folder, 1);
  if (setlocale(LC_ALL, "comma") == NULL) return "the locale that localedef made is not found";
  return system("rm -r -- \"$LOCPATH\"") == 0 ? NULL : "its folder cannot be removed"; /* it is in memory */
}

#endif
