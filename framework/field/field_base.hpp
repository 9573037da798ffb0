#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "framework/field/ghost_record.hpp"
#include "framework/mesh/mesh.hpp"
#include "framework/runtime/precision.hpp"

namespace halocline {

/// Parameters of a field.
struct FieldDescription {
  std::string name;
  std::string unit{};  ///< "K", "J/m^3"; empty: none
  Centring centring = Centring::cell;
  int components = 1;
  int ghosts = 1;         ///< layers on each side of every axis of the mesh; at least 0
  bool vector = false;    ///< components form a vector: a reflecting wall changes the sign of the normal one
  bool position = false;  ///< for points: their positions, three components
};
/// Whether a field has the positions of points, with three components.
[[nodiscard]] inline bool is_position(FieldDescription const& field) { return field.position && field.components == 3; }

/// Memory layout of one block's allocation, in entries. Component c of entry (i, j, k) is at offset
/// first + c * component + i + j * row + k * plane; the first owned entry of each row is 64-byte aligned.
struct BlockLayout {
  Index first = 0;
  Index row = 0;
  Index plane = 0;
  Index component = 0;
  Index entries = 0;  ///< of the whole allocation
};

/// The layout of a block with `owned` entries per axis on a mesh with `dimensions` axes.
[[nodiscard]] BlockLayout block_layout(Extents const& owned, int dimensions, int ghosts, int components,
                                       std::size_t bytes_per_entry);

/// A field with run-time precision: the interface for output, exchange and solvers.
class FieldBase {
 public:
  virtual ~FieldBase();

  [[nodiscard]] std::string const& name() const { return description_.name; }
  [[nodiscard]] std::string const& unit() const { return description_.unit; }
  [[nodiscard]] Centring centring() const { return description_.centring; }
  [[nodiscard]] int components() const { return description_.components; }
  [[nodiscard]] int ghosts() const { return description_.ghosts; }
  [[nodiscard]] bool is_vector() const { return description_.vector; }
  [[nodiscard]] FieldDescription const& description() const { return description_; }
  [[nodiscard]] Mesh const& mesh() const { return *mesh_; }
  [[nodiscard]] std::shared_ptr<Mesh const> const& shared_mesh() const { return mesh_; }

  /// Local range of the owned entries of a block: begins at 0.
  [[nodiscard]] IndexRange owned(Block const& block) const { return mesh_->owned(block, centring()); }
  /// `owned` and all ghosts.
  [[nodiscard]] IndexRange with_ghosts(Block const& block) const {
    return mesh_->with_ghosts(block, centring(), ghosts());
  }
  /// Bytes of this rank's allocations.
  [[nodiscard]] Index bytes() const;

  [[nodiscard]] virtual Precision precision() const = 0;
  [[nodiscard]] virtual std::size_t bytes_per_entry() const = 0;
  [[nodiscard]] virtual BlockLayout const& layout(Block const& block) const = 0;
  /// Beginning of a block's allocation, in the backend's memory.
  [[nodiscard]] virtual void* data(Block const& block) = 0;
  [[nodiscard]] virtual void const* data(Block const& block) const = 0;

  /// The validity of a component's ghosts on a block.
  [[nodiscard]] GhostRecord& ghost_record(Block const& block, int component = 0) {
    return ghost_records_[place_of(block, component)];
  }
  [[nodiscard]] GhostRecord const& ghost_record(Block const& block, int component = 0) const {
    return ghost_records_[place_of(block, component)];
  }
  /// Call after a kernel other than a sweep writes `range` (local indices): ghosts that depend on it are no longer
  /// valid. `by`: a text for messages that lives as long as the program.
  void mark_written(Block const& block, IndexRange const& range, char const* by, int component = 0) {
    notify_written(ghost_record(block, component), range, {.kernel = by});
  }
  /// Call after ghosts are written in a way that is not recorded: `width` layers of all components have correct values.
  void mark_ghosts_valid(int width);

  /// Waits for an exchange that is filling ghosts of this field, after which its owned entries may be written.
  void finish_exchange() {
    if (GhostsInFlight* const exchange = ghost_records_.front().in_flight()) exchange->finish();
  }

  /// A new field on the same mesh with the same description but another name; zero everywhere.
  [[nodiscard]] virtual std::unique_ptr<FieldBase> create_like(std::string name) const = 0;

  /// Copies all entries of `from`, including ghosts and padding. Enqueued on the blocks' streams. Throws DefectError
  /// unless both have the same mesh, centring, components, ghosts and precision.
  virtual void copy(FieldBase const& from) = 0;

  /// Copies the owned entries of one component to host memory: x fastest, no padding, in the field's precision. Waits
  /// for the block's work. Throws DefectError if `to` does not have the size of owned(block).size() entries.
  virtual void copy_owned(Block const& block, int component, std::span<std::byte> to) const = 0;
  /// The reverse copy; ghosts do not change.
  virtual void set_owned(Block const& block, int component, std::span<std::byte const> from) = 0;

 protected:
  /// Throws InputError for an empty name, components < 1 or ghosts < 0.
  FieldBase(std::shared_ptr<Mesh const> mesh, FieldDescription description);
  FieldBase(FieldBase&&) = default;
  FieldBase& operator=(FieldBase&&) = default;
  /// Records stay with the memory that they describe; names stay with the fields.
  void swap_ghost_records(FieldBase& other);

 private:
  [[nodiscard]] std::size_t place_of(Block const& block, int component) const {
    return block.local * static_cast<std::size_t>(components()) + static_cast<std::size_t>(component);
  }

  std::shared_ptr<Mesh const> mesh_;
  FieldDescription description_;
  std::vector<GhostRecord> ghost_records_;  ///< by Block::local, then component
};

template <class Real>
class Field;
template <class Real>
using Fields = std::vector<std::shared_ptr<Field<Real>>>;

/// Whether exactly one of the fields has the positions of points.
[[nodiscard]] bool have_one_position(std::span<FieldBase const* const> fields);

}  // namespace halocline
