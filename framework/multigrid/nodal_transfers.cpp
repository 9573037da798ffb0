#include "framework/multigrid/nodal_transfers.hpp"

#include <algorithm>
#include <utility>

#include "framework/kernel/box_loops.hpp"
#include "framework/mesh/execution.hpp"
#include "framework/operator/field_vector.hpp"
#include "framework/runtime/communicator.hpp"
#include "framework/runtime/error.hpp"

namespace halocline {
namespace {

/// Fine nodes beside a coarse node along one axis, with their weights.
template <class Real>
struct Gathered {
  Index centre;
  Real weight[3];  ///< of the nodes below, at and above it; 0: not read
};

template <class Real>
struct RestrictNode {
  BlockView<Real const> fine;
  BlockView<Real> coarse;
  Index cells[3];
  Real const* below[3];
  Real const* above[3];

  KOKKOS_FUNCTION void operator()(Index i, Index j, Index k) const {
    Gathered<Real> const x = gathered(0, i);
    Gathered<Real> const y = gathered(1, j);
    Gathered<Real> const z = gathered(2, k);
    Real sum = 0;
    for (int c = 0; c < 3; ++c) {
      if (z.weight[c] == Real{0}) continue;
      for (int b = 0; b < 3; ++b) {
        if (y.weight[b] == Real{0}) continue;
        for (int a = 0; a < 3; ++a) {
          if (x.weight[a] == Real{0}) continue;
          sum += x.weight[a] * y.weight[b] * z.weight[c] * fine(x.centre + a - 1, y.centre + b - 1, z.centre + c - 1);
        }
      }
    }
    coarse(i, j, k) = sum;
  }

 private:
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Gathered<Real> gathered(int axis, Index n) const {
    Index const centre = 2 * n < cells[axis] ? 2 * n : cells[axis];
    return {centre, {below[axis][n], Real{1}, above[axis][n]}};
  }
};

/// Coarse nodes around a fine node along one axis, with their weights.
template <class Real>
struct Scattered {
  Index first;
  Real weight[2];  ///< of the nodes `first` and the next; 0: not read
};

template <class Real>
struct ProlongNode {
  BlockView<Real const> coarse;
  BlockView<Real> fine;
  Index cells[3];
  Real const* lower[3];
  Real const* upper[3];

  KOKKOS_FUNCTION void operator()(Index i, Index j, Index k) const {
    Scattered<Real> const x = scattered(0, i);
    Scattered<Real> const y = scattered(1, j);
    Scattered<Real> const z = scattered(2, k);
    Real sum = 0;
    for (int c = 0; c < 2; ++c) {
      if (z.weight[c] == Real{0}) continue;
      for (int b = 0; b < 2; ++b) {
        if (y.weight[b] == Real{0}) continue;
        for (int a = 0; a < 2; ++a) {
          if (x.weight[a] == Real{0}) continue;
          sum += x.weight[a] * y.weight[b] * z.weight[c] * coarse(x.first + a, y.first + b, z.first + c);
        }
      }
    }
    fine(i, j, k) += sum;
  }

