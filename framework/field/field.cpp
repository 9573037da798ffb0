#include "framework/field/field.hpp"

#include "framework/field/ghost_poison.hpp"

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "framework/mesh/execution.hpp"
#include "framework/runtime/devices.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/for_each_index.hpp"
#include "framework/runtime/throw_site.hpp"

namespace halocline {

namespace {

using Host = Kokkos::HostSpace;
template <class Real>
using Values = Kokkos::View<Real*, Memory>;

/// Sets entries in memory order, with the threads' static division of sweeps: first touch places pages near their
/// users.
template <class Real>
void set_all(Execution const& execution, Values<Real> const& values, Real value) {
  for_each_index(
      "halocline fill", execution, static_cast<Index>(values.extent(0)), KOKKOS_LAMBDA(Index n) { values(n) = value; });
}

/// Requests huge pages for arrays of at least one huge page: with small pages a sweep over several planes is limited by
/// TLB misses. The request is only a hint. It is extended to whole huge pages beyond both ends of the array, so that
/// timings do not vary with the array's position.
[[maybe_unused]] void prefer_huge_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) {
#if defined(__linux__)
  constexpr std::size_t page = std::size_t{2} << 20U;
  if (bytes < page) return;
  auto const address = reinterpret_cast<std::uintptr_t>(memory);
  std::uintptr_t const begin = address / page * page;
  std::uintptr_t const end = (address + bytes + page - 1) / page * page;
  madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
#endif
}

template <class Real>
Values<Real> allocate(Block const& block, std::string const& name, Index entries) {
  throw_site(ThrowSite::allocation);
  try {
    Values<Real> values(Kokkos::view_alloc(execution(block), Kokkos::WithoutInitializing, name),
                        static_cast<std::size_t>(entries));
    if constexpr (memory_on_host) prefer_huge_pages(values.data(), values.span() * sizeof(Real));
    return values;
  } catch (std::exception const&) {
    throw Error(ExitCode::wrong_input,
                "field `" + name + "` needs " + std::to_string(entries * static_cast<Index>(sizeof(Real))) +
                    " bytes on block " + std::to_string(block.id) + ": that much memory cannot be allocated");
  }
}

/// A range of rows of owned entries, counted over all planes.
struct Rows {
  Index begin = 0;
  Index end = 0;
};

/// Copies between rows of owned entries in a view and a packed array of these rows in the same memory.
template <class Real, bool ToPacked>
void copy_packed(Execution const& execution, BlockView<Real> view, Real* packed, Extents const& extents, Rows rows) {
  Index const nx = extents[0];
  Index const ny = extents[1];
  if (nx == 0 || rows.begin == rows.end) return;
  // Adjacent threads of a device access adjacent entries.
  Index const length = memory_on_host ? nx : 1;
  using Policy = Kokkos::RangePolicy<Execution, Kokkos::IndexType<Index>>;
  Kokkos::parallel_for(
      "halocline copy owned", Policy(execution, 0, (rows.end - rows.begin) * (nx / length)), KOKKOS_LAMBDA(Index n) {
        Index const first = n * length;
        Index const row = rows.begin + first / nx;
        Real* const inside = view.at(first % nx, row % ny, row / ny);
        Real* const outside = packed + first;
        for (Index i = 0; i < length; ++i) {
          if constexpr (ToPacked) {
            outside[i] = inside[i];
          } else {
            inside[i] = outside[i];
          }
        }
      });
}

/// Copies all owned entries between a view on a device and a packed array on the host, in parts, so that the device
/// needs no memory for a second field.
template <class Real, bool ToHost>
void copy_by_parts(Execution const& execution, BlockView<Real> view, Real* host, Extents const& extents) {
  constexpr Index part_bytes = Index{1} << 26;
  Index const all = extents[1] * extents[2];
  if (extents[0] * all == 0) return;
  Index const most = std::clamp<Index>(part_bytes / (extents[0] * static_cast<Index>(sizeof(Real))), 1, all);
  Values<Real> packed(Kokkos::view_alloc(execution, Kokkos::WithoutInitializing, "packed"),
                      static_cast<std::size_t>(most * extents[0]));
  for (Index row = 0; row < all; row += most) {
    Rows const rows{row, std::min(row + most, all)};
    auto const entries = static_cast<std::size_t>((rows.end - rows.begin) * extents[0]);
    auto const here = Kokkos::subview(packed, std::pair<std::size_t, std::size_t>(0, entries));
    Kokkos::View<Real*, Host, Kokkos::MemoryUnmanaged> const there(host + row * extents[0], entries);
    if constexpr (ToHost) {
      copy_packed<Real, true>(execution, view, packed.data(), extents, rows);
      Kokkos::deep_copy(execution, there, here);
    } else {
      Kokkos::deep_copy(execution, here, there);
      copy_packed<Real, false>(execution, view, packed.data(), extents, rows);
    }
  }
  // The copies must finish before the parts' memory is freed.
  execution.fence();
}

/// Sets ghosts that only an exchange or a fill of corners writes to NaN.
template <class Real>
void poison(Block const& block, Values<Real> const& values, BlockLayout const& layout, IndexRange const& owned,
            IndexRange const& all, int components) {
  auto const host = Kokkos::create_mirror_view_and_copy(Host(), values);
  for (int c = 0; c < components; ++c) {
    for (Index k = all.begin[2]; k < all.end[2]; ++k) {
      for (Index j = all.begin[1]; j < all.end[1]; ++j) {
        for (Index i = all.begin[0]; i < all.end[0]; ++i) {
          Extents const at{i, j, k};
          int outside = 0;
          bool is_brought = false;
          for (std::size_t axis = 0; axis < 3; ++axis) {
            int const side = at[axis] < owned.begin[axis] ? -1 : at[axis] >= owned.end[axis] ? 1 : 0;
            if (side == 0) continue;
            ++outside;
            is_brought = is_brought || block.neighbour(static_cast<int>(axis), side).has_value();
          }
          if (outside == 0 || (outside == 1 && !is_brought)) continue;
          host(layout.first + c * layout.component + i + j * layout.row + k * layout.plane) =
              std::numeric_limits<Real>::quiet_NaN();
        }
      }
    }
  }
  Kokkos::deep_copy(values, host);
}

bool poisons = false;

template <class Real>
void require_size(FieldBase const& field, IndexRange const& owned, std::size_t bytes) {
  if (static_cast<Index>(bytes) != owned.size() * static_cast<Index>(sizeof(Real))) {
    throw DefectError("field `" + field.name() + "`: a buffer of " + std::to_string(bytes) + " bytes for " +
                      std::to_string(owned.size()) + " entries");
  }
}

}  // namespace

