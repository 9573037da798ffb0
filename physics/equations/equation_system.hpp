#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "framework/deck/field_source.hpp"
#include "framework/deck/options.hpp"
#include "framework/field/boundary.hpp"
#include "framework/halo/exchange.hpp"
#include "framework/kernel/repeated_work.hpp"
#include "framework/mesh/execution.hpp"
#include "framework/operator/field_vector.hpp"
#include "physics/equations/implicit_rate.hpp"
#include "physics/equations/points.hpp"
#include "physics/equations/sponge.hpp"
#include "physics/equations/stages.hpp"
#include "physics/equations/state_law.hpp"

namespace halocline {

/// The deck's settings for one field.
struct EquationField {
  FieldSource source{Expression(0.0)};  ///< added to the rate
  std::string source_name;              ///< of the option, for messages
  std::vector<PointSource> points{};    ///< sources in single cells
  BoundaryConditions walls;             ///< not used for the fields of a law
};

/// A state of an EquationSystem. Throws DefectError for any other vector.
template <class Real>
[[nodiscard]] FieldVector<Real>& as_state(Vector& state) {
  return const_cast<FieldVector<Real>&>(as_field_vector<Real>(state));
}

/// How a system takes the linear part of its rate.
template <class Real>
struct LinearPart {
  std::unique_ptr<ImplicitRate<Real>> rate = nullptr;  ///< null if no method solves for it and sweeps evaluate it
  bool is_swept = true;                                ///< the stages evaluate it; otherwise `rate` does
  bool with_sources = false;                           ///< methods that solve for it solve for sources, too
};

/// A declared physics as integrators see it: fields on the cells of one mesh, whose rate is given by Stages and, for
/// each field, a source.
template <class Real>
class EquationSystem final : public EvolvingSystem {
 public:
  /// \param state of the physics; all states are created like it. Collective.
  /// \param law   the law that these states obey, which handles walls; null: each field has its own walls
  EquationSystem(std::shared_ptr<StructuredMesh const> mesh, FieldVector<Real> const& state,
                 std::vector<EquationField> fields, StagesOfLaw<Real> stages, LinearPart<Real> linear = {});
  ~EquationSystem() override;

  [[nodiscard]] std::unique_ptr<Vector> create_state() const override;
  void evaluate(RatePart part, double time, Vector& y, double own, std::span<WeightedVector const> terms, double scale,
                Vector& out, Vector* slope) override;
  [[nodiscard]] std::vector<SolveReport> solve(double time, double scale, Vector const& right, Vector& out) override;
  /// Serializes the fields of the state by name in the group `name`, or in no group if that is empty.
  void serialize(StateArchive& archive, std::string const& name, Vector& state) override;
  /// Serializes the state that the solvers of the implicit part keep.
  void serialize_solvers(StateArchive& archive) {
    if (linear_.rate) linear_.rate->serialize(archive);
  }

  /// For functors whose order in time is not 1: out = own u + weight x + scale f(time, u) without sources, f being what
  /// the functor returns. `out` may be x, but not u.
  void step(double time, FieldVector<Real>& u, double own, WeightedVector const& x, double scale,
            FieldVector<Real>& out);
  /// The same for steps that repeat with two states that exchange their memory.
  ///
  /// \param damping the change from x to `out` is damped by it; null: it is not
  void repeated_step(double time, FieldVector<Real>& u, double own, WeightedVector const& x, double scale,
                     FieldVector<Real>& out, SpongeFactors<Real> const* damping = nullptr);
  /// Throws InputError, naming the position, for a source or a value of a wall that is not finite at `time`.
  void check(double time, FieldVector<Real>& u);
  /// u = u + scale times the sources at `time`.
  void add_sources(double time, double scale, FieldVector<Real>& u);
  /// As Stages::energy, over all ranks. Collective.
  [[nodiscard]] double energy(FieldVector<Real> const& u, FieldVector<Real> const& before,
                              FieldVector<Real> const& change) const;
  /// Whether steps that repeat enqueue the same work, if nothing that the functor returns depends on the time: no
  /// source and no wall changes, and kernels alone exchange ghosts.
  [[nodiscard]] bool repeats() const;
  /// From now on the launches of `repeated_step` are replayed under the same conditions, but for sources.
  void replay_steps() { replays_ = true; }
  /// Enqueues a step of length `step` from u, which `work` enqueues, or replays the launches of an earlier one. Only
  /// where `repeats()`; two states may exchange their memory in each step. Returns whether `work` was called.
  bool replay(FieldVector<Real>& u, double step, std::function<void()> const& work);

