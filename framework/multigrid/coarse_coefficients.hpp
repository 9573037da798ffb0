#pragma once

#include <array>
#include <vector>

#include "framework/kernel/box_loops.hpp"
#include "framework/mesh/execution.hpp"
#include "framework/multigrid/face_coefficients.hpp"
#include "framework/multigrid/level_views.hpp"

namespace halocline {

/// Coarse transmissibilities across one axis: the sum over the fine faces within a coarse one, times the ratio of
/// conductances (the distance between coarse unknowns is longer). For a uniform conductivity that is the coarse
/// operator of the same equation; for jumps, parallel paths add up correctly.
template <class Stencil>
struct CoarseFaces {
  using Real = typename Stencil::Real;
  LevelViews<Stencil> map;  ///< for the positions of children only
  BlockView<Real> coarse;
  int axis;
  Index fine_end;     ///< upper end of the block's unknowns along `axis`
  Real const* ratio;  ///< by local coarse face

  KOKKOS_FUNCTION void operator()(Index i, Index j, Index k) const {
    Index const parent[3] = {i, j, k};
    Index first[3];
    Index last[3];
    for (int a = 0; a < 3; ++a) {
      first[a] = map.begin[a] + map.factor[a] * parent[a];
      last[a] = first[a] + map.factor[a] < map.end[a] ? first[a] + map.factor[a] : map.end[a];
    }
    first[axis] = first[axis] < fine_end ? first[axis] : fine_end;
    last[axis] = first[axis] + 1;
    Real sum = 0;
    for (Index c = first[2]; c < last[2]; ++c) {
      for (Index b = first[1]; b < last[1]; ++b) {
        for (Index a = first[0]; a < last[0]; ++a) sum += map.stencil.face(axis, a, b, c);
      }
    }
    coarse(i, j, k) = ratio[parent[axis]] * sum;
  }
};

/// Coarse shifts: the sum over the children.
template <class Stencil>
struct CoarseShift {
  using Real = typename Stencil::Real;
  LevelViews<Stencil> map;
  BlockView<Real> coarse;
  KOKKOS_FUNCTION void operator()(Index i, Index j, Index k) const {
    Real sum = 0;
    for_children(map, i, j, k, [&](Index a, Index b, Index c) { sum += map.stencil.shift(a, b, c); });
    coarse(i, j, k) = sum;
  }
};

/// The coefficients of the coarse operator of `stencils` (by Block::local).
template <class Stencil>
[[nodiscard]] FaceCoefficients<typename Stencil::Real> coarse_coefficients(ControlVolumeGrid const& fine,
                                                                           std::vector<Stencil> const& stencils,
                                                                           ControlVolumeGrid const& coarse,
                                                                           std::array<Index, 3> const& factor) {
  using Real = typename Stencil::Real;
  FaceCoefficients<Real> result(coarse);
  for (Block const& fine_block : fine.mesh->blocks()) {
    Block const& block = coarse.mesh->blocks()[fine_block.local];
    auto const map = family_map(fine, fine_block, stencils[fine_block.local], factor);
    IndexRange const unknowns = coarse.unknowns(block);
    for (std::size_t a = 0; a < Stencil::dimensions; ++a) {
      IndexRange faces = unknowns;
      ++faces.end[a];
      std::vector<double> ratios;
      for (Index f = 0; f < faces.end[a]; ++f) {
        Index const fine_face = std::min(map.begin[a] + factor[a] * f, map.end[a]) - map.begin[a];
        ratios.push_back(conductance_ratio(fine.volumes[a], coarse.volumes[a],
                                           fine.first_unknown(fine_block)[a] + fine_face,
                                           coarse.first_unknown(block)[a] + f));
      }
      auto const ratio = on_device<Real>(ratios);
      for_box(execution(block), faces,
              CoarseFaces<Stencil>{map, result.faces[a]->view(block), static_cast<int>(a), map.end[a], ratio.data()});
      execution(block).fence();
    }
    for_box(execution(block), unknowns, CoarseShift<Stencil>{map, result.shift->view(block)});
  }
  sum_diagonal(coarse, result);
  return result;
}

}  // namespace halocline
