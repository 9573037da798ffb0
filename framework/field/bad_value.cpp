#include "framework/field/bad_value.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include "framework/runtime/communicator.hpp"

namespace halocline {

namespace {

constexpr Index none = std::numeric_limits<Index>::max();

/// A value with its global index, x fastest.
struct Found {
  Index index = none;
  double value = 0;
};

template <class Real>
Found first_of(FieldBase const& field, Block const& block, int component) {
  IndexRange const owned = field.owned(block);
  std::vector<Real> values(static_cast<std::size_t>(owned.size()));
  field.copy_owned(block, component, std::as_writable_bytes(std::span(values)));
  Extents const begin = field.mesh().global_owned(block.id, field.centring()).begin;
  Extents const all = field.mesh().extents(field.centring());
  for (std::size_t n = 0; n < values.size(); ++n) {
    if (std::isfinite(values[n])) continue;
    auto const local = static_cast<Index>(n);
    Index const i = begin[0] + local % owned.extent(0);
    Index const j = begin[1] + local / owned.extent(0) % owned.extent(1);
    Index const k = begin[2] + local / (owned.extent(0) * owned.extent(1));
    return {i + all[0] * (j + all[1] * k), static_cast<double>(values[n])};
  }
  return {};
}

Found first_of_blocks(FieldBase const& field, int component) {
  Found first;
  for (Block const& block : field.mesh().blocks()) {
    Found const found = field.precision() == Precision::single ? first_of<float>(field, block, component)
                                                               : first_of<double>(field, block, component);
    if (found.index < first.index) first = found;
  }
  return first;
}

/// Broadcasts a value from the only rank that has it.
double value_of(Communicator const& communicator, Found const& mine, Index index) {
  Index const owner = communicator.max(mine.index == index ? Index{communicator.rank()} : Index{-1});
  double value = mine.value;
  communicator.broadcast(std::as_writable_bytes(std::span(&value, 1)), static_cast<int>(owner));
  return value;
}

}  // namespace

std::optional<BadValue> first_bad_value(std::span<FieldBase const* const> fields) {
  for (std::size_t n = 0; n < fields.size(); ++n) {
    FieldBase const& field = *fields[n];
    Communicator const& communicator = field.mesh().communicator();
    Extents const all = field.mesh().extents(field.centring());
    for (int component = 0; component < field.components(); ++component) {
      Found const mine = first_of_blocks(field, component);
      Index const index = communicator.min(mine.index);
      if (index == none) continue;
      Extents const place{index % all[0], index / all[0] % all[1], index / (all[0] * all[1])};
      return BadValue{n, component, place, value_of(communicator, mine, index)};
    }
  }
  return std::nullopt;
}

}  // namespace halocline
