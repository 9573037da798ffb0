#include "framework/multigrid/cubic_interpolation.hpp"

#include <algorithm>
#include <utility>

#include "framework/kernel/box_loops.hpp"
#include "framework/kernel/host.hpp"
#include "framework/mesh/execution.hpp"
#include "framework/multigrid/neighbour_exchange.hpp"

namespace halocline {
namespace {

std::size_t place(Index n) { return static_cast<std::size_t>(n); }

/// Position of coarse unknown `n`, an index of the whole mesh that may exceed the ends of a periodic axis.
double position(ControlVolumes const& line, Index n) {
  Index const size = line.size();
  double const length = line.position.back() - line.position.front() + line.periodic_gap;
  if (n < 0) return line.position[place(n + size)] - length;
  return n < size ? line.position[place(n)] : line.position[place(n - size)] + length;
}

/// Lagrange weights at `x` for values at `points`.
std::vector<double> lagrange_weights(double x, std::vector<double> const& points) {
  std::vector<double> weights(points.size(), 1);
  for (std::size_t n = 0; n < points.size(); ++n) {
    for (std::size_t m = 0; m < points.size(); ++m) {
      if (m != n) weights[n] *= (x - points[m]) / (points[n] - points[m]);
    }
  }
  return weights;
}

/// Data of the kernel for one block.
template <class Real>
struct InterpolatedPoint {
  /// One axis: for each fine unknown, relative to the block's first one, the first local index of its `points` coarse
  /// unknowns, and their weights.
  struct Line {
    int points;
    Index const* first;
    Real const* weight;  ///< `points` per fine unknown
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

/// For devices: pairs of fine unknowns along one axis, see CubicInterpolation::Part.
template <class Real>
struct PairsOfLine {
  static constexpr int window = 5;
  Index const* first;
  Real const* weight;
  Index count;  ///< of fine unknowns: the last pair may be incomplete

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Index pairs() const { return (count + 1) / 2; }
};

/// Interpolates a column of 2 x 2 fine unknowns along z: each coarse plane is interpolated in x and y once, for all
/// fine planes that use it.
template <class Real>
struct InterpolatedColumn {
  static constexpr int window = PairsOfLine<Real>::window;
  PairsOfLine<Real> line[3];
  Index begin[3];       ///< the block's first unknown
  Index pairs_of_item;  ///< pairs of fine planes per work item, which reads four more coarse planes
  BlockView<Real const> coarse;
  BlockView<Real> fine;

  /// Values of 2 x 2 fine unknowns: at[y][x].
  struct Square {
    Real at[2][2];
  };

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Square in_plane(Real const (&x)[2][window], Real const (&y)[2][window],
                                                            Index i, Index j, Index k) const {
    Square square{};
    for (int b = 0; b < window; ++b) {
      Real const* const row = coarse.at(i, j + b, k);
      Real along_x[2] = {0, 0};
      for (int a = 0; a < window; ++a) {
        Real const value = row[a];
        for (int side = 0; side < 2; ++side) along_x[side] += x[side][a] * value;
      }
      for (int s = 0; s < 2; ++s) {
        for (int side = 0; side < 2; ++side) square.at[s][side] += y[s][b] * along_x[side];
      }
    }
    return square;
  }

