#pragma once

#include <Kokkos_Core.hpp>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "framework/kernel/box_loops.hpp"
#include "framework/multigrid/rediscretised_operator.hpp"
#include "physics/elasticity/elastic_body.hpp"
#include "physics/elasticity/elastic_functor.hpp"

namespace halocline {

/// make_elastic_operator for a mesh with this number of dimensions.
template <class Real, int Axes>
[[nodiscard]] std::unique_ptr<Operator> make_elastic_operator_of(ElasticBody<Real> const& body) {
  using Functor = ElasticForces<Real, Axes>;
  using Widths = Kokkos::View<Real*, Memory>;
  // Functors have pointers; the equation, which every level shares, keeps the memory.
  auto const widths = std::make_shared<std::vector<Widths>>();
  HeldComponents const held = body.held;
  RediscretisedEquation<Real, Functor, 2, NodalTransfers<Real>> equation{.mesh = body.mesh,
                                                                         .coefficients = {body.lambda, body.mu}};
  equation.functor_on = [widths, held](StructuredMesh const& mesh) {
    Functor functor{};
    for (int axis = 0; axis < Axes; ++axis) {
      auto const a = static_cast<std::size_t>(axis);
      Index const cells = mesh.extents(Centring::cell)[a];
      std::vector<double> sixths;
      std::vector<double> inverses;
      for (Index n = -1; n <= cells; ++n) {
        sixths.push_back(mesh.cell_width(axis, n) / 6);
        inverses.push_back(1 / mesh.cell_width(axis, n));
      }
      widths->push_back(on_device<Real>(sixths));
      functor.sixth[a] = widths->back().data();
      widths->push_back(on_device<Real>(inverses));
      functor.inverse[a] = widths->back().data();
      functor.last[a] = mesh.extents(Centring::node)[a] - 1;
      for (std::size_t side = 0; side < 2; ++side) functor.held[a][side] = held[a][side];
    }
    return functor;
  };
  equation.unknowns_on = [held](StructuredMesh const& mesh) { return free_nodes(mesh, held); };
  if constexpr (std::is_same_v<Real, double>) {
    equation.single_precision = [body] {
      return make_elastic_operator_of<float, Axes>({.mesh = body.mesh,
                                                    .lambda = cell_coefficient_in_single_precision(*body.lambda),
                                                    .mu = cell_coefficient_in_single_precision(*body.mu),
                                                    .held = body.held});
    };
  }
  return make_rediscretised_operator(std::move(equation));
}

extern template std::unique_ptr<Operator> make_elastic_operator_of<float, 2>(ElasticBody<float> const&);
extern template std::unique_ptr<Operator> make_elastic_operator_of<double, 2>(ElasticBody<double> const&);
extern template std::unique_ptr<Operator> make_elastic_operator_of<float, 3>(ElasticBody<float> const&);
extern template std::unique_ptr<Operator> make_elastic_operator_of<double, 3>(ElasticBody<double> const&);

}  // namespace halocline
