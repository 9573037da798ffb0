#include "physics/diffusion/interpolation.hpp"

#include <algorithm>
#include <utility>

#include "framework/kernel/host.hpp"
#include "framework/mesh/execution.hpp"
#include "physics/diffusion/boxes.hpp"
#include "physics/diffusion/neighbour_exchange.hpp"

namespace halocline {
namespace {

std::size_t place(Index n) { return static_cast<std::size_t>(n); }

/// Position of coarse unknown `n`, counted over the whole mesh and, on a periodic axis, beyond its ends.
double position(ControlVolumes const& line, Index n) {
  Index const size = line.size();
  double const length = line.position.back() - line.position.front() + line.periodic_gap;
  if (n < 0) return line.position[place(n + size)] - length;
  return n < size ? line.position[place(n)] : line.position[place(n - size)] + length;
}

/// Lagrange's weights at `x` of the values at `points`.
std::vector<double> lagrange_weights(double x, std::vector<double> const& points) {
  std::vector<double> weights(points.size(), 1);
  for (std::size_t n = 0; n < points.size(); ++n) {
    for (std::size_t m = 0; m < points.size(); ++m) {
      if (m != n) weights[n] *= (x - points[m]) / (points[n] - points[m]);
    }
  }
  return weights;
}

/// What the kernel reads, for one block.
template <class Real>
struct InterpolatedPoint {
  /// One axis: of each fine unknown, counted from the block's first one, the first local index of its `points` coarse
  /// unknowns and their weights.
  struct Line {
    int points;
    Index const* first;
    Real const* weight;  ///< `points` a fine unknown
  };
  Line line[3];
  Index begin[3];  ///< the block's first unknown
  BlockView<Real const> coarse;
  BlockView<Real> fine;

