/*
 * mxerr.h: typed errors for a C library whose front end is Python.
 *
 * A drop-in header for C11 and C++17. One source file of the library defines MXERR_IMPLEMENTATION before
 * it includes this header (as its first include); all others just include it:
 *
 *     static int divide(int a, int b, int *out) {
 *       MXERR_CHECK_NE(b, 0, "ZeroDivisionError: cannot divide %d", a);
 *       *out = a / b;
 *       return 0;
 *     }
 *     MXERR_EXPORT int mylib_divide(int a, int b, int *out) { MXERR_API(divide(a, b, out)); }
 *
 * The protocol. A function that can fail returns int: 0, or MXERR_FAILURE with a record of the error kept
 * for the calling thread. A record holds the kind ("ZeroDivisionError"), the message, the check with both
 * operands, and one frame for each C function that the failure left, each with its named values. Python's
 * mxerr.Library reads it with mxerr_pack_record and raises it.
 *
 * The rules, for every function and macro below unless it says otherwise:
 * - A record belongs to the thread that failed. No call here blocks or takes a lock.
 * - Texts are copied into the record; nothing points into the caller's memory afterwards.
 * - A record is bounded (MXERR_TEXT_MAX, MXERR_FRAMES_MAX, MXERR_VALUES_MAX). What does not fit is cut, the
 *   cut is marked in the text, and `truncated` or `frames_omitted` says so.
 * - The error path allocates nothing, keeps errno, and writes numbers with a point in every locale.
 * - Success costs the test of a status: no record is touched until something fails.
 * - The record is private to the binary that was built with it: two libraries in one process never see each
 *   other's errors.
 */
#ifndef MXERR_H
#define MXERR_H

/* newlocale and uselocale, also where the compiler is asked for strict ISO C */
#if defined(MXERR_IMPLEMENTATION) && !defined(_WIN32) && !defined(_GNU_SOURCE) && !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- compilers ---------------------------------------------------------------------------------- */

#if defined(_WIN32)
#define MXERR_VISIBLE_ __declspec(dllexport)
#define MXERR_HIDDEN_
#elif defined(__GNUC__)
#define MXERR_VISIBLE_ __attribute__((visibility("default")))
#define MXERR_HIDDEN_ __attribute__((visibility("hidden")))
#else
#define MXERR_VISIBLE_
#define MXERR_HIDDEN_
#endif

#if defined(__MINGW32__)
#define MXERR_PRINTF_STYLE_ gnu_printf
#else
#define MXERR_PRINTF_STYLE_ printf
#endif

#if defined(__GNUC__)
#define MXERR_PRINTF_(text, values) __attribute__((format(MXERR_PRINTF_STYLE_, text, values), cold))
#define MXERR_UNLIKELY(x) __builtin_expect(!!(x), 0)
#else
#define MXERR_PRINTF_(text, values)
#define MXERR_UNLIKELY(x) (x)
#endif

#ifdef __cplusplus
#define MXERR_EXTERN_C_ extern "C"
#else
#define MXERR_EXTERN_C_
#endif

/* MXERR_EXPORT marks a function of the library's C API: C linkage and visible to dlsym. */
#define MXERR_EXPORT MXERR_EXTERN_C_ MXERR_VISIBLE_
#define MXERR_PRIVATE_ MXERR_EXTERN_C_ MXERR_HIDDEN_

/* The status of a call that failed and left a record. */
#define MXERR_FAILURE (-1)

/* ---- the record ---------------------------------------------------------------------------------- */

/* Changes whenever the packed form of a record does (mxerr_pack_record); a reader refuses what it does not know. */
#define MXERR_ABI 1u

#ifndef MXERR_TEXT_MAX
#define MXERR_TEXT_MAX 32768u /* bytes of all texts of one record */
#endif
#ifndef MXERR_FRAMES_MAX
#define MXERR_FRAMES_MAX 64u /* frames of one record; of more, the first and the last are kept */
#endif
#ifndef MXERR_VALUES_MAX
#define MXERR_VALUES_MAX 256u /* named values of all frames of one record */
#endif
#ifndef MXERR_ATTRIBUTES_MAX
#define MXERR_ATTRIBUTES_MAX 16u /* attributes of one record */
#endif

/* A text of a record: where it begins in mxerr_record.text, and its bytes without the closing NUL. */
typedef struct mxerr_span {
  uint32_t begin;
  uint32_t size;
} mxerr_span;

/* A named value of a frame, as C printed it (`axes.ndim` is "3"), or bytes that belong to the error as a whole. */
typedef struct mxerr_value {
  mxerr_span name;
  mxerr_span text;
} mxerr_value;

/* A C function that the failure left; its values are values[first_value .. first_value + value_count). */
typedef struct mxerr_frame {
  mxerr_span function;
  mxerr_span file;
  int32_t line;
  uint32_t first_value;
  uint32_t value_count;
} mxerr_frame;

typedef enum mxerr_state {
  MXERR_EMPTY = 0,  /* no error */
  MXERR_RAISED = 1, /* failed; frames are added on the way out */
  MXERR_READY = 2,  /* left the library through MXERR_API; a reader may come */
  MXERR_READ = 3    /* was read; kept for readers of the last error until the next failure */
} mxerr_state;

