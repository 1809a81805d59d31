/* test_xla.cpp: xla.hpp: each class returned and thrown, payloads, places, and the way to the record. */
#include <map>

#include "expect.hpp"
#include "mxerr/xla.hpp"

using namespace xla;  // as the lines of the documentation are written

namespace {

const char *const name = "f%s";

/* "function < function" of the frames of an error, from where it was made outwards. */
std::string frames_of(const mxerr::Error &error) {
  std::string text;
  for (const mxerr::Frame &frame : error.frames()) text += (text.empty() ? "" : " < ") + frame.function;
  return text;
}

std::string frames_of_record() {
  const mxerr_record *record = mxerr_record_peek();
  std::string text;
  for (const mxerr_frame *frame = record->frames; frame != record->frames + record->frame_count; frame++)
    text += (text.empty() ? "" : " < ") + std::string(mxerr_text(record, frame->function));
  return text;
}

std::string text_of(mxerr_span span) { return {mxerr_text(mxerr_record_peek(), span), span.size}; }

/* ---- each class, both ways ---- */

struct Row {
  const char *name, *code_name;
  int code;
  Status (*returned)();
  StatusOr<int> (*returned_or)();
  void (*thrown)();
  void (*thrown_printf)();
  bool (*caught_by_class)(void (*)());
};

template <typename E>
bool caught(void (*call)()) {
  try {
    call();
  } catch (const E &) {
    return true;
  } catch (...) {
  }
  return false;
}

template <typename E>
constexpr Row row(const char *class_name, const char *code_name) {
  return {class_name,
          code_name,
          static_cast<int>(E::kCode),
          []() -> Status { return E("exported function not found: %s", name); },
          []() -> StatusOr<int> { return E("exported function not found: %s", name); },
          [] { throw E(StrCat("exported function not found: ", name)); },
          [] { throw E("exported function not found: %s", name); },
          caught<E>};
}

#define XLA_STATUS_ERROR(class_name, code, code_name, number, python) \
  row<Xla##class_name##Error>("Xla" #class_name "Error", #code_name),
#define XLA_DIRECT_ERROR(class_name, code, code_name, python) \
  row<Xla##class_name##Error>("Xla" #class_name "Error", #code_name),
const Row rows[] = {
#include "mxerr/xla_errors.inc"
};
#undef XLA_STATUS_ERROR
#undef XLA_DIRECT_ERROR

TEST(each_class_works_returned_and_thrown_and_says_the_same) {
  for (const Row &row : rows) {
    const std::string what = std::string(row.code_name) + ": exported function not found: f%s";
    const Status status = row.returned();
    EXPECT_IS(status.ToString(), what);
    EXPECT_IS(status.error().kind(), row.name);
    EXPECT_IS(static_cast<int>(status.code()), row.code);
    EXPECT_IS(status.error().frames().size(), 1u);
    EXPECT_IS(row.returned_or().status().ToString(), what);
    EXPECT_IS(row.returned_or().status().error().frames().size(), 1u);
    for (void (*thrown)() : {row.thrown, row.thrown_printf}) {
      EXPECT(row.caught_by_class(thrown));
      EXPECT(caught<XlaError>(thrown) && caught<mxerr::Error>(thrown) && caught<std::exception>(thrown));
      EXPECT_IS(MXERR_GUARD(thrown()), MXERR_FAILURE);
      EXPECT_IS(text_of(mxerr_record_peek()->kind), row.name);
      EXPECT_IS(text_of(mxerr_record_peek()->message), "exported function not found: f%s");
      EXPECT_IS(mxerr_record_peek()->code, row.code);
    }
    try {
      status.ThrowIfError();
      EXPECT(false);  // not reached
    } catch (const XlaError &error) {
      EXPECT_IS(error.what(), what);
    }
    EXPECT_IS(XLA_GUARD(row.returned()), MXERR_FAILURE);
    EXPECT_IS(text_of(mxerr_record_peek()->kind), row.name);
    EXPECT_IS(mxerr_record_peek()->code, row.code);
  }
}

/* ---- the lines of the documentation ---- */

Status FindExport(const char *name) { return XlaInternalError("exported function not found: %s", name); }
StatusOr<int> FindExportOr(const char *name) {
  return XlaInternalError("exported function not found: %s", name);
}
int GetAttribute(const std::string &name) {
  throw XlaAttributeError(xla::StrCat("Unknown attribute ", name));
}

TEST(the_lines_of_the_documentation_compile_unchanged_and_give_class_code_and_place) {
  EXPECT_IS(FindExport("main").ToString(), "INTERNAL: exported function not found: main");
  EXPECT_IS(FindExportOr("main").status().ToString(), "INTERNAL: exported function not found: main");
  EXPECT_IS(frames_of(FindExportOr("main").status().error()), "FindExportOr");
  EXPECT_IS(XLA_GUARD(FindExport("main")), MXERR_FAILURE);
  EXPECT_IS(text_of(mxerr_record_peek()->kind), "XlaInternalError");
  EXPECT_IS(text_of(mxerr_record_peek()->message), "exported function not found: main");
  EXPECT_IS(mxerr_record_peek()->code, 13);
  EXPECT_IS(frames_of_record(), "FindExport");
  EXPECT_IS(MXERR_GUARD(GetAttribute("colour")), MXERR_FAILURE);
  EXPECT_IS(text_of(mxerr_record_peek()->kind), "XlaAttributeError");
  EXPECT_IS(text_of(mxerr_record_peek()->message), "Unknown attribute colour");
  EXPECT_IS(frames_of_record(), "GetAttribute");
}

/* ---- where an error was made, and the functions it left ---- */

StatusOr<int> Find(const std::map<std::string, int> &exports, const char *wanted) {
  const auto found = exports.find(wanted);
  if (found == exports.end()) return XlaInternalError("exported function not found: %s", wanted);
  return found->second;
}

Status Check(int number) {
  if (number > 2) return XlaOutOfRangeError(StrFormat("%d of %d", number, 2));
  return OkStatus();
}

StatusOr<std::string> Run(const char *wanted) {
  XLA_ASSIGN_OR_RETURN(const int number, Find({{"one", 1}, {"three", 3}}, wanted));
  XLA_RETURN_IF_ERROR(Check(number));
  return std::to_string(number);
}

Status Execute(const char *wanted) {
  std::string text;
  XLA_ASSIGN_OR_RETURN(text, Run(wanted));
  return OkStatus();
}

int Attribute(const std::string &attribute) {
  throw XlaAttributeError(StrCat("Unknown attribute ", attribute));
}
int AttributePrintf(int number) { throw XlaAttributeError("Unknown attribute %d", number); }
int Outer() { return MXERR_CALL(Attribute("x")); }

TEST(an_error_knows_where_it_was_made_and_which_functions_it_left) {
  EXPECT_IS(Run("one").value(), "1");
  EXPECT(Execute("one").ok());
  EXPECT_IS(frames_of(Execute("two").error()), "Find < Run < Execute");
  EXPECT_IS(frames_of(Execute("three").error()), "Check < Run < Execute");
  EXPECT_IS(Execute("three").ToString(), "OUT_OF_RANGE: 3 of 2");
  EXPECT_IS(MXERR_GUARD(Outer()), MXERR_FAILURE);
  EXPECT_IS(frames_of_record(), "Attribute < Outer");
  EXPECT_IS(MXERR_GUARD(AttributePrintf(3)), MXERR_FAILURE);
  EXPECT_IS(text_of(mxerr_record_peek()->message), "Unknown attribute 3");
}

TEST(the_line_is_that_of_the_return) {
  const auto make = []() -> Status { return XlaAbortedError("x"); };
  const int line = __LINE__ - 1;
  EXPECT_IS(make().error().frames()[0].line, line);
}

TEST(a_value_that_is_not_there_throws_the_class_of_the_error) {
  try {
    EXPECT_IS(Run("two").value(), "never");
    EXPECT(false);  // not reached
  } catch (const XlaInternalError &error) {
    EXPECT_IS(error.what(), std::string("INTERNAL: exported function not found: two"));
  }
  EXPECT_IS(StatusOr<int>(OkStatus()).status().ToString(),
            "INTERNAL: an OK status was given in place of a value");
}

Status TwoOnOneLine() {
  // clang-format off
  XLA_ASSIGN_OR_RETURN(const int one, Find({{"x", 1}}, "x")); XLA_ASSIGN_OR_RETURN(const int two, Find({{"y", 2}}, "y"));
  // clang-format on
  return one + two == 3 ? OkStatus() : XlaInternalError("%d and %d", one, two);
}

#define BOTH_OR_RETURN(first, second, expression)    \
  XLA_ASSIGN_OR_RETURN(const int first, expression); \
  XLA_ASSIGN_OR_RETURN(const int second, expression)

Status TwoInAMacro() {
  BOTH_OR_RETURN(one, two, Find({{"x", 1}}, "x"));
  return one + two == 2 ? OkStatus() : XlaInternalError("%d and %d", one, two);
}

TEST(values_may_be_taken_twice_on_one_line) {
  EXPECT_IS(TwoOnOneLine().ToString(), "OK");
  EXPECT_IS(TwoInAMacro().ToString(), "OK");
}

/* ---- payloads, codes, texts ---- */

TEST(payloads_travel_and_are_shown_as_abseil_shows_them) {
  Status status = XlaNotFoundError("no key");
  const Status before = status;
  status.SetPayload("type.example/a", std::string("1\0'\xff"
                                                  "0",
                                                  5));
  status.SetPayload("type.example/b", "x");
  status.SetPayload("type.example/b", "y");
  EXPECT_IS(before.ToString(), "NOT_FOUND: no key");
  EXPECT_IS(status.ToString(),
            "NOT_FOUND: no key [type.example/a='1\\x00\\'\\xff\\x30'] [type.example/b='y']");
  EXPECT_IS(status.GetPayload("type.example/b").value_or("none"), "y");
  EXPECT(!status.GetPayload("type.example/c"));
  EXPECT_IS(XLA_GUARD(status), MXERR_FAILURE);
  EXPECT_IS(mxerr_record_peek()->attribute_count, 2u);
  EXPECT_IS(text_of(mxerr_record_peek()->attributes[0].name), "type.example/a");
  EXPECT_IS(text_of(mxerr_record_peek()->attributes[0].text), std::string("1\0'\xff"
                                                                          "0",
                                                                          5));
  EXPECT_IS(text_of(mxerr_record_peek()->message), "no key");
}

TEST(payloads_that_have_no_room_in_the_record_are_counted_on_the_way_back_too) {
  Status status = XlaNotFoundError("no key");
  for (int i = 0; i < 20; i++) status.SetPayload(StrCat("type.example/", i), "x");
  status.SetPayload("type.example/19", std::string(100000, 'x'));
  EXPECT_IS(status.error().payloads().size(), 20u);
  EXPECT_IS(status.error().attributes_omitted(), 0u);
  EXPECT_IS(XLA_GUARD(status), MXERR_FAILURE);
  EXPECT_IS(mxerr_record_peek()->attribute_count, MXERR_ATTRIBUTES_MAX);
  EXPECT_IS(mxerr_record_peek()->attributes_omitted, 20 - MXERR_ATTRIBUTES_MAX);
  EXPECT(mxerr_record_peek()->truncated);
  try {
    MXERR_CHECK_CALL(MXERR_FAILURE);
    EXPECT(false);  // not reached
  } catch (const mxerr::Error &error) {
    EXPECT_IS(error.attributes().size(), MXERR_ATTRIBUTES_MAX);
    EXPECT_IS(error.attributes_omitted(), 20 - MXERR_ATTRIBUTES_MAX);
    EXPECT_IS(MXERR_GUARD(throw error), MXERR_FAILURE);
    EXPECT_IS(mxerr_record_peek()->attributes_omitted, 20 - MXERR_ATTRIBUTES_MAX);
  }
}

TEST(an_unknown_code_keeps_its_number) {
  const Status status(static_cast<StatusCode>(99), "strange");
  EXPECT_IS(status.ToString(), "Unknown code(99): strange");
  EXPECT_IS(StatusCodeToString(status.code()), "99");
  EXPECT_IS(XLA_GUARD(status), MXERR_FAILURE);
  EXPECT_IS(mxerr_record_peek()->code, 99);
  EXPECT_IS(text_of(mxerr_record_peek()->kind), "XlaError");
  EXPECT(Status(StatusCode::kOk, "fine").ok());
  EXPECT_IS(Status(StatusCode::kAborted, "x").error().kind(), "XlaAbortedError");
}

TEST(messages_may_hold_anything) {
  const std::string texts[] = {"",       std::string("a\0b", 3), "\xff\xfe", "%s %n",
                               "{} {0}", std::string(5000, 'x')};
  for (const std::string &text : texts) {
    const auto make = [&text]() -> Status { return XlaInternalError(text); };
    EXPECT_IS(XLA_GUARD(make()), MXERR_FAILURE);
    EXPECT_IS(text_of(mxerr_record_peek()->message), text);
  }
}

TEST(what_is_thrown_where_a_status_is_expected_is_recorded) {
  EXPECT_IS(XLA_GUARD((throw std::bad_alloc(), OkStatus())), MXERR_FAILURE);
  EXPECT_IS(text_of(mxerr_record_peek()->kind), "MemoryError");
  EXPECT_IS(XLA_GUARD(OkStatus()), 0);
}

}  // namespace

int main() { return run_all(); }
