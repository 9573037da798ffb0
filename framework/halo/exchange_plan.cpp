#include "framework/halo/exchange_plan.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

#include "framework/runtime/error.hpp"
#include "framework/runtime/round_up.hpp"

namespace halocline {

namespace {

constexpr Index part_alignment = 16;  // bytes: the most that a device thread copies at once

/// Owned entries of a block of size `owned` that a neighbour in `direction` needs: the outermost `width` layers.
IndexRange outermost(Extents const& owned, Direction const& direction, Index width) {
  IndexRange range{{0, 0, 0}, owned};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (direction[axis] < 0) range.end[axis] = width;
    if (direction[axis] > 0) range.begin[axis] = owned[axis] - width;
  }
  return range;
}

/// The ghosts in `direction` of a block of size `owned`.
IndexRange beyond(Extents const& owned, Direction const& direction, Index width) {
  IndexRange range{{0, 0, 0}, owned};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (direction[axis] == 0) continue;
    range.begin[axis] = direction[axis] < 0 ? -width : owned[axis];
    range.end[axis] = range.begin[axis] + width;
  }
  return range;
}

void require_thick(FieldBase const& field, Extents const& owned, Direction const& direction, Index width, Index block) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (direction[axis] == 0 || owned[axis] >= width) continue;
    throw InputError("field `" + field.name() + "`: block " + std::to_string(block) + " has " +
                     std::to_string(owned[axis]) + " layers along " + std::string(1, "xyz"[axis]) +
                     ", its neighbour needs " + std::to_string(width) +
                     " of them as ghosts: use fewer ranks or more cells");
  }
}

/// A copy of entries of a field, without its positions.
BoxCopy copy_of(FieldBase const& field, IndexRange const& range) {
  BoxCopy copy;
  copy.bytes_per_entry = static_cast<int>(field.bytes_per_entry());
  for (int axis = 0; axis < 3; ++axis) copy.extents[axis] = range.extent(axis);
  return copy;
}

BoxPlace place_in_field(FieldBase const& field, std::size_t number, Block const& block, std::size_t blocks,
                        int component, IndexRange const& range) {
  BlockLayout const& layout = field.layout(block);
  Index const first = layout.first + component * layout.component + range.begin[0] + range.begin[1] * layout.row +
                      range.begin[2] * layout.plane;
  return {buffer_of(number, block.local, blocks), first, layout.row, layout.plane};
}

/// One part of a message. Both ranks sort the parts by `key`.
struct Part {
  std::tuple<Index, std::size_t, std::size_t, int> key;  ///< sending block, its direction, field, component
  BoxCopy copy;                                          ///< without its position in the message
};
using PartsByRank = std::map<int, std::vector<Part>>;

/// Sets the position of every part in a message; `end` selects the end of the copy that lies there.
std::vector<Message> lay_out(PartsByRank& by_rank, std::size_t first_buffer, BoxPlace BoxCopy::*end,
                             std::vector<BoxCopy>& copies) {
  std::vector<Message> messages;
  for (auto& [rank, parts] : by_rank) {
    std::sort(parts.begin(), parts.end(), [](Part const& a, Part const& b) { return a.key < b.key; });
    auto const buffer = static_cast<int>(first_buffer + messages.size());
    Index offset = 0;
    for (Part& part : parts) {
      BoxCopy& copy = part.copy;
      copy.*end = {buffer, offset / copy.bytes_per_entry, copy.extents[0], copy.extents[0] * copy.extents[1]};
      offset += round_up(copy.entries() * copy.bytes_per_entry, part_alignment);
      copies.push_back(copy);
    }
    messages.push_back({rank, offset, static_cast<Index>(parts.size())});
  }
  return messages;
}

class Planner {
 public:
  Planner(std::vector<FieldBase const*> const& fields, bool corners, int width)
      : fields_(fields), mesh_(fields.front()->mesh()), corners_(corners), width_(width) {}

  ExchangePlan plan() {
    for (Block const& block : mesh_.blocks()) {
      for (std::size_t n = 0; n < block.neighbours.size(); ++n) {
        Direction const direction = direction_at(n);
        bool const wanted = block.neighbours[n].has_value() && (corners_ || distance(direction) == 1);
        if (wanted) add_direction(block, direction, *block.neighbours[n]);
      }
    }
    plan_.first_send_buffer = fields_.size() * blocks();
    plan_.sends = lay_out(sends_, plan_.first_send_buffer, &BoxCopy::to, plan_.pack);
    plan_.first_receive_buffer = plan_.first_send_buffer + plan_.sends.size();
    plan_.receives = lay_out(receives_, plan_.first_receive_buffer, &BoxCopy::from, plan_.unpack);
    return std::move(plan_);
  }

 private:
  void add_direction(Block const& block, Direction const& direction, Neighbour const& neighbour) {
    for (std::size_t f = 0; f < fields_.size(); ++f) {
      FieldBase const& field = *fields_[f];
      Index const width = width_ > 0 ? width_ : field.ghosts();
      if (width == 0) continue;
      Extents const mine = field.owned(block).extents();
      Extents const theirs = mesh_.global_owned(neighbour.block, field.centring()).extents();
      require_thick(field, mine, direction, width, block.id);
      require_thick(field, theirs, direction, width, neighbour.block);
      for (int c = 0; c < field.components(); ++c) {
        IndexRange const ghosts = beyond(mine, direction, width);
        BoxCopy incoming = copy_of(field, ghosts);
        incoming.to = place_in_field(field, f, block, blocks(), c, ghosts);
        if (neighbour.rank == block.rank) {
          Block const& from = local_block(neighbour.block);
          IndexRange const range = outermost(theirs, opposite(direction), width);
          incoming.from = place_in_field(field, f, from, blocks(), c, range);
          plan_.local.push_back(incoming);
          continue;
        }
        receives_[neighbour.rank].push_back({{neighbour.block, direction_index(opposite(direction)), f, c}, incoming});
        IndexRange const range = outermost(mine, direction, width);
        BoxCopy outgoing = copy_of(field, range);
        outgoing.from = place_in_field(field, f, block, blocks(), c, range);
        sends_[neighbour.rank].push_back({{block.id, direction_index(direction), f, c}, outgoing});
      }
    }
  }

  [[nodiscard]] std::size_t blocks() const { return mesh_.blocks().size(); }
  [[nodiscard]] Block const& local_block(Index id) const {
    for (Block const& block : mesh_.blocks()) {
      if (block.id == id) return block;
    }
    throw DefectError("block " + std::to_string(id) + " is not on this rank");
  }

  std::vector<FieldBase const*> const& fields_;
  Mesh const& mesh_;
  bool corners_;
  int width_;
  ExchangePlan plan_;
  PartsByRank sends_;
  PartsByRank receives_;
};

}  // namespace

ExchangePlan plan_exchange(std::vector<FieldBase const*> const& fields, bool corners, int width) {
  if (fields.empty()) return {};
  for (FieldBase const* field : fields) {
    if (&field->mesh() != &fields.front()->mesh()) {
      throw DefectError("fields `" + fields.front()->name() + "` and `" + field->name() +
                        "` are on different meshes and cannot be exchanged together");
    }
    if (width > field->ghosts()) {
      throw InputError("field `" + field->name() + "` has " + std::to_string(field->ghosts()) + " ghost layers, " +
                       std::to_string(width) + " are to be exchanged");
    }
  }
  return Planner(fields, corners, width).plan();
}

}  // namespace halocline
