#include "framework/field/finite_value.hpp"

#include "framework/runtime/error.hpp"
#include "framework/runtime/shortest_text.hpp"

namespace halocline {

void throw_not_finite(std::string const& called, Expression const& expression, std::array<double, 3> const& at,
                      double time) {
  throw InputError(called + ": '" + expression.text() + "' is not a finite number at (" + shortest_text(at[0]) + ", " +
                   shortest_text(at[1]) + ", " + shortest_text(at[2]) + "), t = " + shortest_text(time));
}

}  // namespace halocline