void poison_ghosts(bool on) { poisons = on; }
bool ghosts_are_poisoned() { return poisons; }

template <class Real>
Field<Real>::Field(std::shared_ptr<Mesh const> mesh, FieldDescription description)
    : FieldBase(std::move(mesh), std::move(description)) {
  for (Block const& block : this->mesh().blocks()) {
    CurrentDevice const current(device_of(block));
    BlockLayout const layout =
        block_layout(owned(block).extents(), this->mesh().dimensions(), ghosts(), components(), sizeof(Real));
    storage_.push_back({allocate<Real>(block, name(), layout.entries), layout});
    set_all(execution(block), storage_.back().values, Real{0});
    if (poisons) {
      execution(block).fence();
      poison(block, storage_.back().values, layout, owned(block), with_ghosts(block), components());
    }
  }
}

template <class Real>
FieldView<Real> Field<Real>::view(Block const& block, int component) {
  Storage const& storage = storage_[block.local];
  BlockView<Real> const plain{storage.values.data() + storage.layout.first + component * storage.layout.component,
                              storage.layout.row, storage.layout.plane};
  return {plain, &ghost_record(block, component)};
}

template <class Real>
FieldView<Real const> Field<Real>::view(Block const& block, int component) const {
  return const_cast<Field&>(*this).view(block, component);
}

template <class Real>
Precision Field<Real>::precision() const {
  return std::is_same_v<Real, float> ? Precision::single : Precision::double_;
}

template <class Real>
std::unique_ptr<FieldBase> Field<Real>::create_like(std::string name) const {
  FieldDescription like = description();
  like.name = std::move(name);
  return std::make_unique<Field>(shared_mesh(), std::move(like));
}

template <class Real>
void Field<Real>::fill(Real value) {
  for (Block const& block : mesh().blocks()) {
    CurrentDevice const current(device_of(block));
    set_all(execution(block), storage_[block.local].values, value);
    for (int c = 0; c < components(); ++c) {
      notify({.kind = GhostEvent::Kind::fill_constant, .record = &ghost_record(block, c)});
    }
  }
}

template <class Real>
Field<Real> const& Field<Real>::same_space(FieldBase const& other) const {
  bool const same = &mesh() == &other.mesh() && centring() == other.centring() && components() == other.components() &&
                    ghosts() == other.ghosts() && precision() == other.precision();
  if (!same) throw DefectError("fields `" + name() + "` and `" + other.name() + "` are of different spaces");
  return static_cast<Field const&>(other);
}

template <class Real>
void Field<Real>::copy(FieldBase const& from) {
  Field const& other = same_space(from);
  for (Block const& block : mesh().blocks()) {
    CurrentDevice const current(device_of(block));
    Kokkos::deep_copy(execution(block), storage_[block.local].values, other.storage_[block.local].values);
    for (int c = 0; c < components(); ++c) {
      notify(
          {.kind = GhostEvent::Kind::copy, .record = &ghost_record(block, c), .from = &other.ghost_record(block, c)});
    }
  }
}

template <class Real>
void Field<Real>::swap_values(Field& other) {
  static_cast<void>(same_space(other));
  storage_.swap(other.storage_);
  swap_ghost_records(other);
}

template <class Real>
void Field<Real>::copy_owned(Block const& block, int component, std::span<std::byte> to) const {
  CurrentDevice const current(device_of(block));
  IndexRange const range = owned(block);
  require_size<Real>(*this, range, to.size());
  auto* const host = reinterpret_cast<Real*>(to.data());
  auto const view = const_cast<Field&>(*this).view(block, component);
  if constexpr (memory_on_host) {
    copy_packed<Real, true>(execution(block), view, host, range.extents(), {0, range.extent(1) * range.extent(2)});
  } else {
    copy_by_parts<Real, true>(execution(block), view, host, range.extents());
  }
  execution(block).fence();
}

template <class Real>
void Field<Real>::set_owned(Block const& block, int component, std::span<std::byte const> from) {
  CurrentDevice const current(device_of(block));
  IndexRange const range = owned(block);
  require_size<Real>(*this, range, from.size());
  auto* const host = const_cast<Real*>(reinterpret_cast<Real const*>(from.data()));
  if constexpr (memory_on_host) {
    copy_packed<Real, false>(execution(block), view(block, component), host, range.extents(),
                             {0, range.extent(1) * range.extent(2)});
  } else {
    copy_by_parts<Real, false>(execution(block), view(block, component), host, range.extents());
  }
  execution(block).fence();
  mark_written(block, range, "Field::set_owned", component);
}

template class Field<float>;
template class Field<double>;

}  // namespace halocline
