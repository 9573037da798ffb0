#pragma once

#include <string>
#include <vector>

#include "framework/operator/field_vector.hpp"
#include "framework/operator/solve_report.hpp"
#include "framework/operator/state_archive.hpp"
#include "solvers/linear/solver.hpp"

namespace halocline {

/// The part of a declared rate that is linear in the fields, g(t, u), including the values of their walls, for methods
/// that solve for it.
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
  /// out = g(time, y), for y whose ghosts beyond walls are zero. Collective. Throws DefectError if not overridden:
  /// sweeps evaluate this rate.
  virtual void evaluate(double time, FieldVector<Real> const& y, FieldVector<Real>& out);
  /// The inverse of the longest stable step of explicit Euler, where `evaluate` is overridden. Collective.
  [[nodiscard]] virtual double euler_rate();
  /// Whether the operators that it solves with are symmetric.
  [[nodiscard]] virtual bool is_symmetric() const { return true; }
  /// Serializes the state that its solvers keep; prepares them for that.
  virtual void serialize(StateArchive& state) = 0;

 protected:
  ImplicitRate() = default;
};

/// Serializes the state that a solver keeps, and the scale that it was last prepared for, 0 if for none; prepares it by
/// prepare(scale) for that.
template <class Prepare>
void serialize_prepared(StateArchive& state, std::string const& group, double scale, LinearSolver& solver,
                        Prepare const& prepare) {
  if (!state.has(group)) return;
  state.number(group + "/scale", scale);
  if (scale == 0) return;
  prepare(scale);
  solver.serialize(state, group);
}

extern template class ImplicitRate<float>;
extern template class ImplicitRate<double>;

}  // namespace halocline
