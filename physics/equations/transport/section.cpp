#include "physics/equations/transport/section.hpp"

#include <cstddef>
#include <type_traits>

#include "framework/deck/validation.hpp"
#include "framework/field/boundary_section.hpp"
#include "solvers/time/time_integrator.hpp"

namespace halocline::transport {
namespace {

constexpr char const* components[] = {"x", "y", "z"};

void require_constant(Options const& section, std::string const& option, bool is_unsteady, Mistakes& mistakes) {
  FieldSource const given = section.field(option);
  if (!given.depends_on_time()) return;
  std::string const stays = is_unsteady ? "but must be constant in time" : "but the problem is steady";
  add_mistake(section, option, "'" + given.text() + "' depends on t, " + stays, mistakes);
}

void validate_diffusivity(Options const& field, bool may_be_zero, bool is_unsteady, Mistakes& mistakes) {
  FieldSource const k = field.field("diffusivity");
  if (!k.is_constant() || k.constant() > 0) return;
  if (k.constant() == 0 && may_be_zero) return;
  add_mistake(field, "diffusivity", "'" + k.text() + "' is " + (may_be_zero ? "below 0" : "not above 0"), mistakes,
              is_unsteady && k.constant() == 0 ? "use `scheme: upwind`, which needs no diffusion" : "");
}

/// Rejects methods whose long steps are stable for diffusion alone.
void validate_method(Options const& velocity, Options const& time, std::string const& integrator, Mistakes& mistakes) {
  IntegratorEntry const& method = *chosen_integrator(time, integrator);
  if (!method.is_for_real_eigenvalues) return;
  for (char const* axis : components) {
    if (velocity.field(axis).is_zero()) continue;
    add_mistake(time, "method", method.name + " is stable for diffusion, but not for a flow", mistakes,
                "use ssp_rk3 or crank_nicolson");
    return;
  }
}

}  // namespace

void declare_flow(Section& own) {
  Section velocity("velocity", "Velocity v of the flow.");
  for (char const* axis : components) {
    velocity.field(axis, std::string("Component along ") + axis + ".").defaults_to(std::string("0"));
  }
  own.section(std::move(velocity));
  own.choice(
         "scheme",
         "Values on the faces between cells. central: the mean of both cells, of second order, which may oscillate "
         "if the Péclet number |v| width / k of a cell is above 2; upwind: the value of the upstream cell, of first "
         "order.",
         std::vector<std::string>{"central", "upwind"})
      .defaults_to(std::string("central"));
}

void declare_carried(Section& field) {
  field.field("diffusivity", "Diffusivity k, above 0; may also be 0 in unsteady runs with `scheme: upwind`.")
      .defaults_to(std::string("1"));
  field
      .field("reaction",
             "Reaction coefficient c; negative values give waves: -(2 pi / wavelength)^2 k makes this Helmholtz' "
             "equation.")
      .defaults_to(std::string("0"));
}

void validate_transport(Options const& deck, Options const& own, std::vector<Options> const& fields,
                        std::string const& integrator, Mistakes& mistakes) {
  bool const is_unsteady = deck.given("time");
  Options const velocity = own.section("velocity");
  for (std::size_t axis = deck.section("mesh").entries("cells"); axis < 3; ++axis) {
    if (velocity.given(components[axis])) {
      add_mistake(velocity, components[axis], "the mesh has no axis " + std::string(components[axis]), mistakes);
    }
  }
  bool const may_lack_diffusion = is_unsteady && own.choice("scheme") == "upwind";
  for (Options const& field : fields) validate_diffusivity(field, may_lack_diffusion, is_unsteady, mistakes);
  for (char const* axis : components) require_constant(velocity, axis, is_unsteady, mistakes);
  for (Options const& field : fields) {
    require_constant(field, "diffusivity", is_unsteady, mistakes);
    require_constant(field, "reaction", is_unsteady, mistakes);
  }
  if (is_unsteady) validate_method(velocity, deck.section("time"), integrator, mistakes);
}

template <class Real>
Description describe(Options const& own, Options const& field, std::shared_ptr<StructuredMesh const> const& mesh) {
  Precision const precision = std::is_same_v<Real, float> ? Precision::single : Precision::double_;
  auto const values = [&](Options const& section, std::string const& option) {
    return PointValues(section.field(option), section.full_name(option), mesh, precision);
  };
  Description all{.mesh = mesh, .conditions = make_boundary_conditions(field.section("boundary"), *mesh)};
  Options const velocity = own.section("velocity");
  for (std::size_t axis = 0; axis < 3; ++axis) all.velocity[axis] = values(velocity, components[axis]);
  all.diffusivity = values(field, "diffusivity");
  all.reaction = values(field, "reaction");
  all.scheme = own.choice("scheme") == "upwind" ? Scheme::upwind : Scheme::central;
  all.flow_called = velocity.full_name();
  all.called = field.full_name();
  return all;
}

template Description describe<float>(Options const&, Options const&, std::shared_ptr<StructuredMesh const> const&);
template Description describe<double>(Options const&, Options const&, std::shared_ptr<StructuredMesh const> const&);

}  // namespace halocline::transport
