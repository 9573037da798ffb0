#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "framework/deck/expression_operations.hpp"

namespace mu {
class Parser;
}

namespace halocline {

/// An expression as a list of instructions for a stack of fixed depth: plain memory that hosts and devices evaluate
/// (`evaluate_at`; ExpressionRows evaluates many entries together). On hosts results are bitwise equal to muParser's,
/// since the same functions are called in the same order; on devices the functions may differ in their last digits.
class ExpressionProgram {
 public:
  /// In postfix order: each operation follows its operands.
  using Postfix = std::vector<Instruction>;
  static constexpr std::size_t longest = 1024;

  /// Translates the bytecode of a parser that has already evaluated its text. `variables` maps the addresses of the
  /// parser's variables to instructions. Nothing if the program exceeds the limits on length or stack depth, or uses an
  /// unsupported operation.
  [[nodiscard]] static std::optional<ExpressionProgram> of(
      mu::Parser const& parser, std::vector<std::pair<double const*, Instruction>> const& variables);
  explicit ExpressionProgram(Postfix postfix);

  [[nodiscard]] Postfix const& postfix() const { return postfix_; }
  /// The same with stack indices, and with skips around unused branches of `choose`.
  [[nodiscard]] std::vector<Instruction> const& instructions() const { return instructions_; }
  /// Maximum number of values on the stack.
  [[nodiscard]] int depth() const { return depth_; }
  [[nodiscard]] double operator()(double x, double y, double z, double t) const {
    return evaluate_at(instructions_.data(), static_cast<int>(instructions_.size()), x, y, z, t);
  }

  /// For each instruction, the index of the first instruction of its operands.
  [[nodiscard]] static std::vector<std::size_t> beginnings(Postfix const& postfix);

 private:
  Postfix postfix_;
  std::vector<Instruction> instructions_;
  int depth_ = 0;
};

}  // namespace halocline
