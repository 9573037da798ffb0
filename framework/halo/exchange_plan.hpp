#pragma once

#include <vector>

#include "framework/field/field_base.hpp"
#include "framework/halo/box_copy.hpp"
#include "framework/halo/transport.hpp"

namespace halocline {

/// Which entries of which fields are copied where. BoxBuffer `buffer_of(f, b, blocks)` is the memory of field f on the
/// rank's block b; the buffers after those are the sent messages, then the received messages.
struct ExchangePlan {
  std::vector<BoxCopy> pack;    ///< from fields to messages
  std::vector<BoxCopy> local;   ///< from field to field, between blocks of this rank
  std::vector<BoxCopy> unpack;  ///< from messages to fields
  std::vector<Message> sends;   ///< one for each neighbouring rank
  std::vector<Message> receives;
  std::size_t first_send_buffer = 0;
  std::size_t first_receive_buffer = 0;

  [[nodiscard]] std::size_t buffers() const { return first_receive_buffer + receives.size(); }
};

[[nodiscard]] constexpr int buffer_of(std::size_t field, std::size_t block, std::size_t blocks) {
  return static_cast<int>(field * blocks + block);
}

/// Plans the exchange of `width` ghost layers (0: all that each field has), with `corners` or without. Both ends of a
/// message list its parts in the same order: by sending block, direction, field and component.
/// Throws InputError when a field has fewer ghosts than `width` or a block is thinner than the layers requested of it,
/// and DefectError when the fields are not on one mesh.
[[nodiscard]] ExchangePlan plan_exchange(std::vector<FieldBase const*> const& fields, bool corners, int width);

}  // namespace halocline
