#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "framework/deck/mistakes.hpp"
#include "framework/deck/validation.hpp"
#include "framework/grid/control_volume_grid.hpp"
#include "framework/grid/volumes.hpp"
#include "framework/operator/field_vector.hpp"
#include "framework/operator/state_archive.hpp"
#include "framework/plugin/plugin.hpp"
#include "physics/elasticity/elastic_body.hpp"
#include "physics/elasticity/loads.hpp"
#include "physics/elasticity/material.hpp"
#include "physics/equations/stationary_solve.hpp"

namespace halocline {
namespace {

using namespace elasticity;

/// -div sigma(u) = force, solved for the displacements that walls do not prescribe: u = v + g with g zero but on walls.
template <class Real>
class Elasticity final : public Physics {
 public:
  explicit Elasticity(PhysicsContext const& context)
      : own_(context.deck.section("elasticity")),
        body_(make_body<Real>(own_, context.mesh)),
        plane_(plane_of(own_, context.mesh->dimensions())),
        displacement_(on_nodes("displacement")),
        loads_(on_nodes("loads")),
        stress_(context.mesh, {.name = "von_mises"}),
        all_forces_(make_elastic_operator(body_)),
        operator_(make_elastic_operator(held_body())),
        solve_(context, *operator_),
        v_(operator_->create_vector()),
        b_(operator_->create_vector()) {
    fill_loads(own_, *loads_);
    fill_prescribed(own_, *displacement_);
    // b = loads - A g, at the unknowns.
    auto const b = forces();
    b->combine(1, FieldVector<Real>(loads_), -1);
    b_->copy(FieldVector<Real>(as_field_vector<Real>(*b).fields().front(), free_nodes(*body_.mesh, held_)));
    if (has_exact(own_)) {
      exact_ = on_nodes("exact");
      fill_exact(own_, *exact_);
    }
  }

  [[nodiscard]] std::vector<FieldBase const*> fields() const override { return {displacement_.get(), &stress_}; }

  /// The elastic energy, the largest component of the displacement, the force that each held component of a wall exerts
  /// and, with an exact solution, error_2 and error_maximum.
  [[nodiscard]] std::vector<Quantity> quantities() const override {
    FieldVector<Real> const u(displacement_);
    auto const f = forces();
    std::vector<Quantity> all{{"energy", 0.5 * u.dot(*f)}, {"maximum", u.maximum()}};
    f->add(-1, FieldVector<Real>(loads_));
    for (WallComponent const& wall : held_walls(*body_.mesh, held_)) {
      FieldVector<Real> const there(as_field_vector<Real>(*f).fields().front(), wall.nodes);
      auto const ones = there.create();
      ones->fill(1);
      all.push_back({"force_" + wall.name, there.dot(*ones)});
    }
    if (exact_ != nullptr) {
      FieldVector<Real> const exact(exact_);
      f->assign({{1, &u}, {-1, &exact}});
      FieldVector<Real> const volumes(volumes_of_nodes());
      auto const weighted = f->create();
      weighted->multiply(volumes, *f);
      auto const ones = f->create();
      ones->fill(1);
      double const volume = volumes.dot(*ones) / body_.mesh->dimensions();
      all.push_back({"error_2", std::sqrt(weighted->dot(*f) / volume)});
      all.push_back({"error_maximum", f->maximum()});
    }
    return all;
  }

  [[nodiscard]] std::vector<SolveReport> advance(Step const& /*step*/) override {
    SolveReport report = solve_.solve(*b_, *v_);
    show();
    return {std::move(report)};
  }

  [[nodiscard]] bool serialize(StateArchive& state) override {
    state.field("displacement", *as_field_vector<Real>(*v_).fields().front());
    solve_.serialize(state);
    if (state.restores()) show();
    return true;
  }

 private:
  [[nodiscard]] std::shared_ptr<Field<Real>> on_nodes(std::string const& name) const {
    return std::make_shared<Field<Real>>(body_.mesh, FieldDescription{.name = name,
                                                                      .centring = Centring::node,
                                                                      .components = body_.mesh->dimensions(),
                                                                      .ghosts = 1,
                                                                      .vector = true});
  }
  [[nodiscard]] ElasticBody<Real> held_body() {
    held_ = held_components(own_, *body_.mesh);
    ElasticBody<Real> held = body_;
    held.held = held_;
    return held;
  }
  /// The elastic forces of the present displacement on all nodes.
  [[nodiscard]] std::unique_ptr<Vector> forces() const {
    auto f = all_forces_->create_vector();
    all_forces_->apply(FieldVector<Real>(displacement_), *f);
    return f;
  }
  [[nodiscard]] std::shared_ptr<Field<Real>> volumes_of_nodes() const {
    ControlVolumeGrid const grid =
        control_volume_grid(body_.mesh, Centring::node, BoundaryConditions::all({.kind = BoundaryKind::neumann}));
    auto const one = std::make_shared<Field<Real>>(
        body_.mesh, FieldDescription{.name = "volumes", .centring = Centring::node, .ghosts = 0});
    fill_volumes(grid, *one);
    auto all = on_nodes("volumes");
    std::vector<std::byte> values;
    for (Block const& block : body_.mesh->blocks()) {
      values.resize(static_cast<std::size_t>(one->owned(block).size()) * sizeof(Real));
      one->copy_owned(block, 0, values);
      for (int c = 0; c < all->components(); ++c) all->set_owned(block, c, values);
    }
    return all;
  }
  /// Puts the solution into the field, where prescribed displacements are already.
  void show() {
    FieldVector<Real>(displacement_, free_nodes(*body_.mesh, held_)).copy(*v_);
    find_stress(body_, plane_, *displacement_, stress_);
  }

  Options own_;
  ElasticBody<Real> body_;  ///< without walls
  Plane plane_;
  HeldComponents held_{};
  std::shared_ptr<Field<Real>> displacement_, loads_, exact_;
  Field<Real> stress_;
  std::unique_ptr<Operator> all_forces_, operator_;
  StationarySolve solve_;
  std::unique_ptr<Vector> v_, b_;
};

Section elasticity_section() {
  Section section("elasticity", "Displacements of a linear elastic body under forces, -div sigma = force.");
  section.field("young", "Young's modulus, force per area.").defaults_to(std::string("1"));
  section.field("poisson", "Poisson's ratio.").defaults_to(std::string("0.3"));
  section
      .choice("plane", "In two dimensions: plane strain (a long body) or plane stress (a thin plate).",
              std::vector<std::string>{"strain", "stress"})
      .defaults_to(std::string("strain"));
  declare_loads(section);
  return section;
}

PhysicsEntry elasticity_physics() {
  Section options = elasticity_section();
  std::string const sentence = options.sentence();
  return {.name = "elasticity",
          .sentence = sentence,
          .options = std::move(options),
          .time_dependence = TimeDependence::stationary,
          .dimensions = {2, 3},
          .meshes = {MeshKind::uniform, MeshKind::stretched},
          .validate =
              [](Options const& deck, Mistakes& mistakes) {
                validate_loads(deck.section("elasticity"), deck.section("mesh"), mistakes);
              },
          .create = create_physics<Elasticity>};
}

}  // namespace
}  // namespace halocline

HALOCLINE_PLUGIN(halocline::elasticity_physics);
