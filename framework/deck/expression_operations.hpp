#pragma once

#include <cmath>
#include <cstdint>

#include "framework/deck/random_number.hpp"
#include "framework/runtime/host_device.hpp"

namespace halocline {

/// Operations on the values of a stack. Arithmetic, functions and comparisons are those of muParser, each with
/// muParser's order of operations.
enum class Operation : std::int16_t {
  // Push a value.
  number,
  x,
  y,
  z,
  t,
  random,
  row_value,    ///< of row programs (ExpressionRows): a value that is constant along a row
  entry_value,  ///< of row programs: a value that is the same in all rows
  // Replace the top value.
  negate,
  square,
  cube,
  fourth,
  absolute,
  sign,
  round,
  square_root,
  exponential,
  logarithm,
  logarithm_2,
  logarithm_10,
  sine,
  cosine,
  tangent,
  arc_sine,
  arc_cosine,
  arc_tangent,
  hyperbolic_sine,
  hyperbolic_cosine,
  hyperbolic_tangent,
  area_sine,
  area_cosine,
  area_tangent,
  // Replace the two top values.
  add,
  subtract,
  multiply,
  divide,
  power,
  arc_tangent_2,
  minimum,
  maximum,
  less,
  less_or_equal,
  greater,
  greater_or_equal,
  equal,
  not_equal,
  both,
  either,
  // Replaces the three top values c, a, b by a if c is not 0, otherwise by b.
  choose,
  // Skip the following instructions if the condition is 0 (none), or not 0 (all), for all entries evaluated together.
  skip_if_none,
  skip_if_all
};

/// Number of values that an operation pops before it pushes its result.
[[nodiscard]] constexpr int operands(Operation operation) {
  if (operation < Operation::negate) return 0;
  if (operation < Operation::add) return 1;
  return operation < Operation::choose ? 2 : 3;
}

/// One instruction of an ExpressionProgram.
struct Instruction {
  Operation operation = Operation::number;
  std::int16_t slot = 0;   ///< stack index of its first operand and of its result
  std::int32_t skip = 0;   ///< number of instructions to skip; for row_value and entry_value: index of the value
  double number = 0;       ///< for Operation::number
  std::uint64_t seed = 0;  ///< for Operation::random

