#pragma once

#include <string>
#include <vector>

#include "framework/operator/evolving_system.hpp"
#include "framework/operator/field_vector.hpp"
#include "framework/operator/solve_report.hpp"
#include "framework/operator/state_archive.hpp"
#include "solvers/linear/solver.hpp"

namespace halocline {

/// The part of a declared rate that is linear in the fields, including the values of their walls: g(t, u), for methods
/// that solve for it, and what integrators take explicitly.
template <class Real>
class ImplicitRate {
 public:
  virtual ~ImplicitRate() = default;
  ImplicitRate(ImplicitRate const&) = delete;
  ImplicitRate& operator=(ImplicitRate const&) = delete;

  /// Finds `out` with out - scale g(time, out) = right; `out` is the initial guess, whose ghosts beyond walls may be
  /// changed. Collective.
  [[nodiscard]] virtual std::vector<SolveReport> solve(double time, double scale, FieldVector<Real> const& right,
                                                       FieldVector<Real>& out) = 0;
  /// out = the linear part of the rate at y, or of that what `solve` leaves out (`explicit_`). Ghosts of y beyond walls
  /// are zero. Returns false, and leaves `out` as it is, if there is no such part. Collective. Throws DefectError if
  /// not overridden: sweeps evaluate this rate.
  [[nodiscard]] virtual bool evaluate(RatePart part, double time, FieldVector<Real> const& y, FieldVector<Real>& out);
  /// The inverse of the longest stable step of explicit Euler for what is not solved for, where `evaluate` is
  /// overridden. Collective.
  [[nodiscard]] virtual double euler_rate();
  /// Whether the operators that it solves with are symmetric.
  [[nodiscard]] virtual bool is_symmetric() const { return true; }
  /// Serializes the state that its solvers keep; prepares them for that.
  virtual void serialize(StateArchive& state) = 0;

 protected:
  ImplicitRate() = default;
};

/// Serializes the state that a solver keeps, and the scale that it was last prepared for, 0 if for none; prepares it by
/// prepare(scale) for that. Without a solver, nothing is taken from the state of one.
template <class Prepare>
void serialize_prepared(StateArchive& state, std::string const& group, double scale, LinearSolver* solver,
                        Prepare const& prepare) {
  if (!state.has(group)) return;
  state.number(group + "/scale", scale);
  if (scale == 0 || solver == nullptr) return;
  prepare(scale);
  solver->serialize(state, group);
}

extern template class ImplicitRate<float>;
extern template class ImplicitRate<double>;

}  // namespace halocline
