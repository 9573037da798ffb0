#include "physics/elasticity/material.hpp"

#include <string>
#include <utility>
#include <vector>

#include "framework/field/finite_value.hpp"
#include "framework/halo/exchange.hpp"
#include "framework/io/field_values.hpp"
#include "framework/kernel/box_loops.hpp"
#include "framework/kernel/sweep.hpp"
#include "framework/mesh/execution.hpp"
#include "framework/multigrid/coefficients.hpp"
#include "framework/operator/block_geometry.hpp"
#include "framework/operator/point_unknowns.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/shortest_text.hpp"
#include "physics/equations/owned_cells.hpp"

namespace halocline::elasticity {
namespace {

/// Lame's coefficients from Young's modulus and Poisson's ratio.
template <class Real>
struct Lame {
  static constexpr Shape shape = point;
  bool is_plate;
  template <class P, class E>
  KOKKOS_FUNCTION Result<Real, 2, 0> operator()(P const&, E const& young, E const& poisson) const {
    Real const e = young[here];
    Real const nu = poisson[here];
    Real const across = is_plate ? Real{1} - nu : Real{1} - Real{2} * nu;
    return {{e * nu / ((Real{1} + nu) * across), e / (Real{2} * (Real{1} + nu))}, {}};
  }
};

/// The equivalent stress at a cell's centre from the displacements of its nodes.
template <class Real, int Axes>
struct VonMises {
  static constexpr Shape shape = box<1, Axes>;
  static constexpr Shape input_shape(int n) { return n == 0 ? shape : point; }
  Real const* width[3];  ///< by global index
  bool is_plate;

  template <class P, class U, class K>
  KOKKOS_FUNCTION Result<Real, 1, 0> operator()(P const& at, U const& u, K const& lambda, K const& mu) const {
    Real gradient[3][3] = {};
    gradient_along<0>(gradient, u, width[0][at.index(0)]);
    gradient_along<1>(gradient, u, width[1][at.index(1)]);
    if constexpr (Axes == 3) gradient_along<2>(gradient, u, width[2][at.index(2)]);
    Real const trace = gradient[0][0] + gradient[1][1] + gradient[2][2];
    Real const l = lambda[here];
    Real const m = mu[here];
    Real stress[3];
    for (int p = 0; p < 3; ++p) stress[p] = l * trace + Real{2} * m * gradient[p][p];
    if (is_plate) stress[2] = 0;
    Real const xy = m * (gradient[0][1] + gradient[1][0]);
    Real const yz = m * (gradient[1][2] + gradient[2][1]);
    Real const zx = m * (gradient[2][0] + gradient[0][2]);
    Real const a = stress[0] - stress[1];
    Real const b = stress[1] - stress[2];
    Real const c = stress[2] - stress[0];
    return {{Kokkos::sqrt(Real{0.5} * (a * a + b * b + c * c) + Real{3} * (xy * xy + yz * yz + zx * zx))}, {}};
  }

