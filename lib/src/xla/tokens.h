/* tokens.h: the words of a program one after the other, and what a program may say in one or a few of them. */
#ifndef MXERR_XLA_TOKENS_H
#define MXERR_XLA_TOKENS_H

#include <string>
#include <vector>

#include "program.h"

namespace xla::runtime {

class Tokens {
 public:
  explicit Tokens(const std::string &text);

  /* The next token: a word or number, or one other character; empty at the end. */
  const std::string &Peek() const { return tokens_[at_].text; }
  std::string Take() { return at_ + 1 < tokens_.size() ? tokens_[at_++].text : ""; }
  bool Accept(const char *text);

  /* Lines of the next token, and of the last one that was taken. */
  int Line() const { return tokens_[at_].line; }
  int LineTaken() const { return tokens_[at_ > 0 ? at_ - 1 : 0].line; }

  /* The next token as a message quotes it. */
  std::string Got() const { return Peek().empty() ? "the end of the text" : "'" + Peek() + "'"; }

  /* These take a token, or fail with INVALID_ARGUMENT; OUT_OF_RANGE for a number that its type cannot hold. */
  Status Expect(const char *text);
  StatusOr<std::string> TakeName();
  StatusOr<std::int64_t> TakeInteger();
  StatusOr<float> TakeNumber();

 private:
  struct Token {
    std::string text;
    int line = 1;
  };

  std::vector<Token> tokens_;
  std::size_t at_ = 0;
};

}  // namespace xla::runtime

#endif  // MXERR_XLA_TOKENS_H
