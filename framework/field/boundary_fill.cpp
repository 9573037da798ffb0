#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "framework/field/boundary.hpp"
#include "framework/field/boundary_kernel.hpp"
#include "framework/field/boundary_rule.hpp"
#include "framework/field/expression_values.hpp"
#include "framework/field/field.hpp"
#include "framework/field/finite_value.hpp"
#include "framework/mesh/execution.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/launch.hpp"

namespace halocline {

namespace {

template <class Real>
using Array = Kokkos::View<Real*, Memory>;

bool is_physical(Mesh const& mesh, Block const& block, int axis, int side) {
  return axis < mesh.dimensions() && !block.neighbour(axis, side).has_value();
}

void require_periodicity(StructuredMesh const& mesh, BoundaryConditions const& conditions) {
  for (int axis = 0; axis < mesh.dimensions(); ++axis) {
    for (int const side : {-1, 1}) {
      bool const asked = conditions.at(axis, side).kind == BoundaryKind::periodic;
      if (asked == mesh.periodic(axis)) continue;
      throw InputError("boundary." + face_name(axis, side) + " is " + to_string(conditions.at(axis, side).kind) +
                       ", but the mesh is " + (asked ? "not " : "") + "periodic along " + std::string(1, "xyz"[axis]));
    }
  }
}

/// Whether a reflecting wall changes the component's sign: a vector's normal component, or the component of a field on
/// normal faces.
bool is_normal(FieldBase const& field, int component, int axis) {
  if (!field.is_vector()) return false;
  if (field.components() > 1) return component == axis;
  return field.centring() != Centring::node && on_edges(field.centring(), axis);
}

/// The ghosts (and wall entries, if written) of one block that a fill of this reach writes, as disjoint boxes tagged
/// with the index of their face.
BoxSet written_boxes(FieldBase const& field, Block const& block, bool const (&writes_wall)[3][2], BoundaryReach reach) {
  Mesh const& mesh = field.mesh();
  IndexRange const all = field.with_ghosts(block);
  IndexRange const owned = field.owned(block);
  BoxSet boxes;
  // The part not yet assigned to a face. Corners: everything; faces: owned entries, of which those on walls may be
  // written.
  IndexRange rest = reach == BoundaryReach::corners ? all : owned;
  for (int axis = 2; axis >= 0; --axis) {
    auto const a = static_cast<std::size_t>(axis);
    for (int const side : {0, 1}) {
      if (!is_physical(mesh, block, axis, side == 0 ? -1 : 1)) continue;
      Index const wall = writes_wall[axis][side] ? 1 : 0;
      if (reach == BoundaryReach::faces) {
        IndexRange ghosts = owned;
        ghosts.begin[a] = side == 0 ? all.begin[a] : owned.end[a];
        ghosts.end[a] = side == 0 ? owned.begin[a] : all.end[a];
        boxes.add(ghosts, 2 * axis + side);
      }
      IndexRange peel = rest;
      if (side == 0) {
        peel.end[a] = rest.begin[a] = owned.begin[a] + wall;
      } else {
        peel.begin[a] = rest.end[a] = owned.end[a] - wall;
      }
      boxes.add(peel, 2 * axis + side);
    }
  }
  return boxes;
}

}  // namespace

class BoundaryFill::Implementation {
 public:
  virtual ~Implementation() = default;
  virtual void evaluate(double time) = 0;
  virtual void fill(std::span<FieldBase* const> fields, BoundaryReach reach) const = 0;
};

namespace {

/// What fills one field on one block: its part of a launch, without the field's memory.
template <class Real>
class BlockBoundary {
 public:
  BlockBoundary(FieldBase const& like, Block const& block, BoundaryConditions const& conditions)
      : mesh_(structured(like.mesh())), centring_(like.centring()), ghosts_(like.ghosts()), block_(block) {
    BlockLayout const& memory = like.layout(block);
    layout_.row = memory.row;
    layout_.plane = memory.plane;
    layout_.component = memory.component;
    layout_.components = like.components();
    layout_.layers = ghosts_ + 1;
    IndexRange const owned = like.owned(block);
    for (int axis = 0; axis < 3; ++axis) {
      int const second = axis == 0 ? 1 : 0;
      layout_.owned[axis] = owned.extent(axis);
      layout_.stride[axis] = owned.extent(second) + 2 * layers(second);
      layout_.on_wall[axis] = axis < mesh_.dimensions() && on_edges(centring_, axis);
      for (int side = 0; side < 2; ++side) {
        layout_.physical[axis][side] = is_physical(mesh_, block, axis, side == 0 ? -1 : 1);
      }
    }
    bool writes_wall[3][2] = {};
    set_rules(like, conditions, writes_wall);
    layout_.boxes = written_boxes(like, block, writes_wall, BoundaryReach::faces);
    corners_ = written_boxes(like, block, writes_wall, BoundaryReach::corners);
  }

