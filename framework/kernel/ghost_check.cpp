#include "framework/kernel/ghost_check.hpp"

#include <algorithm>
#include <string>

#include "framework/field/boundary.hpp"
#include "framework/kernel/functor_name.hpp"
#include "framework/runtime/error.hpp"

namespace halocline::kernel {
namespace {

/// Ghost layers beyond a face that a sweep with this `reach` reads; none if below zero.
[[nodiscard]] Index layers_read(GhostRecord const& ghosts, IndexRange const& range, int reach, int face) {
  int const axis = face / 2;
  auto const a = static_cast<std::size_t>(axis);
  return reach + (face % 2 == 0 ? -range.begin[a] : range.end[a] - ghosts.owned(axis));
}

/// Whether ghosts on edges and corners are valid as far as a shape that may read some reads them.
[[nodiscard]] bool corners_are_valid(GhostRecord const& ghosts, IndexRange const& range, Shape const& shape) {
  int axes_to_neighbours = 0;
  int axes_to_walls = 0;
  int axes = 0;
  Index most = 0;
  for (int axis = 0; axis < 3; ++axis) {
    bool to_neighbour = false;
    bool to_wall = false;
    for (int face = 2 * axis; face < 2 * axis + 2; ++face) {
      Index const read = layers_read(ghosts, range, shape.reach(axis), face);
      if (read <= 0) continue;
      (ghosts.is_neighbour(face) ? to_neighbour : to_wall) = true;
      most = std::max(most, read);
    }
    axes_to_neighbours += to_neighbour ? 1 : 0;
    axes_to_walls += to_wall ? 1 : 0;
    axes += to_neighbour || to_wall ? 1 : 0;
  }
  if (axes < 2) return true;
  bool const inner = axes_to_neighbours < 2 || most <= ghosts.valid_inner_corners();
  return inner && (axes_to_walls == 0 || most <= ghosts.valid_wall_corners());
}

/// Without branches until the end, because it runs before every sweep.
[[nodiscard]] bool is_valid(GhostRecord const& ghosts, IndexRange const& range, Shape const& shape) {
  int invalid = 0;
  int begins_outside = 0;
  for (int axis = 0; axis < 3; ++axis) {
    int const reach = shape.reach(axis);
    Index const lower = layers_read(ghosts, range, reach, 2 * axis);
    Index const upper = layers_read(ghosts, range, reach, 2 * axis + 1);
    invalid |= int{lower > ghosts.valid(2 * axis)} | int{upper > ghosts.valid(2 * axis + 1)};
    begins_outside |= int{lower > reach} | int{upper > reach};
  }
  // A star whose range begins inside the owned entries reads no edges and corners.
  bool const reads_corners = begins_outside != 0 || shape.kind != ShapeKind::star;
  return invalid == 0 && (!reads_corners || corners_are_valid(ghosts, range, shape));
}

[[nodiscard]] std::string layers(Index count) {
  return std::to_string(count) + (count == 1 ? " layer" : " layers") + " of ghosts";
}

/// Why ghosts are not valid, as text.
[[nodiscard]] std::string reason(GhostRecord const& ghosts) {
  GhostWriter const& writer = ghosts.writer();
  std::string const field = "`" + ghosts.field() + "`";
  if (writer.functor != nullptr) return "`" + type_name(*writer.functor) + "` has written " + field + " since";
  if (writer.kernel != nullptr) return field + " has been written (" + writer.kernel + ") since";
  return "nothing has filled them";
}

/// What the error messages need to know of a sweep; builds and throws them.
struct Reading {
  GhostRecord const& ghosts;
  IndexRange const& range;
  Shape const& shape;
  std::string functor;

  [[nodiscard]] std::string face_of(int face) const {
    return "the " + face_name(face / 2, face % 2 == 0 ? -1 : 1) + " face of " + ghosts.name();
  }

  [[noreturn]] void refuse_axis(int axis) const {
    std::string const dimensions = std::to_string(ghosts.dimensions());
    throw PhysicsError("`" + functor + "` may read neighbours along " + std::string(1, "xyz"[axis]) + " (it declares " +
                       describe(shape) + "), but " + ghosts.name() + " is on a mesh of " + dimensions +
                       (ghosts.dimensions() == 1 ? " dimension" : " dimensions") +
                       ": declare what it reads there, as star<" + std::to_string(shape.radius) + ", " + dimensions +
                       ">, or use a mesh of more dimensions");
  }