/* The error of one thread. Frames run from the failing function outwards. Texts: see mxerr_text. */
typedef struct mxerr_record {
  mxerr_state state;
  bool truncated;
  bool has_code;
  int64_t code; /* a number that classifies the error, such as a status code; see mxerr_record_set_code */
  uint32_t frame_count;
  uint32_t frames_omitted; /* frames dropped behind frames[MXERR_FRAMES_MAX / 2 - 1] */
  uint32_t value_count;
  uint32_t attribute_count;
  uint32_t text_size;
  mxerr_span kind;      /* empty where C stated none */
  mxerr_span message;   /* without the kind and without the check */
  mxerr_span condition; /* empty where the failure was no check */
  mxerr_span left;      /* both operands; empty where the check compares nothing */
  mxerr_span right;
  mxerr_frame frames[MXERR_FRAMES_MAX];
  mxerr_value values[MXERR_VALUES_MAX];
  mxerr_value attributes[MXERR_ATTRIBUTES_MAX]; /* see mxerr_record_add_attribute */
  char text[MXERR_TEXT_MAX];
} mxerr_record;

/* A text of a record as a C string, "" for an empty one. Owned by the record. */
static inline const char *mxerr_text(const mxerr_record *record, mxerr_span span) {
  return span.size == 0 ? "" : record->text + span.begin;
}

/*
 * The calling thread's error, or NULL where there is none. Owned by the thread; valid until the next failure
 * or clear on it.
 */
MXERR_PRIVATE_ const mxerr_record *mxerr_record_peek(void);

/*
 * Moves the calling thread's error out, to be kept, or set again on any thread. The caller owns the result
 * and gives it to mxerr_record_free. NULL where there is no error; NULL and the error stays where there is no
 * memory.
 */
MXERR_PRIVATE_ mxerr_record *mxerr_record_take(void);

/*
 * Copies `record` to the calling thread as its current error, replacing one that is there; `record` stays the
 * caller's. To be followed by `return MXERR_FAILURE` (callers then add their frames). NULL clears.
 */
MXERR_PRIVATE_ void mxerr_record_set(const mxerr_record *record);

/* Forgets the calling thread's error: for code that has handled a failure and goes on. */
MXERR_PRIVATE_ void mxerr_record_clear(void);

/* Frees what mxerr_record_take gave; NULL is allowed. Any thread. */
MXERR_PRIVATE_ void mxerr_record_free(mxerr_record *record);

/*
 * Writes the error in the standard text form, with `default_kind` where it states none (NULL: leave it out):
 *
 *     Kind: Check failed: left == right (1 vs. 2) : message
 *     Stack trace:
 *       File "file", line N, in function
 *
 * Returns the bytes of the whole text without its NUL, like snprintf; writes at most `size` bytes, always
 * with a NUL where size > 0. `buffer` may be NULL where size is 0.
 */
MXERR_PRIVATE_ size_t mxerr_record_format(const mxerr_record *record, const char *default_kind, char *buffer,
                                          size_t size);

/*
 * Give the calling thread's error a code, and bytes under a name ("errno", a URL, ...), both for the reader to
 * find as separate fields. To be called after the error was raised and before it is read; without an error
 * they do nothing. An attribute that does not fit is dropped, and the record marked as truncated.
 */
MXERR_PRIVATE_ void mxerr_record_set_code(int64_t code);
MXERR_PRIVATE_ void mxerr_record_add_attribute(const char *name, const void *data, size_t size);

/* The calling thread's error if it was not read yet, now marked as read, or NULL. Owned as in peek. */
MXERR_PRIVATE_ const mxerr_record *mxerr_record_read(void);

/*
 * For a reader in another language, the one symbol that the kit exports: packs the calling thread's unread
 * error into `buffer` and marks it as read. Returns the bytes that it takes, 0 where there is no unread error;
 * where that is more than `size`, nothing is written and the error stays unread.
 *
 * The packed form, in the machine's byte order: the numbers of mxerr_packed; texts, each closed by a NUL: kind,
 * condition, left, right, two for each frame from the innermost outwards, one for each attribute, its name;
 * the message; then for each attribute its size as uint32_t and its bytes. The two texts of a frame are its
 * place, "file US function US line" and " US name" for each value, and its values, joined by US, where US is
 * the unit separator, byte 0x1f.
 */
MXERR_EXPORT size_t mxerr_pack_record(char *buffer, size_t size);

typedef struct mxerr_packed {
  uint32_t abi;
  uint32_t truncated;
  uint32_t has_code;
  uint32_t frame_count;
  uint32_t frames_omitted;
  uint32_t attribute_count;
  uint32_t texts_size;
  uint32_t message_size;
  int64_t code;
} mxerr_packed;

/* ---- raising ------------------------------------------------------------------------------------- */

/*
 * Raising macros stand in functions that return int, and leave them with MXERR_FAILURE. The format is
 * printf's and checked by the compiler; an identifier before its first ": " is the kind:
 *
 *     MXERR_FAIL("IndexError: index %d is out of bounds for size %d", index, size);
 *
 * MXERR_VALUE names a value where the message prints it, so that the frame holds it too; MXERR_LOCAL names
 * one for the frame alone:
 *
 *     MXERR_FAIL("ValueError: Repeated axis. " MXERR_VALUE("param.axes", "%s") MXERR_LOCAL("op", "%s"),
 *                axes, name);         says "Repeated axis. param.axes = [0,0,1]"
 *
 * They work by bytes that UTF-8 never holds; `name` is a string literal.
 */
#define MXERR_VALUE(name, conversion) "\xfe" name "\xfd" conversion "\xff"
#define MXERR_LOCAL(name, conversion) "\xfc" name "\xfd" conversion "\xff"

/* Fails with a message. */
#define MXERR_FAIL(...) return (mxerr_fail(__FILE__, __LINE__, __func__, __VA_ARGS__), MXERR_FAILURE)

