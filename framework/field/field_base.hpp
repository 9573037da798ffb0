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

/// What a field is made from.
struct FieldDescription {
  std::string name;
  std::string unit{};  ///< "K", "J/m^3"; empty: none
  Centring centring = Centring::cell;
  int components = 1;
  int ghosts = 1;         ///< layers on each side of every axis the mesh has; 0 and more
  bool vector = false;    ///< components are those of a vector: a reflecting wall turns the normal one around
  bool position = false;  ///< of points: where each lies, three components
};
/// Whether a field says where points lie: a position of three components.
[[nodiscard]] inline bool is_position(FieldDescription const& field) { return field.position && field.components == 3; }

/// Where the entries of one block's allocation lie. Component c, entry (i, j, k) is `first + c * component + i + j *
/// row
/// + k * plane` entries after the allocation's beginning; the first owned entry of each row is 64-byte aligned.
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

/// A field whose precision is not known at compile time: what output, exchange and solvers need of it.
class FieldBase {
 public:
  virtual ~FieldBase() = default;

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
  /// Bytes that this rank's allocations take.
  [[nodiscard]] Index bytes() const;

  [[nodiscard]] virtual Precision precision() const = 0;
  [[nodiscard]] virtual std::size_t bytes_per_entry() const = 0;
  [[nodiscard]] virtual BlockLayout const& layout(Block const& block) const = 0;
  /// Beginning of a block's allocation, in the backend's memory.
  [[nodiscard]] virtual void* data(Block const& block) = 0;
  [[nodiscard]] virtual void const* data(Block const& block) const = 0;

  /// What is known of the ghosts of a component on a block.
  [[nodiscard]] GhostRecord& ghost_record(Block const& block, int component = 0) {
    return ghost_records_[place_of(block, component)];
  }
  [[nodiscard]] GhostRecord const& ghost_record(Block const& block, int component = 0) const {
    return ghost_records_[place_of(block, component)];
  }
  /// To be called by whoever writes `range` (local indices) by a kernel other than a sweep: the ghosts that follow from
  /// what is written are no longer valid. `by`: a text that lives as long as the program, for messages.
  void mark_written(Block const& block, IndexRange const& range, char const* by, int component = 0) {
    tell_written(ghost_record(block, component), range, {.kernel = by});
  }
  /// To be called by whoever writes ghosts in a way that is not known here: `width` layers of all components hold what
  /// is to be found there.
  void mark_ghosts_valid(int width);

  /// A new field on the same mesh with the same description but another name, zero everywhere.
  [[nodiscard]] virtual std::unique_ptr<FieldBase> create_like(std::string name) const = 0;

  /// All entries, ghosts and padding included, become those of `from`. Enqueued on the blocks' streams. Throws
  /// DefectError unless both have the same mesh, centring, components, ghosts and precision.
  virtual void copy(FieldBase const& from) = 0;

  /// Copies the owned entries of one component to host memory: x fastest, no padding, in the field's precision. Waits
  /// for the block's work. Throws DefectError if `to` does not hold owned(block).size() entries.
  virtual void copy_owned(Block const& block, int component, std::span<std::byte> to) const = 0;
  /// The way back; ghosts stay as they are.
  virtual void set_owned(Block const& block, int component, std::span<std::byte const> from) = 0;

 protected:
  /// Throws InputError for an empty name, components < 1 or ghosts < 0.
  FieldBase(std::shared_ptr<Mesh const> mesh, FieldDescription description);
  FieldBase(FieldBase&&) = default;
  FieldBase& operator=(FieldBase&&) = default;
  /// The records go with the memory that they are about, the names stay.
  void swap_ghost_records(FieldBase& other);

 private:
  [[nodiscard]] std::size_t place_of(Block const& block, int component) const {
    return block.local * static_cast<std::size_t>(components()) + static_cast<std::size_t>(component);
  }

  std::shared_ptr<Mesh const> mesh_;
  FieldDescription description_;
  std::vector<GhostRecord> ghost_records_;  ///< by Block::local, then component
};

/// Whether one of the fields, and only one, says that.
[[nodiscard]] bool have_one_position(std::span<FieldBase const* const> fields);

}  // namespace halocline
