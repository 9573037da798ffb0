#include <gtest/gtest.h>

#include <algorithm>

#include "framework/kernel/test_recording.hpp"
#include "framework/multigrid/face_diffusion.hpp"
#include "framework/multigrid/relaxation_sweeps.hpp"
#include "framework/operator/stencil_cg.hpp"
#include "physics/equations/constant_diffusion.hpp"

// The functors of this module, and the functors that solvers derive from them, read only what their shapes allow.

namespace halocline {
namespace {

/// Whether A, with `Coefficients` inputs besides the vector, and all functors derived from it respect their shapes.
template <int Coefficients, class A>
void expect_reads_within_shape(A const& a) {
  using namespace stencil_functor;
  auto const expect = []<int Vectors>(std::integral_constant<int, Vectors>, auto const& functor) {
    auto const check = reads_within_shape<Vectors + Coefficients>(functor);
    EXPECT_TRUE(check) << check.message;
  };
  constexpr std::integral_constant<int, 0> no_vector;
  constexpr std::integral_constant<int, 1> one_vector;
  constexpr std::integral_constant<int, 2> two_vectors;
  constexpr std::integral_constant<int, 3> three_vectors;
  expect(one_vector, a);
  expect(one_vector, ApplyDot<double, A>{a});
  expect(no_vector, Diagonal<double, A>{a});
  expect(no_vector, RowSum<double, A>{a});
  expect(two_vectors, Residual<double, A>{a});
  expect(two_vectors, CgResidual<double, A>{a, 0.5});
  expect(three_vectors, vector_functor::UpdateAndScale<CgResidual<double, A>>{{a, 0.5}});
  expect(three_vectors, CgStep<double, A>{a, 0.5, 0.25});
  expect(two_vectors, JacobiStep<double, A>{a, 0.5});
  expect(two_vectors, ChebyshevStart<double, A>{a, 0.5});
  expect(three_vectors, ChebyshevStep<double, A>{a, 0.5, 0.5});
  expect(two_vectors, ColourRelaxation<double, A>{a, 0});
  expect(one_vector, ColourRelaxationFromZero<double, A>{a, 0});
  expect(one_vector, Neighbours<double, A>{a});
}

TEST(DiffusionFunctors, ReadWithinTheirShapes) {
  expect_reads_within_shape<0>(ConstantDiffusion<double, 1>{});
  expect_reads_within_shape<0>(ConstantDiffusion<double, 2>{});
  expect_reads_within_shape<0>(ConstantDiffusion<double, 3>{});
  expect_reads_within_shape<2>(FaceDiffusion<double, 1>{});
  expect_reads_within_shape<3>(FaceDiffusion<double, 2>{});
  expect_reads_within_shape<4>(FaceDiffusion<double, 3>{});
}

template <int Coefficients, class A>
void expect_both_colours_read_within_shape(A const& a) {
  for (int const first : {0, 1}) {
    auto const check = reads_within_shape<2 + Coefficients>(RelaxBothColours<double, A, Coefficients, false>{a, first});
    EXPECT_TRUE(check) << check.message;
    auto const from_zero =
        reads_within_shape<1 + Coefficients>(RelaxBothColours<double, A, Coefficients, true>{a, first});
    EXPECT_TRUE(from_zero) << from_zero.message;
  }
}

TEST(DiffusionFunctors, SweepsOfBothColoursReadWithinTheirShapes) {
  expect_both_colours_read_within_shape<0>(ConstantDiffusion<double, 2>{}.inside());
  expect_both_colours_read_within_shape<0>(ConstantDiffusion<double, 3>{}.inside());
  expect_both_colours_read_within_shape<3>(FaceDiffusion<double, 2>{});
  expect_both_colours_read_within_shape<4>(FaceDiffusion<double, 3>{});
}

TEST(DiffusionFunctors, NoRowSumIsAboveItsBound) {
  ConstantDiffusion<double, 2> const a{
      .coupling = {2, 3, 0}, .wall = {{5, 1}, {0, 7}, {0, 0}}, .shift = 4, .first = {0, 0, 0}, .last = {4, 3, 0}};
  double largest = 0;
  for (Index j = 0; j <= 3; ++j) {
    for (Index i = 0; i <= 4; ++i) {
      double const neighbours =
          a.coupling[0] * ((i > 0 ? 1 : 0) + (i < 4 ? 1 : 0)) + a.coupling[1] * ((j > 0 ? 1 : 0) + (j < 3 ? 1 : 0));
      largest = std::max(largest, a.shift + a.axis_term(0, i) + a.axis_term(1, j) + neighbours);
    }
  }
  EXPECT_EQ(largest, 26);  // beside the walls that couple by 5 and by 7
  EXPECT_GE(a.row_sum_bound(), largest);
  EXPECT_LE(a.row_sum_bound(), 1.5 * largest);
}

TEST(DiffusionFunctors, OnlyTheUpdatesOfConjugateGradientsAreMadeInPlace) {
  vector_functor::Advance<double> const update{1, 1};
  for (int input = 0; input < 3; ++input) EXPECT_TRUE(reads_only_here<3>(update, input));
  EXPECT_FALSE(reads_only_here<1>(ConstantDiffusion<double, 2>{}, 0));
}

}  // namespace
}  // namespace halocline