  [[nodiscard]] Block const& block() const { return block_; }
  /// Whether one launch fills both.
  [[nodiscard]] bool goes_with(BlockBoundary const& other) const {
    return layout_ == other.layout_ && corners_ == other.corners_;
  }
  [[nodiscard]] LayoutOfFill layout(BoundaryReach reach) const {
    LayoutOfFill layout = layout_;
    if (reach == BoundaryReach::faces) return layout;
    layout.boxes = corners_;
    layout.simple = false;
    return layout;
  }
  [[nodiscard]] FieldOfFill<Real> of(Field<Real>& field, BoundaryReach reach) const {
    for (int c = 0; c < field.components(); ++c) {
      notify({.kind = GhostEvent::Kind::fill_walls,
              .record = &field.ghost_record(block_, c),
              .walls = walls_,
              .following = following_,
              .corners = reach == BoundaryReach::corners});
    }
    FieldOfFill<Real> its = data_;
    its.origin = field.view(block_).origin;
    return its;
  }

  /// Evaluates v on one face from its expression.
  void evaluate(int axis, int side, Expression const& value, double time) {
    if (!layout_.physical[axis][side]) return;
    if (value.is_constant()) {
      Real& constant = data_.constant[axis][side];
      constant = static_cast<Real>(value(0, 0, 0, 0));
      require_finite(constant, axis, side, value, {0, 0, 0}, time);
    } else {
      evaluate_everywhere(axis, side, value, time);
    }
  }

 private:
  void set_rules(FieldBase const& like, BoundaryConditions const& conditions, bool (&writes_wall)[3][2]) {
    rules_ = Array<Real>("boundary rules", static_cast<std::size_t>(like.components() * 6 * layout_.layers * 3));
    auto const host = Kokkos::create_mirror_view(rules_);
    for (int c = 0; c < like.components(); ++c) {
      for (int face = 0; face < 6; ++face) {
        int const axis = face / 2;
        int const side = face % 2;
        if (!layout_.physical[axis][side]) continue;
        int const direction = side == 0 ? -1 : 1;
        walls_ |= 1U << face;
        if (conditions.at(axis, direction).kind != BoundaryKind::zero) following_ |= 1U << face;
        FaceRule const rule = face_rule(conditions.at(axis, direction), mesh_, centring_, ghosts_, axis, direction,
                                        is_normal(like, c, axis));
        writes_wall[axis][side] = writes_wall[axis][side] || rule.writes_wall;
        layout_.simple = layout_.simple && !rule.writes_wall && ghosts_ < layout_.owned[axis];
        auto at = static_cast<std::size_t>(3 * (6 * c + face) * layout_.layers);
        host(at) = rule.writes_wall ? Real{1} : Real{0};
        host(at + 2) = static_cast<Real>(rule.wall_value);
        for (LayerRule const& layer : rule.layers) {
          at += 3;
          layout_.simple = layout_.simple && layer.wall == 0;
          host(at) = static_cast<Real>(layer.mirror);
          host(at + 1) = static_cast<Real>(layer.wall);
          host(at + 2) = static_cast<Real>(layer.value);
        }
      }
    }
    Kokkos::deep_copy(rules_, host);
    data_.rules = rules_.data();
  }

