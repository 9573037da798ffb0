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
  if (!alone && exchange_->is_worth_hiding()) {
    ranges_ = split(mesh, like.centring(), shape.radius, unknowns);
  } else {
    for (Block const& block : blocks) ranges_.push_back({unknowns[block.local], {}});
  }
  for (SplitRange const& range : ranges_) boxes_ += 1 + range.shell.size();
}

StencilHalo::~StencilHalo() = default;

std::optional<int> StencilHalo::buffer_index() const { return exchange_ ? exchange_->buffer_index() : 0; }

void StencilHalo::replayed() const {
  if (exchange_) exchange_->replayed();
}

}  // namespace halocline
