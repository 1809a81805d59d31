/* program.cpp: a tokenizer, a recursive-descent parser, and the shape rule of each operation. */
#include "program.h"

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <set>

namespace xla::runtime {
namespace {

bool IsWordCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
         c == '.' || c == '+';
}

struct Token {
  std::string text; /* a word or number, or one other character; empty at the end */
  int line = 1;
};

std::vector<Token> Tokenize(const std::string &text) {
  std::vector<Token> tokens;
  int line = 1;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t begin = i;
    if (text[i] == '\n') line++;
    if (IsWordCharacter(text[i]))
      while (i < text.size() && IsWordCharacter(text[i])) i++;
    else
      i++;
    const std::string token = text.substr(begin, i - begin);
    if (token.find_first_of(" \t\r\n%") != 0) tokens.push_back({token, line});
  }
  tokens.push_back({"", line});
  return tokens;
}

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

class Parser {
 public:
  explicit Parser(const std::string &text) : tokens_(Tokenize(text)) {}

  StatusOr<Program> ReadProgram() {
    Program program;
    if (Accept("HloModule")) Take();
    do {
      const std::string name = Peek() == "ENTRY" ? (Take(), Take()) : Take();
      XLA_ASSIGN_OR_RETURN(Function function, ReadFunction());
      if (!program.emplace(name, std::move(function)).second)
        return XlaInvalidArgumentError("line %d: function '%s' is there twice", Line(), name.c_str());
    } while (!Peek().empty());
    return program;
  }

 private:
  const std::string &Peek() const { return tokens_[at_].text; }
  int Line() const { return tokens_[at_].line; }
  std::string Take() { return at_ + 1 < tokens_.size() ? tokens_[at_++].text : ""; }
  bool Accept(const char *text) {
    if (Peek() != text) return false;
    Take();
    return true;
  }

  Status Expect(const char *text) {
    if (Accept(text)) return OkStatus();
    const std::string got = Peek().empty() ? "the end of the text" : "'" + Peek() + "'";
    return XlaInvalidArgumentError("line %d: expected '%s', got %s", Line(), text, got.c_str());
  }

  StatusOr<Function> ReadFunction() {
    Function function;
    names_.clear();
    XLA_RETURN_IF_ERROR(Expect("{"));
    bool has_root = false;
    while (!Accept("}")) {
      const bool is_root = Accept("ROOT");
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
    const std::string name = Take();
    XLA_RETURN_IF_ERROR(Expect("="));
    XLA_ASSIGN_OR_RETURN(instruction.shape, ReadShape());
    const std::string operation = Take();
    const auto found = Operations().find(operation);
    if (kOtherOperations.count(operation) > 0)
      return XlaUnimplementedError("line %d: operation '%s' is not implemented on platform host", Line(),
                                   operation.c_str());
    if (found == Operations().end())
      return XlaInvalidArgumentError("line %d: there is no operation '%s'", Line(), operation.c_str());
    instruction.operation = found->second;
    XLA_RETURN_IF_ERROR(ReadOperands(&instruction));
    XLA_RETURN_IF_ERROR(ReadAttributes(&instruction));
    XLA_RETURN_IF_ERROR(CheckShape(instruction, function, operation));
    names_[name] = function->instructions.size();
    function->instructions.push_back(std::move(instruction));
    return OkStatus();
  }

  StatusOr<Shape> ReadShape() {
    Shape shape;
    const std::string type = Take();
    if (kOtherTypes.count(type) > 0)
      return XlaUnimplementedError("line %d: element type %s is not implemented on platform host", Line(),
                                   type.c_str());
    if (type != "f32")
      return XlaInvalidArgumentError("line %d: expected a shape such as f32[2,3], got '%s'", Line(),
                                     type.c_str());
    XLA_RETURN_IF_ERROR(Expect("["));
    while (!Accept("]")) {
      XLA_ASSIGN_OR_RETURN(const std::int64_t size, ReadInteger());
      shape.push_back(size);
      if (Peek() != "]") XLA_RETURN_IF_ERROR(Expect(","));
    }
    const StatusOr<std::int64_t> count = CountElements(shape);
    if (!count.ok()) return count.status();
    return shape;
  }

  StatusOr<std::int64_t> ReadInteger() {
    const std::string text = Take();
    char *end = nullptr;
    errno = 0;
    const long long value = std::strtoll(text.c_str(), &end, 10);
    if (text.empty() || *end != '\0')
      return XlaInvalidArgumentError("line %d: expected an integer, got '%s'", Line(), text.c_str());
    if (errno == ERANGE)
      return XlaOutOfRangeError("line %d: %s is out of range for s64", Line(), text.c_str());
    return value;
  }

  StatusOr<float> ReadConstant() {
    const std::string text = Take();
    double value = 0;  // not strtod, which reads a comma in some locales
    const std::from_chars_result read = std::from_chars(text.data(), text.data() + text.size(), value);
    if (read.ec == std::errc::invalid_argument || read.ptr != text.data() + text.size())
      return XlaInvalidArgumentError("line %d: expected a number, got '%s'", Line(), text.c_str());
    const float rounded = static_cast<float>(value);
    if (read.ec == std::errc::result_out_of_range || (std::isinf(rounded) && !std::isinf(value)))
      return XlaOutOfRangeError("line %d: constant %s is out of range for f32", Line(), text.c_str());
    return rounded;
  }

  Status ReadOperands(Instruction *instruction) {
    XLA_RETURN_IF_ERROR(Expect("("));
    if (instruction->operation == Operation::kConstant) {
      XLA_ASSIGN_OR_RETURN(instruction->constant, ReadConstant());
      return Expect(")");
    }
    if (instruction->operation == Operation::kParameter) {
      XLA_ASSIGN_OR_RETURN(instruction->number, ReadInteger());
      return Expect(")");
    }
    while (!Accept(")")) {
      const std::string name = Take();
      const auto found = names_.find(name);
      if (found == names_.end())
        return XlaInvalidArgumentError("line %d: operand '%s' is not defined", Line(), name.c_str());
      instruction->operands.push_back(found->second);
      if (Peek() != ")") XLA_RETURN_IF_ERROR(Expect(","));
    }
    return OkStatus();
  }

  Status ReadAttributes(Instruction *instruction) {
    while (Accept(",")) {
      const std::string key = Take();
      XLA_RETURN_IF_ERROR(Expect("="));
      if (key == "ms") {
        XLA_ASSIGN_OR_RETURN(instruction->number, ReadInteger());
      } else if (key == "target") {
        instruction->target = Take();
      } else {
        return XlaInvalidArgumentError("line %d: there is no attribute '%s'", Line(), key.c_str());
      }
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

  std::vector<Token> tokens_;
  std::size_t at_ = 0;
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
