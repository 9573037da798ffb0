#include "framework/field/finite_value.hpp"

#include <cmath>

#include "framework/runtime/error.hpp"
#include "framework/runtime/shortest_text.hpp"

namespace halocline {
namespace {

std::string place(std::array<double, 3> const& at) {
  return "(" + shortest_text(at[0]) + ", " + shortest_text(at[1]) + ", " + shortest_text(at[2]) + ")";
}

}  // namespace

void throw_not_finite(std::string const& called, std::string const& text, std::array<double, 3> const& at,
                      double time) {
  throw InputError(called + ": '" + text + "' is not a finite number at " + place(at) + ", t = " + shortest_text(time));
}

void throw_not_finite(std::string const& called, Expression const& value, std::array<double, 3> const& at,
                      double time) {
  if (!std::isfinite(value(at[0], at[1], at[2], time))) throw_not_finite(called, value.text(), at, time);
  throw InputError(called + ": '" + value.text() + "' is too large for single precision at " + place(at) +
                   ", t = " + shortest_text(time));
}

void throw_not_positive(std::string const& called, std::string const& given, std::array<double, 3> const& at) {
  throw InputError("`" + called + "`: " + given + " is not above 0 at " + place(at));
}

void throw_negative(std::string const& called, std::string const& given, std::array<double, 3> const& at) {
  throw InputError("`" + called + "`: " + given + " is below 0 at " + place(at));
}

}  // namespace halocline
