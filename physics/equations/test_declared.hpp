#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>

#include "framework/deck/deck.hpp"
#include "framework/plugin/physics.hpp"
#include "solvers/linear/factory.hpp"
#include "solvers/time/time_section.hpp"

// Declared physics that tests run without the driver.

namespace halocline::test {

/// Makes a physics from a test's deck on a mesh.
inline std::unique_ptr<Physics> make(PhysicsEntry const& entry, std::string const& text,
                                     std::shared_ptr<StructuredMesh const> const& mesh,
                                     Precision precision = Precision::double_) {
  Section root("", "A deck.");
  root.section(time_section());
  root.section(solver_section());
  root.section(entry.options);
  return entry.create({Deck("deck", text).read(root), mesh, nullptr, precision, {}});
}

inline double quantity(Physics const& physics, std::string const& name) {
  for (Quantity const& each : physics.quantities()) {
    if (each.name == name) return each.value;
  }
  ADD_FAILURE() << "no quantity " << name;
  return std::nan("");
}

/// Steps from 0 to `end`.
inline void run(Physics& physics, double end, int steps) {
  for (int n = 0; n < steps; ++n) {
    for (SolveReport const& report : physics.advance({n + 1, end * n / steps, end / steps})) {
      EXPECT_TRUE(reached(report.outcome)) << report.remark;
    }
  }
}

}  // namespace halocline::test
