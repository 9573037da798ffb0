#pragma once

#include <array>
#include <string>
#include <typeinfo>
#include <utility>

#include "framework/mesh/block.hpp"
#include "framework/mesh/index_range.hpp"

namespace halocline {

class FieldBase;

/// Fills ghosts in the background.
class GhostsInFlight {
 public:
  /// Waits for them.
  virtual void finish() = 0;
  /// A field ends before its ghosts have come, as when an error unwinds: they are filled no more.
  virtual void abandon() noexcept = 0;

 protected:
  ~GhostsInFlight() = default;
};

/// Faces of a block, as bits: bit 2 * axis for the lower and 2 * axis + 1 for the upper side.
using FaceSet = unsigned;

/// The writer of a field: a functor's type, or the name of another kernel, which lives as long as the program.
struct GhostWriter {
  std::type_info const* functor = nullptr;
  char const* kernel = nullptr;
};

/// The validity of the ghosts of one component of a field on one block: for each face, the number of layers and the
/// width, counted from the block, up to which they are valid. Ghosts filled by an exchange are copies of a neighbour's
/// owned entries and are valid until those are written. Ghosts beyond the end of the mesh are initially zero and valid.
/// Once a boundary condition that depends on interior values has filled them, they are valid until those values are
/// written.
///
/// Writes of neighbours are not known here. All ranks are assumed to run the same sweeps, so that a neighbour leaves as
/// many layers unwritten at the common face as this block does.
///
/// Costs a few nanoseconds a sweep: no allocation and no lookup.
class GhostRecord {
 public:
  static constexpr int unlimited = 1 << 30;

  GhostRecord(FieldBase const& field, Block const& block, int component);

  /// The field's name, and "(component n)" if it has several.
  [[nodiscard]] std::string name() const;
  [[nodiscard]] std::string const& field() const { return field_; }
  void rename(std::string name) { field_ = std::move(name); }
  [[nodiscard]] int dimensions() const { return dimensions_; }
  /// Number of ghost layers on each side of an axis.
  [[nodiscard]] int layers(int axis) const { return layers_[static_cast<std::size_t>(axis)]; }
  [[nodiscard]] Index owned(int axis) const { return owned_[static_cast<std::size_t>(axis)]; }
  /// Whether there is a block beyond a face (possibly this one, if periodic): an exchange fills the ghosts there.
  [[nodiscard]] bool is_neighbour(int face) const { return (neighbours_ >> face & 1U) != 0; }
  /// "where rank 1 begins", "where the mesh ends", …
  [[nodiscard]] std::string beyond(int face) const;

  /// Width up to which ghosts are valid beyond a face.
  [[nodiscard]] int valid(int face) const { return valid_[static_cast<std::size_t>(face)]; }
  /// The same on edges and corners between neighbours.
  [[nodiscard]] int valid_inner_corners() const { return inner_corners_; }
  /// The same on edges and corners beside a wall.
  [[nodiscard]] int valid_wall_corners() const { return wall_corners_; }
  /// Whether an exchange of this face has started and not finished.
  [[nodiscard]] bool is_under_way(int face) const { return arriving_[static_cast<std::size_t>(face)] >= 0; }
  [[nodiscard]] GhostWriter const& writer() const { return writer_; }
  /// Whether `width` layers that an exchange fills are valid, with `corners` also those on edges and corners.
  [[nodiscard]] bool has_exchanged(int width, bool corners) const;
  /// Whether an exchange has ever filled these ghosts: then they are likely to be read again.
  [[nodiscard]] bool was_exchanged() const { return was_exchanged_; }
  /// The exchange that is filling these ghosts; null: none.
  [[nodiscard]] GhostsInFlight* in_flight() const { return in_flight_; }
  void set_in_flight(GhostsInFlight* by) { in_flight_ = by; }

  /// `range` was written; ghosts in it have correct values.
  void write(IndexRange const& range, GhostWriter const& by);
  /// An exchange of `width` layers has started.
  void start_exchange(int width);
  /// The exchange has finished. `corners`: it also filled edges and corners.
  void finish_exchange(int width, bool corners);
  /// A boundary fill has written all ghosts beyond the faces `walls`; those of `following` depend on interior values.
  void fill_walls(FaceSet walls, FaceSet following, bool corners);
  /// All ghosts have the same value.
  void fill_constant();
  /// All ghosts have the values of a function of position.
  void fill_function();
  /// `width` layers of ghosts have correct values.
  void validate(int width);
  /// All values are now copies of those of `other`.
  void copy(GhostRecord const& other);

 private:
  // `distances`: from the written range to each face; negative: number of ghost layers written as well.
  void write_ghosts(IndexRange const& range, Index const (&distances)[6]);
  void invalidate(int face, Index const (&distances)[6]);
  void write_corners(Index const (&distances)[6]);

  // Constant data.
  std::string field_;
  std::array<int, 6> ranks_{};  ///< rank beyond each face
  std::array<Index, 3> owned_{};
  std::array<int, 3> layers_{};
  int component_ = -1;  ///< -1: the only one
  int rank_ = 0;
  int dimensions_ = 0;
  FaceSet faces_ = 0;       ///< those with ghosts
  FaceSet neighbours_ = 0;  ///< those with a block beyond (possibly this one)
  FaceSet around_ = 0;      ///< those of `neighbours_` where the mesh is periodic
  bool has_inner_corners_ = false;

  // Variable data.
  std::array<int, 6> valid_{};
  std::array<int, 6> arriving_{};  ///< width that `finish_exchange` will make valid; -1: no exchange in progress
  int inner_corners_ = unlimited;
  int wall_corners_ = unlimited;
  FaceSet following_ = 0;  ///< walls whose ghosts depend on interior values
  GhostWriter writer_;
  bool was_exchanged_ = false;
  GhostsInFlight* in_flight_ = nullptr;
};

/// A change to the ghosts of a record.
struct GhostEvent {
  enum class Kind { write, start_exchange, finish_exchange, fill_walls, fill_constant, fill_function, validate, copy };
  Kind kind;
  GhostRecord* record;
  IndexRange range{};
  GhostWriter writer{};
  int width = 0;
  FaceSet walls = 0;
  FaceSet following = 0;
  bool corners = false;
  GhostRecord const* from = nullptr;
};

/// Applies an event to its record. All changes are made this way, so that a GhostJournal can replay them.
void notify(GhostEvent const& event);
void notify_written(GhostRecord& record, IndexRange const& range, GhostWriter const& by);

}  // namespace halocline
