#pragma once

#include <memory>
#include <string>

namespace halocline {

class ExpressionProgram;

/// A real function of position and time: a number or a muParser expression of x, y, z, t, `pi` and `random(seed)` (see
/// random_number.hpp), as "sin(pi*x)*exp(-t)". Copies share nothing that evaluation changes, so that each thread may
/// evaluate its own.
class Expression {
 public:
  explicit Expression(double value = 0);
  /// Throws InputError, naming the place in the text, if it is not an expression of x, y, z and t.
  explicit Expression(std::string const& text);
  Expression(Expression const& other);
  Expression(Expression&&) noexcept;
  Expression& operator=(Expression other);
  ~Expression();

  /// NaN and infinity are returned as they come (1/x at x = 0).
  [[nodiscard]] double operator()(double x, double y, double z, double t) const;
  /// True if the text names none of x, y, z, t and random.
  [[nodiscard]] bool is_constant() const;
  /// True if the text names t.
  [[nodiscard]] bool depends_on_time() const;
  [[nodiscard]] std::string const& text() const;
  /// The same function for many positions, and for devices; has the bits of the operator on hosts. Null where there is
  /// none: the text is too long or too deep, or means something else to the installed muParser.
  [[nodiscard]] ExpressionProgram const* program() const;

 private:
  struct Parsed;
  std::unique_ptr<Parsed> parsed_;
};

}  // namespace halocline
