#include "physics/elasticity/elastic_body.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "framework/runtime/error.hpp"
#include "physics/elasticity/elastic_operator.hpp"

namespace halocline {
namespace {

/// A condition on rigid motions: coefficients of the translations along x, y, z and of the rotations about them.
using Condition = std::array<double, 6>;

/// Gaussian elimination with pivots.
int rank_of(std::vector<Condition> conditions) {
  std::size_t rank = 0;
  for (std::size_t column = 0; column < 6 && rank < conditions.size(); ++column) {
    auto const first = conditions.begin() + static_cast<std::ptrdiff_t>(rank);
    auto const pivot = std::max_element(first, conditions.end(), [&](Condition const& a, Condition const& b) {
      return std::abs(a[column]) < std::abs(b[column]);
    });
    if (std::abs((*pivot)[column]) < 1e-9) continue;
    std::swap(*first, *pivot);
    for (auto row = first + 1; row != conditions.end(); ++row) {
      double const factor = (*row)[column] / (*first)[column];
      for (std::size_t n = column; n < 6; ++n) (*row)[n] -= factor * (*first)[n];
    }
    ++rank;
  }
  return static_cast<int>(rank);
}

/// That component c of t + w x r is zero at r.
Condition held_at(std::array<double, 3> const& r, std::size_t c) {
  std::size_t const d = (c + 1) % 3;
  std::size_t const e = (c + 2) % 3;
  Condition condition{};
  condition[c] = 1;
  condition[3 + d] = r[e];
  condition[3 + e] = -r[d];
  return condition;
}

/// That a translation (below 3) or a rotation is zero.
Condition without(std::size_t motion) {
  Condition condition{};
  condition[motion] = 1;
  return condition;
}

}  // namespace

template <class Real>
std::unique_ptr<Operator> make_elastic_operator(ElasticBody<Real> const& body) {
  if (body.mesh->dimensions() == 2) return make_elastic_operator_of<Real, 2>(body);
  if (body.mesh->dimensions() == 3) return make_elastic_operator_of<Real, 3>(body);
  throw DefectError("an elastic body has two or three dimensions");
}

int free_rigid_motions(int dimensions, std::array<bool, 3> const& periodic, HeldComponents const& held) {
  std::vector<Condition> conditions;
  // There are no motions across a plane.
  if (dimensions == 2) conditions = {without(2), without(3), without(4)};
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(dimensions); ++axis) {
    if (periodic[axis]) {
      // Only a rotation about this axis is the same in each period.
      conditions.push_back(without(3 + (axis + 1) % 3));
      conditions.push_back(without(3 + (axis + 2) % 3));
      continue;
    }
    for (std::size_t side = 0; side < 2; ++side) {
      for (std::size_t c = 0; c < 3; ++c) {
        if ((held[axis][side] >> c & 1U) == 0) continue;
        // At the corners of the wall, in a box of sides one.
        for (unsigned corner = 0; corner < 4; ++corner) {
          std::array<double, 3> r{};
          r[axis] = static_cast<double>(side);
          r[(axis + 1) % 3] = corner & 1U;
          r[(axis + 2) % 3] = corner >> 1U;
          if (dimensions == 2) r[2] = 0;
          conditions.push_back(held_at(r, c));
        }
      }
    }
  }
  return 6 - rank_of(std::move(conditions));
}

std::vector<std::vector<IndexRange>> free_nodes(StructuredMesh const& mesh, HeldComponents const& held) {
  std::vector<std::vector<IndexRange>> all;
  for (int component = 0; component < mesh.dimensions(); ++component) {
    auto& of_component = all.emplace_back();
    for (Block const& block : mesh.blocks()) {
      IndexRange box = mesh.owned(block, Centring::node);
      for (int axis = 0; axis < mesh.dimensions(); ++axis) {
        auto const a = static_cast<std::size_t>(axis);
        if ((held[a][0] >> component & 1U) != 0 && !block.neighbour(axis, -1)) ++box.begin[a];
        if ((held[a][1] >> component & 1U) != 0 && !block.neighbour(axis, 1)) --box.end[a];
      }
      of_component.push_back(box);
    }
  }
  return all;
}

template std::unique_ptr<Operator> make_elastic_operator(ElasticBody<float> const&);
template std::unique_ptr<Operator> make_elastic_operator(ElasticBody<double> const&);

}  // namespace halocline
