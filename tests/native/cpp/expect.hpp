/* expect.hpp: what the C++ tests share: checks that go on, tests that add themselves, a report in TAP. */
#ifndef EXPECT_HPP
#define EXPECT_HPP

#include <cstdio>
#include <sstream>
#include <string>
#include <vector>

struct Test {
  const char *name;
  void (*run)();
};

inline std::vector<Test> &tests() {
  static std::vector<Test> all;
  return all;
}

inline int &failures() {
  static int count = 0;
  return count;
}

template <typename A, typename B>
void expect_equal(const A &got, const B &expected, const char *text, const char *file, int line) {
  if (got == expected) return;
  std::ostringstream out;
  out << "# " << file << ":" << line << ": " << text << ": expected <" << expected << ">, got <" << got
      << ">\n";
  std::fputs(out.str().c_str(), stdout);
  failures()++;
}

#define EXPECT_IS(got, expected) expect_equal(got, expected, #got, __FILE__, __LINE__)
#define EXPECT(condition) expect_equal(static_cast<bool>(condition), true, #condition, __FILE__, __LINE__)
#define TEST(name)                                                           \
  static void name();                                                        \
  static const bool added_##name = (tests().push_back({#name, name}), true); \
  static void name()

inline int run_all() {
  int number = 0, failed = 0;
  std::printf("1..%zu\n", tests().size());
  for (const Test &test : tests()) {
    const int before = failures();
    test.run();
    const bool passed = failures() == before;
    failed += !passed;
    std::printf("%s %d - %s\n", passed ? "ok" : "not ok", ++number, test.name);
  }
  return failed > 0;
}

#endif  // EXPECT_HPP
