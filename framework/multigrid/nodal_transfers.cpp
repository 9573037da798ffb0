#include "framework/multigrid/nodal_transfers.hpp"

#include <algorithm>
#include <utility>

#include "framework/kernel/sweep_boxes.hpp"
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
  Index const* centre[3];
  Real const* below[3];
  Real const* above[3];

  KOKKOS_FUNCTION Real operator()(Index i, Index j, Index k) const {
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
    return sum;
  }

 private:
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Gathered<Real> gathered(int axis, Index n) const {
    return {centre[axis][n], {below[axis][n], Real{1}, above[axis][n]}};
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
  BlockView<Real const> fine;
  Index const* first[3];
  Real const* lower[3];
  Real const* upper[3];

  KOKKOS_FUNCTION Real operator()(Index i, Index j, Index k) const {
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
    return fine(i, j, k) + sum;
  }

 private:
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Scattered<Real> scattered(int axis, Index n) const {
    return {first[axis][n], {lower[axis][n], upper[axis][n]}};
  }
};

/// Weight of the node at `far` at a point between it and another one.
double weight(double at, double near, double far) { return (at - near) / (far - near); }

}  // namespace

template <class Real>
auto NodalTransfers<Real>::axis_weights(StructuredMesh const& fine, PairedCells const& coarse, Block const& block,
                                        int axis) -> AxisWeights {
  auto const a = static_cast<std::size_t>(axis);
  if (axis >= fine.dimensions()) {
    auto const zero = on_device<Real>(std::vector<double>(1, 0.0));
    auto const one = on_device<Real>(std::vector<double>(1, 1.0));
    auto const same = on_device<Index>(std::vector<Index>(1, 0));
    return {same, zero, zero, same, one, zero};
  }
  std::vector<Index> const& nodes = coarse.first[a];  // the fine node at each coarse one
  auto const last = static_cast<Index>(nodes.size()) - 1;
  auto const x = [&](Index node) { return fine.coordinate(axis, Centring::node, node); };
  auto const node = [&](Index of_coarse) { return nodes[static_cast<std::size_t>(of_coarse)]; };
  // Whether a fine node lies between a coarse node and the next, also across the end of a periodic axis.
  auto const has_midpoint = [&](Index of_coarse) {
    if (!fine.periodic(axis) && (of_coarse < 0 || of_coarse >= last)) return false;
    Index const from = of_coarse < 0 ? last - 1 : of_coarse >= last ? 0 : of_coarse;
    return node(from + 1) - node(from) == 2;
  };
  Index const begin = block.cells.begin[a];
  IndexRange const coarse_cells = coarse.mesh->blocks()[block.local].cells;
  std::vector<Index> centre, first;
  std::vector<double> below, above, lower, upper;
  for (Index of_coarse = coarse_cells.begin[a]; of_coarse <= coarse_cells.end[a]; ++of_coarse) {
    Index const at = node(of_coarse);
    centre.push_back(at - begin);
    below.push_back(has_midpoint(of_coarse - 1) ? weight(x(at - 1), x(at - 2), x(at)) : 0);
    above.push_back(has_midpoint(of_coarse) ? weight(x(at + 1), x(at + 2), x(at)) : 0);
  }
  for (Index at = begin; at <= block.cells.end[a]; ++at) {
    auto const of_coarse = static_cast<Index>(std::upper_bound(nodes.begin(), nodes.end(), at) - nodes.begin()) - 1;
    first.push_back(of_coarse - coarse_cells.begin[a]);
    bool const is_between = node(of_coarse) != at;
    lower.push_back(is_between ? weight(x(at), x(at + 1), x(at - 1)) : 1);
    upper.push_back(is_between ? weight(x(at), x(at - 1), x(at + 1)) : 0);
  }
  return {on_device<Index>(centre), on_device<Real>(below), on_device<Real>(above),
          on_device<Index>(first),  on_device<Real>(lower), on_device<Real>(upper)};
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
NodalTransfers<Real>::NodalTransfers(std::shared_ptr<StructuredMesh const> fine, PairedCells const& coarse,
                                     ComponentBoxes fine_unknowns, ComponentBoxes coarse_unknowns)
    : fine_(std::move(fine)),
      coarse_(coarse.mesh),
      fine_unknowns_(std::move(fine_unknowns)),
      coarse_unknowns_(std::move(coarse_unknowns)),
      fine_ghosts_(exchange_of(fine_, fine_unknowns_.size())),
      coarse_ghosts_(exchange_of(coarse_, coarse_unknowns_.size())) {
  if (fine_unknowns_.size() != coarse_unknowns_.size()) throw DefectError("levels with different components");
  for (Block const& block : fine_->blocks()) {
    weights_.push_back({axis_weights(*fine_, coarse, block, 0), axis_weights(*fine_, coarse, block, 1),
                        axis_weights(*fine_, coarse, block, 2)});
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
      set_values(execution(block), box, coarse.view(coarse_block, component),
                 RestrictNode<Real>{std::as_const(fine).view(block, component),
                                    {axes[0].centre.data(), axes[1].centre.data(), axes[2].centre.data()},
                                    {axes[0].below.data(), axes[1].below.data(), axes[2].below.data()},
                                    {axes[0].above.data(), axes[1].above.data(), axes[2].above.data()}});
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
      set_values(execution(block), box, fine.view(block, component),
                 ProlongNode<Real>{std::as_const(coarse).view(coarse_block, component),
                                   std::as_const(fine).view(block, component),
                                   {axes[0].first.data(), axes[1].first.data(), axes[2].first.data()},
                                   {axes[0].lower.data(), axes[1].lower.data(), axes[2].lower.data()},
                                   {axes[0].upper.data(), axes[1].upper.data(), axes[2].upper.data()}});
    }
  }
}

template class NodalTransfers<float>;
template class NodalTransfers<double>;

}  // namespace halocline