 private:
  /// Mean slope of all components along an axis.
  template <int Axis, class U>
  KOKKOS_FORCEINLINE_FUNCTION static void gradient_along(Real (&gradient)[3][3], U const& u, Real width) {
    constexpr int pairs = Axes == 3 ? 4 : 2;
    Values<Real, Axes> sum{};
    add_pair<Axis, 0, 0>(sum, u);
    add_pair<Axis, 1, 0>(sum, u);
    if constexpr (Axes == 3) {
      add_pair<Axis, 0, 1>(sum, u);
      add_pair<Axis, 1, 1>(sum, u);
    }
    for (int c = 0; c < Axes; ++c) gradient[c][Axis] = sum[c] / (static_cast<Real>(pairs) * width);
  }
  /// Adds the difference of the nodes at the two ends of an edge, at (A, B) along the other two axes.
  template <int Axis, int A, int B, class U>
  KOKKOS_FORCEINLINE_FUNCTION static void add_pair(Values<Real, Axes>& sum, U const& u) {
    constexpr int x = Axis == 0 ? 0 : A;
    constexpr int y = Axis == 0 ? A : Axis == 1 ? 0 : B;
    constexpr int z = Axis == 2 ? 0 : B;
    sum = sum + (u[Offset<x + (Axis == 0), y + (Axis == 1), z + (Axis == 2)>()] - u[Offset<x, y, z>()]);
  }
};

template <class Real, int Axes>
void find_stress_of(ElasticBody<Real> const& body, Plane plane, Field<Real>& u, Field<Real>& stress) {
  Exchange({&u}, {.corners = true}).exchange({&u});
  VonMises<Real, Axes> functor{{nullptr, nullptr, nullptr}, plane == Plane::stress};
  Kokkos::View<Real*, Memory> widths[3];
  for (int axis = 0; axis < Axes; ++axis) {
    std::vector<double> along;
    for (Index n = 0; n < body.mesh->axis(axis).cells(); ++n) along.push_back(body.mesh->cell_width(axis, n));
    widths[axis] = on_device<Real>(along);
    functor.width[axis] = widths[axis].data();
  }
  stencil_functor::ByComponents<VonMises<Real, Axes>, Axes, 1> const kernel{functor};
  for (Block const& block : body.mesh->blocks()) {
    BlockGeometry<Real> const geometry(*body.mesh, block, Centring::cell);
    auto const run = [&](auto... component) {
      sweep(execution(block), stress.owned(block), geometry.geometry(), stress.view(block), kernel,
            std::as_const(u).view(block, component)..., body.lambda->view(block), body.mu->view(block));
    };
    if constexpr (Axes == 2) run(0, 1);
    if constexpr (Axes == 3) run(0, 1, 2);
    execution(block).fence();
  }
}

}  // namespace

Plane plane_of(Options const& elasticity, int dimensions) {
  if (dimensions == 3) return Plane::none;
  return elasticity.choice("plane") == "stress" ? Plane::stress : Plane::strain;
}

template <class Real>
ElasticBody<Real> make_body(Options const& elasticity, std::shared_ptr<StructuredMesh const> const& mesh) {
  auto const coefficient = [&](std::string const& name) {
    return std::make_shared<Field<Real>>(mesh, FieldDescription{.name = name, .ghosts = 2});
  };
  auto const young = coefficient("young");
  auto const poisson = coefficient("poisson");
  auto const lambda = coefficient("lambda");
  auto const mu = coefficient("mu");
  FieldSource const modulus = elasticity.field("young");
  FieldSource const ratio = elasticity.field("poisson");
  fill(modulus, elasticity.full_name("young"), 0, *young);
  fill(ratio, elasticity.full_name("poisson"), 0, *poisson);
  bool const is_plate = plane_of(elasticity, mesh->dimensions()) == Plane::stress;
  double const most = is_plate ? 1 : 0.5;
  for_owned_cells(*mesh, *young, [&](double value, auto const& position) {
    if (!(value > 0)) {
      throw_not_positive(elasticity.full_name("young"), modulus.described(), {position(0), position(1), position(2)});
    }
  });
  for_owned_cells(*mesh, *poisson, [&](double value, auto const& position) {
    if (value > -1 && value < most) return;
    throw InputError("`" + elasticity.full_name("poisson") + "`: " + ratio.described() + " is " + shortest_text(value) +
                     " at x = " + shortest_text(position(0)) + ", y = " + shortest_text(position(1)) +
                     ", z = " + shortest_text(position(2)) + ": it must be between -1 and " + shortest_text(most));
  });
  for (Block const& block : mesh->blocks()) {
    sweep(execution(block), lambda->owned(block), Geometry<Real>{}, outputs(lambda->view(block), mu->view(block)),
          Lame<Real>{is_plate}, std::as_const(*young).view(block), std::as_const(*poisson).view(block));
  }
  for (auto const& field : {lambda, mu}) fill_cell_ghosts(*field);
  return {mesh, lambda, mu, {}};
}

template <class Real>
void find_stress(ElasticBody<Real> const& body, Plane plane, Field<Real>& u, Field<Real>& stress) {
  if (body.mesh->dimensions() == 2) {
    find_stress_of<Real, 2>(body, plane, u, stress);
  } else {
    find_stress_of<Real, 3>(body, plane, u, stress);
  }
}

template ElasticBody<float> make_body(Options const&, std::shared_ptr<StructuredMesh const> const&);
template ElasticBody<double> make_body(Options const&, std::shared_ptr<StructuredMesh const> const&);
template void find_stress(ElasticBody<float> const&, Plane, Field<float>&, Field<float>&);
template void find_stress(ElasticBody<double> const&, Plane, Field<double>&, Field<double>&);

}  // namespace halocline::elasticity