  [[noreturn]] void refuse_width(int face, Index read) const {
    int const axis = face / 2;
    bool const begins_outside = read > shape.reach(axis);
    throw PhysicsError("`" + functor + "` reads " + layers(read) + " beyond " + face_of(face) + " (it declares " +
                       describe(shape) + (begins_outside ? " and is swept over ghosts" : "") + "), which has " +
                       layers(ghosts.layers(axis)) + ": make the field with `.ghosts = " + std::to_string(read) +
                       "`, or let the functor declare and read less");
  }

  [[noreturn]] void refuse_invalid(int face, Index read) const {
    std::string message = "`" + functor + "` reads " + layers(read) + " beyond " + face_of(face) + ", " +
                          ghosts.beyond(face) + ", where ";
    if (ghosts.is_under_way(face)) {
      throw PhysicsError(message + "an exchange is under way: finish it before this sweep");
    }
    int const valid = ghosts.valid(face);
    message += (valid > 0 ? layers(valid) + " are valid: " : "none are valid: ") + reason(ghosts) + ". ";
    throw PhysicsError(message + (ghosts.is_neighbour(face) ? "Exchange `" + ghosts.field() + "` before this sweep"
                                                            : "Fill the boundary of `" + ghosts.field() +
                                                                  "` (BoundaryFill) before this sweep"));
  }

  [[noreturn]] void refuse_corners() const {
    throw PhysicsError("`" + functor + "` reads ghosts on edges and corners of " + ghosts.name() + " (it declares " +
                       describe(shape) + "), which are not valid: " + reason(ghosts) +
                       ". Before this sweep, exchange it with `.corners = true`, and then "
                       "fill its boundary, if it has one, by BoundaryReach::corners");
  }

  [[noreturn]] void refuse() const {
    for (int axis = 0; axis < 3; ++axis) {
      for (int face = 2 * axis; face < 2 * axis + 2; ++face) {
        Index const read = layers_read(ghosts, range, shape.reach(axis), face);
        if (read <= 0 || read <= ghosts.valid(face)) continue;
        if (axis >= ghosts.dimensions()) refuse_axis(axis);
        if (read > ghosts.layers(axis)) refuse_width(face, read);
        refuse_invalid(face, read);
      }
    }
    refuse_corners();
  }
};

}  // namespace

std::string describe(Shape const& shape) {
  if (shape.radius == 0) return "point";
  std::string const radius = std::to_string(shape.radius);
  bool const from_x = (shape.axes & (shape.axes + 1)) == 0;
  if (!from_x) return "line<" + radius + ", " + std::to_string(shape.dimensions() - 1) + ">";
  return (shape.kind == ShapeKind::star ? "star<" : "box<") + radius + ", " + std::to_string(shape.dimensions()) + ">";
}

void require_valid_reads(IndexRange const& range, std::type_info const& functor, std::span<ReadGhosts const> inputs,
                         Shape const* shapes) {
  for (std::size_t n = 0; n < inputs.size(); ++n) {
    if (inputs[n] == nullptr || is_valid(*inputs[n], range, shapes[n]) || range.empty()) continue;
    Reading{*inputs[n], range, shapes[n], type_name(functor)}.refuse();
  }
}

void require_room(IndexRange const& range, std::type_info const& functor, std::span<GhostRecord* const> outputs) {
  for (GhostRecord const* const ghosts : outputs) {
    if (ghosts == nullptr) continue;
    for (int face = 0; face < 6; ++face) {
      Index const written = layers_read(*ghosts, range, 0, face);
      if (written <= ghosts->layers(face / 2) || range.empty()) continue;
      throw PhysicsError("`" + type_name(functor) + "` writes " + layers(written) + " beyond the " +
                         face_name(face / 2, face % 2 == 0 ? -1 : 1) + " face of " + ghosts->name() + ", which has " +
                         layers(ghosts->layers(face / 2)) + ": sweep a smaller range, or make the field with more");
    }
  }
}

void note_writes(IndexRange const& range, std::type_info const& functor, std::span<GhostRecord* const> outputs) {
  for (GhostRecord* const ghosts : outputs) {
    if (ghosts != nullptr) notify_written(*ghosts, range, {.functor = &functor});
  }
}

}  // namespace halocline::kernel