  KOKKOS_FUNCTION void operator()(Index m, Index n, Index item) const {
    Real x[2][window];
    Real y[2][window];
    for (int side = 0; side < 2; ++side) {
      for (int a = 0; a < window; ++a) {
        x[side][a] = line[0].weight[(2 * m + side) * window + a];
        y[side][a] = line[1].weight[(2 * n + side) * window + a];
      }
    }
    Index const i = line[0].first[m];
    Index const j = line[1].first[n];
    Index const last = line[2].pairs();
    Index const begin_pair = item * pairs_of_item;
    Index const end_pair = begin_pair + pairs_of_item < last ? begin_pair + pairs_of_item : last;
    Index plane = line[2].first[begin_pair];
    Square ring[window];
    for (int c = 0; c < window; ++c) ring[c] = in_plane(x, y, i, j, plane + c);
    for (Index pair = begin_pair; pair < end_pair; ++pair) {
      for (; plane < line[2].first[pair]; ++plane) {
        for (int c = 0; c + 1 < window; ++c) ring[c] = ring[c + 1];
        ring[window - 1] = in_plane(x, y, i, j, plane + window);
      }
      for (int side = 0; side < 2 && 2 * pair + side < line[2].count; ++side) {
        Square sum{};
        for (int c = 0; c < window; ++c) {
          Real const z = line[2].weight[(2 * pair + side) * window + c];
          for (int s = 0; s < 2; ++s) {
            for (int t = 0; t < 2; ++t) sum.at[s][t] += z * ring[c].at[s][t];
          }
        }
        for (int s = 0; s < 2 && 2 * n + s < line[1].count; ++s) {
          Real* const to = fine.at(begin[0] + 2 * m, begin[1] + 2 * n + s, begin[2] + 2 * pair + side);
          to[0] = sum.at[s][0];
          if (2 * m + 1 < line[0].count) to[1] = sum.at[s][1];
        }
      }
    }
  }
};

// The host interpolates one axis after the other: the results along z are used by all rows of a plane, those along z
// and y by all unknowns of a row.

/// The axis x of a block. In a range of m, away from walls, the coarse unknowns of fine unknowns 2m and 2m + 1 begin at
/// m + offset, so that the loop over pairs is regular.
template <class Real>
class PairsAlongX {
 public:
  PairsAlongX(typename InterpolatedPoint<Real>::Line const& line, Index count) : line_(line), count_(count) {
    if (line.points != points || count < 2) return;
    Index const pairs = count / 2;
    Index const middle = pairs / 2;
    for (Index side : {0, 1}) offset_[side] = line.first[2 * middle + side] - middle;
    auto const is_regular = [&](Index m) {
      return line.first[2 * m] == m + offset_[0] && line.first[2 * m + 1] == m + offset_[1];
    };
    begin_ = middle;
    while (begin_ > 0 && is_regular(begin_ - 1)) --begin_;
    end_ = middle;
    while (end_ < pairs && is_regular(end_)) ++end_;
    for (int side : {0, 1}) {
      for (int n = 0; n < points; ++n) {
        for (Index m = begin_; m < end_; ++m) weight_[side][n].push_back(line.weight[points * (2 * m + side) + n]);
      }
    }
  }

  /// Sets fine[i] for all unknowns of a row; coarse[0] is the entry with local index `from`.
  void operator()(Real const* coarse, Index from, Real* fine) const {
    for (Index i = 0; i < 2 * begin_; ++i) fine[i] = one(coarse, from, i);
    Real const* const c[2] = {coarse + (begin_ + offset_[0] - from), coarse + (begin_ + offset_[1] - from)};
    Real* const pair = fine + 2 * begin_;
    HALOCLINE_INDEPENDENT_ITERATIONS
    for (Index m = 0; m < end_ - begin_; ++m) {
      pair[2 * m] = along(0, c[0], m);
      pair[2 * m + 1] = along(1, c[1], m);
    }
    for (Index i = 2 * end_; i < count_; ++i) fine[i] = one(coarse, from, i);
  }

 private:
  static constexpr int points = CubicInterpolation<Real>::most_points;
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real along(int side, Real const* c, Index m) const {
    auto const& w = weight_[side];
    return w[0][m] * c[m] + w[1][m] * c[m + 1] + w[2][m] * c[m + 2] + w[3][m] * c[m + 3];
  }
  [[nodiscard]] Real one(Real const* coarse, Index from, Index i) const {
    Real sum = 0;
    for (int n = 0; n < line_.points; ++n)
      sum += line_.weight[line_.points * i + n] * coarse[line_.first[i] - from + n];
    return sum;
  }

