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
/// (`evaluate_at`; ExpressionRows many entries at a time). It has the bits of muParser on hosts, which call the same
/// functions in the same order; devices have others in their functions' last digits.
class ExpressionProgram {
 public:
  /// In postfix order: each operation stands after its operands.
  using Postfix = std::vector<Instruction>;
  static constexpr std::size_t longest = 1024;

  /// What a parser has made of its text, which it has evaluated before. `variables`: where the parser reads them, and
  /// what stands for them. Nothing where the text takes more instructions or a deeper stack than there are, or uses
  /// what is no operation.
  [[nodiscard]] static std::optional<ExpressionProgram> of(
      mu::Parser const& parser, std::vector<std::pair<double const*, Instruction>> const& variables);
  explicit ExpressionProgram(Postfix postfix);

  [[nodiscard]] Postfix const& postfix() const { return postfix_; }
  /// The same with slots, and with skips around what `choose` does not take.
  [[nodiscard]] std::vector<Instruction> const& instructions() const { return instructions_; }
  /// Values on the stack at a time.
  [[nodiscard]] int depth() const { return depth_; }
  [[nodiscard]] double operator()(double x, double y, double z, double t) const {
    return evaluate_at(instructions_.data(), static_cast<int>(instructions_.size()), x, y, z, t);
  }

  /// For each instruction the place where the first of its operands' instructions stands.
  [[nodiscard]] static std::vector<std::size_t> beginnings(Postfix const& postfix);

 private:
  Postfix postfix_;
  std::vector<Instruction> instructions_;
  int depth_ = 0;
};

}  // namespace halocline