  void evaluate_everywhere(int axis, int side, Expression const& value, double time) {
    auto const a = static_cast<std::size_t>(axis);
    std::optional<EntryPositions>& places = places_[axis][side];
    if (!places) {
      BoxPositions along;
      for (int other = 0; other < 3; ++other)
        along.along[static_cast<std::size_t>(other)] = mesh_.coordinates(block_, other, centring_, ghosts_);
      along.along[a] = {side == 0 ? mesh_.axis(axis).lower() : mesh_.axis(axis).upper()};
      places.emplace(execution(block_), std::move(along));
      values_[axis][side] = Array<Real>("boundary values", static_cast<std::size_t>(places->on_host().range().size()));
    }
    IndexRange const range = places->on_host().range();
    IndexRange owned = range;
    for (int other = 0; other < 3; ++other) {
      if (other == axis) continue;
      auto const o = static_cast<std::size_t>(other);
      owned.begin[o] = layers(other);
      owned.end[o] = owned.begin[o] + layout_.owned[other];
    }
    Array<Real> const& values = values_[axis][side];
    BlockView<Real> const view{values.data(), range.extent(0), range.extent(0) * range.extent(1)};
    if (auto const bad = halocline::evaluate(execution(block_), value, time, *places, range, owned, view))
      throw_not_finite("boundary." + face_name(axis, side == 0 ? -1 : 1), value, places->on_host().at(*bad), time);
    data_.values[axis][side] =
        values.data() + layers(axis == 0 ? 1 : 0) + layers(axis == 2 ? 1 : 2) * layout_.stride[axis];
  }

  [[nodiscard]] Index layers(int axis) const { return axis < mesh_.dimensions() ? ghosts_ : 0; }

  static void require_finite(Real v, int axis, int side, Expression const& value, std::array<double, 3> const& at,
                             double time) {
    if (std::isfinite(v)) return;
    throw_not_finite("boundary." + face_name(axis, side == 0 ? -1 : 1), value, at, time);
  }

  StructuredMesh const& mesh_;
  Centring centring_;
  int ghosts_;
  Block const& block_;
  LayoutOfFill layout_;  ///< of a fill that reaches faces
  BoxSet corners_;       ///< of one that reaches corners
  FieldOfFill<Real> data_;
  FaceSet walls_ = 0;      ///< the filled faces
  FaceSet following_ = 0;  ///< those of them whose ghosts depend on interior values
  Array<Real> rules_;
  Array<Real> values_[3][2];
  std::optional<EntryPositions> places_[3][2];  ///< of values that vary
};

template <class Real>
class TypedFill final : public BoundaryFill::Implementation {
 public:
  TypedFill(std::vector<FieldBase const*> const& like, std::vector<BoundaryConditions> conditions)
      : mesh_(like.front()->shared_mesh()), conditions_(std::move(conditions)) {
    for (FieldBase const* field : like) {
      if (field->precision() != like.front()->precision() || field->shared_mesh() != mesh_)
        throw DefectError("fields whose ghosts are filled together have one mesh and one precision");
      like_.push_back(field->description());
    }
    for (Block const& block : mesh_->blocks()) {
      for (std::size_t n = 0; n < like.size(); ++n) {
        parts_.emplace_back(*like[n], block, conditions_[n]);
        bool const joins = n > 0 && launches_.back().count < most && parts_.back().goes_with(*(parts_.end() - 2));
        if (!joins) launches_.push_back({parts_.size() - 1, n, 0});
        ++launches_.back().count;
      }
    }
  }

  void evaluate(double time) override {
    if (time == time_) return;
    bool const first = std::isnan(time_);
    for (std::size_t n = 0; n < conditions_.size(); ++n) {
      for (int face = 0; face < 2 * mesh_->dimensions(); ++face) {
        Expression const& value = conditions_[n].faces[static_cast<std::size_t>(face)].value;
        if (!first && !value.depends_on_time()) continue;
        for (std::size_t at = n; at < parts_.size(); at += conditions_.size()) {
          parts_[at].evaluate(face / 2, face % 2, value, time);
        }
      }
    }
    time_ = time;
  }

