#pragma once

#include <Kokkos_Core.hpp>
#include <array>
#include <memory>
#include <vector>

#include "framework/field/field.hpp"
#include "framework/grid/control_volume_grid.hpp"
#include "framework/halo/exchange.hpp"
#include "framework/runtime/backend.hpp"

namespace halocline {

/// Interpolates a fine grid's unknowns from those of the grid coarsened by `factor`: a cubic polynomial along each axis
/// through the four surrounding coarse unknowns, or through fewer if there are no four. Full multigrid starts its
/// levels with it, because its error is of higher order than the discretisation's (Trottenberg, Oosterlee, Schüller,
/// Multigrid, section 2.6). Beside walls the polynomial is one-sided, so values on walls are not needed.
template <class Real>
class CubicInterpolation {
 public:
  static constexpr int most_points = 4;

  /// Collective over the grids' communicator.
  CubicInterpolation(ControlVolumeGrid fine, ControlVolumeGrid coarse, std::array<Index, 3> const& factor);

  /// fine = interpolation of coarse, whose ghosts it fills. Collective.
  void operator()(Field<Real>& coarse, Field<Real>& fine) const;

 private:
  /// Data of one block, by axis: the first coarse unknown of each fine unknown, and the weights.
  struct Part {
    std::array<int, 3> points{};
    std::array<Kokkos::View<Index*, Memory>, 3> first;
    std::array<Kokkos::View<Real*, Memory>, 3> weight;
    // For devices, if all three axes are coarsened and have at least five coarse unknowns: the first of five coarse
    // unknowns for each pair of fine ones, and the weights for both.
    bool in_pairs = false;
    std::array<Kokkos::View<Index*, Memory>, 3> first_of_pair;
    std::array<Kokkos::View<Real*, Memory>, 3> weight_of_pair;
  };
  struct Line;

  [[nodiscard]] Part part(Block const& block, std::array<Index, 3> const& factor) const;
  [[nodiscard]] Line line(Block const& block, std::size_t axis, Index factor) const;

  ControlVolumeGrid fine_;
  ControlVolumeGrid coarse_;
  std::vector<Part> parts_;             ///< by Block::local
  std::unique_ptr<Exchange> exchange_;  ///< null if no block has a neighbour
};

extern template class CubicInterpolation<float>;
extern template class CubicInterpolation<double>;

}  // namespace halocline