  /// The largest `fastest` of the physics' functor over all points of the mesh, in 1 / time; empty if it has none.
  [[nodiscard]] std::optional<double> fastest(double time, FieldVector<Real>& y);
  /// Whether stages can take donor cells.
  [[nodiscard]] bool has_donor_cells() const { return stages_->has_donor_cells(); }
  /// From now on, stages without a slope take donor cells where their results are not physical. Costs a pass and a wait
  /// per stage.
  ///
  /// \param names of the law's primitives
  void use_donor_cells(std::vector<std::string> names);
  /// No longer. Returns a description of the first cell that took donor cells and of its state without them; empty if
  /// none did.
  std::optional<std::string> end_donor_cells();
  /// How often a cell of any rank took donor cells in a stage.
  [[nodiscard]] std::int64_t& donor_cells() { return donor_cells_; }
  /// The inverse of the longest stable step of explicit Euler for the linear part of the rate. Collective.
  [[nodiscard]] double linear_euler_rate();

 private:
  /// What the kernels of a step depend on, except for what never changes.
  struct StepArguments {
    Real const* u;
    double step;
    int buffer_index;  ///< of the exchange
    [[nodiscard]] friend bool operator==(StepArguments const&, StepArguments const&) = default;
  };

  /// As `repeats`, but for sources.
  [[nodiscard]] bool kernels_repeat() const;
  [[nodiscard]] StageArguments<Real> arguments(double time, FieldVector<Real> const& u, double own,
                                               WeightedVector const& x, double scale,
                                               FieldVector<Real> const& out) const;
  /// Fills the ghosts of y that a rate at `time` reads.
  void prepare(double time, FieldVector<Real>& y);
  void exchange(FieldVector<Real>& y);
  void fill_walls(double time, FieldVector<Real>& y);
  /// What a part of the rate has besides what sweeps evaluate: the rate of operators, and sources. Null if nothing.
  [[nodiscard]] Vector const* beside_sweeps(RatePart part, double time, FieldVector<Real>& y);
  /// The rate on all owned cells, in a separate pass.
  void sweep_slope(StageArguments<Real> const& of, FieldVector<Real>& slope);
  void sweep(FieldVector<Real> const& y, StageArguments<Real> const& stage, FieldVector<Real>& out);
  /// A stage with the exchange of `out`, which overlaps the rest of the sweep.
  void sweep_and_exchange(StageArguments<Real> const& stage, FieldVector<Real> const& y, FieldVector<Real>& out);
  /// Makes a stage's result physical by donor cells, if they do.
  void take_donor_cells(StageArguments<Real> const& stage, FieldVector<Real>& out);
  /// The values of `source` at `time`; null if all are zero.
  [[nodiscard]] FieldVector<Real> const* sources(double time);

  std::shared_ptr<StructuredMesh const> mesh_;
  FieldVector<Real> like_;
  std::vector<EquationField> fields_;
  std::unique_ptr<Stages<Real>> stages_;
  std::unique_ptr<StateLaw<Real>> law_;  ///< null: none
  bool reads_corners_;
  Exchange exchange_;
  std::optional<BoundaryFill> walls_;  ///< empty: ghosts that nobody writes stay zero, or a law fills them
  std::optional<BoundaryFill>
      zero_walls_;  ///< for operators, where sweeps fill ghosts otherwise; made when first needed
  LinearPart<Real> linear_;
  std::optional<double> linear_euler_rate_;        ///< once computed
  std::unique_ptr<Vector> right_;                  ///< with sources that are solved for; made when first needed
  std::unique_ptr<Vector> rate_;                   ///< of operators; as well
  std::unique_ptr<FieldVector<Real>> sources_;     ///< null: none
  std::vector<PointSources<Real>> points_;         ///< of each field; part of `sources_`
  std::optional<double> sources_time_;             ///< time at which `sources_` was evaluated
  std::optional<std::vector<std::string>> names_;  ///< of primitives; empty: no donor cells
  std::optional<std::string> first_unphysical_;
  std::int64_t donor_cells_ = 0;
  bool replays_ = false;
  bool has_sources_ = false;  ///< of any kind
  bool has_source_fields_ = false;
  bool sources_change_ = false;                                          ///< with time
  bool walls_change_ = false;                                            ///< as well
  std::array<kernel::RepeatedWork<Execution, StepArguments>, 2> steps_;  ///< two states exchange their memory
  std::array<int, 2> exchanges_{};                                       ///< in each of these steps
  std::size_t next_ = 0;                                                 ///< the one that comes next
  int exchanges_so_far_ = 0;
  std::unique_ptr<Field<Real>> marks_;         ///< of cells that take donor cells; null before the first use
  std::optional<Exchange> exchange_of_marks_;  ///< as well
};

}  // namespace halocline
