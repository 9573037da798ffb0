#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "framework/deck/field_source.hpp"
#include "framework/field/boundary.hpp"
#include "framework/halo/exchange.hpp"
#include "physics/equations/fields_state.hpp"
#include "physics/equations/implicit_diffusion.hpp"
#include "physics/equations/stages.hpp"
#include "physics/equations/state_law.hpp"

namespace halocline {

/// What a deck says of one field.
struct EquationField {
  FieldSource source{Expression(0.0)};  ///< added to the rate
  std::string source_name;              ///< of the option, for messages
  BoundaryConditions walls;             ///< of no use to the fields of a law
};

/// A declared physics as integrators see it: fields on the cells of one mesh, whose rate is that of its Stages and, for
/// each field, a source.
template <class Real>
class EquationSystem final : public EvolvingSystem {
 public:
  /// \param state    of the physics, which every state is like. Collective.
  /// \param law      whose states these are, with walls of its own; null: each field has its walls
  /// \param implicit of each field, where a method solves for the part of the rate that is diffusion; none where the
  ///                 field does not diffuse
  EquationSystem(std::shared_ptr<StructuredMesh const> mesh, FieldsState<Real> const& state,
                 std::vector<EquationField> fields, StagesOfLaw<Real> stages,
                 std::vector<std::optional<ImplicitDiffusion<Real>>> implicit = {});
  ~EquationSystem() override;

  [[nodiscard]] std::unique_ptr<SystemState> create_state() const override;
  void swap(SystemState& a, SystemState& b) override;
  void evaluate(RatePart part, double time, SystemState& y, double own, std::span<WeightedState const> terms,
                double scale, SystemState& out, SystemState* slope) override;
  void combine(std::span<WeightedState const> terms, SystemState& out) override;
  [[nodiscard]] std::vector<SolveReport> solve(double time, double scale, SystemState const& right,
                                               SystemState& out) override;
  [[nodiscard]] double scaled_maximum(SystemState const& error, SystemState const& before, SystemState const& after,
                                      double absolute, double relative) override;
  /// The fields of the state by their names, in the group `name`; in none if that is empty.
  void carry(CarriedState& carried, std::string const& name, SystemState& state) override;
  /// Tells what the solvers of the implicit part keep.
  void carry_solvers(CarriedState& carried);

  /// The largest `fastest` of the physics' functor over all points of the mesh, in 1 / time; empty where it has none.
  [[nodiscard]] std::optional<double> fastest(double time, FieldsState<Real>& y);
  /// Of the field that diffuses most, in length^2 / time.
  [[nodiscard]] double largest_diffusivity() const;

 private:
  /// Before what is on its way from it is overwritten.
  void finish_exchange_of(FieldsState<Real> const& state);
  /// Ghosts of y become those that a rate at `time` reads.
  void prepare(double time, FieldsState<Real>& y);
  /// The rate on all owned cells, in a pass of its own.
  void sweep_slope(StageArguments<Real> const& of, FieldsState<Real>& slope);
  void sweep(FieldsState<Real> const& y, StageArguments<Real> const& stage, FieldsState<Real>& out);
  /// What `source` gives at `time`; null where all are zero.
  [[nodiscard]] FieldsState<Real> const* sources(double time);
  [[nodiscard]] Fields<Real> create_fields() const;

  std::shared_ptr<StructuredMesh const> mesh_;
  Fields<Real> like_;
  std::vector<EquationField> fields_;
  std::unique_ptr<Stages<Real>> stages_;
  std::unique_ptr<StateLaw<Real>> law_;  ///< null: none
  bool reads_corners_;
  Exchange exchange_;
  FieldsState<Real>* under_way_ = nullptr;  ///< whose ghosts are
  std::vector<BoundaryFill> walls_;
  std::vector<std::optional<ImplicitDiffusion<Real>>> implicit_;
  std::unique_ptr<FieldsState<Real>> sources_;  ///< null: none
  std::optional<double> sources_time_;          ///< that they are of
};

}  // namespace halocline
