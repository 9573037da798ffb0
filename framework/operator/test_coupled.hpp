#pragma once

#include <memory>

#include "framework/operator/block_geometry.hpp"
#include "framework/operator/stencil_operator.hpp"
#include "framework/operator/test_problem.hpp"

namespace halocline::test_coupled {

/// Two unknowns at each point that diffuse, pass into each other at the rate `k` and, with corners, drive each other by
/// their mixed derivatives. Symmetric; positive definite for a positive shift.
template <class Real, int Dimensions, bool Corners>
struct Coupled {
  static constexpr Shape shape = Corners ? box<1, Dimensions> : star<1, Dimensions>;
  static constexpr Shape input_shape(int n) { return n == 0 ? shape : point; }
  static constexpr int unknowns = 2;
  Real shift;
  Real diffusivity[2];
  template <class P, class U, class K>
  KOKKOS_FUNCTION Values<Real, 2> operator()(P const&, U const& u, K const& k) const {
    Values<Real, 2> const own = u[here];
    Values<Real, 2> differences = (own - u[east]) + (own - u[west]);
    if constexpr (Dimensions > 1) differences = differences + ((own - u[north]) + (own - u[south]));
    if constexpr (Dimensions > 2) differences = differences + ((own - u[top]) + (own - u[bottom]));
    Real const passing = k[here] * (own[0] - own[1]);
    Values<Real, 2> mixed{};
    if constexpr (Corners) {
      Values<Real, 2> const diagonals =
          (u[Offset<1, 1>()] - u[Offset<-1, 1>()]) - (u[Offset<1, -1>()] - u[Offset<-1, -1>()]);
      mixed = Real{0.125} * diagonals;
    }
    return {shift * own[0] + diffusivity[0] * differences[0] + passing + mixed[1],
            shift * own[1] + diffusivity[1] * differences[1] - passing + mixed[0]};
  }
};

/// Between 0 and `most`, a function of the global index.
template <class Real>
struct Rate {
  static constexpr Shape shape = point;
  Real most;
  template <class P>
  KOKKOS_FUNCTION Real operator()(P const& at) const {
    return most * static_cast<Real>((5 * at.index(0) + 3 * at.index(1) + 7 * at.index(2)) % 8) / Real{8};
  }
};

/// A coupled problem of the tests.
struct Problem {
  test_problem::Options mesh;
  double diffusivity[2] = {1, 0.25};
  double most = 4;  ///< of the rate
};

template <class Real, int Dimensions, bool Corners>
std::unique_ptr<Operator> make(std::shared_ptr<StructuredMesh const> const& mesh, Problem const& problem) {
  using Functor = Coupled<Real, Dimensions, Corners>;
  using Made = StencilOperator<Real, Functor, 1>;
  auto const rate = std::make_shared<Field<Real>>(mesh, FieldDescription{.name = "k", .ghosts = 0});
  for (Block const& block : mesh->blocks()) {
    BlockGeometry<Real> const geometry(*mesh, block, Centring::cell);
    sweep(execution(block), rate->owned(block), geometry.geometry(), rate->view(block),
          Rate<Real>{static_cast<Real>(problem.most)});
  }
  Functor const functor{Real{0.5},
                        {static_cast<Real>(problem.diffusivity[0]), static_cast<Real>(problem.diffusivity[1])}};
  return std::make_unique<Made>(typename Made::Description{.mesh = mesh, .functor = functor, .coefficients = {rate}});
}

// One source for each, to shorten compile times: a star in one and three dimensions, a box in two.
extern template std::unique_ptr<Operator> make<float, 1, false>(std::shared_ptr<StructuredMesh const> const&,
                                                                Problem const&);
extern template std::unique_ptr<Operator> make<double, 1, false>(std::shared_ptr<StructuredMesh const> const&,
                                                                 Problem const&);
extern template std::unique_ptr<Operator> make<float, 2, true>(std::shared_ptr<StructuredMesh const> const&,
                                                               Problem const&);
extern template std::unique_ptr<Operator> make<double, 2, true>(std::shared_ptr<StructuredMesh const> const&,
                                                                Problem const&);
extern template std::unique_ptr<Operator> make<float, 3, false>(std::shared_ptr<StructuredMesh const> const&,
                                                                Problem const&);
extern template std::unique_ptr<Operator> make<double, 3, false>(std::shared_ptr<StructuredMesh const> const&,
                                                                 Problem const&);

}  // namespace halocline::test_coupled