 private:
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Scattered<Real> scattered(int axis, Index n) const {
    Index const first = n / 2;
    if (n % 2 == 0) return {first, {Real{1}, Real{0}}};
    if (n == cells[axis]) return {first + 1, {Real{1}, Real{0}}};  // the end of an odd count
    return {first, {lower[axis][first], upper[axis][first]}};
  }
};

/// Weight of the node at `far` at a point between it and another one.
double weight(double at, double near, double far) { return (at - near) / (far - near); }

}  // namespace

template <class Real>
auto NodalTransfers<Real>::axis_weights(StructuredMesh const& fine, Block const& block, int axis) -> AxisWeights {
  auto const a = static_cast<std::size_t>(axis);
  if (axis >= fine.dimensions()) {
    std::vector<double> const none(1, 0.0);
    auto const zero = on_device<Real>(none);
    return {zero, zero, zero, zero, 0};
  }
  Index const cells = block.cells.extent(axis);
  Index const begin = block.cells.begin[a];
  auto const x = [&](Index node) { return fine.coordinate(axis, Centring::node, begin + node); };
  // Cells of the block below: its last node but one may be a midpoint.
  std::vector<Index> const& starts = fine.partition().starts(axis);
  auto const number = std::find(starts.begin(), starts.end(), begin) - starts.begin();
  Index cells_below = 0;
  if (block.neighbour(axis, -1)) {
    auto const last = static_cast<std::ptrdiff_t>(starts.size()) - 1;
    auto const of = static_cast<std::size_t>((number + last - 1) % last);
    cells_below = starts[of + 1] - starts[of];
  }
  std::vector<double> below, above, lower, upper;
  for (Index node = 0; node <= (cells + 1) / 2; ++node) {
    Index const centre = std::min(2 * node, cells);
    bool const has_below = node == 0 ? cells_below > 0 && cells_below % 2 == 0 : centre % 2 == 0;
    bool const has_above = centre + 2 <= cells;
    below.push_back(has_below ? weight(x(centre - 1), x(centre - 2), x(centre)) : 0);
    above.push_back(has_above ? weight(x(centre + 1), x(centre + 2), x(centre)) : 0);
    lower.push_back(has_above ? above.back() : 0);
    upper.push_back(has_above ? weight(x(centre + 1), x(centre), x(centre + 2)) : 0);
  }
  return {on_device<Real>(below), on_device<Real>(above), on_device<Real>(lower), on_device<Real>(upper), cells};
}

template <class Real>
std::unique_ptr<Exchange> NodalTransfers<Real>::exchange_of(std::shared_ptr<StructuredMesh const> const& mesh,
                                                            std::size_t components) {
  bool has_neighbours = false;
  for (Block const& block : mesh->blocks()) {
    for (int axis = 0; axis < mesh->dimensions(); ++axis) {
      has_neighbours = has_neighbours || block.neighbour(axis, -1) || block.neighbour(axis, 1);
    }
  }
  if (!mesh->communicator().any(has_neighbours)) return nullptr;
  Field<Real> const like(
      mesh, FieldDescription{
                .name = "vector", .centring = Centring::node, .components = static_cast<int>(components), .ghosts = 1});
  return std::make_unique<Exchange>(std::vector<FieldBase const*>{&like}, ExchangeOptions{.corners = true});
}

template <class Real>
NodalTransfers<Real>::NodalTransfers(std::shared_ptr<StructuredMesh const> fine,
                                     std::shared_ptr<StructuredMesh const> coarse, ComponentBoxes fine_unknowns,
                                     ComponentBoxes coarse_unknowns)
    : fine_(std::move(fine)),
      coarse_(std::move(coarse)),
      fine_unknowns_(std::move(fine_unknowns)),
      coarse_unknowns_(std::move(coarse_unknowns)),
      fine_ghosts_(exchange_of(fine_, fine_unknowns_.size())),
      coarse_ghosts_(exchange_of(coarse_, coarse_unknowns_.size())) {
  if (fine_unknowns_.size() != coarse_unknowns_.size()) throw DefectError("levels with different components");
  for (Block const& block : fine_->blocks()) {
    weights_.push_back(
        {axis_weights(*fine_, block, 0), axis_weights(*fine_, block, 1), axis_weights(*fine_, block, 2)});
  }
}

template <class Real>
void NodalTransfers<Real>::restrict_to(Field<Real>& fine, Field<Real>& coarse) const {
  if (fine_ghosts_ != nullptr) fine_ghosts_->exchange({&fine});
  for (Block const& block : fine_->blocks()) {
    Block const& coarse_block = coarse_->blocks()[block.local];
    BlockWeights const& axes = weights_[block.local];
    for (std::size_t c = 0; c < fine_unknowns_.size(); ++c) {
      IndexRange const& box = coarse_unknowns_[c][block.local];
      auto const component = static_cast<int>(c);
      for_box(execution(block), box,
              RestrictNode<Real>{std::as_const(fine).view(block, component),
                                 coarse.view(coarse_block, component),
                                 {axes[0].cells, axes[1].cells, axes[2].cells},
                                 {axes[0].below.data(), axes[1].below.data(), axes[2].below.data()},
                                 {axes[0].above.data(), axes[1].above.data(), axes[2].above.data()}});
      coarse.mark_written(coarse_block, box, "restriction", component);
    }
  }
}

template <class Real>
void NodalTransfers<Real>::prolong_add(Field<Real>& coarse, Field<Real>& fine) const {
  if (coarse_ghosts_ != nullptr) coarse_ghosts_->exchange({&coarse});
  for (Block const& block : fine_->blocks()) {
    Block const& coarse_block = coarse_->blocks()[block.local];
    BlockWeights const& axes = weights_[block.local];
    for (std::size_t c = 0; c < fine_unknowns_.size(); ++c) {
      IndexRange const& box = fine_unknowns_[c][block.local];
      auto const component = static_cast<int>(c);
      for_box(execution(block), box,
              ProlongNode<Real>{std::as_const(coarse).view(coarse_block, component),
                                fine.view(block, component),
                                {axes[0].cells, axes[1].cells, axes[2].cells},
                                {axes[0].lower.data(), axes[1].lower.data(), axes[2].lower.data()},
                                {axes[0].upper.data(), axes[1].upper.data(), axes[2].upper.data()}});
      fine.mark_written(block, box, "prolongation", component);
    }
  }
}

template <class Real>
NodalCoarsening<Real>::NodalCoarsening(NodalTransfers<Real> transfers, Operator const& fine,
                                       std::unique_ptr<Operator> coarse)
    : transfers_(std::move(transfers)), fine_(fine), coarse_(std::move(coarse)), residual_(fine.create_vector()) {}

template <class Real>
void NodalCoarsening<Real>::residual_restrict(Vector const& b, Vector const& x, Vector& coarse_b) const {
  (void)fine_.residual(b, x, *residual_);
  restrict_to(*residual_, coarse_b);
}

template <class Real>
void NodalCoarsening<Real>::restrict_to(Vector const& fine, Vector& coarse) const {
  transfers_.restrict_to(*as_field_vector<Real>(fine).fields().front(),
                         *as_field_vector<Real>(coarse).fields().front());
}

template <class Real>
void NodalCoarsening<Real>::prolong_add(Vector const& coarse_x, Vector& x) const {
  transfers_.prolong_add(*as_field_vector<Real>(coarse_x).fields().front(), *as_field_vector<Real>(x).fields().front());
}

template class NodalTransfers<float>;
template class NodalTransfers<double>;
template class NodalCoarsening<float>;
template class NodalCoarsening<double>;

}  // namespace halocline
