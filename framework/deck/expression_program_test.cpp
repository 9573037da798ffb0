#include "framework/deck/expression_program.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "framework/deck/expression.hpp"
#include "framework/runtime/error.hpp"

namespace halocline {
namespace {

bool same_bits(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

/// Positions and times of all signs and magnitudes; some at which functions are undefined or jump.
std::vector<std::array<double, 4>> places() {
  double const infinity = std::numeric_limits<double>::infinity();
  double const nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<std::array<double, 4>> places{{0, 0, 0, 0},         {-0.0, -0.0, -0.0, -0.0},
                                            {1, 1, 1, 1},         {0.5, -0.5, 2.5, 1.5},
                                            {-1, 0, 1, 2},        {1e300, -1e300, 1e-300, 1e150},
                                            {infinity, 1, -1, 0}, {-infinity, infinity, 0, 1},
                                            {nan, 0.5, 1, 2},     {0.5, nan, nan, 2}};
  std::mt19937_64 engine(7);
  for (int n = 0; n < 60; ++n) {
    std::array<double, 4> place{};
    double const size = std::array{1.0, 1.0, 10.0, 1000.0}[static_cast<std::size_t>(n % 4)];
    for (double& at : place) at = size * std::uniform_real_distribution(-1.0, 1.0)(engine);
    place[3] = std::abs(place[3]);
    places.push_back(place);
  }
  return places;
}

// Both call the same functions of the same library in the same order, without contraction: results must agree bitwise.
void expect_bits_of_mu_parser(std::string const& text) {
  Expression const expression(text);
  ExpressionProgram const* const program = expression.program();
  ASSERT_NE(program, nullptr) << text;
  ASSERT_LE(program->depth(), deepest_expression);
  for (auto const& [x, y, z, t] : places()) {
    double const expected = expression(x, y, z, t);
    double const value = (*program)(x, y, z, t);
    ASSERT_TRUE(same_bits(value, expected))
        << text << " at " << x << ' ' << y << ' ' << z << ' ' << t << ": " << value << ", by muParser " << expected;
  }
}

/// Generates random expressions of the grammar.
class Grammar {
 public:
  explicit Grammar(unsigned seed) : engine_(seed) {}

  std::string expression(int depth) {
    if (depth == 0) return leaf();
    switch (below(12)) {
      case 0:
        return pick({"-", "+", "-", "- "}) + operand(depth - 1);
      case 1:
        return "(" + expression(depth - 1) + ")";
      case 2:
      case 3:
        return pick({"sin",   "cos",  "tan",   "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh",
                     "atanh", "log2", "log10", "log",  "ln",   "exp",  "sqrt", "sign", "rint", "abs"}) +
               "(" + expression(depth - 1) + ")";
      case 4: {
        std::string call = pick({"sum", "avg", "min", "max"}) + "(" + expression(depth - 1);
        for (int n = below(4); n > 0; --n) call += ", " + expression(depth - 1);
        return call + ")";
      }
      case 5:
        return "atan2(" + expression(depth - 1) + ", " + expression(depth - 1) + ")";
      case 6:
        return operand(depth - 1) + " ? " + expression(depth - 1) + " : " + expression(depth - 1);
      case 7:
        return operand(depth - 1) + pick({"^", "^2", "^3", "^4", "^1", "^0", "^-"}).append(operand(depth - 1));
      case 8:
        return operand(depth - 1) + pick({"<", "<=", ">", ">=", "==", "!=", "&&", "||"}) + operand(depth - 1);
      default:
        return operand(depth - 1) + pick({"+", "-", "*", "/", " * ", " - "}) + operand(depth - 1);
    }
  }

 private:
  int below(int count) { return std::uniform_int_distribution(0, count - 1)(engine_); }
  std::string pick(std::vector<std::string> const& choices) {
    return choices[static_cast<std::size_t>(below(static_cast<int>(choices.size())))];
  }
  std::string leaf() {
    return pick({"x", "y", "z", "t", "x", "y", "2", "3", "0.5", "1e-3", "0", "4", "1", "7.25", "pi", "_pi", "_e",
                 "random(3)", "random(18446744073709551615)"});
  }
  /// Mostly without parentheses, so that precedence matters.
  std::string operand(int depth) { return below(4) == 0 ? "(" + expression(depth) + ")" : expression(depth); }

  std::mt19937 engine_;
};

TEST(ExpressionProgram, HasTheBitsOfMuParserForRandomExpressions) {
  int known = 0;
  int refused = 0;
  int without = 0;
  for (unsigned seed = 0; known < 1500; ++seed) {
    ASSERT_LT(refused + without, 1500);
    std::string const text = Grammar(seed).expression(2 + static_cast<int>(seed % 4));
    try {
      if (Expression(text).program() == nullptr) {
        ++without;
        continue;
      }
    } catch (InputError const&) {  // not an expression to muParser, such as "2^3x"
      ++refused;
      continue;
    }
    ++known;
    expect_bits_of_mu_parser(text);
    if (HasFatalFailure()) return;
  }
  EXPECT_EQ(without, 0);
}

TEST(ExpressionProgram, HasTheBitsOfMuParserWherePrecedenceIsNasty) {
  for (std::string const text : {"-x^2",
                                 "(-x)^2",
                                 "2^-x",
                                 "-x^-y",
                                 "x^y^z",
                                 "(x^y)^z",
                                 "-2^2",
                                 "-(-x)",
                                 "+x",
                                 "2*-x",
                                 "x-(-y)",
                                 "x ? y : z ? t : 5",
                                 "x ? y ? 1 : 2 : 3",
                                 "(x ? y : z) ? t : -t",
                                 "x<y==z",
                                 "x<y<z",
                                 "x==y==z",
                                 "x!=y!=z",
                                 "x&&y||z",
                                 "x||y&&z",
                                 "x<y&&y<z||t>1",
                                 "x<y ? x+1 : y+1",
                                 "x + (y ? 1 : 2)",
                                 "1 + x ? 2 : 3",
                                 "x ? 1 : 2 + y",
                                 "2*x+3",
                                 "3+2*x",
                                 "2*(3*x+1)",
                                 "(3*x+1)*2",
                                 "4*x/2",
                                 "x+x",
                                 "x-x",
                                 "2*x-2*x",
                                 "x*x",
                                 "x*x*x",
                                 "x^2*x",
                                 "x-1-2",
                                 "1-2-x",
                                 "1/2/x",
                                 "x/y/z",
                                 "x/y*z",
                                 "2*x*y",
                                 "x*2*y",
                                 "x^0",
                                 "x^1",
                                 "x^2",
                                 "x^3",
                                 "x^4",
                                 "x^5",
                                 "x^0.5",
                                 "(x+1)^2",
                                 "(x+1)^3",
                                 "pi^2*x",
                                 "2*x*0",
                                 "0*x",
                                 "0-x",
                                 "-0*x",
                                 "x*-1",
                                 "sum(x)",
                                 "sum(-x, 0)",
                                 "avg(x, y, z)",
                                 "min(x)",
                                 "max(x, y)",
                                 "min(x, y, z, t, 0)",
                                 "max(0, x, 1e-3)",
                                 "min(1, 2)",
                                 "sum(1, 2, 3)",
                                 "sum(1, x ? y : z, 2)",
                                 "1<2 ? x : y",
                                 "2<1 ? x : y",
                                 "0.5 && 0.7",
                                 "x && 0.5",
                                 "rint(0.5) + rint(x)",
                                 "sign(-x)",
                                 "abs(-x)",
                                 "atan2(-x, -0.0)",
                                 "log2(8)",
                                 "asinh(1e3)",
                                 "atanh(1)",
                                 "1/x",
                                 "0/x",
                                 "x/0",
                                 "sqrt(-1)",
                                 "exp(1000)",
                                 "-exp(1000)",
                                 "exp(1000) - exp(1000)",
                                 "x ? 1/0 : sqrt(-1)",
                                 "_pi - pi",
                                 "_e^x",
                                 "1e308*10*x",
                                 "random(1) < 0.5 ? random(2) : -random(2)",
                                 "2*random(7) - 1",
                                 "sin(pi*x)*exp(-t)*(1+y^2)"}) {
    expect_bits_of_mu_parser(text);
    if (HasFatalFailure()) return;
  }
}

TEST(ExpressionProgram, FoldsWhatIsConstant) {
  for (std::string const text : {"2*pi + sin(1)", "min(3, 1, 2)", "sum(1, 2)*avg(2, 4)", "-2^2"})
    EXPECT_EQ(Expression(text).program()->postfix().size(), 1U) << text;
  EXPECT_EQ(Expression("min(3, 1)*t").program()->postfix().size(), 3U);
}

TEST(ExpressionProgram, EvaluatesOneBranchAlone) {
  ExpressionProgram const program = *Expression("x < 0 ? sin(y) : cos(y)").program();
  // The condition (3), two skips, two branches of two instructions each, and the choice.
  ASSERT_EQ(program.instructions().size(), 10U);
  EXPECT_EQ(program.instructions()[3].operation, Operation::skip_if_none);
  EXPECT_EQ(program.instructions()[3].skip, 2);
  EXPECT_EQ(program.instructions()[6].operation, Operation::skip_if_all);
  EXPECT_EQ(program.instructions()[6].skip, 2);
  EXPECT_EQ(program.instructions()[9].operation, Operation::choose);
}

/// x + (x + (x + … )), whose stack depth grows with its nesting.
std::string nested(int depth) {
  std::string text;
  for (int n = 1; n < depth; ++n) text += "y+(";
  return text + "x" + std::string(static_cast<std::size_t>(depth - 1), ')');
}

TEST(ExpressionProgram, IsLeftOutBeyondItsBounds) {
  expect_bits_of_mu_parser(nested(deepest_expression));
  Expression const deep(nested(deepest_expression + 1));
  EXPECT_EQ(deep.program(), nullptr);
  EXPECT_EQ(deep(1, 2, 0, 0), 1 + 2.0 * deepest_expression);
  std::string sum = "y";
  for (std::size_t n = 1; n < ExpressionProgram::longest / 2; ++n) sum += "+z";
  expect_bits_of_mu_parser(sum);
  EXPECT_EQ(Expression(sum + "+z+z").program(), nullptr);
  EXPECT_EQ(Expression(sum + "+z+z")(0, 1, 1, 0), static_cast<double>(ExpressionProgram::longest / 2 + 2));
  std::string arguments = "max(y";
  for (int n = 0; n < 5000; ++n) arguments += ", z";
  EXPECT_EQ(Expression(arguments + ")").program(), nullptr);
  EXPECT_EQ(Expression(arguments + ")")(0, 1, 2, 0), 2);
}

}  // namespace
}  // namespace halocline
