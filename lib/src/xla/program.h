/* program.h: programs of the small XLA: read from an HLO-like text, with every shape checked. */
#ifndef MXERR_XLA_PROGRAM_H
#define MXERR_XLA_PROGRAM_H

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "mxerr/xla.hpp"

namespace xla::runtime {

/* Dimensions of an array of f32, the one element type. */
using Shape = std::vector<std::int64_t>;

/* "f32[2,3]" */
std::string ToString(const Shape &shape);

/* The number of elements; INVALID_ARGUMENT where a dimension is negative or they are too many to count. */
StatusOr<std::int64_t> CountElements(const Shape &shape);

enum class Operation { kParameter, kConstant, kAdd, kMultiply, kDot, kWait, kCustomCall };

struct Instruction {
  Operation operation = Operation::kParameter;
  Shape shape;
  std::vector<std::size_t> operands; /* instructions of the same function, by position */
  std::int64_t number = 0;           /* of a parameter; milliseconds of a wait */
  float constant = 0;
  std::string target; /* of a custom call */
};

struct Function {
  std::vector<Instruction> instructions;
  std::vector<Shape> parameters;
  std::size_t root = 0;
};

/* Whether a text can be a name in a program: letters, digits, and any of _ - . + */
bool IsName(std::string_view text);

/* The exported functions by name. */
using Program = std::map<std::string, Function>;

/*
 * Reads functions of the form
 *
 *     ENTRY main {
 *       x = f32[2,3] parameter(0)
 *       y = f32[3,2] parameter(1)
 *       p = f32[2,2] dot(x, y)
 *       c = f32[] constant(0.5)
 *       ROOT r = f32[2,2] multiply(p, c)
 *     }
 *
 * A scalar operand of add and multiply goes with any shape. There are also `wait(x), ms=N` and
 * `custom-call(x), target=NAME`. A function gives the instruction that is marked as ROOT, else its last. Names
 * are unique: of functions in the program, of instructions in their function.
 *
 * INVALID_ARGUMENT for a malformed program, UNIMPLEMENTED for what XLA has and this runtime has not, OUT_OF_RANGE for a constant that f32 cannot hold.
 */
StatusOr<Program> Parse(const std::string &text);

}  // namespace xla::runtime

#endif  // MXERR_XLA_PROGRAM_H
