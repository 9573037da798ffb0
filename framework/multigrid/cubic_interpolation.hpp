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

/// Unknowns of a fine grid from those of the grid coarsened by `factor`: a polynomial of third order along each axis,
/// through the four coarse unknowns around, fewer where there are no four. Full multigrid starts levels with it: its
/// error is of higher order than the discretisation's (Trottenberg, Oosterlee, Schüller, Multigrid, section 2.6).
/// Beside walls the polynomial is one-sided: values on walls need not be known.
template <class Real>
class CubicInterpolation {
 public:
  static constexpr int most_points = 4;

  /// Collective over the grids' communicator.
  CubicInterpolation(ControlVolumeGrid fine, ControlVolumeGrid coarse, std::array<Index, 3> const& factor);

  /// fine = interpolation of coarse, whose ghosts are filled. Collective.
  void operator()(Field<Real>& coarse, Field<Real>& fine) const;

 private:
  /// Of one block, by axis: of each fine unknown the first of its coarse unknowns, and their weights.
  struct Part {
    std::array<int, 3> points{};
    std::array<Kokkos::View<Index*, Memory>, 3> first;
    std::array<Kokkos::View<Real*, Memory>, 3> weight;
    // For devices, where every axis of three is coarsened and has five coarse unknowns or more: of each pair of fine
    // unknowns the first of five coarse ones, and the weights of these for one and the other.
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
  std::unique_ptr<Exchange> exchange_;  ///< null where no block has a neighbour
};

extern template class CubicInterpolation<float>;
extern template class CubicInterpolation<double>;

}  // namespace halocline
