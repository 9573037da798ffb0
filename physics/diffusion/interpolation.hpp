#pragma once

#include <Kokkos_Core.hpp>
#include <array>
#include <memory>
#include <vector>

#include "framework/field/field.hpp"
#include "framework/halo/exchange.hpp"
#include "framework/runtime/backend.hpp"
#include "physics/diffusion/diffusion_grid.hpp"

namespace halocline {

/// One axis of a block: of each fine unknown, counted from the block's first one, the first local index of its `points`
/// coarse unknowns and their weights. A view of memory that another keeps.
template <class Real>
struct InterpolationLine {
  int points = 1;
  Index const* first = nullptr;
  Real const* weight = nullptr;  ///< `points` a fine unknown
};

/// Unknowns of a fine grid from those of the grid coarsened by `factor`: a polynomial of third order along each axis,
/// through the four coarse unknowns around, fewer where there are no four. Full multigrid starts levels with it: its
/// error is of higher order than the discretisation's (Trottenberg, Oosterlee, Schüller, Multigrid, section 2.6).
/// Beside walls the polynomial is one-sided: values on walls need not be known.
template <class Real>
class CubicInterpolation {
 public:
  static constexpr int most_points = 4;

  /// Collective over the grids' communicator.
  CubicInterpolation(DiffusionGrid fine, DiffusionGrid coarse, std::array<Index, 3> const& factor);

  /// fine = interpolation of coarse, whose ghosts are filled. Collective.
  void operator()(Field<Real>& coarse, Field<Real>& fine) const;

 private:
  struct Part {
    std::array<Kokkos::View<Index*, Memory>, 3> first;
    std::array<Kokkos::View<Real*, Memory>, 3> weight;
    std::array<InterpolationLine<Real>, 3> line;
  };

  [[nodiscard]] Part part(Block const& block) const;

  DiffusionGrid fine_;
  DiffusionGrid coarse_;
  std::array<Index, 3> factor_;
  std::vector<Part> parts_;             ///< by Block::local
  std::unique_ptr<Exchange> exchange_;  ///< null where no block has a neighbour
};

extern template class CubicInterpolation<float>;
extern template class CubicInterpolation<double>;

}  // namespace halocline
