#pragma once

#include <memory>
#include <string>

namespace halocline {

class ExpressionProgram;

/// A real function of position and time: a number or a muParser expression of x, y, z, t, `pi` and `random(seed)` (see
/// random_number.hpp), such as "sin(pi*x)*exp(-t)". Copies share no mutable state: threads may evaluate their own
/// copies concurrently.
class Expression {
 public:
  explicit Expression(double value = 0);
  /// Throws InputError, with the position in the text, if it is not an expression of x, y, z and t.
  explicit Expression(std::string const& text);
  Expression(Expression const& other);
  Expression(Expression&&) noexcept;
  Expression& operator=(Expression other);
  ~Expression();

  /// NaN and infinity are returned unchanged (1/x at x = 0).
  [[nodiscard]] double operator()(double x, double y, double z, double t) const;
  /// True if the text uses none of x, y, z, t and random.
  [[nodiscard]] bool is_constant() const;
  /// True if the text uses t.
  [[nodiscard]] bool depends_on_time() const;
  [[nodiscard]] std::string const& text() const;
  /// The same function for many positions and for devices; on hosts bitwise equal to the operator. Null if there is
  /// none: the text is too long or too deeply nested, or the installed muParser interprets it differently.
  [[nodiscard]] ExpressionProgram const* program() const;

 private:
  struct Parsed;
  std::unique_ptr<Parsed> parsed_;
};

}  // namespace halocline
