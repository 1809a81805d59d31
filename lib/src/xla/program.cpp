/* program.cpp: a recursive-descent parser, and the shape rule of each operation. */
#include "program.h"

#include <set>

#include "tokens.h"

namespace xla::runtime {
namespace {

const std::map<std::string, Operation> &Operations() {
  static const std::map<std::string, Operation> operations = {{"parameter", Operation::kParameter},
                                                              {"constant", Operation::kConstant},
                                                              {"add", Operation::kAdd},
                                                              {"multiply", Operation::kMultiply},
                                                              {"dot", Operation::kDot},
                                                              {"wait", Operation::kWait},
                                                              {"custom-call", Operation::kCustomCall}};
  return operations;
}

/* What XLA has and this runtime has not, as far as a user is likely to try it. */
const std::set<std::string> kOtherOperations = {"all-reduce",  "broadcast", "convolution", "divide",
                                                "exponential", "fft",       "gather",      "reduce",
                                                "reshape",     "scatter",   "slice",       "sort",
                                                "subtract",    "transpose", "tuple",       "while"};
const std::set<std::string> kOtherTypes = {"bf16", "c64", "f16", "f64", "pred",
                                           "s32",  "s64", "s8",  "u32", "u8"};

class Parser : Tokens {
 public:
  explicit Parser(const std::string &text) : Tokens(text) {}

  StatusOr<Program> ReadProgram() {
    Program program;
    if (Accept("HloModule")) XLA_RETURN_IF_ERROR(TakeName().status());
    do {
      Accept("ENTRY");
      XLA_ASSIGN_OR_RETURN(const std::string name, TakeName());
      if (program.count(name) > 0)
        return XlaInvalidArgumentError("line %d: expected a new name for a function, got '%s' a second time",
                                       LineTaken(), name.c_str());
      XLA_ASSIGN_OR_RETURN(Function function, ReadFunction());
      program.emplace(name, std::move(function));
    } while (!Peek().empty());
    return program;
  }

 private:
  StatusOr<Function> ReadFunction() {
    Function function;
    names_.clear();
    XLA_RETURN_IF_ERROR(Expect("{"));
    bool has_root = false;
    while (!Accept("}")) {
      const bool is_root = Accept("ROOT");
      if (is_root && has_root)
        return XlaInvalidArgumentError("line %d: expected one ROOT in a function, got a second one",
                                       LineTaken());
      XLA_RETURN_IF_ERROR(ReadInstruction(&function));
      if (is_root || !has_root) function.root = function.instructions.size() - 1;
      has_root = has_root || is_root;
    }
    if (function.instructions.empty())
      return XlaInvalidArgumentError("line %d: the function is empty", Line());
    return function;
  }

  Status ReadInstruction(Function *function) {
    Instruction instruction;
    XLA_ASSIGN_OR_RETURN(const std::string name, TakeName());
    if (names_.count(name) > 0)
      return XlaInvalidArgumentError(
          "line %d: expected a new name for an instruction, got '%s' a second time", LineTaken(),
          name.c_str());
    XLA_RETURN_IF_ERROR(Expect("="));
    XLA_ASSIGN_OR_RETURN(instruction.shape, ReadShape());
    const std::string operation = Take();
    const auto found = Operations().find(operation);
    if (kOtherOperations.count(operation) > 0)
      return XlaUnimplementedError("line %d: operation '%s' is not implemented on platform host", LineTaken(),
                                   operation.c_str());
    if (found == Operations().end())
      return XlaInvalidArgumentError("line %d: there is no operation '%s'", LineTaken(), operation.c_str());
    instruction.operation = found->second;
    XLA_RETURN_IF_ERROR(ReadOperands(&instruction));
    XLA_RETURN_IF_ERROR(ReadAttribute(&instruction, operation));
    XLA_RETURN_IF_ERROR(CheckShape(instruction, function, operation));
    names_[name] = function->instructions.size();
    function->instructions.push_back(std::move(instruction));
    return OkStatus();
  }

  StatusOr<Shape> ReadShape() {
    Shape shape;
    const std::string type = Take();
    if (kOtherTypes.count(type) > 0)
      return XlaUnimplementedError("line %d: element type %s is not implemented on platform host",
                                   LineTaken(), type.c_str());
    if (type != "f32")
      return XlaInvalidArgumentError("line %d: expected a shape such as f32[2,3], got '%s'", LineTaken(),
                                     type.c_str());
    XLA_RETURN_IF_ERROR(Expect("["));
    while (!Accept("]")) {
      XLA_ASSIGN_OR_RETURN(const std::int64_t size, TakeInteger());
      shape.push_back(size);
      if (Peek() != "]") XLA_RETURN_IF_ERROR(Expect(","));
    }
    const StatusOr<std::int64_t> count = CountElements(shape);
    if (!count.ok()) return count.status();
    return shape;
  }

  Status ReadOperands(Instruction *instruction) {
    XLA_RETURN_IF_ERROR(Expect("("));
    if (instruction->operation == Operation::kConstant) {
      XLA_ASSIGN_OR_RETURN(instruction->constant, TakeNumber());
      return Expect(")");
    }
    if (instruction->operation == Operation::kParameter) {
      XLA_ASSIGN_OR_RETURN(instruction->number, TakeInteger());
      return Expect(")");
    }
    while (!Accept(")")) {
      const std::string name = Take();
      const auto found = names_.find(name);
      if (found == names_.end())
        return XlaInvalidArgumentError("line %d: operand '%s' is not defined", LineTaken(), name.c_str());
      instruction->operands.push_back(found->second);
      if (Peek() != ")") XLA_RETURN_IF_ERROR(Expect(","));
    }
    return OkStatus();
  }

