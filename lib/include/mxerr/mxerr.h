/*
 * mxerr.h: typed errors for a C library whose front end is Python.
 *
 * A drop-in header for C11 and C++17. One source file of the library defines MXERR_IMPLEMENTATION before
 * it includes this header (as its first include); all others just include it:
 *
 *     #define MXERR_IMPLEMENTATION
 *     #include "mxerr/mxerr.h"
 *
 *     static int divide(int a, int b, int *out) {
 *       MXERR_CHECK_NE(b, 0, "ValueError: cannot divide %d", a);
 *       *out = a / b;
 *       return 0;
 *     }
 *     MXERR_EXPORT int mylib_divide(int a, int b, int *out) { MXERR_API(divide(a, b, out)); }
 *
 * The protocol. A function that can fail returns int: 0, or MXERR_FAILURE with a record of the error kept
 * for the calling thread. A record holds the kind ("ValueError"), the message, the check with both
 * operands, and one frame for each C function that the failure left, each with its named values. Python's
 * mxerr.Library reads it with mxerr_pack_record and raises it.
 *
 * The rules, for every function and macro below unless it says otherwise:
 * - A record belongs to the thread that failed. No call here blocks or takes a lock.
 * - Texts are copied into the record; nothing points into the caller's memory afterwards.
 * - A record is bounded (MXERR_TEXT_MAX, MXERR_FRAMES_MAX, MXERR_VALUES_MAX). What does not fit is cut, the
 *   cut is marked in the text, and `truncated` or `frames_omitted` says so. The limits can be defined anew, for
 *   all files of a library alike.
 * - The error path allocates nothing (but the C library may, when a thread fails for the first time, for the
 *   thread's record), keeps errno, and writes numbers with a point in every locale of a POSIX system.
 * - Success costs the test of a status: no record is touched until something fails. Messages and their
 *   arguments are evaluated after a failure only.
 * - An API function is the border of the library: inside, call the function behind it.
 * - The record is private to the binary that was built with it: two libraries in one process never see each
 *   other's errors.
 */
#ifndef MXERR_H
#define MXERR_H

/* newlocale and uselocale, also where the compiler is asked for strict ISO C */
#if defined(MXERR_IMPLEMENTATION) && !defined(_WIN32) && !defined(_GNU_SOURCE) && !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif

#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C++" { /* some include C headers within extern "C" */
#include <type_traits>
}
#endif

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
#define MXERR_CAST_(type, value) static_cast<type>(value)
#define MXERR_STATIC_ASSERT_ static_assert
#else
#define MXERR_EXTERN_C_
#define MXERR_CAST_(type, value) ((type)(value))
#define MXERR_STATIC_ASSERT_ _Static_assert
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
  MXERR_TOLD = 3,   /* its text was given out; a reader may still come, but need not */
  MXERR_READ = 4    /* was read; kept for readers of the last error until the next failure */
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
  uint32_t attributes_omitted; /* attributes that had no room */
  uint32_t text_size;
  mxerr_span kind;      /* empty where C stated none */
  mxerr_span message;   /* without the kind and without the check */
  mxerr_span condition; /* empty where the failure was no check */
  mxerr_span left;      /* both operands; both empty where the check compares nothing */
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
 * To be called by a last-error function that gave out the text of the error: from then on the error waits for
 * nobody, and a function under MXERR_API_QUIET may replace it. Python can still read its record.
 */
MXERR_PRIVATE_ void mxerr_record_told(void);

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

/*
 * Forgets the calling thread's error: for code that has handled a failure and goes on. Else a later call that
 * fails without raising would be told with this error.
 */
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
 * they do nothing. An attribute that does not fit is dropped: the record is marked as truncated, and counts it in
 * `attributes_omitted`. Those that another record had no room for are counted by mxerr_record_omit_attributes.
 */
MXERR_PRIVATE_ void mxerr_record_set_code(int64_t code);
MXERR_PRIVATE_ void mxerr_record_add_attribute(const char *name, const void *data, size_t size);
MXERR_PRIVATE_ void mxerr_record_omit_attributes(uint32_t count);

/* The calling thread's error if it was not read yet, now marked as read, or NULL. Owned as in peek. */
MXERR_PRIVATE_ const mxerr_record *mxerr_record_read(void);

/*
 * For a reader in another language, and therefore exported: packs the calling thread's unread
 * error into `buffer` and marks it as read. Returns the bytes that it takes, 0 where there is no unread error;
 * where that is more than `size`, or `buffer` is NULL, there is nothing of use in it and the error stays unread.
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
  uint32_t truncated; /* bit 0: something was cut or dropped; above it, the number of attributes_omitted */
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
 * They work by bytes that UTF-8 never holds; `name` is a string literal without "%". Arguments may hold such
 * bytes: what is marked is marked by the format alone.
 */
#define MXERR_VALUE(name, conversion) "\xfe" name "\xfd" conversion "\xff"
#define MXERR_LOCAL(name, conversion) "\xfc" name "\xfd" conversion "\xff"

/*
 * How the statements below are made. A name such as MXERR_FAIL stands for a beginning and another macro, which
 * takes the arguments and ends the statement. For clang takes __LINE__ in a macro with arguments for the line
 * of their last parenthesis, and an error is wanted in the line where the statement begins. Arguments may hold
 * such statements in turn, as lambdas do; hence no warnings of shadowed names.
 */
