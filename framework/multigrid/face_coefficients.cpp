#include "framework/multigrid/face_coefficients.hpp"

#include "framework/kernel/box_loops.hpp"
#include "framework/mesh/execution.hpp"

namespace halocline {
namespace {

template <class Real, int Dimensions>
struct SumDiagonal {
  FaceRows<Real, Dimensions> rows;
  BlockView<Real> diagonal;
  KOKKOS_FUNCTION void operator()(Index i, Index j, Index k) const {
    Real sum = rows.shift(i, j, k) + (rows.face(0, i, j, k) + rows.face(0, i + 1, j, k));
    if constexpr (Dimensions > 1) sum += rows.face(1, i, j, k) + rows.face(1, i, j + 1, k);
    if constexpr (Dimensions > 2) sum += rows.face(2, i, j, k) + rows.face(2, i, j, k + 1);
    diagonal(i, j, k) = sum;
  }
};

template <class Real, int Dimensions>
void sum_diagonal_of(ControlVolumeGrid const& grid, FaceCoefficients<Real>& coefficients) {
  for (Block const& block : grid.mesh->blocks()) {
    for_box(execution(block), grid.unknowns(block),
            SumDiagonal<Real, Dimensions>{coefficients.template rows<Dimensions>(block),
                                          coefficients.diagonal->view(block)});
  }
}

}  // namespace

template <class Real>
FaceCoefficients<Real>::FaceCoefficients(ControlVolumeGrid const& grid) {
  auto const make = [&](char const* name) {
    return std::make_shared<Field<Real>>(grid.mesh,
                                         FieldDescription{.name = name, .centring = grid.centring, .ghosts = 1});
  };
  constexpr char const* names[] = {"transmissibility x", "transmissibility y", "transmissibility z"};
  diagonal = make("diagonal");
  shift = make("shift");
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(grid.dimensions()); ++axis)
    faces[axis] = make(names[axis]);
}

template <class Real>
void sum_diagonal(ControlVolumeGrid const& grid, FaceCoefficients<Real>& coefficients) {
  if (grid.dimensions() == 1) sum_diagonal_of<Real, 1>(grid, coefficients);
  if (grid.dimensions() == 2) sum_diagonal_of<Real, 2>(grid, coefficients);
  if (grid.dimensions() == 3) sum_diagonal_of<Real, 3>(grid, coefficients);
}

FaceCoefficients<float> in_single_precision(ControlVolumeGrid const& grid,
                                            FaceCoefficients<double> const& coefficients) {
  FaceCoefficients<float> result(grid);
  auto const round = [&](Field<double> const& from, Field<float>& to) {
    for (Block const& block : grid.mesh->blocks()) {
      for_box(execution(block), grid.mesh->with_ghosts(block, grid.centring, 1),
              CopyPoint<float, double>{from.view(block), to.view(block)});
    }
  };
  round(*coefficients.shift, *result.shift);
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(grid.dimensions()); ++axis) {
    round(*coefficients.faces[axis], *result.faces[axis]);
  }
  sum_diagonal(grid, result);
  return result;
}

template <class Real>
FaceCoefficients<Real> agglomerated(Agglomeration<Real> const& agglomeration, FaceCoefficients<Real> const& from) {
  FaceCoefficients<Real> whole(agglomeration.whole());
  agglomeration.gather(*from.shift, *whole.shift);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (from.faces[axis] == nullptr) continue;
    Extents closing_face{0, 0, 0};
    closing_face[axis] = 1;
    agglomeration.gather(*from.faces[axis], *whole.faces[axis], closing_face);
  }
  sum_diagonal(agglomeration.whole(), whole);
  return whole;
}

template struct FaceCoefficients<float>;
template struct FaceCoefficients<double>;
template void sum_diagonal(ControlVolumeGrid const&, FaceCoefficients<float>&);
template void sum_diagonal(ControlVolumeGrid const&, FaceCoefficients<double>&);
template FaceCoefficients<float> agglomerated(Agglomeration<float> const&, FaceCoefficients<float> const&);
template FaceCoefficients<double> agglomerated(Agglomeration<double> const&, FaceCoefficients<double> const&);

}  // namespace halocline
