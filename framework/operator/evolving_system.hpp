#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "framework/operator/solve_report.hpp"
#include "framework/operator/vector.hpp"

namespace halocline {

class StateArchive;

/// Steps that a time integrator has accepted, and those that it rejected because their error was too large.
struct StepCount {
  std::int64_t taken = 0;
  std::int64_t rejected = 0;
};

/// Part of the rate of change.
enum class RatePart {
  whole,     ///< f + g
  explicit_  ///< f alone: the part that IMEX methods do not solve for
};

/// Which parts of du/dt = f(t, u) + g(t, u) a physics has, which decides what integrators it can use. The whole rate is
/// always available.
struct RateParts {
  bool explicit_part = true;   ///< f is not zero: a fully implicit method would leave it out
  bool implicit_part = false;  ///< g exists, and with it `solve`
  bool has_waves = false;      ///< not all eigenvalues are real
};

/// du/dt = f(t, u) + g(t, u), the interface for integrators. f is arbitrary, g is linear in u up to a source; one of
/// them may be zero. A state is a vector made by `create_state`; all methods are collective over the ranks that share
/// it.
class EvolvingSystem {
 public:
  virtual ~EvolvingSystem() = default;
  EvolvingSystem(EvolvingSystem const&) = delete;
  EvolvingSystem& operator=(EvolvingSystem const&) = delete;

  /// A state with undefined values.
  [[nodiscard]] virtual std::unique_ptr<Vector> create_state() const = 0;
  /// A stage: out = own y + sum of terms + scale rate(time, y), and slope = rate(time, y) unless that is null. Up to
  /// three terms take one pass over memory. Wall conditions act on y at `time`. `out` and `slope` may be states of
  /// `terms`, but not y.
  virtual void evaluate(RatePart part, double time, Vector& y, double own, std::span<WeightedVector const> terms,
                        double scale, Vector& out, Vector* slope) = 0;
  /// Solves out - scale g(time, out) = right for `out`, which holds the initial guess. Throws DefectError for a system
  /// without g.
  [[nodiscard]] virtual std::vector<SolveReport> solve(double time, double scale, Vector const& right, Vector& out) = 0;
  /// Passes the values of a state to `archive` under this name. Throws DefectError if not overridden.
  virtual void serialize(StateArchive& archive, std::string const& name, Vector& state);

 protected:
  EvolvingSystem() = default;
};

}  // namespace halocline