/* clang-format off */
#if defined(__clang__)
#define MXERR_BEGIN_                                                 \
  do {                                                               \
    _Pragma("clang diagnostic push")                                 \
    _Pragma("clang diagnostic ignored \"-Wshadow\"")                 \
    _Pragma("clang diagnostic ignored \"-Wunevaluated-expression\"") \
    enum { mxerr_line_ = __LINE__ };
#define MXERR_END_ _Pragma("clang diagnostic pop") } while (0)
#define MXERR_HERE_ __FILE__, mxerr_line_, __func__
#elif defined(__GNUC__)
#define MXERR_BEGIN_               \
  do {                             \
    _Pragma("GCC diagnostic push") \
    _Pragma("GCC diagnostic ignored \"-Wshadow\"")
#define MXERR_END_ _Pragma("GCC diagnostic pop") } while (0)
#define MXERR_HERE_ __FILE__, __LINE__, __func__
#else
#define MXERR_BEGIN_ do {
#define MXERR_END_ } while (0)
#define MXERR_HERE_ __FILE__, __LINE__, __func__
#endif
/* clang-format on */

/* MXERR_FAIL(format, ...): fails with a message. */
#define MXERR_FAIL MXERR_BEGIN_ MXERR_FAIL_
#define MXERR_FAIL_(...)                                        \
  return (mxerr_fail(MXERR_HERE_, __VA_ARGS__), MXERR_FAILURE); \
  MXERR_END_

/* MXERR_CHECK(condition, format, ...): fails with a message unless `condition` holds. */
#define MXERR_CHECK MXERR_BEGIN_ MXERR_CHECK_
#define MXERR_CHECK_(condition, ...)                                                \
  if (MXERR_UNLIKELY(!(condition)))                                                 \
    return (mxerr_fail_check(MXERR_HERE_, #condition, __VA_ARGS__), MXERR_FAILURE); \
  MXERR_END_

/*
 * MXERR_CHECK_EQ(left, right, format, ...): fails unless left == right; NE, LT, LE, GT and GE are for !=, <,
 * <=, > and >=. Operands are numbers of up to 64 bits, bool, enums or pointers, also to functions. They are
 * evaluated once, and compare by value whatever their types: -1 is less than 1u, and 2^53 + 1 is greater than
 * 2.0^53. Both are printed, pointers as NULL or non-NULL, and become named values of the frame.
 */
#define MXERR_CHECK_EQ MXERR_BEGIN_ MXERR_CHECK_EQ_
#define MXERR_CHECK_NE MXERR_BEGIN_ MXERR_CHECK_NE_
#define MXERR_CHECK_LT MXERR_BEGIN_ MXERR_CHECK_LT_
#define MXERR_CHECK_LE MXERR_BEGIN_ MXERR_CHECK_LE_
#define MXERR_CHECK_GT MXERR_BEGIN_ MXERR_CHECK_GT_
#define MXERR_CHECK_GE MXERR_BEGIN_ MXERR_CHECK_GE_

#define MXERR_CHECK_EQ_(left, right, ...) MXERR_RELATION_(left, #left, ==, "==", right, #right, __VA_ARGS__)
#define MXERR_CHECK_NE_(left, right, ...) MXERR_RELATION_(left, #left, !=, "!=", right, #right, __VA_ARGS__)
#define MXERR_CHECK_LT_(left, right, ...) MXERR_RELATION_(left, #left, <, "<", right, #right, __VA_ARGS__)
#define MXERR_CHECK_LE_(left, right, ...) MXERR_RELATION_(left, #left, <=, "<=", right, #right, __VA_ARGS__)
#define MXERR_CHECK_GT_(left, right, ...) MXERR_RELATION_(left, #left, >, ">", right, #right, __VA_ARGS__)
#define MXERR_CHECK_GE_(left, right, ...) MXERR_RELATION_(left, #left, >=, ">=", right, #right, __VA_ARGS__)

/* Where an operand is not a number, the order is one for which the relation is false, unless it is !=. */
#define MXERR_RELATION_(left, left_name, relation, relation_name, right, right_name, ...)            \
  MXERR_STATIC_ASSERT_(MXERR_IS_OPERAND_(left), "mxerr: " left_name " has more than 64 bits");       \
  MXERR_STATIC_ASSERT_(MXERR_IS_OPERAND_(right), "mxerr: " right_name " has more than 64 bits");     \
  const mxerr_operand mxerr_left_ = mxerr_operand_of(left);                                          \
  const mxerr_operand mxerr_right_ = mxerr_operand_of(right);                                        \
  if (MXERR_UNLIKELY(!(mxerr_compare(mxerr_left_, mxerr_right_, 1 relation 0 ? -1 : 1) relation 0))) \
    return (mxerr_fail_relation(MXERR_HERE_, left_name, relation_name, right_name, mxerr_left_,      \
                                mxerr_right_, __VA_ARGS__),                                          \
            MXERR_FAILURE);                                                                          \
  MXERR_END_

/*
 * True where `call` returned a status other than 0; the frame of the calling function is then part of the
 * record. For functions that have something to release before they return:
 *
 *     if (MXERR_FAILED(read(file))) goto close;
 *
 * Who handles the failure and goes on calls mxerr_record_clear.
 */
#define MXERR_FAILED(...) \
  (MXERR_UNLIKELY((__VA_ARGS__) != 0) && (mxerr_leave(__FILE__, __LINE__, __func__, NULL), true))

/* The same with named values for the frame: MXERR_FAILED_WITH(call, MXERR_LOCAL("op", "%s"), name). */
#define MXERR_FAILED_WITH(call, ...) \
  (MXERR_UNLIKELY((call) != 0) && (mxerr_leave(__FILE__, __LINE__, __func__, __VA_ARGS__), true))

/* MXERR_TRY(call): calls, and leaves the function with MXERR_FAILURE where the call failed. */
#define MXERR_TRY MXERR_BEGIN_ MXERR_TRY_
#define MXERR_TRY_(...)                                                                           \
  if (MXERR_UNLIKELY((__VA_ARGS__) != 0)) return (mxerr_leave(MXERR_HERE_, NULL), MXERR_FAILURE); \
  MXERR_END_

/* The same with named values for the frame: MXERR_TRY_WITH(call, MXERR_LOCAL("op", "%s"), name). */
#define MXERR_TRY_WITH MXERR_BEGIN_ MXERR_TRY_WITH_
#define MXERR_TRY_WITH_(call, ...)                                                                \
  if (MXERR_UNLIKELY((call) != 0)) return (mxerr_leave(MXERR_HERE_, __VA_ARGS__), MXERR_FAILURE); \
  MXERR_END_

/*
 * MXERR_API(call): the body of a function of the C API. Calls, and returns 0, or MXERR_FAILURE with a record
 * that is ready to be read. A call that failed without raising gets a record that says so, never that of an
 * earlier failure.
 */
#define MXERR_API MXERR_BEGIN_ MXERR_API_
#define MXERR_API_(...)                                                                          \
  return MXERR_UNLIKELY((__VA_ARGS__) != 0) ? (mxerr_api_leave(MXERR_HERE_), MXERR_FAILURE) : 0; \
  MXERR_END_

/*
 * The same for functions that destructors call: where an error of this thread still waits to be read, a
 * failure of `call` leaves it alone, and only the status tells of the new one. Meanwhile the functions for
 * records act as if this thread had no error, and set none.
 */
#define MXERR_API_QUIET MXERR_BEGIN_ MXERR_API_QUIET_
#define MXERR_API_QUIET_(...)                                                            \
  const bool mxerr_quiet_ = mxerr_quiet_enter();                                         \
  const int mxerr_status_ = (__VA_ARGS__);                                               \
  mxerr_quiet_leave(mxerr_quiet_);                                                       \
  if (MXERR_UNLIKELY(mxerr_status_ != 0) && !mxerr_quiet_) mxerr_api_leave(MXERR_HERE_); \
  return mxerr_status_ != 0 ? MXERR_FAILURE : 0;                                         \
  MXERR_END_

/*
 * MXERR_POLL(): for loops that take long; fails where the user has asked to stop, by Ctrl-C or the stop button.
 * A load and a branch. It does so within a call that Python made under mxerr.interruptible, and Python then
 * raises KeyboardInterrupt.
 */
#define MXERR_POLL MXERR_BEGIN_ MXERR_POLL_
#define MXERR_POLL_()                                                          \
  if (MXERR_UNLIKELY(mxerr_interrupted_ != 0))                                 \
    return (mxerr_fail(MXERR_HERE_, "the user asked to stop"), MXERR_FAILURE); \
  MXERR_END_

/*
 * For the caller in another language, on its main thread: begins (`on`) and ends a call in which SIGINT is noted
 * for MXERR_POLL and for nobody else. Calls nest. Ending the outermost one puts back the handler that was there;
 * the result says whether there was a SIGINT since the beginning.
 */
MXERR_EXPORT bool mxerr_interruptible(bool on);

#ifdef __cplusplus
extern "C" MXERR_HIDDEN_ volatile sig_atomic_t mxerr_interrupted_;
#else
extern MXERR_HIDDEN_ volatile sig_atomic_t mxerr_interrupted_;
#endif

/* ---- operands of checks --------------------------------------------------------------------------- */

typedef enum mxerr_operand_type {
  MXERR_SIGNED_,
  MXERR_UNSIGNED_,
  MXERR_FLOAT_,
  MXERR_DOUBLE_,
  MXERR_POINTER_
} mxerr_operand_type;

/* An operand of a check with its type, so that it is evaluated once, compared by value, and printed. */
typedef struct mxerr_operand {
  uint64_t type; /* mxerr_operand_type; as wide as the value, for no padding that would have to be set up */
  union {
    int64_t i;  /* of MXERR_SIGNED_ */
    uint64_t u; /* of MXERR_UNSIGNED_ and MXERR_POINTER_ */
    double r;   /* of MXERR_FLOAT_ and MXERR_DOUBLE_ */
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

static inline mxerr_operand mxerr_float_(float value) {
  mxerr_operand operand;
  operand.type = MXERR_FLOAT_;
  operand.as.r = MXERR_CAST_(double, value);
  return operand;
}

static inline mxerr_operand mxerr_double_(double value) {
  mxerr_operand operand;
  operand.type = MXERR_DOUBLE_;
  operand.as.r = value;
  return operand;
}

static inline mxerr_operand mxerr_pointer_(uintptr_t value) {
  mxerr_operand operand;
  operand.type = MXERR_POINTER_;
  operand.as.u = value;
  return operand;
}

#ifdef __cplusplus
extern "C++" {
#define MXERR_IS_OPERAND_(value) true /* mxerr_operand_of asserts it */

/* By value, for constants that have no address, bit-fields and members of packed structs. */
template <typename T>
inline mxerr_operand mxerr_operand_of(T value) {
  static_assert(sizeof(T) <= sizeof(uint64_t), "mxerr: an operand has more than 64 bits");
  if constexpr (std::is_null_pointer_v<T>)
    return mxerr_pointer_(0);
  else if constexpr (std::is_pointer_v<T>)
    return mxerr_pointer_(reinterpret_cast<uintptr_t>(value));
  else if constexpr (std::is_enum_v<T>)
    return mxerr_operand_of(static_cast<std::underlying_type_t<T>>(value));
  else if constexpr (std::is_same_v<T, float>)
    return mxerr_float_(value);
  else if constexpr (std::is_floating_point_v<T>)
    return mxerr_double_(static_cast<double>(value));
  else if constexpr (std::is_unsigned_v<T>)
    return mxerr_unsigned_(value);
  else
    return mxerr_signed_(value);
}
}
#else
/*
 * Together with a long long zero, all integers, bit-fields too, become long long or unsigned long long, and
 * pointers stay pointers. Those go by their number, as ISO C has no pointer for data and functions alike.
 */
#define MXERR_COMMON_(value) (1 ? (value) : 0LL)
#define MXERR_IS_OPERAND_(value) (sizeof MXERR_COMMON_(value) <= sizeof(uint64_t))
/* clang-format off */
#define mxerr_operand_of(value)                                                                       \
  _Generic(MXERR_COMMON_(value), long long: mxerr_signed_, unsigned long long: mxerr_unsigned_,       \
           float: mxerr_float_, double: mxerr_double_, long double: mxerr_double_,                    \
           default: mxerr_pointer_)(                                                                  \
      _Generic(MXERR_COMMON_(value), long long: (value), unsigned long long: (value), float: (value), \
               double: (value), long double: (value), default: (uintptr_t)(value)))
/* clang-format on */
#endif

#define MXERR_ORDER_(left, right) ((left) < (right) ? -1 : (left) > (right) ? 1 : 0)

static inline bool mxerr_is_real_(mxerr_operand operand) {
  return operand.type == MXERR_FLOAT_ || operand.type == MXERR_DOUBLE_;
}

/* The order of a real number and an integer. */
MXERR_PRIVATE_ int mxerr_compare_mixed(mxerr_operand left, mxerr_operand right, int unordered);

/* -1, 0 or 1 as left is less than, equal to or greater than right; `unordered` where one is not a number. */
static inline int mxerr_compare(mxerr_operand left, mxerr_operand right, int unordered) {
  if (mxerr_is_real_(left) && mxerr_is_real_(right)) {
    if (left.as.r < right.as.r) return -1;
    if (left.as.r > right.as.r) return 1;
    return left.as.r >= right.as.r ? 0 : unordered;
  }
  if (mxerr_is_real_(left) || mxerr_is_real_(right)) return mxerr_compare_mixed(left, right, unordered);
  if (left.type == MXERR_SIGNED_ && right.type == MXERR_SIGNED_) return MXERR_ORDER_(left.as.i, right.as.i);
  if (left.type == MXERR_SIGNED_ && left.as.i < 0) return -1;
  if (right.type == MXERR_SIGNED_ && right.as.i < 0) return 1;
  {
    const uint64_t a = left.type == MXERR_SIGNED_ ? MXERR_CAST_(uint64_t, left.as.i) : left.as.u;
    const uint64_t b = right.type == MXERR_SIGNED_ ? MXERR_CAST_(uint64_t, right.as.i) : right.as.u;
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
                                        mxerr_operand left, mxerr_operand right, const char *format, ...)
    MXERR_PRINTF_(9, 10);

/* Fails with a text that is no format, such as one from another language; "Kind: " is split off. */
MXERR_PRIVATE_ void mxerr_fail_text(const char *file, int line, const char *function, const char *text);

/* Adds a frame to the error on its way out; `format` prints MXERR_LOCAL values, NULL for none. */
MXERR_PRIVATE_ void mxerr_leave(const char *file, int line, const char *function, const char *format, ...)
    MXERR_PRINTF_(4, 5);

/* The same for the last frame: the record is ready to be read. */
MXERR_PRIVATE_ void mxerr_api_leave(const char *file, int line, const char *function);

/*
 * For a layer that formats by itself, as mxerr.hpp does: raises an error of finished texts, which may hold any
 * bytes; a size of 0 where there is none. The kind is stated, never read out of the message. Without a frame.
 */
typedef struct mxerr_view {
  const char *data;
  size_t size;
} mxerr_view;

typedef struct mxerr_parts {
  mxerr_view kind;
  mxerr_view message;
  mxerr_view condition;
  mxerr_view left;
  mxerr_view right;
} mxerr_parts;

MXERR_PRIVATE_ void mxerr_fail_parts(const mxerr_parts *parts);

/* Adds a frame with `count` values, each of them two views: its name and its text. */
MXERR_PRIVATE_ void mxerr_leave_views(const char *file, int line, const char *function,
                                      const mxerr_view *values, size_t count);

/* Between enter and leave nothing is recorded, if an unread error was there at enter: then true. */
MXERR_PRIVATE_ bool mxerr_quiet_enter(void);
MXERR_PRIVATE_ void mxerr_quiet_leave(bool entered);

/* ================================= implementation: one file of a library ============================ */

#ifdef MXERR_IMPLEMENTATION

#include <errno.h>
#include <float.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if !defined(_WIN32)
#include <langinfo.h>
#endif
#if defined(__APPLE__)
#include <xlocale.h>
#endif

#if !defined(_WIN32) && !defined(LC_ALL_MASK)
#error "mxerr.h: include it first where MXERR_IMPLEMENTATION is defined, or define _POSIX_C_SOURCE as 200809L"
#endif

#if defined(__GNUC__)
#pragma GCC diagnostic push
/* a number is compared with what was read back; formats were checked where the macros stand */
#pragma GCC diagnostic ignored "-Wfloat-equal"
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#endif

#ifdef __cplusplus
#define MXERR_THREAD_LOCAL_ thread_local
#else
#define MXERR_THREAD_LOCAL_ _Thread_local
#endif

MXERR_STATIC_ASSERT_(MXERR_TEXT_MAX >= 4096 && MXERR_TEXT_MAX <= INT32_MAX,
                     "mxerr: a record needs some room");
MXERR_STATIC_ASSERT_(MXERR_FRAMES_MAX >= 2, "mxerr: the first and the last frame are kept");
MXERR_STATIC_ASSERT_(MXERR_VALUES_MAX >= 1 && MXERR_ATTRIBUTES_MAX >= 1, "mxerr: an array has no size of 0");

/* A message takes no more than this, nor do all other texts take the rest: names of frames still find room. */
#define MXERR_MESSAGE_MAX_ (MXERR_TEXT_MAX / 4 * 3)
#define MXERR_NAMES_ROOM_ (MXERR_TEXT_MAX / 8)
/* What a value, a condition or a name takes at most. */
#define MXERR_SHORT_MAX_ 1024u
#define MXERR_CUT_ " ... [cut by mxerr]"

/*
 * The thread's error, and room for one more: code that runs between a failure and its reading, as a signal handler
 * or a destructor does, may fail and be read itself. The first error then waits in the other slot.
 */
static MXERR_THREAD_LOCAL_ mxerr_record mxerr_slots_[2];
static MXERR_THREAD_LOCAL_ unsigned mxerr_slot_;
static MXERR_THREAD_LOCAL_ unsigned mxerr_quiet_depth_;

/* -- numbers with a point, whatever the locale of the process -- */

#if defined(_WIN32)
typedef int mxerr_locale_;
static mxerr_locale_ mxerr_locale_enter_(void) { return 0; }
static void mxerr_locale_leave_(mxerr_locale_ locale) { (void)locale; }
#else
typedef struct mxerr_locale_ {
  locale_t plain;
  locale_t previous;
} mxerr_locale_;

static mxerr_locale_ mxerr_locale_enter_(void) {
  mxerr_locale_ locale = {(locale_t)0, (locale_t)0};
  if (strcmp(nl_langinfo(RADIXCHAR), ".") == 0) return locale; /* nothing to do, as nearly always */
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

/* -- operands -- */

/* The order of an integer and a real number. */
static int mxerr_order_(mxerr_operand integer, double real, int unordered) {
  const bool is_signed = integer.type == MXERR_SIGNED_;
  const double rounded = is_signed ? (double)integer.as.i : (double)integer.as.u;
  if (rounded < real) return -1;
  if (rounded > real) return 1;
  if (!(rounded >= real)) return unordered;
  /* rounding hides what is left to compare; `real` is whole here, and 2^63 and 2^64 are more than the largest */
  if (is_signed) return real >= 0x1p63 ? -1 : MXERR_ORDER_(integer.as.i, (int64_t)real);
  return real >= 0x1p64 ? -1 : MXERR_ORDER_(integer.as.u, (uint64_t)real);
}

int mxerr_compare_mixed(mxerr_operand left, mxerr_operand right, int unordered) {
  return mxerr_is_real_(right) ? mxerr_order_(left, right.as.r, unordered)
                               : -mxerr_order_(right, left.as.r, -unordered);
}

/* Prints a number with the fewest digits that give it back: as a float where `single`, else as a double. */
static void mxerr_print_real_(char *text, size_t size, double number, bool single) {
  const double least = single ? (double)FLT_MIN : DBL_MIN; /* smaller numbers have fewer digits to rely on */
  const int most = single ? 9 : 17;
  int digits = number > -least && number < least ? 1 : single ? 6 : 15;
  if (number != number) {
    snprintf(text, size, "nan"); /* never "-nan", whose sign says nothing */
    return;
  }
  do snprintf(text, size, "%.*g", digits, number);
  while (digits++ < most && (single ? (double)strtof(text, NULL) : strtod(text, NULL)) != number);
}

/* -- texts -- */

/* The room for a text, with its NUL, where `reserve` bytes are to stay free. */
static size_t mxerr_room_(const mxerr_record *record, size_t reserve) {
  const size_t taken = record->text_size + reserve;
  return taken < MXERR_TEXT_MAX ? MXERR_TEXT_MAX - taken : 0;
}

/* The largest length up to `size` that does not end within a UTF-8 character. */
static size_t mxerr_whole_(const char *text, size_t size) {
  size_t whole = size;
  while (whole > 0 && size - whole < 3 && ((unsigned char)text[whole] & 0xc0) == 0x80) whole--;
  return ((unsigned char)text[whole] & 0xc0) == 0x80 ? size : whole;
}

/* Appends a text, cut to `most` bytes; the cut is marked. Where not even the mark has room, the span is empty. */
static mxerr_span mxerr_append_(mxerr_record *record, const char *text, size_t size, size_t most) {
  mxerr_span span = {0, 0};
  const size_t mark = sizeof MXERR_CUT_ - 1;
  const bool cut = size > most;
  char *begin = record->text + record->text_size;
  if (cut) {
    record->truncated = true;
    if (most <= mark) return span;
    size = mxerr_whole_(text, most - mark);
  }
  if (size == 0 && !cut) return span;
  memcpy(begin, text, size);
  if (cut) {
    memcpy(begin + size, MXERR_CUT_, mark);
    size += mark;
  }
  begin[size] = '\0';
  span.begin = record->text_size;
  span.size = (uint32_t)size;
  record->text_size += (uint32_t)size + 1;
  return span;
}

/* Appends a text that is short unless something is odd; `reserve` bytes stay free. */
static mxerr_span mxerr_append_short_(mxerr_record *record, const char *text, size_t size, size_t reserve) {
  const size_t room = mxerr_room_(record, reserve), most = room > 0 ? room - 1 : 0;
  return mxerr_append_(record, text, size, most < MXERR_SHORT_MAX_ ? most : MXERR_SHORT_MAX_);
}

static void mxerr_move_up_(mxerr_span *span, uint32_t begin, uint32_t size) {
  if (span->size > 0 && span->begin > begin) span->begin -= size;
}

/* Takes bytes out of the texts of frames, values and attributes, and moves what lies behind them up. */
static void mxerr_remove_(mxerr_record *record, uint32_t begin, uint32_t size) {
  uint32_t i;
  record->text_size -= size;
  memmove(record->text + begin, record->text + begin + size, record->text_size - begin);
  for (i = 0; i < record->frame_count; i++) {
    mxerr_move_up_(&record->frames[i].function, begin, size);
    mxerr_move_up_(&record->frames[i].file, begin, size);
  }
  for (i = 0; i < record->value_count; i++) {
    mxerr_move_up_(&record->values[i].name, begin, size);
    mxerr_move_up_(&record->values[i].text, begin, size);
  }
  for (i = 0; i < record->attribute_count; i++) {
    mxerr_move_up_(&record->attributes[i].name, begin, size);
    mxerr_move_up_(&record->attributes[i].text, begin, size);
  }
}

static void mxerr_remove_text_(mxerr_record *record, mxerr_span span) {
  if (span.size > 0) mxerr_remove_(record, span.begin, span.size + 1);
}

/* -- values and frames -- */

static bool mxerr_values_full_(mxerr_record *record) {
  if (record->value_count < MXERR_VALUES_MAX) return false;
  record->truncated = true;
  return true;
}

static void mxerr_add_value_(mxerr_record *record, const char *name, size_t name_size, const char *text,
                             size_t text_size) {
  mxerr_value value;
  if (mxerr_values_full_(record)) return;
  value.name = mxerr_append_short_(record, name, name_size, MXERR_NAMES_ROOM_);
  if (value.name.size == 0) return;
  value.text = mxerr_append_short_(record, text, text_size, MXERR_NAMES_ROOM_);
  record->values[record->value_count++] = value;
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
  return mxerr_append_short_(record, text, size, 0);
}

/* Whether a frame other than frames[index] has this name. */
static bool mxerr_shared_(const mxerr_record *record, mxerr_span name, uint32_t index) {
  uint32_t i;
  for (i = 0; i < record->frame_count; i++)
    if (i != index &&
        (record->frames[i].function.begin == name.begin || record->frames[i].file.begin == name.begin))
      return true;
  return false;
}

/* Drops a frame with its values, and gives the room of their texts back. */
static void mxerr_drop_frame_(mxerr_record *record, uint32_t index) {
  mxerr_frame *frame = &record->frames[index];
  const uint32_t first = frame->first_value, count = frame->value_count;
  uint32_t i;
  for (i = first; i < first + count; i++) {
    mxerr_remove_text_(record, record->values[i].name);
    mxerr_remove_text_(record, record->values[i].text);
  }
  record->value_count -= count;
  memmove(record->values + first, record->values + first + count,
          (record->value_count - first) * sizeof record->values[0]);
  if (!mxerr_shared_(record, frame->function, index)) mxerr_remove_text_(record, frame->function);
  if (!mxerr_shared_(record, frame->file, index)) mxerr_remove_text_(record, frame->file);
  record->frame_count--;
  memmove(frame, frame + 1, (record->frame_count - index) * sizeof *frame);
  for (i = index; i < record->frame_count; i++) record->frames[i].first_value -= count;
}

/* Adds a frame, with the values from `first_value` on; its names come to lie behind the texts that are there. */
static mxerr_frame *mxerr_add_frame_(mxerr_record *record, const char *file, int line, const char *function,
                                     uint32_t first_value) {
  mxerr_frame frame;
  frame.function = mxerr_intern_(record, function);
  frame.file = mxerr_intern_(record, file);
  frame.line = line;
  frame.first_value = first_value;
  frame.value_count = record->value_count - first_value;
  record->frames[record->frame_count] = frame;
  return &record->frames[record->frame_count++];
}

/* -- messages -- */

/* A value that a format marks, as places in the format: "<open>name<separator>conversion<close>". */
typedef struct mxerr_mark_ {
  const char *open;
  const char *separator;
  const char *close;
} mxerr_mark_;

/* Finds the first marked value of a format. */
static bool mxerr_find_mark_(const char *format, mxerr_mark_ *mark) {
  mark->open = strpbrk(format, "\xfe\xfc");
  mark->separator = mark->open ? strchr(mark->open, '\xfd') : NULL;
  mark->close = mark->separator ? strchr(mark->separator, '\xff') : NULL;
  return mark->close != NULL;
}

static size_t mxerr_count_marks_(const char *text, size_t size) {
  size_t count = 0, i;
  for (i = 0; i < size; i++) count += (unsigned char)text[i] >= 0xfc;
  return count;
}

/* A message on its way from a format to a text without marks. */
typedef struct mxerr_message_ {
  mxerr_record *record;
  const char *format;
  char *text;
  size_t size; /* of what was printed and kept */
  bool cut;    /* the cut mark lies behind it */
  bool exact;  /* the bytes of marks alone do not tell where in the text they are */
} mxerr_message_;

/* Where the byte `at` of the format came to lie in the text, of which it is known to lie at or behind `from`. */
static size_t mxerr_place_(const mxerr_message_ *message, const char *at, size_t from, va_list arguments) {
  mxerr_record *record = message->record;
  const size_t size = (size_t)(at - message->format);
  char *beginning = record->text + record->text_size; /* of the format; behind all texts, for a moment */
  va_list copy;
  int printed;
  if (!message->exact) {
    const char *found = (const char *)memchr(message->text + from, *at, message->size - from);
    return found ? (size_t)(found - message->text) : message->size;
  }
  if (size >= mxerr_room_(record, 0)) return message->size;
  memcpy(beginning, message->format, size);
  beginning[size] = '\0';
  va_copy(copy, arguments);
  printed = vsnprintf(NULL, 0, beginning, copy);
  va_end(copy);
  return printed < 0 || (size_t)printed > message->size ? message->size : (size_t)printed;
}

/*
 * Takes the marks of MXERR_VALUE and MXERR_LOCAL out of a message, in place, and stores the values. "name = text"
 * is as long as "<open>name<separator>text<close>", and a byte longer where a cut took the end. Returns the size.
 */
static size_t mxerr_take_values_(const mxerr_message_ *message, va_list arguments) {
  char *text = message->text;
  const size_t mark_size = message->cut ? sizeof MXERR_CUT_ - 1 : 0;
  size_t in = 0, out = 0, end = message->size;
  mxerr_mark_ mark;
  const char *rest = message->format;
  for (; in < end && mxerr_find_mark_(rest, &mark); rest = mark.close + 1) {
    const size_t name_size = (size_t)(mark.separator - mark.open) - 1;
    const size_t open = mxerr_place_(message, mark.open, in, arguments), begin = open + name_size + 2;
    size_t close;
    bool whole;
    memmove(text + out, text + in, open - in);
    out += open - in;
    in = open;
    if (begin > message->size) { /* the cut took it */
      end = open;
      break;
    }
    close = mxerr_place_(message, mark.close, begin, arguments);
    whole = close < message->size;
    if (!whole) close = message->size + mark_size; /* what is left, with the mark that says so */
    mxerr_add_value_(message->record, text + open + 1, name_size, text + begin, close - begin);
    in = whole ? close + 1 : end;
    if (*mark.open == '\xfe') {
      memmove(text + out + name_size + 3, text + begin, close - begin);
      memmove(text + out, text + open + 1, name_size);
      memcpy(text + out + name_size, " = ", 3);
      out += name_size + 3 + (close - begin);
      if (!whole) return out;
    }
  }
  memmove(text + out, text + in, end - in);
  out += end - in;
  memcpy(text + out, MXERR_CUT_, mark_size);
  return out + mark_size;
}

/* Prints a message behind the texts that are there; its values come to lie behind it. */
static mxerr_span mxerr_print_(mxerr_record *record, const char *format, va_list arguments) {
  mxerr_span span = {0, 0};
  const size_t room = mxerr_room_(record, MXERR_NAMES_ROOM_), mark_size = sizeof MXERR_CUT_ - 1;
  const size_t most = room < MXERR_MESSAGE_MAX_ ? room : MXERR_MESSAGE_MAX_;
  mxerr_message_ message = {record, format, record->text + record->text_size, 0, false, false};
  const mxerr_locale_ locale = mxerr_locale_enter_();
  va_list copy;
  int printed;
  if (most <= mark_size + 2) {
    record->truncated = true;
    mxerr_locale_leave_(locale);
    return span;
  }
  va_copy(copy, arguments);
  printed = vsnprintf(message.text, most - 1, format, copy);
  va_end(copy);
  if (printed < 0) printed = snprintf(message.text, most - 1, "%s", format); /* wide characters, in vain */
  message.size = (size_t)printed;
  message.cut = message.size > most - 2;
  if (message.cut) {
    record->truncated = true;
    message.size = mxerr_whole_(message.text, most - 2 - mark_size);
    memcpy(message.text + message.size, MXERR_CUT_, mark_size);
  }
  span.begin = record->text_size;
  record->text_size += (uint32_t)(message.size + (message.cut ? mark_size : 0)) + 2;
  message.exact = message.cut || mxerr_count_marks_(message.text, message.size) !=
                                     mxerr_count_marks_(format, strlen(format));
  span.size = (uint32_t)mxerr_take_values_(&message, arguments);
  mxerr_locale_leave_(locale);
  message.text[span.size] = '\0';
  return span;
}

static bool mxerr_is_letter_(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

/* Length of "Kind" where the format begins with "Kind: ": an identifier, with dots, and no conversion. */
static size_t mxerr_kind_size_(const char *format) {
  size_t size = 0;
  if (!mxerr_is_letter_(format[0])) return 0;
  while (mxerr_is_letter_(format[size]) || (format[size] >= '0' && format[size] <= '9') ||
         format[size] == '.')
    size++;
  return format[size] == ':' && format[size + 1] == ' ' ? size : 0;
}

/* -- raising -- */

static mxerr_record *mxerr_current_(void) { return &mxerr_slots_[mxerr_slot_]; }
static mxerr_record *mxerr_other_(void) { return &mxerr_slots_[mxerr_slot_ ^ 1u]; }

/* The slot for a new error; one that left the library and was not read stays where it is. */
static mxerr_record *mxerr_next_(void) {
  mxerr_slot_ ^= mxerr_current_()->state == MXERR_READY;
  return mxerr_current_();
}

/* The calling thread's record, emptied for a new error. */
static mxerr_record *mxerr_begin_(void) {
  mxerr_record *record = mxerr_next_();
  memset(record, 0, offsetof(mxerr_record, frames));
  record->state = MXERR_RAISED;
  return record;
}

/* Kind, message and the frame of the failing function: the end of every raise. */
static void mxerr_finish_(mxerr_record *record, const char *file, int line, const char *function,
                          const char *format, va_list arguments) {
  const size_t kind_size = mxerr_kind_size_(format);
  record->kind = mxerr_append_short_(record, format, kind_size, MXERR_NAMES_ROOM_);
  record->message = mxerr_print_(record, format + (kind_size ? kind_size + 2 : 0), arguments);
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
  record->condition = mxerr_append_short_(record, condition, strlen(condition), MXERR_NAMES_ROOM_);
  va_start(arguments, format);
  mxerr_finish_(record, file, line, function, format, arguments);
  va_end(arguments);
  errno = saved_errno;
}

void mxerr_fail_text(const char *file, int line, const char *function, const char *text) {
  const int saved_errno = errno;
  const size_t kind_size = mxerr_kind_size_(text);
  const char *message = text + (kind_size ? kind_size + 2 : 0);
  mxerr_record *record;
  if (mxerr_quiet_depth_ > 0) return;
  record = mxerr_begin_();
  record->kind = mxerr_append_short_(record, text, kind_size, MXERR_NAMES_ROOM_);
  record->message = mxerr_append_(record, message, strlen(message), MXERR_TEXT_MAX / 2);
  mxerr_add_frame_(record, file, line, function, 0);
  errno = saved_errno;
}

/* `other` is what it is compared with: next to a double a float needs all its digits; 0 next to a pointer is NULL. */
static mxerr_span mxerr_append_operand_(mxerr_record *record, mxerr_operand operand, mxerr_operand other) {
  char text[40];
  if (mxerr_is_real_(operand))
    mxerr_print_real_(text, sizeof text, operand.as.r,
                      operand.type == MXERR_FLOAT_ && other.type != MXERR_DOUBLE_);
  else if (operand.type == MXERR_POINTER_ || (other.type == MXERR_POINTER_ && operand.as.u == 0))
    snprintf(text, sizeof text, "%s", operand.as.u ? "non-NULL" : "NULL");
  else if (operand.type == MXERR_SIGNED_)
    snprintf(text, sizeof text, "%lld", (long long)operand.as.i);
  else
    snprintf(text, sizeof text, "%llu", (unsigned long long)operand.as.u);
  return mxerr_append_short_(record, text, strlen(text), MXERR_NAMES_ROOM_);
}

/* Makes an operand a value of the frame, unless it is a constant. */
static void mxerr_add_operand_(mxerr_record *record, const char *name, mxerr_span text) {
  static const char *const constants[] = {"NULL", "nullptr", "true", "false"};
  mxerr_value value;
  size_t i;
  if (!mxerr_is_letter_(name[0])) return;
  for (i = 0; i < sizeof constants / sizeof constants[0]; i++)
    if (strcmp(name, constants[i]) == 0) return;
  if (mxerr_values_full_(record)) return;
  value.name = mxerr_append_short_(record, name, strlen(name), MXERR_NAMES_ROOM_);
  value.text = text;
  if (value.name.size > 0) record->values[record->value_count++] = value;
}

void mxerr_fail_relation(const char *file, int line, const char *function, const char *left_name,
                         const char *relation, const char *right_name, mxerr_operand left,
                         mxerr_operand right, const char *format, ...) {
  const int saved_errno = errno;
  char condition[MXERR_SHORT_MAX_ + 2]; /* one byte more than fits, so that a cut is noticed */
  mxerr_record *record;
  mxerr_locale_ locale;
  va_list arguments;
  if (mxerr_quiet_depth_ > 0) return;
  record = mxerr_begin_();
  snprintf(condition, sizeof condition, "%s %s %s", left_name, relation, right_name);
  record->condition = mxerr_append_short_(record, condition, strlen(condition), MXERR_NAMES_ROOM_);
  locale = mxerr_locale_enter_();
  record->left = mxerr_append_operand_(record, left, right);
  record->right = mxerr_append_operand_(record, right, left);
  mxerr_locale_leave_(locale);
  mxerr_add_operand_(record, left_name, record->left);
  mxerr_add_operand_(record, right_name, record->right);
  va_start(arguments, format);
  mxerr_finish_(record, file, line, function, format, arguments);
  va_end(arguments);
  errno = saved_errno;
}

/* Prints MXERR_LOCAL values for a frame, and gives the room of the text around them back. */
static void mxerr_add_values_(mxerr_record *record, mxerr_frame *frame, const char *format,
                              va_list arguments) {
  const uint32_t begin = record->text_size;
  uint32_t end;
  mxerr_print_(record, format, arguments);
  frame->value_count = record->value_count - frame->first_value;
  end = frame->value_count > 0 ? record->values[frame->first_value].name.begin : record->text_size;
  mxerr_remove_(record, begin, end - begin);
}

/* Adds a frame without values; NULL where none is wanted. With no error to add it to, it is that of a new error. */
static mxerr_frame *mxerr_leave_frame_(const char *file, int line, const char *function) {
  mxerr_record *record = mxerr_current_();
  if (mxerr_quiet_depth_ > 0) return NULL;
  if (record->state != MXERR_RAISED) {
    mxerr_fail(file, line, function, "a call in %s failed without saying why", function);
    return &mxerr_current_()->frames[0];
  }
  if (record->frame_count == MXERR_FRAMES_MAX) { /* the oldest of the outer half makes room */
    mxerr_drop_frame_(record, MXERR_FRAMES_MAX / 2);
    record->frames_omitted++;
  }
  return mxerr_add_frame_(record, file, line, function, record->value_count);
}

void mxerr_leave(const char *file, int line, const char *function, const char *format, ...) {
  const int saved_errno = errno;
  mxerr_frame *frame = mxerr_leave_frame_(file, line, function);
  if (frame != NULL && format != NULL) {
    va_list arguments;
    va_start(arguments, format);
    mxerr_add_values_(mxerr_current_(), frame, format, arguments);
    va_end(arguments);
  }
  errno = saved_errno;
}

void mxerr_api_leave(const char *file, int line, const char *function) {
  mxerr_leave(file, line, function, NULL);
  if (mxerr_quiet_depth_ == 0) mxerr_current_()->state = MXERR_READY;
}

/* -- errors whose texts are finished -- */

static mxerr_span mxerr_append_view_(mxerr_record *record, mxerr_view view) {
  return mxerr_append_short_(record, view.data, view.size, MXERR_NAMES_ROOM_);
}

void mxerr_fail_parts(const mxerr_parts *parts) {
  mxerr_record *record;
  size_t room;
  if (mxerr_quiet_depth_ > 0) return;
  record = mxerr_begin_();
  record->kind = mxerr_append_view_(record, parts->kind);
  record->condition = mxerr_append_view_(record, parts->condition);
  record->left = mxerr_append_view_(record, parts->left);
  record->right = mxerr_append_view_(record, parts->right);
  room = mxerr_room_(record, MXERR_NAMES_ROOM_);
  record->message = mxerr_append_(record, parts->message.data, parts->message.size, room > 0 ? room - 1 : 0);
}

void mxerr_leave_views(const char *file, int line, const char *function, const mxerr_view *values,
                       size_t count) {
  mxerr_frame *frame = mxerr_leave_frame_(file, line, function);
  mxerr_record *record = mxerr_current_();
  size_t i;
  if (frame == NULL) return;
  for (i = 0; i < count; i++)
    mxerr_add_value_(record, values[2 * i].data, values[2 * i].size, values[2 * i + 1].data,
                     values[2 * i + 1].size);
  frame->value_count = record->value_count - frame->first_value;
}

/* -- the life of a record -- */

/* The calling thread's record where it holds an error, and none that is to be left alone; else NULL. */
static mxerr_record *mxerr_error_(void) {
  return mxerr_quiet_depth_ > 0 || mxerr_current_()->state == MXERR_EMPTY ? NULL : mxerr_current_();
}

static mxerr_record *mxerr_unread_(void) {
  mxerr_record *record = mxerr_error_();
  return record == NULL || record->state == MXERR_READ ? NULL : record;
}

/* For a reader: the unread error, or the one that waited behind it. */
static mxerr_record *mxerr_waiting_(void) {
  if (mxerr_quiet_depth_ == 0 && mxerr_unread_() == NULL && mxerr_other_()->state == MXERR_READY)
    mxerr_slot_ ^= 1u;
  return mxerr_unread_();
}

bool mxerr_quiet_enter(void) {
  const mxerr_record *waiting = mxerr_unread_();
  const bool entered = mxerr_quiet_depth_ > 0 || (waiting != NULL && waiting->state != MXERR_TOLD);
  mxerr_quiet_depth_ += entered;
  return entered;
}

void mxerr_quiet_leave(bool entered) { mxerr_quiet_depth_ -= entered; }

const mxerr_record *mxerr_record_peek(void) { return mxerr_error_(); }

void mxerr_record_told(void) {
  mxerr_record *record = mxerr_error_();
  if (record != NULL && record->state == MXERR_READY) record->state = MXERR_TOLD;
}

void mxerr_record_set_code(int64_t code) {
  mxerr_record *record = mxerr_unread_();
  if (record == NULL) return;
  record->has_code = true;
  record->code = code;
}

void mxerr_record_add_attribute(const char *name, const void *data, size_t size) {
  mxerr_record *record = mxerr_unread_();
  const size_t name_size = strlen(name);
  mxerr_value attribute;
  size_t room;
  if (record == NULL) return;
  room = mxerr_room_(record, MXERR_NAMES_ROOM_);
  if (record->attribute_count == MXERR_ATTRIBUTES_MAX || name_size >= room || size >= room - name_size - 1) {
    mxerr_record_omit_attributes(1);
    return;
  }
  attribute.name = mxerr_append_(record, name, name_size, name_size);
  attribute.text = mxerr_append_(record, (const char *)data, size, size);
  record->attributes[record->attribute_count++] = attribute;
}

void mxerr_record_omit_attributes(uint32_t count) {
  mxerr_record *record = mxerr_unread_();
  if (record == NULL || count == 0) return;
  record->truncated = true;
  record->attributes_omitted += count;
}

const mxerr_record *mxerr_record_read(void) {
  mxerr_record *record = mxerr_waiting_();
  if (record != NULL) record->state = MXERR_READ;
  return record;
}

mxerr_record *mxerr_record_take(void) {
  const mxerr_record *current = mxerr_error_();
  mxerr_record *record = current ? (mxerr_record *)malloc(sizeof *record) : NULL;
  if (record == NULL) return NULL;
  *record = *current;
  mxerr_record_clear();
  return record;
}

void mxerr_record_set(const mxerr_record *record) {
  if (mxerr_quiet_depth_ > 0) return;
  if (record == NULL) {
    mxerr_record_clear();
    return;
  }
  if (record != mxerr_current_()) *mxerr_next_() = *record;
  mxerr_current_()->state = MXERR_RAISED;
}

void mxerr_record_clear(void) {
  if (mxerr_quiet_depth_ == 0) mxerr_current_()->state = MXERR_EMPTY;
}

void mxerr_record_free(mxerr_record *record) { free(record); }

/* -- being asked to stop -- */

volatile sig_atomic_t mxerr_interrupted_ = 0;
static int mxerr_interruptible_depth_;

#if defined(_WIN32)
static void (*mxerr_previous_handler_)(int);
static void mxerr_on_interrupt_(int number) {
  mxerr_interrupted_ = 1;
  signal(number, mxerr_on_interrupt_); /* the handler is taken away with each signal */
}
static void mxerr_handler_set_(void) { mxerr_previous_handler_ = signal(SIGINT, mxerr_on_interrupt_); }
static void mxerr_handler_restore_(void) {
  if (mxerr_previous_handler_ != SIG_ERR) signal(SIGINT, mxerr_previous_handler_);
}
#else
static struct sigaction mxerr_previous_handler_;
static void mxerr_on_interrupt_(int number) {
  (void)number;
  mxerr_interrupted_ = 1;
}
static void mxerr_handler_set_(void) {
  struct sigaction handler;
  memset(&handler, 0, sizeof handler); /* no SA_RESTART: what waits is to come back */
  handler.sa_handler = mxerr_on_interrupt_;
  sigaction(SIGINT, &handler, &mxerr_previous_handler_);
}
static void mxerr_handler_restore_(void) { sigaction(SIGINT, &mxerr_previous_handler_, NULL); }
#endif

bool mxerr_interruptible(bool on) {
  bool interrupted;
  if (on) {
    if (mxerr_interruptible_depth_++ > 0) return false;
    mxerr_interrupted_ = 0;
    mxerr_handler_set_();
    return false;
  }
  if (mxerr_interruptible_depth_ == 0 || --mxerr_interruptible_depth_ > 0) return false;
  mxerr_handler_restore_();
  interrupted = mxerr_interrupted_ != 0;
  mxerr_interrupted_ = 0;
  return interrupted;
}

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
  packed.truncated = (record->truncated ? 1u : 0u) | record->attributes_omitted << 1;
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
  mxerr_record *record = mxerr_waiting_();
  size_t wanted;
  if (record == NULL) return 0;
  if (buffer == NULL) size = 0;
  wanted = mxerr_pack_(record, buffer, size);
  if (wanted <= size) record->state = MXERR_READ;
  return wanted;
}

/* -- the standard text form -- */

static void mxerr_write_frame_(mxerr_writer_ *writer, const char *file, int line, const char *function) {
  char number[16];
  snprintf(number, sizeof number, "%d", line);
  mxerr_write_(writer, "  File \"");
  mxerr_write_(writer, file);
  mxerr_write_(writer, "\", line ");
  mxerr_write_(writer, number);
  mxerr_write_(writer, ", in ");
  mxerr_write_(writer, function);
  mxerr_write_(writer, "\n");
}

static void mxerr_write_frames_(mxerr_writer_ *writer, const mxerr_record *record) {
  char omitted[40];
  uint32_t i;
  for (i = 0; i < record->frame_count; i++) {
    const mxerr_frame *frame = &record->frames[i];
    if (record->frames_omitted > 0 && i == MXERR_FRAMES_MAX / 2) {
      snprintf(omitted, sizeof omitted, "[%lu C frames omitted]", (unsigned long)record->frames_omitted);
      mxerr_write_frame_(writer, "<native>", 0, omitted);
    }
    mxerr_write_frame_(writer, mxerr_text(record, frame->file), (int)frame->line,
                       mxerr_text(record, frame->function));
  }
}

size_t mxerr_record_format(const mxerr_record *record, const char *default_kind, char *buffer, size_t size) {
  mxerr_writer_ writer = {buffer, size > 0 ? size - 1 : 0, 0}; /* room for the NUL */
  const char *kind = mxerr_text(record, record->kind);
  const bool compared = record->left.size > 0 || record->right.size > 0; /* one may be an empty text */
  if (kind[0] == '\0' && default_kind != NULL) kind = default_kind;
  if (kind[0] != '\0') {
    mxerr_write_(&writer, kind);
    mxerr_write_(&writer, ": ");
  }
  if (record->condition.size > 0) {
    mxerr_write_(&writer, "Check failed: ");
    mxerr_write_(&writer, mxerr_text(record, record->condition));
    if (compared) {
      mxerr_write_(&writer, " (");
      mxerr_write_(&writer, mxerr_text(record, record->left));
      mxerr_write_(&writer, " vs. ");
      mxerr_write_(&writer, mxerr_text(record, record->right));
      mxerr_write_(&writer, ")");
    }
    mxerr_write_(&writer, compared ? " : " : ": ");
  }
  mxerr_write_(&writer, mxerr_text(record, record->message));
  if (record->frame_count > 0) mxerr_write_(&writer, "\nStack trace:\n");
  mxerr_write_frames_(&writer, record);
  if (size > 0) buffer[writer.wanted < size - 1 ? writer.wanted : size - 1] = '\0';
  return writer.wanted;
}

#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

#endif /* MXERR_IMPLEMENTATION */

#endif /* MXERR_H */