  /* The attribute that wait and custom-call each need, and other operations do not have. */
  Status ReadAttribute(Instruction *instruction, const std::string &operation) {
    const bool is_wait = instruction->operation == Operation::kWait;
    const bool is_call = instruction->operation == Operation::kCustomCall;
    if (Accept(",")) {
      XLA_ASSIGN_OR_RETURN(const std::string key, TakeName());
      if (key != (is_wait ? "ms" : is_call ? "target" : ""))
        return XlaInvalidArgumentError("line %d: %s has no attribute '%s'", LineTaken(), operation.c_str(),
                                       key.c_str());
      XLA_RETURN_IF_ERROR(Expect("="));
      if (is_call) {
        XLA_ASSIGN_OR_RETURN(instruction->target, TakeName());
      } else {
        XLA_ASSIGN_OR_RETURN(instruction->number, TakeInteger());
        if (instruction->number < 0)
          return XlaInvalidArgumentError("line %d: wait: expected 0 or more for ms, got %lld", LineTaken(),
                                         static_cast<long long>(instruction->number));
      }
      if (Peek() == ",")
        return XlaInvalidArgumentError("line %d: expected one attribute of %s, got more", Line(),
                                       operation.c_str());
    } else if (is_wait || is_call) {
      return XlaInvalidArgumentError("line %d: %s: expected %s, got %s", LineTaken(), operation.c_str(),
                                     is_wait ? "', ms=MILLISECONDS'" : "', target=NAME'", Got().c_str());
    }
    return OkStatus();
  }

  /* The shape that an operation gives must be the one that is stated. */
  Status CheckShape(const Instruction &instruction, Function *function, const std::string &operation) {
    std::vector<const Shape *> shapes;
    for (const std::size_t operand : instruction.operands)
      shapes.push_back(&function->instructions[operand].shape);
    Shape given = instruction.shape;
    switch (instruction.operation) {
      case Operation::kParameter:
        if (instruction.number != static_cast<std::int64_t>(function->parameters.size()))
          return XlaInvalidArgumentError("line %d: expected parameter(%zu), got parameter(%lld)", Line(),
                                         function->parameters.size(),
                                         static_cast<long long>(instruction.number));
        function->parameters.push_back(instruction.shape);
        break;
      case Operation::kConstant: given = {}; break;
      case Operation::kAdd:
      case Operation::kMultiply:
        XLA_RETURN_IF_ERROR(CheckCount(operation, shapes.size(), 2));
        given = shapes[0]->empty() ? *shapes[1] : *shapes[0];
        if (!shapes[0]->empty() && !shapes[1]->empty() && *shapes[0] != *shapes[1])
          return XlaInvalidArgumentError("line %d: %s: shapes differ: %s and %s", Line(), operation.c_str(),
                                         ToString(*shapes[0]).c_str(), ToString(*shapes[1]).c_str());
        break;
      case Operation::kDot: {
        XLA_RETURN_IF_ERROR(CheckCount(operation, shapes.size(), 2));
        const Shape &left = *shapes[0], &right = *shapes[1];
        if (left.size() != 2 || right.size() != 2 || left[1] != right[0])
          return XlaInvalidArgumentError("line %d: dot: expected [m,k] and [k,n], got %s and %s", Line(),
                                         ToString(left).c_str(), ToString(right).c_str());
        given = {left[0], right[1]};
        break;
      }
      case Operation::kWait:
      case Operation::kCustomCall:
        XLA_RETURN_IF_ERROR(CheckCount(operation, shapes.size(), 1));
        given = *shapes[0];
        break;
    }
    if (given != instruction.shape)
      return XlaInvalidArgumentError("line %d: %s gives %s, not %s", Line(), operation.c_str(),
                                     ToString(given).c_str(), ToString(instruction.shape).c_str());
    return OkStatus();
  }

  Status CheckCount(const std::string &operation, std::size_t count, std::size_t expected) {
    if (count == expected) return OkStatus();
    return XlaInvalidArgumentError("line %d: %s: expected %zu operands, got %zu", Line(), operation.c_str(),
                                   expected, count);
  }

  std::map<std::string, std::size_t> names_;
};

}  // namespace

std::string ToString(const Shape &shape) {
  std::string text = "f32[";
  for (std::size_t i = 0; i < shape.size(); i++) text += (i > 0 ? "," : "") + std::to_string(shape[i]);
  return text + "]";
}

StatusOr<std::int64_t> CountElements(const Shape &shape) {
  constexpr std::int64_t kMost = std::int64_t{1} << 48;
  std::int64_t count = 1;
  for (const std::int64_t size : shape) {
    if (size < 0 || (size > 0 && count > kMost / size))
      return XlaInvalidArgumentError("%s is no shape: a dimension is negative, or the array too large",
                                     ToString(shape).c_str());
    count *= size;
  }
  return count;
}

StatusOr<Program> Parse(const std::string &text) { return Parser(text).ReadProgram(); }

}  // namespace xla::runtime