  [[nodiscard]] friend bool operator==(Instruction const&, Instruction const&) = default;
};

namespace operations {

#define HALOCLINE_UNARY(Name, value)                                            \
  struct Name {                                                                 \
    HALOCLINE_HOST_DEVICE double operator()(double a) const { return (value); } \
  }
#define HALOCLINE_BINARY(Name, value)                                                     \
  struct Name {                                                                           \
    HALOCLINE_HOST_DEVICE double operator()(double a, double b) const { return (value); } \
  }

// clang-format takes products in macros for pointer declarations.
// clang-format off
HALOCLINE_UNARY(Negate, -a);
HALOCLINE_UNARY(Square, a * a);
HALOCLINE_UNARY(Cube, a * a * a);
HALOCLINE_UNARY(Fourth, a * a * a * a);
HALOCLINE_UNARY(Absolute, a >= 0 ? a : -a);
HALOCLINE_UNARY(Sign, a<0 ? -1.0 : a> 0 ? 1.0 : 0.0);
HALOCLINE_UNARY(Round, std::floor(a + 0.5));
HALOCLINE_UNARY(SquareRoot, std::sqrt(a));
HALOCLINE_UNARY(Exponential, std::exp(a));
HALOCLINE_UNARY(Logarithm, std::log(a));
HALOCLINE_UNARY(Logarithm2, std::log(a) / std::log(2.0));
HALOCLINE_UNARY(Logarithm10, std::log10(a));
HALOCLINE_UNARY(Sine, std::sin(a));
HALOCLINE_UNARY(Cosine, std::cos(a));
HALOCLINE_UNARY(Tangent, std::tan(a));
HALOCLINE_UNARY(ArcSine, std::asin(a));
HALOCLINE_UNARY(ArcCosine, std::acos(a));
HALOCLINE_UNARY(ArcTangent, std::atan(a));
HALOCLINE_UNARY(HyperbolicSine, std::sinh(a));
HALOCLINE_UNARY(HyperbolicCosine, std::cosh(a));
HALOCLINE_UNARY(HyperbolicTangent, std::tanh(a));
HALOCLINE_UNARY(AreaSine, std::log(a + std::sqrt(a * a + 1)));
HALOCLINE_UNARY(AreaCosine, std::log(a + std::sqrt(a * a - 1)));
HALOCLINE_UNARY(AreaTangent, 0.5 * std::log((1 + a) / (1 - a)));

HALOCLINE_BINARY(Add, a + b);
HALOCLINE_BINARY(Subtract, a - b);
HALOCLINE_BINARY(Multiply, a * b);
HALOCLINE_BINARY(Divide, a / b);
HALOCLINE_BINARY(Power, std::pow(a, b));
HALOCLINE_BINARY(ArcTangent2, std::atan2(a, b));
HALOCLINE_BINARY(Minimum, b < a ? b : a);
HALOCLINE_BINARY(Maximum, a < b ? b : a);
HALOCLINE_BINARY(Less, a < b ? 1.0 : 0.0);
HALOCLINE_BINARY(LessOrEqual, a <= b ? 1.0 : 0.0);
HALOCLINE_BINARY(Greater, a > b ? 1.0 : 0.0);
HALOCLINE_BINARY(GreaterOrEqual, a >= b ? 1.0 : 0.0);
HALOCLINE_BINARY(Equal, a == b ? 1.0 : 0.0);
HALOCLINE_BINARY(NotEqual, a != b ? 1.0 : 0.0);
HALOCLINE_BINARY(Both, a != 0 && b != 0 ? 1.0 : 0.0);
HALOCLINE_BINARY(Either, a != 0 || b != 0 ? 1.0 : 0.0);
// clang-format on

#undef HALOCLINE_UNARY
#undef HALOCLINE_BINARY

}  // namespace operations

/// Calls `visit` with the function of an operation that has one or two operands.
template <class Visit>
HALOCLINE_HOST_DEVICE void visit_function(Operation operation, Visit const& visit) {
  switch (operation) {
#define HALOCLINE_CASE(name, Name) \
  case Operation::name:            \
    visit(operations::Name{});     \
    break
    HALOCLINE_CASE(negate, Negate);
    HALOCLINE_CASE(square, Square);
    HALOCLINE_CASE(cube, Cube);
    HALOCLINE_CASE(fourth, Fourth);
    HALOCLINE_CASE(absolute, Absolute);
    HALOCLINE_CASE(sign, Sign);
    HALOCLINE_CASE(round, Round);
    HALOCLINE_CASE(square_root, SquareRoot);
    HALOCLINE_CASE(exponential, Exponential);
    HALOCLINE_CASE(logarithm, Logarithm);
    HALOCLINE_CASE(logarithm_2, Logarithm2);
    HALOCLINE_CASE(logarithm_10, Logarithm10);
    HALOCLINE_CASE(sine, Sine);
    HALOCLINE_CASE(cosine, Cosine);
    HALOCLINE_CASE(tangent, Tangent);
    HALOCLINE_CASE(arc_sine, ArcSine);
    HALOCLINE_CASE(arc_cosine, ArcCosine);
    HALOCLINE_CASE(arc_tangent, ArcTangent);
    HALOCLINE_CASE(hyperbolic_sine, HyperbolicSine);
    HALOCLINE_CASE(hyperbolic_cosine, HyperbolicCosine);
    HALOCLINE_CASE(hyperbolic_tangent, HyperbolicTangent);
    HALOCLINE_CASE(area_sine, AreaSine);
    HALOCLINE_CASE(area_cosine, AreaCosine);
    HALOCLINE_CASE(area_tangent, AreaTangent);
    HALOCLINE_CASE(add, Add);
    HALOCLINE_CASE(subtract, Subtract);
    HALOCLINE_CASE(multiply, Multiply);
    HALOCLINE_CASE(divide, Divide);
    HALOCLINE_CASE(power, Power);
    HALOCLINE_CASE(arc_tangent_2, ArcTangent2);
    HALOCLINE_CASE(minimum, Minimum);
    HALOCLINE_CASE(maximum, Maximum);
    HALOCLINE_CASE(less, Less);
    HALOCLINE_CASE(less_or_equal, LessOrEqual);
    HALOCLINE_CASE(greater, Greater);
    HALOCLINE_CASE(greater_or_equal, GreaterOrEqual);
    HALOCLINE_CASE(equal, Equal);
    HALOCLINE_CASE(not_equal, NotEqual);
    HALOCLINE_CASE(both, Both);
    HALOCLINE_CASE(either, Either);
#undef HALOCLINE_CASE
    default:
      break;
  }
}

/// The largest stack depth of a program.
inline constexpr int deepest_expression = 32;

namespace operations {

/// Applies a function to values of a stack, in place.
struct OnStack {
  double* at;
  template <class Function>
  HALOCLINE_HOST_DEVICE void operator()(Function const& function) const {
    if constexpr (requires { function(0.0); }) {
      *at = function(*at);
    } else {
      *at = function(at[0], at[1]);
    }
  }
};

}  // namespace operations

/// The value of a program of `size` instructions at one position and time. Not for row programs.
[[nodiscard]] HALOCLINE_HOST_DEVICE inline double evaluate_at(Instruction const* program, int size, double x, double y,
                                                              double z, double t) {
  double stack[deepest_expression];
  // A program writes a value before it reads it, which GCC 13 does not see for the three values of `choose`.
  stack[0] = stack[1] = stack[2] = 0;
  for (int n = 0; n < size; ++n) {
    Instruction const& now = program[n];
    double* const at = stack + now.slot;
    switch (now.operation) {
      case Operation::number:
        *at = now.number;
        break;
      case Operation::x:
        *at = x;
        break;
      case Operation::y:
        *at = y;
        break;
      case Operation::z:
        *at = z;
        break;
      case Operation::t:
        *at = t;
        break;
      case Operation::random:
        *at = random_number(now.seed, x, y, z);
        break;
      case Operation::choose:
        *at = *at != 0 ? at[1] : at[2];
        break;
      case Operation::skip_if_none:
        if (*at == 0) n += now.skip;
        break;
      case Operation::skip_if_all:
        if (*at != 0) n += now.skip;
        break;
      default:
        visit_function(now.operation, operations::OnStack{at});
        break;
    }
  }
  return stack[0];
}

}  // namespace halocline
