#pragma once

#include <array>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "framework/multigrid/coarse_coefficients.hpp"
#include "framework/multigrid/next_level.hpp"
#include "framework/operator/stencil_operator.hpp"
#include "physics/equations/constant_level.hpp"
#include "physics/equations/constant_rows.hpp"

// The full definition of the operator with constant coefficients. Only the .cpp files that instantiate it include this,
// one per number of dimensions to shorten compile times.

namespace halocline {

template <class Real, int Dimensions>
ConstantDiffusion<Real, Dimensions> placed_on(ControlVolumeGrid const& grid,
                                              ConstantDiffusion<Real, Dimensions> functor) {
  for (std::size_t a = 0; a < 3; ++a) {
    functor.first[a] = grid.volumes[a].first_entry;
    functor.last[a] = grid.volumes[a].first_entry + grid.volumes[a].size() - 1;
  }
  return functor;
}

/// The coarse operator, if it has constant coefficients too: all counts even, all coarse control volumes of equal size.
template <class Real, int Dimensions>
std::optional<ConstantDiffusion<Real, Dimensions>> coarse_constants(ConstantDiffusion<Real, Dimensions> const& functor,
                                                                    ControlVolumeGrid const& fine,
                                                                    ControlVolumeGrid const& coarse,
                                                                    std::array<Index, 3> const& factor) {
  ConstantDiffusion<Real, Dimensions> result = functor;
  for (std::size_t a = 0; a < 3; ++a) {
    ControlVolumes const& from = fine.volumes[a];
    ControlVolumes const& to = coarse.volumes[a];
    if (to.size() * factor[a] != from.size() || !to.is_uniform()) return std::nullopt;
  }
  for (std::size_t a = 0; a < Dimensions; ++a) {
    ControlVolumes const& from = fine.volumes[a];
    ControlVolumes const& to = coarse.volumes[a];
    Index const fine_faces = factor[0] * factor[1] * factor[2] / factor[a];
    auto const faces = static_cast<double>(fine_faces);
    auto const scaled = [&](Real value, double ratio) {
      return static_cast<Real>(static_cast<double>(value) * faces * ratio);
    };
    // The distance between two unknowns grows by exactly the factor. A single unknown is coupled to nothing.
    result.coupling[a] = to.size() > 1 ? scaled(functor.coupling[a], 1 / static_cast<double>(factor[a])) : Real{0};
    for (std::size_t side = 0; side < 2; ++side) {
      bool const periodic = from.periodic_gap > 0;
      result.wall[a][side] =
          periodic ? result.coupling[a]
                   : scaled(functor.wall[a][side],
                            conductance_ratio(from, to, side == 0 ? 0 : from.size(), side == 0 ? 0 : to.size()));
    }
  }
  result.shift = functor.shift * static_cast<Real>(factor[0] * factor[1] * factor[2]);
  return result;
}

template <class Real, int Dimensions>
std::unique_ptr<Coarsening> coarsen_constant(ControlVolumeGrid const& grid,
                                             ConstantDiffusion<Real, Dimensions> const& functor, Operator const& fine) {
  Couplings couplings{};
  for (std::size_t a = 0; a < Dimensions; ++a) couplings[a] = static_cast<double>(functor.coupling[a]);
  std::vector<ConstantRows<Real, Dimensions>> rows;
  for (Block const& block : grid.mesh->blocks()) rows.push_back(constant_rows(functor, grid.first_entry(block)));
  return next_level(
      grid, couplings, fine, rows, nullptr,
      [&](Agglomeration<Real> const& agglomeration) {
        return make_constant_operator<Real, Dimensions>(agglomeration.whole(), functor);
      },
      [&](ControlVolumeGrid const& coarse, std::array<Index, 3> const& factor) {
        auto const constants = coarse_constants(functor, grid, coarse, factor);
        if (constants) return make_constant_operator<Real, Dimensions>(coarse, *constants);
        return make_face_operator<Real, Dimensions>(coarse, coarse_coefficients(grid, rows, coarse, factor));
      });
}

template <class To, class Real, int Dimensions>
ConstantDiffusion<To, Dimensions> rounded_to(ConstantDiffusion<Real, Dimensions> const& functor) {
  ConstantDiffusion<To, Dimensions> result;
  for (std::size_t a = 0; a < 3; ++a) {
    result.coupling[a] = static_cast<To>(functor.coupling[a]);
    for (std::size_t side = 0; side < 2; ++side) result.wall[a][side] = static_cast<To>(functor.wall[a][side]);
    result.first[a] = functor.first[a];
    result.last[a] = functor.last[a];
  }
  result.shift = static_cast<To>(functor.shift);
  return result;
}

template <class Real, int Dimensions>
std::unique_ptr<Operator> make_constant_operator(ControlVolumeGrid grid,
                                                 ConstantDiffusion<Real, Dimensions> const& functor,
                                                 Regularity regularity) {
  using Functor = ConstantDiffusion<Real, Dimensions>;
  auto const placed = placed_on(grid, functor);
  auto description = description_on<Real, Functor, 0>(grid, regularity, placed);
  if constexpr (std::is_same_v<Real, double>) {
    description.single_precision = [grid, placed] {
      return make_constant_operator<float, Dimensions>(grid, rounded_to<float>(placed));
    };
  }
  description.coarsening = [grid = std::move(grid), placed](Operator const& fine) {
    return coarsen_constant<Real, Dimensions>(grid, placed, fine);
  };
  return std::make_unique<StencilOperator<Real, Functor, 0>>(std::move(description));
}

}  // namespace halocline
