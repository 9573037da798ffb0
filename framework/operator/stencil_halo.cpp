#include "framework/operator/stencil_halo.hpp"

#include <algorithm>
#include <utility>

#include "framework/runtime/communicator.hpp"
#include "framework/runtime/error.hpp"

namespace halocline {

namespace {

bool has_neighbours(Block const& block) {
  return std::any_of(block.neighbours.begin(), block.neighbours.end(), [](auto const& n) { return n.has_value(); });
}

}  // namespace

StencilHalo::StencilHalo(FieldBase const& like, std::vector<IndexRange> const& unknowns, Shape shape,
                         std::optional<BoundaryConditions> const& boundary, std::shared_ptr<Transport const> transport,
                         std::size_t fields)
    : corners_(shape.kind == ShapeKind::box) {
  if (like.ghosts() < shape.radius) throw DefectError("a stencil reaches beyond the ghosts of `" + like.name() + "`");
  Mesh const& mesh = like.mesh();
  auto const& blocks = mesh.blocks();
  bool const alone = mesh.communicator().all(std::none_of(blocks.begin(), blocks.end(), has_neighbours));
  if (!alone) {
    exchange_ = std::make_unique<Exchange>(
        std::vector<FieldBase const*>(fields, &like),
        ExchangeOptions{.corners = corners_, .width = shape.radius, .transport = std::move(transport)});
  }
  if (boundary) boundary_ = std::make_unique<BoundaryFill>(like, *boundary);
  // Ghosts on edges can be filled only once the exchange is over: nothing can be swept before.
  split_ = !alone && exchange_->is_worth_hiding() && !(corners_ && boundary_);
  for (Block const& block : blocks) {
    IndexRange const& mine = unknowns[block.local];
    Parts parts{mine, {}};
    if (split_) {
      parts.interior = intersection(mesh.interior(block, like.centring(), shape.radius), mine);
      for (IndexRange const& box : mesh.shell(block, like.centring(), shape.radius)) {
        if (IndexRange const both = intersection(box, mine); !both.empty()) parts.shell.push_back(both);
      }
    }
    boxes_ += 1 + parts.shell.size();
    parts_.push_back(std::move(parts));
  }
}

StencilHalo::~StencilHalo() = default;

std::optional<int> StencilHalo::turn() const {
  if (boundary_) return std::nullopt;
  return exchange_ ? exchange_->turn() : 0;
}

void StencilHalo::replayed() const {
  if (exchange_) exchange_->replayed();
}

void StencilHalo::start(Fields fields) const {
  // Conditions may change owned entries on a wall, which are sent where the wall meets another block.
  bool const after_exchange = corners_ && exchange_;
  if (boundary_ && !after_exchange) {
    for (FieldBase* const field : fields) {
      boundary_->fill_homogeneous(*field, corners_ ? BoundaryReach::corners : BoundaryReach::faces);
    }
  }
  if (exchange_) split_ && exchange_->overlaps() ? exchange_->start(fields) : exchange_->exchange(fields);
}

void StencilHalo::finish(Fields fields) const {
  if (!exchange_) return;
  exchange_->finish();
  if (!boundary_ || !corners_) return;
  for (FieldBase* const field : fields) boundary_->fill_homogeneous(*field, BoundaryReach::corners);
}

}  // namespace halocline
