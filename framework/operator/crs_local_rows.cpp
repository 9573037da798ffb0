#include "framework/operator/crs_local_rows.hpp"

#include "framework/field/field.hpp"
#include "framework/mesh/execution.hpp"
#include "framework/operator/device_array.hpp"

namespace halocline {

namespace {

using Numbers = Kokkos::View<int*, Memory>;
constexpr int elsewhere = -1;

struct MarkUnknowns {
  BlockLayout layout;
  Numbers number;
  KOKKOS_FUNCTION void operator()(Index i, Index j, Index k) const {
    number(static_cast<std::size_t>(layout.first + i + j * layout.row + k * layout.plane)) = 0;
  }
};

/// Numbers the marked entries, and stores their positions once `places` is allocated.
struct NumberUnknowns {
  Numbers number;
  Numbers places;
  KOKKOS_FUNCTION void operator()(std::size_t place, int& next, bool is_final) const {
    if (number(place) == elsewhere) return;
    if (is_final) {
      number(place) = next;
      if (places.extent(0) > 0) places(static_cast<std::size_t>(next)) = static_cast<int>(place);
    }
    ++next;
  }
};

template <class Real>
struct CountLocalEntries {
  CrsRows<Real> from;
  Numbers number;
  Numbers places;
  CrsRows<Real> to;
  KOKKOS_FUNCTION void operator()(std::size_t row, int& sum, bool is_final) const {
    if (is_final) to.offsets(row) = sum;
    if (row == places.extent(0)) return;
    auto const place = static_cast<std::size_t>(places(row));
    for (int n = from.offsets(place); n < from.offsets(place + 1); ++n) {
      int const column = from.columns(static_cast<std::size_t>(n));
      if (number(static_cast<std::size_t>(column)) != elsewhere) ++sum;
    }
  }
};

template <class Real>
struct CopyLocalEntries {
  CrsRows<Real> from;
  Numbers number;
  Numbers places;
  CrsRows<Real> to;
  KOKKOS_FUNCTION void operator()(std::size_t row) const {
    auto at = static_cast<std::size_t>(to.offsets(row));
    auto const place = static_cast<std::size_t>(places(row));
    for (int n = from.offsets(place); n < from.offsets(place + 1); ++n) {
      auto const entry = static_cast<std::size_t>(n);
      int const column = number(static_cast<std::size_t>(from.columns(entry)));
      if (column == elsewhere) continue;
      to.columns(at) = column;
      to.values(at++) = from.values(entry);
    }
  }
};

template <class Real>
struct Gather {
  Real const* from;
  Numbers places;
  Kokkos::View<Real*, Memory> to;
  KOKKOS_FUNCTION void operator()(std::size_t n) const { to(n) = from[places(n)]; }
};

template <class Real>
struct Scatter {
  Kokkos::View<Real*, Memory> from;
  Numbers places;
  Real* to;
  KOKKOS_FUNCTION void operator()(std::size_t n) const { to[places(n)] = from(n); }
};

[[nodiscard]] auto range(Execution const& where, std::size_t end) {
  return Kokkos::RangePolicy<Execution>(where, 0, end);
}

}  // namespace

template <class Real>
CrsLocalRows<Real> local_rows(Execution const& where, CrsRows<Real> const& rows, BlockLayout const& layout,
                              IndexRange const& unknowns) {
  std::size_t const entries = rows.offsets.extent(0) - 1;
  auto const number = device_array<int>("numbers of unknowns", entries);
  Kokkos::deep_copy(where, number, elsewhere);
  CrsLocalRows<Real> local;
  if (unknowns.empty()) return local;
  using Policy = Kokkos::MDRangePolicy<Execution, Kokkos::Rank<3, Kokkos::Iterate::Left, Kokkos::Iterate::Left>,
                                       Kokkos::IndexType<Index>>;
  auto const& [begin, end] = unknowns;
  Kokkos::parallel_for(Policy(where, {begin[0], begin[1], begin[2]}, {end[0], end[1], end[2]}),
                       MarkUnknowns{layout, number});
  auto const count = static_cast<std::size_t>(unknowns.size());
  local.places = device_array<int>("places of unknowns", count);
  Kokkos::parallel_scan(range(where, entries), NumberUnknowns{number, local.places});
  local.rows.offsets = device_array<int>("offsets of rows", count + 1);
  int sum = 0;
  Kokkos::parallel_scan(range(where, count + 1), CountLocalEntries<Real>{rows, number, local.places, local.rows}, sum);
  local.rows.columns = device_array<int>("columns", static_cast<std::size_t>(sum));
  local.rows.values = device_array<Real>("values", static_cast<std::size_t>(sum));
  Kokkos::parallel_for(range(where, count), CopyLocalEntries<Real>{rows, number, local.places, local.rows});
  return local;
}

template <class Real>
CrsBlockSolve<Real>::CrsBlockSolve(std::vector<CrsLocalRows<Real>> blocks) : blocks_(std::move(blocks)) {
  for (auto const& block : blocks_) {
    auto const count = static_cast<std::size_t>(block.size());
    work_.emplace_back(Values("halocline: right-hand side", count), Values("halocline: solution", count));
  }
}

template <class Real>
void CrsBlockSolve<Real>::apply(Vector const& r, Vector& z) {
  Field<Real> const& from = as_field_vector<Real>(r).field();
  Field<Real>& to = as_field_vector<Real>(z).field();
  for (Block const& block : from.mesh().blocks()) {
    CrsLocalRows<Real> const& local = blocks_[block.local];
    auto const& [b, x] = work_[block.local];
    if (local.size() == 0) continue;
    Kokkos::parallel_for(range(execution(block), b.extent(0)),
                         Gather<Real>{static_cast<Real const*>(from.data(block)), local.places, b});
    solve(execution(block), block.local, b, x);
    Kokkos::parallel_for(range(execution(block), x.extent(0)),
                         Scatter<Real>{x, local.places, static_cast<Real*>(to.data(block))});
    to.mark_written(block, to.owned(block), "preconditioner made of a matrix");
  }
}

template CrsLocalRows<float> local_rows(Execution const&, CrsRows<float> const&, BlockLayout const&, IndexRange const&);
template CrsLocalRows<double> local_rows(Execution const&, CrsRows<double> const&, BlockLayout const&,
                                         IndexRange const&);
template class CrsBlockSolve<float>;
template class CrsBlockSolve<double>;

}  // namespace halocline
