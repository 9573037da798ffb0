#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "framework/deck/expression.hpp"
#include "framework/field/field_base.hpp"

namespace halocline {

/// The condition on one face of the domain, with the field u and the outward normal n.
enum class BoundaryKind {
  periodic,    ///< the mesh is periodic there; the exchange fills the ghosts
  dirichlet,   ///< u = value
  neumann,     ///< du/dn = value
  robin,       ///< a u + b du/dn = value
  reflecting,  ///< mirror image; the normal component of a vector field changes sign
  zero         ///< ghosts are zero
};

/// "periodic", "dirichlet", …
[[nodiscard]] std::string to_string(BoundaryKind kind);
[[nodiscard]] std::vector<std::string> boundary_kind_names();
/// The kind of that name; throws InputError listing all names.
[[nodiscard]] BoundaryKind boundary_kind(std::string const& name);

struct BoundaryCondition {
  BoundaryKind kind = BoundaryKind::zero;
  Expression value{0.0};
  double a = 1;  ///< robin only
  double b = 1;  ///< robin only; not zero on nodes: use dirichlet
};

/// One condition for each face of the domain: west (x lower), east, south (y lower), north, bottom (z lower), top.
struct BoundaryConditions {
  std::array<BoundaryCondition, 6> faces{};

  /// `side` is -1 (lower) or 1 (upper).
  [[nodiscard]] BoundaryCondition const& at(int axis, int side) const {
    return faces[static_cast<std::size_t>(2 * axis + (side > 0 ? 1 : 0))];
  }
  [[nodiscard]] BoundaryCondition& at(int axis, int side) {
    return faces[static_cast<std::size_t>(2 * axis + (side > 0 ? 1 : 0))];
  }
  /// The same condition on all faces.
  [[nodiscard]] static BoundaryConditions all(BoundaryCondition const& condition) {
    return {{condition, condition, condition, condition, condition, condition}};
  }
};

/// "west", "east", "south", "north", "bottom", "top".
[[nodiscard]] std::string face_name(int axis, int side);

/// The ghosts that a fill writes.
enum class BoundaryReach {
  faces,   ///< ghosts beyond one face: all that a star stencil reads. May run during an exchange.
  corners  ///< also ghosts on edges and corners, including those beside a neighbouring block: after the exchange.
};

/// Fills the ghosts beyond the physical faces of fields: one kernel a block for up to 8 fields of one layout. Let g be
/// a ghost, m its mirror image inside the wall, d the distance between them. On an axis where entries are cell centres
/// the wall lies halfway, and
///
///   dirichlet   u_g = 2 v - u_m
///   neumann     u_g = u_m + d v
///   robin       (a / 2 + b / d) u_g = v - (a / 2 - b / d) u_m
///   reflecting  u_g = u_m, or -u_m for the normal component of a vector
///   zero        u_g = 0
///
/// on an axis where entries lie on cell edges (nodes, normal faces) the last owned entry w lies on the wall, and
///
///   dirichlet   u_w = v (the owned entry is written), u_g = 2 v - u_m
///   neumann     u_g = u_m + d v
///   robin       u_g = u_m + d (v - a u_w) / b
///   reflecting  u_g = u_m, or -u_m and u_w = 0 for the normal component of a vector
///   zero        u_g = 0
///
/// All are exact if u is linear along the axis; for smooth u the error of u_g is O(d^2) (neumann, O(d^3)). For ghosts
/// beyond two or three faces the conditions apply one after the other, x last. Values are evaluated at the projection
/// of the ghost onto the wall; for ghosts on edges and corners, onto the wall's extension.
class BoundaryFill {
 public:
  /// For fields with the mesh and layout of `like`. Throws InputError if a condition does not fit: periodic on a
  /// non-periodic axis (or the reverse), robin with a / 2 + b / d zero or, on nodes, b zero.
  BoundaryFill(FieldBase const& like, BoundaryConditions conditions);
  /// The same for several fields of one mesh and precision, each with its conditions. Fields that follow one another
  /// are filled by one kernel if they have one centring, ghost width and number of components, and, for entries on
  /// walls, conditions that write the same walls.
  BoundaryFill(std::vector<FieldBase const*> const& like, std::vector<BoundaryConditions> conditions);
  ~BoundaryFill();
  BoundaryFill(BoundaryFill&&) noexcept;
  BoundaryFill& operator=(BoundaryFill&&) noexcept;

  /// Enqueues the fill on the blocks' streams. Evaluates time-dependent values again if `time` differs from that of the
  /// last fill. Throws InputError, naming the face and the position, where a value is not finite. The fields are given
  /// in the order of those that the fill was made for.
  void fill(std::span<FieldBase* const> fields, double time, BoundaryReach reach = BoundaryReach::faces);
  void fill(FieldBase& field, double time, BoundaryReach reach = BoundaryReach::faces);

  class Implementation;

 private:
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace halocline