  KOKKOS_FUNCTION void operator()(Index i, Index j, Index k) const {
    Index const unknown[3] = {i - begin[0], j - begin[1], k - begin[2]};
    Real sum = 0;
    for (int c = 0; c < line[2].points; ++c) {
      Real const of_z = line[2].weight[line[2].points * unknown[2] + c];
      for (int b = 0; b < line[1].points; ++b) {
        Real const of_row = of_z * line[1].weight[line[1].points * unknown[1] + b];
        Real along_x = 0;
        for (int a = 0; a < line[0].points; ++a) {
          along_x +=
              line[0].weight[line[0].points * unknown[0] + a] *
              coarse(line[0].first[unknown[0]] + a, line[1].first[unknown[1]] + b, line[2].first[unknown[2]] + c);
        }
        sum += of_row * along_x;
      }
    }
    fine(i, j, k) = sum;
  }
};

/// The same row by row: first across the axes y and z, for all coarse unknowns of a row, then along x.
template <class Real>
void interpolate_rows(InterpolatedPoint<Real> const& at, IndexRange const& unknowns) {
  auto const& x = at.line[0];
  Index const count = unknowns.extent(0);
  Index const begin = x.first[0];
  Index const length = x.first[count - 1] + x.points - begin;
  Index const rows = unknowns.extent(1) * unknowns.extent(2);
  using Policy = Kokkos::RangePolicy<HostExecution, Kokkos::IndexType<Index>>;
  auto const interpolate = [&](Index row) {
    thread_local std::vector<Real> across;
    across.assign(place(length), 0);
    Index const unknown[2] = {row % unknowns.extent(1), row / unknowns.extent(1)};
    for (int c = 0; c < at.line[2].points; ++c) {
      for (int b = 0; b < at.line[1].points; ++b) {
        Real const weight = at.line[2].weight[at.line[2].points * unknown[1] + c] *
                            at.line[1].weight[at.line[1].points * unknown[0] + b];
        Real const* const from =
            at.coarse.at(begin, at.line[1].first[unknown[0]] + b, at.line[2].first[unknown[1]] + c);
        Real* const to = across.data();
        for (Index n = 0; n < length; ++n) to[n] += weight * from[n];
      }
    }
    Real* const fine = at.fine.at(unknowns.begin[0], unknowns.begin[1] + unknown[0], unknowns.begin[2] + unknown[1]);
    for (Index i = 0; i < count; ++i) {
      Real const* const from = across.data() + (x.first[i] - begin);
      Real const* const weight = x.weight + x.points * i;
      Real sum = 0;
      for (int n = 0; n < x.points; ++n) sum += weight[n] * from[n];
      fine[i] = sum;
    }
  };
  if (unknowns.size() < smallest_parallel_box) {
    for (Index row = 0; row < rows; ++row) interpolate(row);
  } else {
    Kokkos::parallel_for("interpolation", Policy(0, rows), interpolate);
    Kokkos::fence("interpolation");
  }
}

}  // namespace

template <class Real>
CubicInterpolation<Real>::CubicInterpolation(DiffusionGrid fine, DiffusionGrid coarse,
                                             std::array<Index, 3> const& factor)
    : fine_(std::move(fine)), coarse_(std::move(coarse)) {
  for (Block const& block : coarse_.mesh->blocks()) parts_.push_back(part(block, factor));
  exchange_ = neighbour_exchange<Real>(coarse_, {.corners = true});
}

template <class Real>
typename CubicInterpolation<Real>::Part CubicInterpolation<Real>::part(Block const& block,
                                                                       std::array<Index, 3> const& factor) const {
  Part part;
  Block const& fine_block = fine_.mesh->blocks()[block.local];
  IndexRange const fine_box = fine_.unknowns(fine_block);
  IndexRange const coarse_box = coarse_.unknowns(block);
  for (std::size_t a = 0; a < 3; ++a) {
    int const axis = static_cast<int>(a);
    Index const count = fine_box.extent(axis);
    bool const is_merged = factor[a] > 1;
    // Ghosts count where another block, or this one around the end, fills them.
    Index const lowest = is_merged && block.neighbour(axis, -1) ? -1 : 0;
    Index const highest = coarse_box.extent(axis) - (is_merged && block.neighbour(axis, 1) ? 0 : 1);
    Index const points = is_merged ? std::min<Index>(most_points, highest - lowest + 1) : 1;
    Index const first_fine = fine_.first_unknown(fine_block)[a];
    Index const first_coarse = coarse_.first_unknown(block)[a];
    std::vector<Index> first;
    std::vector<double> weights;
    for (Index i = 0; i < count; ++i) {
      double const x = fine_.volumes[a].position[place(first_fine + i)];
      // The parent lies beside x: on which side decides what is in the middle of four.
      Index const parent = i / factor[a];
      bool const is_before = x < coarse_.volumes[a].position[place(first_coarse + parent)];
      Index const from = is_merged ? std::clamp(parent - (is_before ? 2 : 1), lowest, highest + 1 - points) : parent;
      std::vector<double> around;
      for (Index n = from; n < from + points; ++n) around.push_back(position(coarse_.volumes[a], first_coarse + n));
      std::vector<double> const of_unknown = points > 1 ? lagrange_weights(x, around) : std::vector<double>{1.0};
      weights.insert(weights.end(), of_unknown.begin(), of_unknown.end());
      first.push_back(coarse_box.begin[a] + from);
    }
    part.points[a] = static_cast<int>(points);
    part.first[a] = on_device<Index>(first);
    part.weight[a] = on_device<Real>(weights);
  }
  return part;
}

template <class Real>
void CubicInterpolation<Real>::operator()(Field<Real>& coarse, Field<Real>& fine) const {
  if (exchange_ != nullptr) exchange_->exchange({&coarse});
  for (Block const& block : fine_.mesh->blocks()) {
    Part const& part = parts_[block.local];
    IndexRange const unknowns = fine_.unknowns(block);
    InterpolatedPoint<Real> at{};
    for (std::size_t a = 0; a < 3; ++a) {
      at.line[a] = {part.points[a], part.first[a].data(), part.weight[a].data()};
      at.begin[a] = unknowns.begin[a];
    }
    at.coarse = std::as_const(coarse).view(coarse_.mesh->blocks()[block.local]);
    at.fine = fine.view(block);
    if constexpr (kernel::is_host<Execution>) {
      interpolate_rows(at, unknowns);
    } else {
      for_box(execution(block), unknowns, at);
    }
  }
}

template class CubicInterpolation<float>;
template class CubicInterpolation<double>;

}  // namespace halocline
