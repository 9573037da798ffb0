#include "framework/multigrid/coefficients.hpp"

#include "framework/kernel/sweep_boxes.hpp"
#include "framework/mesh/box_difference.hpp"
#include "framework/mesh/execution.hpp"
#include "framework/multigrid/level_views.hpp"
#include "framework/multigrid/neighbour_exchange.hpp"

namespace halocline {
namespace {

/// Reads the value of the nearest point of a box.
template <class Real>
struct Extend {
  BlockView<Real> values;
  Index begin[3];
  Index end[3];
  KOKKOS_FUNCTION void operator()(Index i, Index j, Index k) const {
    Index at[3] = {i, j, k};
    for (int axis = 0; axis < 3; ++axis) {
      at[axis] = at[axis] < begin[axis] ? begin[axis] : at[axis] < end[axis] ? at[axis] : end[axis] - 1;
    }
    values(i, j, k) = values(at[0], at[1], at[2]);
  }
};

template <class Real>
struct SetToZero {
  BlockView<Real> values;
  KOKKOS_FUNCTION void operator()(Index i, Index j, Index k) const { values(i, j, k) = 0; }
};

template <class Real>
struct MeanOfChildren {
  BlockView<Real const> fine;
  Index begin[3];
  Index end[3];
  Index factor[3];
  KOKKOS_FUNCTION Real operator()(Index i, Index j, Index k) const {
    Real sum = 0;
    int children = 0;
    for_children(*this, i, j, k, [&](Index a, Index b, Index c) {
      sum += fine(a, b, c);
      ++children;
    });
    return sum / static_cast<Real>(children);
  }
};

template <class Real>
std::shared_ptr<Field<Real>> field_on(ControlVolumeGrid const& grid, std::string const& name) {
  return std::make_shared<Field<Real>>(grid.mesh,
                                       FieldDescription{.name = name, .centring = grid.centring, .ghosts = 1});
}

}  // namespace

template <class Real>
void fill_coefficient_ghosts(ControlVolumeGrid const& grid, Field<Real>& coefficient) {
  auto const exchange = neighbour_exchange<Real>(grid, {.corners = true});
  if (exchange != nullptr) exchange->exchange({&coefficient});
  for (Block const& block : grid.mesh->blocks()) {
    IndexRange known = grid.unknowns(block);
    IndexRange all = known;
    for (int axis = 0; axis < grid.dimensions(); ++axis) {
      auto const a = static_cast<std::size_t>(axis);
      --all.begin[a];
      ++all.end[a];
      if (block.neighbour(axis, -1)) --known.begin[a];
      if (block.neighbour(axis, 1)) ++known.end[a];
    }
    Extend<Real> extend{coefficient.view(block), {}, {}};
    for (std::size_t a = 0; a < 3; ++a) {
      extend.begin[a] = known.begin[a];
      extend.end[a] = known.end[a];
    }
    for_boxes(execution(block), without(all, known), extend);
    execution(block).fence();
  }
}

template <class Real>
std::shared_ptr<Field<Real> const> coarse_means(ControlVolumeGrid const& fine, ControlVolumeGrid const& coarse,
                                                std::array<Index, 3> const& factor, Field<Real> const& coefficient) {
  auto const means = field_on<Real>(coarse, coefficient.name());
  for (Block const& fine_block : fine.mesh->blocks()) {
    Block const& block = coarse.mesh->blocks()[fine_block.local];
    IndexRange const children = fine.unknowns(fine_block);
    MeanOfChildren<Real> mean{coefficient.view(fine_block), {}, {}, {}};
    for (std::size_t a = 0; a < 3; ++a) {
      mean.begin[a] = children.begin[a];
      mean.end[a] = children.end[a];
      mean.factor[a] = factor[a];
    }
    set_values(execution(block), coarse.unknowns(block), means->view(block), mean);
  }
  fill_coefficient_ghosts(coarse, *means);
  return means;
}

template <class Real>
void fill_cell_ghosts(Field<Real>& coefficient) {
  Exchange({&coefficient}, {.corners = true, .width = 1}).exchange({&coefficient});
  for (Block const& block : coefficient.mesh().blocks()) {
    IndexRange const owned = coefficient.owned(block);
    for (int axis = 0; axis < structured(coefficient.mesh()).dimensions(); ++axis) {
      auto const a = static_cast<std::size_t>(axis);
      for (int const side : {-1, 1}) {
        if (block.neighbour(axis, side)) continue;
        IndexRange beyond = coefficient.with_ghosts(block);
        (side < 0 ? beyond.end[a] : beyond.begin[a]) = side < 0 ? owned.begin[a] : owned.end[a];
        for_box(execution(block), beyond, SetToZero<Real>{coefficient.view(block)});
      }
    }
  }
  // The last node along an axis reads no cell but those around it, though its stencil reaches a second layer beyond.
  coefficient.mark_ghosts_valid(2);
}

std::shared_ptr<Field<float> const> cell_coefficient_in_single_precision(Field<double> const& coefficient) {
  auto const rounded = std::make_shared<Field<float>>(
      coefficient.shared_mesh(), FieldDescription{.name = coefficient.name(), .ghosts = coefficient.ghosts()});
  for (Block const& block : coefficient.mesh().blocks()) {
    set_values(execution(block), coefficient.owned(block), rounded->view(block),
               ConvertedValues<float, double>{coefficient.view(block)});
  }
  fill_cell_ghosts(*rounded);
  return rounded;
}

template <class Real>
std::shared_ptr<Field<Real> const> coarse_cell_means(PairedCells const& coarse, Field<Real> const& coefficient) {
  auto const means =
      std::make_shared<Field<Real>>(coarse.mesh, FieldDescription{.name = coefficient.name(), .ghosts = 2});
  for (Block const& fine_block : coefficient.mesh().blocks()) {
    Block const& block = coarse.mesh->blocks()[fine_block.local];
    MeanOfChildren<Real> mean{coefficient.view(fine_block), {}, {}, {1, 1, 1}};
    for (int axis = 0; axis < 3; ++axis) {
      auto const a = static_cast<std::size_t>(axis);
      // The last pair of a block may end in the next one.
      auto const child = [&](Index cell) {
        return coarse.first[a][static_cast<std::size_t>(cell)] - fine_block.cells.begin[a];
      };
      mean.begin[a] = child(block.cells.begin[a]);
      mean.end[a] = child(block.cells.end[a]);
      if (axis < coarse.mesh->dimensions()) mean.factor[a] = 2;
    }
    set_values(execution(block), means->owned(block), means->view(block), mean);
  }
  fill_cell_ghosts(*means);
  return means;
}

template <class Real>
std::shared_ptr<Field<Real> const> agglomerated(Agglomeration<Real> const& agglomeration,
                                                Field<Real> const& coefficient) {
  auto const whole = field_on<Real>(agglomeration.whole(), coefficient.name());
  agglomeration.gather(coefficient, *whole);
  fill_coefficient_ghosts(agglomeration.whole(), *whole);
  return whole;
}

template void fill_coefficient_ghosts(ControlVolumeGrid const&, Field<float>&);
template void fill_coefficient_ghosts(ControlVolumeGrid const&, Field<double>&);
template std::shared_ptr<Field<float> const> coarse_means(ControlVolumeGrid const&, ControlVolumeGrid const&,
                                                          std::array<Index, 3> const&, Field<float> const&);
template std::shared_ptr<Field<double> const> coarse_means(ControlVolumeGrid const&, ControlVolumeGrid const&,
                                                           std::array<Index, 3> const&, Field<double> const&);
template void fill_cell_ghosts(Field<float>&);
template void fill_cell_ghosts(Field<double>&);
template std::shared_ptr<Field<float> const> coarse_cell_means(PairedCells const&, Field<float> const&);
template std::shared_ptr<Field<double> const> coarse_cell_means(PairedCells const&, Field<double> const&);
template std::shared_ptr<Field<float> const> agglomerated(Agglomeration<float> const&, Field<float> const&);
template std::shared_ptr<Field<double> const> agglomerated(Agglomeration<double> const&, Field<double> const&);

}  // namespace halocline