  void fill(std::span<FieldBase* const> fields, BoundaryReach reach) const override {
    if (fields.size() != like_.size())
      throw DefectError(std::to_string(fields.size()) + " fields were given to a fill of " +
                        std::to_string(like_.size()));
    for (std::size_t n = 0; n < fields.size(); ++n) require_like(n, *fields[n]);
    for (Launch const& each : launches_) {
      if (each.count == 1)
        launch<1>(each, fields, reach);
      else
        launch<most>(each, fields, reach);
    }
  }

 private:
  /// The most fields of one launch. A device takes 4 KiB of arguments, with those of Kokkos.
  static constexpr int most = 8;
  static_assert(sizeof(BoundaryKernel<Real, most>) < 3840);
  /// Consecutive fields on one block.
  struct Launch {
    std::size_t first_part;
    std::size_t first_field;
    int count;
  };

  void require_like(std::size_t n, FieldBase const& field) const {
    FieldDescription const& like = like_[n];
    bool const alike = dynamic_cast<Field<Real> const*>(&field) != nullptr && &field.mesh() == mesh_.get() &&
                       field.centring() == like.centring && field.components() == like.components &&
                       field.ghosts() == like.ghosts;
    if (!alike)
      throw DefectError("field `" + field.name() + "` is not like `" + like.name + "`, whose ghosts are filled");
  }

  template <int Capacity>
  void launch(Launch const& of, std::span<FieldBase* const> fields, BoundaryReach reach) const {
    BoundaryKernel<Real, Capacity> kernel{parts_[of.first_part].layout(reach), {}};
    Index const work = kernel.boxes.work() * kernel.components * of.count;
    if (work == 0) return;
    for (int n = 0; n < of.count; ++n) {
      auto const at = static_cast<std::size_t>(n);
      kernel.fields[n] = parts_[of.first_part + at].of(static_cast<Field<Real>&>(*fields[of.first_field + at]), reach);
    }
    using Policy = Kokkos::RangePolicy<Execution, Kokkos::IndexType<Index>>;
    Policy const policy(execution(parts_[of.first_part].block()), 0, work);
    Kokkos::parallel_for("halocline boundary", launched_at_once(policy), kernel);
  }

  std::shared_ptr<Mesh const> mesh_;
  std::vector<FieldDescription> like_;
  std::vector<BoundaryConditions> conditions_;
  std::vector<BlockBoundary<Real>> parts_;  ///< by block, then field
  std::vector<Launch> launches_;
  double time_ = std::numeric_limits<double>::quiet_NaN();  // time of the last evaluation
};

}  // namespace

BoundaryFill::BoundaryFill(FieldBase const& like, BoundaryConditions conditions)
    : BoundaryFill({&like}, std::vector{std::move(conditions)}) {}
BoundaryFill::BoundaryFill(std::vector<FieldBase const*> const& like, std::vector<BoundaryConditions> conditions) {
  if (like.empty() || like.size() != conditions.size())
    throw DefectError("a fill has conditions for each of its fields, and at least one field");
  for (BoundaryConditions const& each : conditions) require_periodicity(structured(like.front()->mesh()), each);
  if (like.front()->precision() == Precision::single) {
    implementation_ = std::make_unique<TypedFill<float>>(like, std::move(conditions));
  } else {
    implementation_ = std::make_unique<TypedFill<double>>(like, std::move(conditions));
  }
}
BoundaryFill::~BoundaryFill() = default;
BoundaryFill::BoundaryFill(BoundaryFill&&) noexcept = default;
BoundaryFill& BoundaryFill::operator=(BoundaryFill&&) noexcept = default;

void BoundaryFill::fill(std::span<FieldBase* const> fields, double time, BoundaryReach reach) {
  implementation_->evaluate(time);
  implementation_->fill(fields, reach);
}

void BoundaryFill::fill(FieldBase& field, double time, BoundaryReach reach) {
  std::array<FieldBase*, 1> const one{&field};
  fill(one, time, reach);
}

}  // namespace halocline
