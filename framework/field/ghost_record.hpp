#pragma once

#include <array>
#include <string>
#include <typeinfo>
#include <utility>

#include "framework/mesh/block.hpp"
#include "framework/mesh/index_range.hpp"

namespace halocline {

class FieldBase;

/// Faces of a block, as bits: bit 2 * axis for the lower and 2 * axis + 1 for the upper side.
using FaceSet = unsigned;

/// What wrote a field: a functor, by its type, or another kernel, by a text that lives as long as the program.
struct GhostWriter {
  std::type_info const* functor = nullptr;
  char const* kernel = nullptr;
};

/// What the host knows of the ghosts of one component of a field on one block: how many layers there are and up to
/// which width, counted from the block, they are valid by face. Ghosts that an exchange fills are copies of what a
/// neighbour owns, and are valid until that is written. Ghosts beyond the end of the mesh are zero at first and stay
/// valid, until a boundary condition that depends on the values inside has filled them: from then on they are valid
/// until those values are written.
///
/// What a neighbour writes is not known here. All ranks are taken to do the same, so that a neighbour leaves alone as
/// many layers at the common face as this block does.
///
/// Costs some nanoseconds a sweep: nothing is allocated and nothing is looked up.
class GhostRecord {
 public:
  static constexpr int unlimited = 1 << 30;

  GhostRecord(FieldBase const& field, Block const& block, int component);

  /// The field's name, and "(component n)" where it has several.
  [[nodiscard]] std::string name() const;
  [[nodiscard]] std::string const& field() const { return field_; }
  void rename(std::string name) { field_ = std::move(name); }
  [[nodiscard]] int dimensions() const { return dimensions_; }
  /// Allocated layers on both sides of an axis.
  [[nodiscard]] int layers(int axis) const { return layers_[static_cast<std::size_t>(axis)]; }
  [[nodiscard]] Index owned(int axis) const { return owned_[static_cast<std::size_t>(axis)]; }
  /// Whether a block begins beyond a face, this one again or another: an exchange fills the ghosts there.
  [[nodiscard]] bool is_neighbour(int face) const { return (neighbours_ >> face & 1U) != 0; }
  /// "where rank 1 begins", "where the mesh ends", …
  [[nodiscard]] std::string beyond(int face) const;

  /// Up to which width ghosts are valid beyond a face …
  [[nodiscard]] int valid(int face) const { return valid_[static_cast<std::size_t>(face)]; }
  /// … on edges and corners where only neighbours meet …
  [[nodiscard]] int valid_inner_corners() const { return inner_corners_; }
  /// … and on those beside a wall.
  [[nodiscard]] int valid_wall_corners() const { return wall_corners_; }
  /// An exchange has begun and its ghosts have not come.
  [[nodiscard]] bool is_under_way(int face) const { return arriving_[static_cast<std::size_t>(face)] >= 0; }
  [[nodiscard]] GhostWriter const& writer() const { return writer_; }

  /// `range` has been written, ghosts in it as what they stand for.
  void write(IndexRange const& range, GhostWriter const& by);
  /// An exchange of `width` layers begins …
  void start_exchange(int width);
  /// … and is over. `corners`: it filled those on edges and corners as well.
  void finish_exchange(int width, bool corners);
  /// A boundary fill has written all ghosts beyond some faces, those of `following` from the values inside.
  void fill_walls(FaceSet walls, FaceSet following, bool corners);
  /// All ghosts hold one number.
  void fill_constant();
  /// All ghosts hold a function of the position.
  void fill_function();
  /// Ghosts hold what is to be found there, `width` layers.
  void validate(int width);
  /// All values are now those of `other`.
  void copy(GhostRecord const& other);

 private:
  // `distances`: of what is written from each face; below zero: so many layers of ghosts are written, too.
  void write_ghosts(IndexRange const& range, Index const (&distances)[6]);
  void invalidate(int face, Index const (&distances)[6]);
  void write_corners(Index const (&distances)[6]);

  // What does not change.
  std::string field_;
  std::array<int, 6> ranks_{};  ///< beyond each face
  std::array<Index, 3> owned_{};
  std::array<int, 3> layers_{};
  int component_ = -1;  ///< -1: the only one
  int rank_ = 0;
  int dimensions_ = 0;
  FaceSet faces_ = 0;       ///< those with ghosts
  FaceSet neighbours_ = 0;  ///< those where another block begins, or this one again
  FaceSet around_ = 0;      ///< those of `neighbours_` where the mesh closes on itself
  bool has_inner_corners_ = false;

  // What does.
  std::array<int, 6> valid_{};
  std::array<int, 6> arriving_{};  ///< what `finish_exchange` makes valid; -1: none is under way
  int inner_corners_ = unlimited;
  int wall_corners_ = unlimited;
  FaceSet following_ = 0;  ///< walls whose ghosts depend on the values inside
  GhostWriter writer_;
};

/// Something that happened to the ghosts that a record is about.
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

/// Brings a record up to date. All changes go this way, so that those of replayed work can be told again.
void tell(GhostEvent const& event);
void tell_written(GhostRecord& record, IndexRange const& range, GhostWriter const& by);

}  // namespace halocline
