#include "framework/field/ghost_record.hpp"

#include <algorithm>

#include "framework/field/field_base.hpp"
#include "framework/field/ghost_events.hpp"

namespace halocline {

GhostRecord::GhostRecord(FieldBase const& field, Block const& block, int component)
    : field_(field.name()),
      component_(field.components() > 1 ? component : -1),
      rank_(block.rank),
      dimensions_(field.mesh().dimensions()) {
  arriving_.fill(-1);
  IndexRange const owned = field.owned(block);
  Extents const cells = field.mesh().extents(Centring::cell);
  int axes_with_neighbours = 0;
  for (int axis = 0; axis < 3; ++axis) {
    auto const a = static_cast<std::size_t>(axis);
    owned_[a] = owned.extent(axis);
    if (axis >= dimensions_) continue;
    layers_[a] = field.ghosts();
    bool has_neighbour = false;
    for (int side = 0; side < 2; ++side) {
      int const face = 2 * axis + side;
      if (layers_[a] > 0) faces_ |= 1U << face;
      valid_[static_cast<std::size_t>(face)] = layers_[a];
      auto const& neighbour = block.neighbour(axis, side == 0 ? -1 : 1);
      if (!neighbour) continue;
      has_neighbour = true;
      ranks_[static_cast<std::size_t>(face)] = neighbour->rank;
      neighbours_ |= 1U << face;
      bool const is_last = side == 0 ? block.cells.begin[a] == 0 : block.cells.end[a] == cells[a];
      if (is_last) around_ |= 1U << face;
    }
    axes_with_neighbours += has_neighbour ? 1 : 0;
  }
  has_inner_corners_ = axes_with_neighbours > 1;
}

std::string GhostRecord::name() const {
  return "`" + field_ + "`" + (component_ < 0 ? "" : " (component " + std::to_string(component_) + ")");
}

std::string GhostRecord::beyond(int face) const {
  int const rank = ranks_[static_cast<std::size_t>(face)];
  if (!is_neighbour(face)) return "where the mesh ends";
  if (rank != rank_) return "where rank " + std::to_string(rank) + " begins";
  return (around_ >> face & 1U) != 0 ? "where the mesh closes on itself" : "where another block begins";
}

/// Invalidates ghosts beyond a face if they depend on entries at these `distances` from the faces.
inline void GhostRecord::invalidate(int face, Index const (&distances)[6]) {
  if (((neighbours_ | following_) >> face & 1U) == 0) return;
  auto const f = static_cast<std::size_t>(face);
  Index left = distances[face];
  if (is_neighbour(face) && is_neighbour(face ^ 1)) left = std::min(left, distances[face ^ 1]);
  int const width = static_cast<int>(std::clamp<Index>(left, 0, unlimited));
  valid_[f] = std::min(valid_[f], width);
  arriving_[f] = std::min(arriving_[f], width);
}

void GhostRecord::write(IndexRange const& range, GhostWriter const& by) {
  if (range.empty()) return;
  writer_ = by;
  Index distances[6];
  int ghosts = 0;
  for (int axis = 0; axis < 3; ++axis) {
    auto const a = static_cast<std::size_t>(axis);
    distances[2 * axis] = range.begin[a];
    distances[2 * axis + 1] = owned_[a] - range.end[a];
    ghosts |= int{distances[2 * axis] < 0} | int{distances[2 * axis + 1] < 0};
  }
  if (ghosts == 0) {
    for (int face = 0; face < 6; ++face) invalidate(face, distances);
    if ((has_inner_corners_ && inner_corners_ > 0) || (following_ != 0 && wall_corners_ > 0)) write_corners(distances);
  } else {
    write_ghosts(range, distances);
  }
}

/// Updates the record if the written range includes ghosts.
void GhostRecord::write_ghosts(IndexRange const& range, Index const (&distances)[6]) {
  bool covers[3];
  bool inside = true;
  for (int axis = 0; axis < 3; ++axis) {
    auto const a = static_cast<std::size_t>(axis);
    covers[axis] = range.begin[a] <= 0 && range.end[a] >= owned_[a];
    inside = inside && range.begin[a] < owned_[a] && range.end[a] > 0;
  }
  for (int face = 0; face < 6; ++face) {
    int const axis = face / 2;
    Index const mine = distances[face];
    Index const opposite = distances[face ^ 1];
    if (mine < 0 && covers[(axis + 1) % 3] && covers[(axis + 2) % 3] && opposite <= owned(axis)) {
      valid_[static_cast<std::size_t>(face)] = static_cast<int>(std::min<Index>(-mine, layers(axis)));
    } else if (inside) {
      invalidate(face, distances);
    }
  }
  if (inside) write_corners(distances);
}

void GhostRecord::write_corners(Index const (&distances)[6]) {
  if (dimensions_ < 2) return;
  // The smallest distance to the given faces; negative if the range extends beyond all of them.
  auto const nearest = [&](FaceSet faces) {
    Index least = unlimited;
    Index most = -unlimited;
    for (int face = 0; face < 6; ++face) {
      if ((faces & faces_) >> face & 1U)
        least = std::min(least, distances[face]), most = std::max(most, distances[face]);
    }
    return most < 0 ? most : std::max<Index>(least, 0);
  };
  auto const update = [](int& width, Index distance) {
    width = distance < 0 ? static_cast<int>(-distance) : std::min(width, static_cast<int>(distance));
  };
  if (has_inner_corners_) update(inner_corners_, nearest(neighbours_));
  if (following_ != 0) update(wall_corners_, nearest(faces_));
}

void GhostRecord::start_exchange(int width) {
  for (int face = 0; face < 6; ++face) {
    if ((neighbours_ & faces_) >> face & 1U) {
      arriving_[static_cast<std::size_t>(face)] = width;
      valid_[static_cast<std::size_t>(face)] = 0;
    }
  }
}

bool GhostRecord::has_exchanged(int width, bool corners) const {
  for (int face = 0; face < 6; ++face) {
    if (((neighbours_ & faces_) >> face & 1U) != 0 && valid(face) < std::min(width, layers(face / 2))) return false;
  }
  return !corners || !has_inner_corners_ || inner_corners_ >= width;
}

void GhostRecord::finish_exchange(int width, bool corners) {
  was_exchanged_ = true;
  int least = width;
  for (int face = 0; face < 6; ++face) {
    auto const f = static_cast<std::size_t>(face);
    if (arriving_[f] < 0) continue;
    least = std::min(least, arriving_[f]);
    valid_[f] = arriving_[f];
    arriving_[f] = -1;
  }
  if (corners && has_inner_corners_) inner_corners_ = least;
}

void GhostRecord::fill_walls(FaceSet walls, FaceSet following, bool corners) {
  int neighbours_valid = unlimited;
  for (int face = 0; face < 6; ++face) {
    auto const f = static_cast<std::size_t>(face);
    if ((walls & faces_) >> face & 1U) valid_[f] = layers_[f / 2];
    if ((neighbours_ & faces_) >> face & 1U) neighbours_valid = std::min(neighbours_valid, valid_[f]);
  }
  following_ = (following_ & ~walls) | (following & faces_);
  // Ghosts beside a neighbour are computed from that neighbour's ghosts.
  if (corners) wall_corners_ = neighbours_valid;
  if (!corners && (following & faces_) != 0) wall_corners_ = 0;
}

void GhostRecord::fill_constant() {
  for (int face = 0; face < 6; ++face)
    valid_[static_cast<std::size_t>(face)] = layers_[static_cast<std::size_t>(face / 2)];
  inner_corners_ = wall_corners_ = unlimited;
  following_ = 0;
}

void GhostRecord::fill_function() {
  fill_constant();
  // Across a periodic boundary the function need not be periodic.
  for (int face = 0; face < 6; ++face) {
    if (around_ >> face & 1U) valid_[static_cast<std::size_t>(face)] = 0;
  }
  if (around_ != 0) inner_corners_ = 0;
  writer_ = {.kernel = "Field::fill, by an expression"};
}

void GhostRecord::validate(int width) {
  for (int face = 0; face < 6; ++face) {
    auto const f = static_cast<std::size_t>(face);
    if (faces_ >> face & 1U) valid_[f] = std::min(width, layers_[f / 2]);
  }
  inner_corners_ = wall_corners_ = width;
}

void GhostRecord::copy(GhostRecord const& other) {
  valid_ = other.valid_;
  inner_corners_ = other.inner_corners_;
  wall_corners_ = other.wall_corners_;
  following_ = other.following_;
  writer_ = other.writer_;
}

}  // namespace halocline
