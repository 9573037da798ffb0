#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "framework/field/boundary.hpp"
#include "framework/field/field.hpp"
#include "framework/kernel/stencil.hpp"
#include "framework/mesh/structured_mesh.hpp"
#include "framework/operator/evolving_system.hpp"
#include "framework/runtime/error.hpp"
#include "physics/equations/coefficients.hpp"
#include "physics/equations/implicit_rate.hpp"
#include "solvers/linear/solver.hpp"

namespace halocline {

/// Makes the deck's solver.
using MakeSolver = std::function<std::unique_ptr<LinearSolver>()>;

/// The most terms that a stage takes in one pass, besides y and its rate.
inline constexpr int most_stage_terms = 3;

/// out = own y + sum of weights[n] terms[n] + scale rate(time, y); slope = rate(time, y) where it is not null.
template <class Real>
struct StageArguments {
  RatePart part = RatePart::whole;
  double time = 0;
  Fields<Real> const* y = nullptr;
  double own = 0;
  double scale = 0;
  int terms = 0;
  std::array<double, most_stage_terms> weights{};
  std::array<Fields<Real> const*, most_stage_terms> states{};
  Fields<Real> const* out = nullptr;
  Fields<Real> const* slope = nullptr;
  std::array<Real const*, 3> damping{};  ///< factors by axis, then global index, for a step with damping; null: none
};

/// The stages that exist as a single pass; others take several.
struct StageForms {
  std::size_t terms = most_stage_terms;  ///< at most
  bool with_slope = true;                ///< the rate may be a second output
  bool of_thin_boxes = true;             ///< sweeps of thin boxes cost no more per cell than whole blocks
};

/// The sweeps of one physics: the one place where its point functors become kernels. Made by `make_stages`
/// (stage_sweeps.hpp) in the physics' own source.
template <class Real>
class Stages {
 public:
  virtual ~Stages() = default;
  Stages(Stages const&) = delete;
  Stages& operator=(Stages const&) = delete;

  /// The shape of the whole rate.
  [[nodiscard]] virtual Shape shape() const = 0;
  /// A long rate (`is_long`) is compiled in one form only: one term, no slope.
  [[nodiscard]] virtual StageForms forms() const = 0;
  /// A stage on a box of a block, in local indices. Ghosts of y must be valid.
  virtual void sweep(Block const& block, IndexRange const& box, StageArguments<Real> const& stage) const = 0;
  /// The largest `fastest` over the owned points of this rank, the physics' bound of its rate in 1 / time. Empty if the
  /// functor has none.
  [[nodiscard]] virtual std::optional<double> fastest(double time, Fields<Real> const& y) const = 0;
  [[nodiscard]] virtual bool has_fastest() const = 0;
  /// Takes the coefficients that the rate reads; before any other use, if there are any. Collective. Throws InputError,
  /// naming the position, where a diffusivity that follows from them is below 0.
  ///
  /// \param state of the physics
  virtual void set_coefficients(Coefficients<Real> const& /*coefficients*/, Fields<Real> const& /*state*/) {}
  /// What the functor returns, as order_in_time_of (rate_requirements.hpp).
  [[nodiscard]] virtual int order_in_time() const { return 1; }
  /// Layers of ghosts that coefficients need.
  [[nodiscard]] virtual int coefficient_ghosts() const { return std::max(1, shape().radius); }
  /// Whether coefficients that are numbers need no fields.
  [[nodiscard]] virtual bool takes_constants() const { return false; }
  /// Twice h^2 times the energy of this rank's cells per volume of a cell, for a second derivative in time of one field
  /// whose functor has an `inertia`. Waits for the result.
  ///
  /// \param before u one step ago
  /// \param change h^2 times the second derivative of u
  [[nodiscard]] virtual double energy(Fields<Real> const& /*u*/, Fields<Real> const& /*before*/,
                                      Fields<Real> const& /*change*/) const {
    throw DefectError("only a second derivative in time has an energy");
  }
  /// Of each field. Empty if nothing of the rate can be solved for.
  [[nodiscard]] virtual std::vector<Diffusivity<Real>> diffusivity() const = 0;
  /// The inverse of a stable step of explicit Euler for the fields' linear coupling, if it only damps.
  [[nodiscard]] virtual double coupling_euler_rate() const { return 0; }
  /// The linear part of the rate, where fields are coupled. Null: they are not, and are solved for one by one.
  ///
  /// \param walls of each field
  [[nodiscard]] virtual std::unique_ptr<ImplicitRate<Real>> coupled_rate(
      std::vector<BoundaryConditions> const& /*walls*/, MakeSolver const& /*make_solver*/) const {
    return nullptr;
  }
  /// Whether there is more than the linear part.
  [[nodiscard]] virtual bool has_explicit_part() const { return true; }

  /// Whether the stages of the rate can take donor cells where their results are not physical, by the two functions
  /// below.
  [[nodiscard]] virtual bool has_donor_cells() const { return false; }
  /// Marks the owned cells of this rank that are not physical and not marked yet. Waits for the result.
  ///
  /// \param marks zero where a cell is not marked, else the number of the round in which it was
  /// \return the number of cells that it marked
  [[nodiscard]] virtual Index mark_unphysical(Fields<Real> const& /*state*/, Field<Real>& /*marks*/,
                                              int /*round*/) const {
    return 0;
  }
  /// Changes the result of a stage to that of donor cells at both sides of those faces of which a cell was marked in
  /// this round, and none in an earlier one. Ghosts of y and marks must be valid.
  virtual void take_donor_cells(StageArguments<Real> const& /*stage*/, Field<Real> const& /*marks*/,
                                int /*round*/) const {}

 protected:
  Stages() = default;
};

}  // namespace halocline
