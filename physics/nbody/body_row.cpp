#include "physics/nbody/body_row.hpp"

#include <cmath>

#include "framework/runtime/error.hpp"
#include "framework/runtime/shortest_text.hpp"

namespace halocline::nbody {

Body body_of(Row const& row, std::string const& place) {
  for (std::size_t column = 0; column < row.size(); ++column) {
    if (std::isfinite(row[column])) continue;
    throw InputError(place + ": " + column_names[column] + " is " + shortest_text(row[column]) +
                     ", and has to be finite");
  }
  if (row[6] < 0) throw InputError(place + ": mass is " + shortest_text(row[6]) + ", and has to be 0 or above");
  return {{row[0], row[1], row[2]}, {row[3], row[4], row[5]}, row[6]};
}

}  // namespace halocline::nbody
