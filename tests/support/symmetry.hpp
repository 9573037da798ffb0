#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <utility>

#include "framework/operator/operator.hpp"

namespace halocline::test {

/// A vector and its product with an operator.
struct Product {
  std::unique_ptr<Vector> x;
  std::unique_ptr<Vector> ax;
};

/// Expects x . A y = y . A x for two random vectors, within `tolerance` times the norm of A and the lengths of both.
/// Returns x, for further expectations. Collective.
inline Product expect_symmetric(Operator const& a, double tolerance) {
  auto x = a.create_vector();
  auto const y = a.create_vector();
  auto ax = a.create_vector();
  auto const ay = a.create_vector();
  x->randomize(1);
  y->randomize(2);
  a.apply(*x, *ax);
  a.apply(*y, *ay);
  double const scale = a.norm_bound() * std::sqrt(x->square() * y->square());
  EXPECT_NEAR(ax->dot(*y), ay->dot(*x), tolerance * scale);
  return {std::move(x), std::move(ax)};
}

}  // namespace halocline::test