/* Fails with a message unless `condition` holds: MXERR_CHECK(condition, format, ...). */
#define MXERR_CHECK(condition, ...)                                                                   \
  do {                                                                                                \
    if (MXERR_UNLIKELY(!(condition)))                                                                 \
      return (mxerr_fail_check(__FILE__, __LINE__, __func__, #condition, __VA_ARGS__), MXERR_FAILURE); \
  } while (0)

/*
 * Fail unless left == right, !=, <, <=, >, >=: MXERR_CHECK_EQ(left, right, format, ...). Operands are numbers,
 * bool, enums or pointers, are evaluated once, and compare by value whatever their types: -1 is less than 1u.
 * Both are printed, pointers as NULL or non-NULL, and become named values of the frame.
 */
#define MXERR_CHECK_EQ(left, right, ...) MXERR_RELATION_(left, #left, ==, "==", right, #right, __VA_ARGS__)
#define MXERR_CHECK_NE(left, right, ...) MXERR_RELATION_(left, #left, !=, "!=", right, #right, __VA_ARGS__)
#define MXERR_CHECK_LT(left, right, ...) MXERR_RELATION_(left, #left, <, "<", right, #right, __VA_ARGS__)
#define MXERR_CHECK_LE(left, right, ...) MXERR_RELATION_(left, #left, <=, "<=", right, #right, __VA_ARGS__)
#define MXERR_CHECK_GT(left, right, ...) MXERR_RELATION_(left, #left, >, ">", right, #right, __VA_ARGS__)
#define MXERR_CHECK_GE(left, right, ...) MXERR_RELATION_(left, #left, >=, ">=", right, #right, __VA_ARGS__)

#define MXERR_RELATION_(left, left_name, relation, relation_name, right, right_name, ...)               \
  do {                                                                                                  \
    const mxerr_operand mxerr_left_ = mxerr_operand_of(left);                                           \
    const mxerr_operand mxerr_right_ = mxerr_operand_of(right);                                         \
    if (MXERR_UNLIKELY(!(mxerr_compare(mxerr_left_, mxerr_right_, 0 relation 1) relation 0)))           \
      return (mxerr_fail_relation(__FILE__, __LINE__, __func__, left_name, relation_name, right_name,   \
                                  &mxerr_left_, &mxerr_right_, __VA_ARGS__),                            \
              MXERR_FAILURE);                                                                           \
  } while (0)

/*
 * True where `call` returned a status other than 0; the frame of the calling function is then part of the
 * record. For functions that have something to release before they return:
 *
 *     if (MXERR_FAILED(read(file))) goto close;
 */
#define MXERR_FAILED(call) \
  (MXERR_UNLIKELY((call) != 0) && (mxerr_leave(__FILE__, __LINE__, __func__, NULL), true))

/* Calls, and leaves the function with MXERR_FAILURE where the call failed. */
#define MXERR_TRY(call)                             \
  do {                                              \
    if (MXERR_FAILED(call)) return MXERR_FAILURE;   \
  } while (0)

/* The same with named values for the frame: MXERR_TRY_WITH(call, MXERR_LOCAL("op", "%s"), name). */
#define MXERR_TRY_WITH(call, ...)                                         \
  do {                                                                    \
    if (MXERR_UNLIKELY((call) != 0))                                      \
      return (mxerr_leave(__FILE__, __LINE__, __func__, __VA_ARGS__), MXERR_FAILURE); \
  } while (0)

/*
 * The body of a function of the C API: calls, and returns 0 or MXERR_FAILURE with a record that is ready to
 * be read. A call that failed without raising gets a record that says so, never that of an earlier failure.
 */
#define MXERR_API(call) \
  return MXERR_UNLIKELY((call) != 0) ? (mxerr_api_leave(__FILE__, __LINE__, __func__), MXERR_FAILURE) : 0

/*
 * The same for functions that destructors call: where an error of this thread still waits to be read, a
 * failure of `call` leaves it alone, and only the status tells of the new one.
 */
#define MXERR_API_QUIET(call)                                                                       \
  do {                                                                                              \
    const bool mxerr_quiet_ = mxerr_quiet_enter();                                                  \
    const int mxerr_status_ = (call);                                                               \
    mxerr_quiet_leave(mxerr_quiet_);                                                                \
    if (MXERR_UNLIKELY(mxerr_status_ != 0) && !mxerr_quiet_)                                        \
      mxerr_api_leave(__FILE__, __LINE__, __func__);                                                \
    return mxerr_status_ != 0 ? MXERR_FAILURE : 0;                                                  \
  } while (0)

/* ---- operands of checks --------------------------------------------------------------------------- */

typedef enum mxerr_operand_type {
  MXERR_SIGNED_,
  MXERR_UNSIGNED_,
  MXERR_REAL_,
  MXERR_POINTER_
} mxerr_operand_type;

/* An operand of a check with its type, so that it is evaluated once, compared by value, and printed. */
typedef struct mxerr_operand {
  mxerr_operand_type type;
  union {
    int64_t i;
    uint64_t u;
    double r;
    const volatile void *p;
  } as;
} mxerr_operand;

static inline mxerr_operand mxerr_signed_(long long value) {
  mxerr_operand operand;
  operand.type = MXERR_SIGNED_;
  operand.as.i = value;
  return operand;
}

static inline mxerr_operand mxerr_unsigned_(unsigned long long value) {
  mxerr_operand operand;
  operand.type = MXERR_UNSIGNED_;
  operand.as.u = value;
  return operand;
}

static inline mxerr_operand mxerr_real_(double value) {
  mxerr_operand operand;
  operand.type = MXERR_REAL_;
  operand.as.r = value;
  return operand;
}

static inline mxerr_operand mxerr_pointer_(const volatile void *value) {
  mxerr_operand operand;
  operand.type = MXERR_POINTER_;
  operand.as.p = value;
  return operand;
}

#ifdef __cplusplus
#include <type_traits>

template <typename T>
inline mxerr_operand mxerr_operand_of(const T &value) {
  if constexpr (std::is_null_pointer_v<T>)
    return mxerr_pointer_(nullptr);
  else if constexpr (std::is_pointer_v<std::decay_t<T>>)
    return mxerr_pointer_(reinterpret_cast<const volatile void *>(value));
  else if constexpr (std::is_enum_v<T>)
    return mxerr_operand_of(static_cast<std::underlying_type_t<T>>(value));
  else if constexpr (std::is_floating_point_v<T>)
    return mxerr_real_(static_cast<double>(value));
  else if constexpr (std::is_unsigned_v<T>)
    return mxerr_unsigned_(value);
  else
    return mxerr_signed_(value);
}
#else
#define mxerr_operand_of(value)                                                                       \
  _Generic((value),                                                                                   \
      bool: mxerr_unsigned_, char: mxerr_signed_, signed char: mxerr_signed_, short: mxerr_signed_,   \
      int: mxerr_signed_, long: mxerr_signed_, long long: mxerr_signed_,                              \
      unsigned char: mxerr_unsigned_, unsigned short: mxerr_unsigned_, unsigned int: mxerr_unsigned_, \
      unsigned long: mxerr_unsigned_, unsigned long long: mxerr_unsigned_, float: mxerr_real_,        \
      double: mxerr_real_, default: mxerr_pointer_)(value)
#endif

#define MXERR_ORDER_(left, right) (((left) > (right)) - ((left) < (right)))

static inline double mxerr_as_real_(const mxerr_operand *operand) {
  switch (operand->type) {
    case MXERR_SIGNED_: return (double)operand->as.i;
    case MXERR_UNSIGNED_: return (double)operand->as.u;
    case MXERR_REAL_: return operand->as.r;
    default: return (double)(uintptr_t)operand->as.p;
  }
}

/* -1, 0 or 1 as left is less than, equal to or greater than right; `unordered` where one is not a number. */
static inline int mxerr_compare(mxerr_operand left, mxerr_operand right, int unordered) {
  if (left.type == MXERR_REAL_ || right.type == MXERR_REAL_) {
    const double a = mxerr_as_real_(&left), b = mxerr_as_real_(&right);
    return a != a || b != b ? unordered : MXERR_ORDER_(a, b);
  }
  if (left.type == MXERR_SIGNED_ && right.type == MXERR_SIGNED_) return MXERR_ORDER_(left.as.i, right.as.i);
  if (left.type == MXERR_SIGNED_ && left.as.i < 0) return -1;
  if (right.type == MXERR_SIGNED_ && right.as.i < 0) return 1;
  {
    const uint64_t a = left.type == MXERR_POINTER_ ? (uintptr_t)left.as.p : left.as.u;
    const uint64_t b = right.type == MXERR_POINTER_ ? (uintptr_t)right.as.p : right.as.u;
    return MXERR_ORDER_(a, b);
  }
}

/* ---- functions behind the macros ------------------------------------------------------------------- */

/* `file`, `line` and `function` are the place that fails or is left. */
MXERR_PRIVATE_ void mxerr_fail(const char *file, int line, const char *function, const char *format, ...)
    MXERR_PRINTF_(4, 5);
MXERR_PRIVATE_ void mxerr_fail_check(const char *file, int line, const char *function, const char *condition,
                                    const char *format, ...) MXERR_PRINTF_(5, 6);
MXERR_PRIVATE_ void mxerr_fail_relation(const char *file, int line, const char *function,
                                       const char *left_name, const char *relation, const char *right_name,
                                       const mxerr_operand *left, const mxerr_operand *right,
                                       const char *format, ...) MXERR_PRINTF_(9, 10);

/* Fails with a text that is no format, such as one from another language; "Kind: " is split off. */
MXERR_PRIVATE_ void mxerr_fail_text(const char *file, int line, const char *function, const char *text);

/* Adds a frame to the error on its way out; `format` prints MXERR_LOCAL values, NULL for none. */
MXERR_PRIVATE_ void mxerr_leave(const char *file, int line, const char *function, const char *format, ...)
    MXERR_PRINTF_(4, 5);

/* The same for the last frame: the record is ready to be read. */
MXERR_PRIVATE_ void mxerr_api_leave(const char *file, int line, const char *function);

/* Between enter and leave nothing is recorded, if an unread error was there at enter: then true. */
MXERR_PRIVATE_ bool mxerr_quiet_enter(void);
MXERR_PRIVATE_ void mxerr_quiet_leave(bool entered);

/* ================================= implementation: one file of a library ============================ */

#ifdef MXERR_IMPLEMENTATION

#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(__APPLE__)
#include <xlocale.h>
#endif

#ifdef __cplusplus
#define MXERR_THREAD_LOCAL_ thread_local
#else
#define MXERR_THREAD_LOCAL_ _Thread_local
#endif

/* A message takes no more than this, so that frames and values always find room. */
#define MXERR_MESSAGE_MAX_ (MXERR_TEXT_MAX / 4 * 3)
#define MXERR_VALUE_TEXT_MAX_ 1024u
#define MXERR_CUT_ " ... [cut by mxerr]"

static MXERR_THREAD_LOCAL_ mxerr_record mxerr_current_;
static MXERR_THREAD_LOCAL_ unsigned mxerr_quiet_depth_;

/* -- numbers with a point, whatever the locale of the process -- */

#if defined(_WIN32)
typedef int mxerr_locale_;
static mxerr_locale_ mxerr_locale_enter_(void) { return _configthreadlocale(0); }
static void mxerr_locale_leave_(mxerr_locale_ previous) { (void)previous; }
#else
typedef struct mxerr_locale_ {
  locale_t plain;
  locale_t previous;
} mxerr_locale_;

static mxerr_locale_ mxerr_locale_enter_(void) {
  mxerr_locale_ locale = {(locale_t)0, (locale_t)0};
  if (strcmp(localeconv()->decimal_point, ".") == 0) return locale; /* nothing to do, as nearly always */
  locale.plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  if (locale.plain) locale.previous = uselocale(locale.plain);
  return locale;
}

static void mxerr_locale_leave_(mxerr_locale_ locale) {
  if (!locale.plain) return;
  uselocale(locale.previous);
  freelocale(locale.plain);
}
#endif

/* -- texts -- */

static uint32_t mxerr_room_(const mxerr_record *record) { return MXERR_TEXT_MAX - record->text_size; }

/* The largest length up to `size` that does not end within a UTF-8 character. */
static size_t mxerr_whole_(const char *text, size_t size) {
  size_t whole = size;
  while (whole > 0 && size - whole < 3 && ((unsigned char)text[whole] & 0xc0) == 0x80) whole--;
  return ((unsigned char)text[whole] & 0xc0) == 0x80 ? size : whole;
}

/* Appends a text, cut to `most` bytes and to the room that is left; the cut is marked. */
static mxerr_span mxerr_append_(mxerr_record *record, const char *text, size_t size, size_t most) {
  mxerr_span span = {0, 0};
  const size_t mark = sizeof MXERR_CUT_ - 1, room = mxerr_room_(record);
  char *end = record->text + record->text_size;
  bool cut = false;
  if (most + 1 > room) most = room == 0 ? 0 : room - 1;
  if (size > most) {
    cut = true;
    record->truncated = true;
    if (most <= mark) return span;
    size = mxerr_whole_(text, most - mark);
  }
  if (size == 0 && !cut) return span;
  memcpy(end, text, size);
  if (cut) {
    memcpy(end + size, MXERR_CUT_, mark);
    size += mark;
  }
  end[size] = '\0';
  span.begin = record->text_size;
  span.size = (uint32_t)size;
  record->text_size += (uint32_t)size + 1;
  return span;
}

static mxerr_span mxerr_append_string_(mxerr_record *record, const char *text) {
  return mxerr_append_(record, text, strlen(text), MXERR_VALUE_TEXT_MAX_);
}

static bool mxerr_same_(const mxerr_record *record, mxerr_span span, const char *text, size_t size) {
  return span.size == size && memcmp(record->text + span.begin, text, size) == 0;
}

/* Names of functions and files repeat, most of all in a recursion: they are stored once. */
static mxerr_span mxerr_intern_(mxerr_record *record, const char *text) {
  const size_t size = strlen(text);
  uint32_t i;
  for (i = record->frame_count; i-- > 0;) {
    if (mxerr_same_(record, record->frames[i].function, text, size)) return record->frames[i].function;
    if (mxerr_same_(record, record->frames[i].file, text, size)) return record->frames[i].file;
  }
  return mxerr_append_(record, text, size, MXERR_VALUE_TEXT_MAX_);
}

/* -- values and frames -- */

static void mxerr_add_value_(mxerr_record *record, const char *name, size_t name_size, const char *text,
                             size_t text_size) {
  mxerr_value value;
  if (record->value_count == MXERR_VALUES_MAX) {
    record->truncated = true;
    return;
  }
  value.name = mxerr_append_(record, name, name_size, MXERR_VALUE_TEXT_MAX_);
  value.text = mxerr_append_(record, text, text_size, MXERR_VALUE_TEXT_MAX_);
  if (value.name.size > 0) record->values[record->value_count++] = value;
}

static void mxerr_add_frame_(mxerr_record *record, const char *file, int line, const char *function,
                             uint32_t first_value) {
  const uint32_t head = MXERR_FRAMES_MAX / 2;
  mxerr_frame frame;
  frame.function = mxerr_intern_(record, function);
  frame.file = mxerr_intern_(record, file);
  frame.line = line;
  frame.first_value = first_value;
  frame.value_count = record->value_count - first_value;
  if (record->frame_count == MXERR_FRAMES_MAX) { /* drop the oldest of the outer half */
    memmove(record->frames + head, record->frames + head + 1,
            (MXERR_FRAMES_MAX - head - 1) * sizeof record->frames[0]);
    record->frame_count--;
    record->frames_omitted++;
  }
  record->frames[record->frame_count++] = frame;
}

/* -- messages -- */

/* The end of a marked value that begins at `at`: its closing byte, or NULL if this is no marked value. */
static char *mxerr_marked_(char *at, char *end, char **separator) {
  const unsigned char mark = (unsigned char)*at;
  char *p;
  if (mark != 0xfe && mark != 0xfc) return NULL;
  for (p = at + 1; p < end && (unsigned char)*p >= 0x20 && (unsigned char)*p < 0x7f;) p++;
  if (p == end || p == at + 1 || (unsigned char)*p != 0xfd) return NULL;
  *separator = p;
  return (char *)memchr(p, 0xff, (size_t)(end - p));
}

/*
 * Takes the marks of MXERR_VALUE and MXERR_LOCAL out of a formatted message, in place, and stores the values.
 * "<fe>name<fd>text<ff>" and "name = text" are equally long. Returns the new size.
 */
static size_t mxerr_unmark_(mxerr_record *record, char *message, size_t size) {
  char *in = message, *out = message, *end = message + size, *separator = NULL;
  while (in < end) {
    char *closing = mxerr_marked_(in, end, &separator);
    if (closing == NULL) {
      *out++ = *in++;
      continue;
    }
    {
      const size_t name_size = (size_t)(separator - in) - 1, text_size = (size_t)(closing - separator) - 1;
      mxerr_add_value_(record, in + 1, name_size, separator + 1, text_size);
      if ((unsigned char)*in == 0xfe) {
        memmove(out + name_size + 3, separator + 1, text_size);
        memmove(out, in + 1, name_size);
        memcpy(out + name_size, " = ", 3);
        out += name_size + 3 + text_size;
      }
    }
    in = closing + 1;
  }
  return (size_t)(out - message);
}

static bool mxerr_is_letter_(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* Length of "Kind" where the format begins with "Kind: ": an identifier, with dots, and no conversion. */
static size_t mxerr_kind_size_(const char *format) {
  size_t size = 0;
  if (!mxerr_is_letter_(format[0])) return 0;
  while (mxerr_is_letter_(format[size]) || (format[size] >= '0' && format[size] <= '9') ||
         format[size] == '.')
    size++;
  return format[size] == ':' && format[size + 1] == ' ' ? size : 0;
}

/* Formats behind the texts that are there; the values of the message come to lie behind it. */
static mxerr_span mxerr_append_format_(mxerr_record *record, const char *format, va_list arguments) {
  mxerr_span span = {0, 0};
  const uint32_t room = mxerr_room_(record);
  const size_t most = room < MXERR_MESSAGE_MAX_ ? room : MXERR_MESSAGE_MAX_, mark = sizeof MXERR_CUT_ - 1;
  char *message = record->text + record->text_size;
  const mxerr_locale_ locale = mxerr_locale_enter_();
  int wanted;
  size_t size;
  if (most <= mark + 1) {
    record->truncated = true;
    mxerr_locale_leave_(locale);
    return span;
  }
  wanted = vsnprintf(message, most, format, arguments);
  mxerr_locale_leave_(locale);
  if (wanted < 0) return mxerr_append_string_(record, format); /* a wide text that cannot be printed */
  size = (size_t)wanted;
  if (size >= most) {
    record->truncated = true;
    size = mxerr_whole_(message, most - 1 - mark);
    memcpy(message + size, MXERR_CUT_, mark);
    size += mark;
  }
  span.begin = record->text_size;
  record->text_size += (uint32_t)size + 1;
  {
    const size_t unmarked = mxerr_unmark_(record, message, size);
    memset(message + unmarked, 0, size - unmarked + 1); /* a reader may rely on texts that are all ASCII */
    span.size = (uint32_t)unmarked;
  }
  return span;
}

/* -- the life of a record -- */

static mxerr_record *mxerr_begin_(void) {
  mxerr_record *record = &mxerr_current_;
  memset(record, 0, offsetof(mxerr_record, frames));
  record->state = MXERR_RAISED;
  return record;
}

/* Kind, message and the frame of the failing function: the end of every raise. */
static void mxerr_finish_(mxerr_record *record, const char *file, int line, const char *function,
                         const char *format, va_list arguments) {
  const size_t kind_size = mxerr_kind_size_(format);
  record->kind = mxerr_append_(record, format, kind_size, MXERR_VALUE_TEXT_MAX_);
  record->message = mxerr_append_format_(record, format + (kind_size ? kind_size + 2 : 0), arguments);
  mxerr_add_frame_(record, file, line, function, 0);
}

void mxerr_fail(const char *file, int line, const char *function, const char *format, ...) {
  const int saved_errno = errno;
  va_list arguments;
  if (mxerr_quiet_depth_ > 0) return;
  va_start(arguments, format);
  mxerr_finish_(mxerr_begin_(), file, line, function, format, arguments);
  va_end(arguments);
  errno = saved_errno;
}

void mxerr_fail_check(const char *file, int line, const char *function, const char *condition,
                     const char *format, ...) {
  const int saved_errno = errno;
  mxerr_record *record;
  va_list arguments;
  if (mxerr_quiet_depth_ > 0) return;
  record = mxerr_begin_();
  record->condition = mxerr_append_string_(record, condition);
  va_start(arguments, format);
  mxerr_finish_(record, file, line, function, format, arguments);
  va_end(arguments);
  errno = saved_errno;
}

void mxerr_fail_text(const char *file, int line, const char *function, const char *text) {
  const size_t kind_size = mxerr_kind_size_(text);
  mxerr_record *record;
  if (mxerr_quiet_depth_ > 0) return;
  record = mxerr_begin_();
  text += kind_size > 0 ? kind_size + 2 : 0;
  record->kind = mxerr_append_(record, text - (kind_size > 0 ? kind_size + 2 : 0), kind_size, kind_size);
  record->message = mxerr_append_(record, text, strlen(text), MXERR_MESSAGE_MAX_);
  mxerr_add_frame_(record, file, line, function, 0);
}

/* Prints an operand with the fewest digits that give the same number back. */
static mxerr_span mxerr_append_operand_(mxerr_record *record, const mxerr_operand *operand) {
  char text[40];
  int digits = 15;
  switch (operand->type) {
    case MXERR_SIGNED_: snprintf(text, sizeof text, "%lld", (long long)operand->as.i); break;
    case MXERR_UNSIGNED_: snprintf(text, sizeof text, "%llu", (unsigned long long)operand->as.u); break;
    case MXERR_POINTER_: snprintf(text, sizeof text, "%s", operand->as.p ? "non-NULL" : "NULL"); break;
    default:
      do snprintf(text, sizeof text, "%.*g", digits, operand->as.r);
      while (operand->as.r == operand->as.r && digits++ < 17 && strtod(text, NULL) != operand->as.r);
  }
  return mxerr_append_string_(record, text);
}

static void mxerr_add_operand_(mxerr_record *record, const char *name, mxerr_span text) {
  static const char *const constants[] = {"NULL", "nullptr", "true", "false"};
  size_t i;
  if (!mxerr_is_letter_(name[0]) || record->value_count == MXERR_VALUES_MAX) return;
  for (i = 0; i < sizeof constants / sizeof constants[0]; i++)
    if (strcmp(name, constants[i]) == 0) return;
  record->values[record->value_count].name = mxerr_append_string_(record, name);
  record->values[record->value_count++].text = text;
}

void mxerr_fail_relation(const char *file, int line, const char *function, const char *left_name,
                        const char *relation, const char *right_name, const mxerr_operand *left,
                        const mxerr_operand *right, const char *format, ...) {
  const int saved_errno = errno;
  char condition[MXERR_VALUE_TEXT_MAX_];
  mxerr_record *record;
  mxerr_locale_ locale;
  va_list arguments;
  if (mxerr_quiet_depth_ > 0) return;
  record = mxerr_begin_();
  snprintf(condition, sizeof condition, "%s %s %s", left_name, relation, right_name);
  record->condition = mxerr_append_string_(record, condition);
  locale = mxerr_locale_enter_();
  record->left = mxerr_append_operand_(record, left);
  record->right = mxerr_append_operand_(record, right);
  mxerr_locale_leave_(locale);
  mxerr_add_operand_(record, left_name, record->left);
  mxerr_add_operand_(record, right_name, record->right);
  va_start(arguments, format);
  mxerr_finish_(record, file, line, function, format, arguments);
  va_end(arguments);
  errno = saved_errno;
}

void mxerr_leave(const char *file, int line, const char *function, const char *format, ...) {
  const int saved_errno = errno;
  mxerr_record *record = &mxerr_current_;
  uint32_t first_value;
  if (mxerr_quiet_depth_ > 0) return;
  if (record->state != MXERR_RAISED) {
    mxerr_fail(file, line, function, "a call in %s failed without saying why", function);
    return;
  }
  first_value = record->value_count;
  if (format != NULL) {
    va_list arguments;
    va_start(arguments, format);
    mxerr_append_format_(record, format, arguments);
    va_end(arguments);
  }
  mxerr_add_frame_(record, file, line, function, first_value);
  errno = saved_errno;
}

void mxerr_api_leave(const char *file, int line, const char *function) {
  mxerr_leave(file, line, function, NULL);
  if (mxerr_quiet_depth_ == 0) mxerr_current_.state = MXERR_READY;
}

bool mxerr_quiet_enter(void) {
  const bool unread = mxerr_current_.state == MXERR_RAISED || mxerr_current_.state == MXERR_READY;
  mxerr_quiet_depth_ += unread;
  return unread;
}

void mxerr_quiet_leave(bool entered) { mxerr_quiet_depth_ -= entered; }

const mxerr_record *mxerr_record_peek(void) {
  return mxerr_current_.state == MXERR_EMPTY ? NULL : &mxerr_current_;
}

void mxerr_record_set_code(int64_t code) {
  mxerr_current_.has_code = true;
  mxerr_current_.code = code;
}

void mxerr_record_add_attribute(const char *name, const void *data, size_t size) {
  mxerr_record *record = &mxerr_current_;
  const size_t name_size = strlen(name);
  mxerr_value *attribute = &record->attributes[record->attribute_count];
  if (record->state == MXERR_EMPTY) return;
  if (record->attribute_count == MXERR_ATTRIBUTES_MAX || name_size + 1 + size + 1 > mxerr_room_(record)) {
    record->truncated = true;
    return;
  }
  attribute->name = mxerr_append_(record, name, name_size, name_size);
  attribute->text = mxerr_append_(record, (const char *)data, size, size);
  record->attribute_count++;
}

const mxerr_record *mxerr_record_read(void) {
  if (mxerr_current_.state == MXERR_EMPTY || mxerr_current_.state == MXERR_READ) return NULL;
  mxerr_current_.state = MXERR_READ;
  return &mxerr_current_;
}

mxerr_record *mxerr_record_take(void) {
  mxerr_record *record;
  if (mxerr_current_.state == MXERR_EMPTY) return NULL;
  record = (mxerr_record *)malloc(sizeof *record);
  if (record == NULL) return NULL;
  *record = mxerr_current_;
  mxerr_record_clear();
  return record;
}

void mxerr_record_set(const mxerr_record *record) {
  if (record == NULL) {
    mxerr_record_clear();
    return;
  }
  if (record != &mxerr_current_) mxerr_current_ = *record;
  mxerr_current_.state = MXERR_RAISED;
}

void mxerr_record_clear(void) { mxerr_current_.state = MXERR_EMPTY; }

void mxerr_record_free(mxerr_record *record) { free(record); }

/* -- writing a record out -- */

/* Like snprintf: counts what is wanted, writes what has room. */
typedef struct mxerr_writer_ {
  char *buffer;
  size_t size;
  size_t wanted;
} mxerr_writer_;

static void mxerr_write_bytes_(mxerr_writer_ *writer, const void *data, size_t size) {
  if (writer->wanted < writer->size && size > 0) {
    const size_t room = writer->size - writer->wanted;
    memcpy(writer->buffer + writer->wanted, data, size < room ? size : room);
  }
  writer->wanted += size;
}

static void mxerr_write_(mxerr_writer_ *writer, const char *text) {
  mxerr_write_bytes_(writer, text, strlen(text));
}

/* -- the packed form -- */

/* A text within a packed one: the separators that it may hold become blanks. */
static void mxerr_pack_text_(mxerr_writer_ *writer, const mxerr_record *record, mxerr_span span) {
  const char *text = mxerr_text(record, span);
  const size_t begin = writer->wanted;
  size_t i;
  mxerr_write_bytes_(writer, text, span.size);
  for (i = 0; i < span.size && begin + i < writer->size; i++)
    if (text[i] == '\0' || text[i] == '\x1f') writer->buffer[begin + i] = ' ';
}

static void mxerr_pack_frame_(mxerr_writer_ *writer, const mxerr_record *record, const mxerr_frame *frame) {
  const mxerr_value *values = record->values + frame->first_value;
  char line[16];
  uint32_t i;
  mxerr_pack_text_(writer, record, frame->file);
  mxerr_write_(writer, "\x1f");
  mxerr_pack_text_(writer, record, frame->function);
  snprintf(line, sizeof line, "\x1f%d", (int)frame->line);
  mxerr_write_(writer, line);
  for (i = 0; i < frame->value_count; i++) {
    mxerr_write_(writer, "\x1f");
    mxerr_pack_text_(writer, record, values[i].name);
  }
  mxerr_write_bytes_(writer, "", 1);
  for (i = 0; i < frame->value_count; i++) {
    if (i > 0) mxerr_write_(writer, "\x1f");
    mxerr_pack_text_(writer, record, values[i].text);
  }
  mxerr_write_bytes_(writer, "", 1);
}

static void mxerr_pack_texts_(mxerr_writer_ *writer, const mxerr_record *record) {
  const mxerr_span spans[] = {record->kind, record->condition, record->left, record->right};
  uint32_t i;
  for (i = 0; i < 4; i++) {
    mxerr_pack_text_(writer, record, spans[i]);
    mxerr_write_bytes_(writer, "", 1);
  }
  for (i = 0; i < record->frame_count; i++) mxerr_pack_frame_(writer, record, &record->frames[i]);
  for (i = 0; i < record->attribute_count; i++) {
    mxerr_pack_text_(writer, record, record->attributes[i].name);
    mxerr_write_bytes_(writer, "", 1);
  }
}

static size_t mxerr_pack_(const mxerr_record *record, char *buffer, size_t size) {
  mxerr_writer_ writer = {buffer, size, sizeof(mxerr_packed)};
  mxerr_packed packed;
  uint32_t i;
  memset(&packed, 0, sizeof packed);
  packed.abi = MXERR_ABI;
  packed.truncated = record->truncated;
  packed.has_code = record->has_code;
  packed.frame_count = record->frame_count;
  packed.frames_omitted = record->frames_omitted;
  packed.attribute_count = record->attribute_count;
  packed.code = record->code;
  mxerr_pack_texts_(&writer, record);
  packed.texts_size = (uint32_t)(writer.wanted - sizeof packed);
  packed.message_size = record->message.size;
  mxerr_write_bytes_(&writer, mxerr_text(record, record->message), record->message.size);
  for (i = 0; i < record->attribute_count; i++) {
    const mxerr_span data = record->attributes[i].text;
    mxerr_write_bytes_(&writer, &data.size, sizeof data.size);
    mxerr_write_bytes_(&writer, mxerr_text(record, data), data.size);
  }
  if (size >= sizeof packed) memcpy(buffer, &packed, sizeof packed);
  return writer.wanted;
}

size_t mxerr_pack_record(char *buffer, size_t size) {
  mxerr_record *record = &mxerr_current_;
  size_t wanted;
  if (record->state == MXERR_EMPTY || record->state == MXERR_READ) return 0;
  wanted = mxerr_pack_(record, buffer, size);
  if (wanted <= size) record->state = MXERR_READ;
  return wanted;
}

/* -- the standard text form -- */

static void mxerr_write_frame_(mxerr_writer_ *writer, const mxerr_record *record, const mxerr_frame *frame) {
  char line[16];
  snprintf(line, sizeof line, "%d", (int)frame->line);
  mxerr_write_(writer, "  File \"");
  mxerr_write_(writer, mxerr_text(record, frame->file));
  mxerr_write_(writer, "\", line ");
  mxerr_write_(writer, line);
  mxerr_write_(writer, ", in ");
  mxerr_write_(writer, mxerr_text(record, frame->function));
  mxerr_write_(writer, "\n");
}

size_t mxerr_record_format(const mxerr_record *record, const char *default_kind, char *buffer, size_t size) {
  mxerr_writer_ writer = {buffer, size > 0 ? size - 1 : 0, 0}; /* room for the NUL */
  const char *kind = mxerr_text(record, record->kind);
  uint32_t i;
  if (kind[0] == '\0' && default_kind != NULL) kind = default_kind;
  if (kind[0] != '\0') {
    mxerr_write_(&writer, kind);
    mxerr_write_(&writer, ": ");
  }
  if (record->condition.size > 0) {
    mxerr_write_(&writer, "Check failed: ");
    mxerr_write_(&writer, mxerr_text(record, record->condition));
    if (record->left.size > 0) {
      mxerr_write_(&writer, " (");
      mxerr_write_(&writer, mxerr_text(record, record->left));
      mxerr_write_(&writer, " vs. ");
      mxerr_write_(&writer, mxerr_text(record, record->right));
      mxerr_write_(&writer, ")");
    }
    mxerr_write_(&writer, record->left.size > 0 ? " : " : ": ");
  }
  mxerr_write_(&writer, mxerr_text(record, record->message));
  if (record->frame_count > 0) mxerr_write_(&writer, "\nStack trace:\n");
  for (i = 0; i < record->frame_count; i++) mxerr_write_frame_(&writer, record, &record->frames[i]);
  if (size > 0) buffer[writer.wanted < size - 1 ? writer.wanted : size - 1] = '\0';
  return writer.wanted;
}

#endif /* MXERR_IMPLEMENTATION */

#endif /* MXERR_H */
