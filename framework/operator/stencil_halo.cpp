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
                         std::shared_ptr<Transport const> transport, std::size_t fields) {
  if (like.ghosts() < shape.radius) throw DefectError("a stencil reaches beyond the ghosts of `" + like.name() + "`");
  Mesh const& mesh = like.mesh();
  auto const& blocks = mesh.blocks();
  bool const alone = mesh.communicator().all(std::none_of(blocks.begin(), blocks.end(), has_neighbours));
  if (!alone) {
    exchange_ = std::make_unique<Exchange>(
        std::vector<FieldBase const*>(fields, &like),
        ExchangeOptions{
            .corners = shape.kind == ShapeKind::box, .width = shape.radius, .transport = std::move(transport)});
  }
  split_ = !alone && exchange_->is_worth_hiding();
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

std::optional<int> StencilHalo::turn() const { return exchange_ ? exchange_->turn() : 0; }

void StencilHalo::replayed() const {
  if (exchange_) exchange_->replayed();
}

void StencilHalo::start(Fields fields) const {
  if (exchange_) split_ && exchange_->overlaps() ? exchange_->start(fields) : exchange_->exchange(fields);
}

void StencilHalo::finish() const {
  if (exchange_) exchange_->finish();
}

}  // namespace halocline
