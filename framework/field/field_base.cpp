#include "framework/field/field_base.hpp"

#include <algorithm>
#include <utility>

#include "framework/runtime/error.hpp"
#include "framework/runtime/round_up.hpp"

namespace halocline {

namespace {

constexpr Index cache_line = 64;  // bytes: the alignment of rows

Index product(Index a, Index b) {
  Index result = 0;
  if (__builtin_mul_overflow(a, b, &result)) throw InputError("a field's size does not fit in 64 bits");
  return result;
}

}  // namespace

BlockLayout block_layout(Extents const& owned, int dimensions, int ghosts, int components,
                         std::size_t bytes_per_entry) {
  auto const bytes = static_cast<Index>(bytes_per_entry);
  Extents layers{0, 0, 0};
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(dimensions); ++axis) layers[axis] = ghosts;
  Extents rows{0, owned[1] + 2 * layers[1], owned[2] + 2 * layers[2]};
  Index const lead = round_up(layers[0], cache_line / bytes);

  BlockLayout layout;
  // Ghosts at the end of a row and those at the beginning of the next share the gap between their owned entries.
  layout.row = round_up(owned[0] + 2 * layers[0], cache_line / bytes);
  layout.plane = product(layout.row, rows[1]);
  layout.component = product(layout.plane, rows[2]);
  layout.first = lead + layers[1] * layout.row + layers[2] * layout.plane;
  layout.entries = product(layout.component, components) + lead;
  static_cast<void>(product(layout.entries, bytes));
  return layout;
}

FieldBase::FieldBase(std::shared_ptr<Mesh const> mesh, FieldDescription description)
    : mesh_(std::move(mesh)), description_(std::move(description)) {
  if (description_.name.empty()) throw InputError("a field needs a name");
  if (description_.components < 1) {
    throw InputError("field `" + name() + "` has " + std::to_string(components()) +
                     " components: it needs one or more");
  }
  if (description_.ghosts < 0) {
    throw InputError("field `" + name() + "` has " + std::to_string(ghosts()) + " ghost layers: it needs zero or more");
  }
  for (Block const& block : mesh_->blocks()) {
    for (int c = 0; c < components(); ++c) ghost_records_.emplace_back(*this, block, c);
  }
}

FieldBase::~FieldBase() {
  for (GhostRecord const& record : ghost_records_) {
    if (record.in_flight() != nullptr) record.in_flight()->abandon();
  }
}

void FieldBase::mark_ghosts_valid(int width) {
  for (GhostRecord& record : ghost_records_) {
    notify({.kind = GhostEvent::Kind::validate, .record = &record, .width = width});
  }
}

void FieldBase::swap_ghost_records(FieldBase& other) {
  ghost_records_.swap(other.ghost_records_);
  for (GhostRecord& record : ghost_records_) record.rename(name());
  for (GhostRecord& record : other.ghost_records_) record.rename(other.name());
}

Index FieldBase::bytes() const {
  Index bytes = 0;
  for (Block const& block : mesh_->blocks()) bytes += layout(block).entries * static_cast<Index>(bytes_per_entry());
  return bytes;
}

bool have_one_position(std::span<FieldBase const* const> fields) {
  return std::ranges::count_if(fields, [](FieldBase const* field) { return is_position(field->description()); }) == 1;
}

}  // namespace halocline