  typename InterpolatedPoint<Real>::Line line_;
  Index count_;
  Index begin_ = 0;  ///< the regular range …
  Index end_ = 0;    ///< … of m
  Index offset_[2] = {0, 0};
  std::vector<Real> weight_[2][points];
};

/// to = the sum of weight[n] times row n, for rows that are `stride` apart.
template <class Real>
void weighted_rows(Real* to, Index length, Real const* weight, int count, Real const* from, Index stride) {
  for (int n = 0; n < count; ++n) {
    Real const w = weight[n];
    Real const* const row = from + n * stride;
    HALOCLINE_INDEPENDENT_ITERATIONS
    for (Index i = 0; i < length; ++i) to[i] = n == 0 ? w * row[i] : to[i] + w * row[i];
  }
}

template <class Real>
void interpolate_rows(InterpolatedPoint<Real> const& at, IndexRange const& unknowns) {
  auto const& x = at.line[0];
  auto const& y = at.line[1];
  auto const& z = at.line[2];
  Index const count = unknowns.extent(0);
  PairsAlongX<Real> const along_x(x, count);
  Index const from = x.first[0];
  Index const length = x.first[count - 1] + x.points - from;
  auto const interpolate = [&](IndexRange const& part) {
    Index const j_begin = part.begin[1] - at.begin[1];
    Index const j_end = part.end[1] - at.begin[1];
    Index const lowest = y.first[j_begin];
    Index const highest = y.first[j_end - 1] + y.points;
    std::vector<Real> plane(place((highest - lowest) * length));
    std::vector<Real> row(place(length));
    for (Index k = part.begin[2] - at.begin[2]; k < part.end[2] - at.begin[2]; ++k) {
      for (Index j = lowest; j < highest; ++j) {
        weighted_rows(plane.data() + (j - lowest) * length, length, z.weight + z.points * k, z.points,
                      at.coarse.at(from, j, z.first[k]), at.coarse.plane);
      }
      for (Index j = j_begin; j < j_end; ++j) {
        weighted_rows(row.data(), length, y.weight + y.points * j, y.points,
                      plane.data() + (y.first[j] - lowest) * length, length);
        along_x(row.data(), from, at.fine.at(at.begin[0], at.begin[1] + j, at.begin[2] + k));
      }
    }
  };
  if (unknowns.size() == count) return interpolate(unknowns);
  for_parts(unknowns, interpolate);
}

}  // namespace

template <class Real>
CubicInterpolation<Real>::CubicInterpolation(ControlVolumeGrid fine, ControlVolumeGrid coarse,
                                             std::array<Index, 3> const& factor)
    : fine_(std::move(fine)), coarse_(std::move(coarse)) {
  for (Block const& block : coarse_.mesh->blocks()) parts_.push_back(part(block, factor));
  exchange_ = neighbour_exchange<Real>(coarse_, {.corners = true});
}

/// One axis of a block: for each fine unknown the first of its `points` coarse unknowns, relative to the block's first
/// one, and their weights.
template <class Real>
struct CubicInterpolation<Real>::Line {
  Index points = 1;
  Index lowest = 0;   ///< coarse unknown that may be read …
  Index highest = 0;  ///< … and the last one
  std::vector<Index> first;
  std::vector<double> weight;
};

template <class Real>
typename CubicInterpolation<Real>::Line CubicInterpolation<Real>::line(Block const& block, std::size_t a,
                                                                       Index factor) const {
  Line line;
  int const axis = static_cast<int>(a);
  Block const& fine_block = fine_.mesh->blocks()[block.local];
  bool const is_merged = factor > 1;
  // Ghosts are usable if another block, or this one across a periodic seam, fills them.
  line.lowest = is_merged && block.neighbour(axis, -1) ? -1 : 0;
  line.highest = coarse_.unknowns(block).extent(axis) - (is_merged && block.neighbour(axis, 1) ? 0 : 1);
  line.points = is_merged ? std::min<Index>(most_points, line.highest - line.lowest + 1) : 1;
  Index const first_fine = fine_.first_unknown(fine_block)[a];
  Index const first_coarse = coarse_.first_unknown(block)[a];
  for (Index i = 0; i < fine_.unknowns(fine_block).extent(axis); ++i) {
    double const x = fine_.volumes[a].position[place(first_fine + i)];
    // The parent is one of the two middle points around x; the side of x decides which.
    Index const parent = i / factor;
    bool const is_before = x < coarse_.volumes[a].position[place(first_coarse + parent)];
    Index const from =
        is_merged ? std::clamp(parent - (is_before ? 2 : 1), line.lowest, line.highest + 1 - line.points) : parent;
    std::vector<double> around;
    for (Index n = from; n < from + line.points; ++n) {
      around.push_back(position(coarse_.volumes[a], first_coarse + n));
    }
    std::vector<double> const of_unknown = line.points > 1 ? lagrange_weights(x, around) : std::vector<double>{1.0};
    line.weight.insert(line.weight.end(), of_unknown.begin(), of_unknown.end());
    line.first.push_back(from);
  }
  return line;
}

template <class Real>
typename CubicInterpolation<Real>::Part CubicInterpolation<Real>::part(Block const& block,
                                                                       std::array<Index, 3> const& factor) const {
  constexpr Index window = PairsOfLine<Real>::window;
  Part part;
  part.in_pairs = !kernel::is_host<Execution>;
  IndexRange const coarse_box = coarse_.unknowns(block);
  for (std::size_t a = 0; a < 3; ++a) {
    Line line = this->line(block, a, factor[a]);
    Index const count = static_cast<Index>(line.first.size());
    if (factor[a] != 2 || line.highest - line.lowest + 1 < window || count == 0) part.in_pairs = false;
    if (part.in_pairs) {
      std::vector<Index> first;
      std::vector<double> weights(place((count + 1) / 2 * 2 * window));
      for (Index i = 0; i < count; ++i) {
        if (i % 2 == 0) first.push_back(std::min(line.first[place(i)], line.highest + 1 - window));
        Index const at = window * i + line.first[place(i)] - first.back();
        std::copy_n(line.weight.begin() + line.points * i, line.points, weights.begin() + at);
      }
      for (Index& n : first) n += coarse_box.begin[a];
      part.first_of_pair[a] = on_device<Index>(first);
      part.weight_of_pair[a] = on_device<Real>(weights);
    }
    for (Index& n : line.first) n += coarse_box.begin[a];
    part.points[a] = static_cast<int>(line.points);
    part.first[a] = on_device<Index>(line.first);
    part.weight[a] = on_device<Real>(line.weight);
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
    fine.mark_written(block, unknowns, "interpolation");
    if constexpr (kernel::is_host<Execution>) {
      interpolate_rows(at, unknowns);
    } else if (part.in_pairs) {
      InterpolatedColumn<Real> column{};
      for (std::size_t a = 0; a < 3; ++a) {
        column.line[a] = {part.first_of_pair[a].data(), part.weight_of_pair[a].data(),
                          unknowns.extent(static_cast<int>(a))};
        column.begin[a] = unknowns.begin[a];
      }
      column.coarse = at.coarse;
      column.fine = at.fine;
      // A device needs many work items: with few columns, these are shorter.
      Index const columns = column.line[0].pairs() * column.line[1].pairs();
      constexpr Index many_columns = Index{1} << 14U;
      column.pairs_of_item = columns < many_columns ? 2 : 16;
      Index const items = (column.line[2].pairs() + column.pairs_of_item - 1) / column.pairs_of_item;
      for_box(execution(block), IndexRange{{0, 0, 0}, {column.line[0].pairs(), column.line[1].pairs(), items}}, column);
    } else {
      for_box(execution(block), unknowns, at);
    }
  }
}

template class CubicInterpolation<float>;
template class CubicInterpolation<double>;

}  // namespace halocline
