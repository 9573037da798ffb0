#include "framework/io/snapshot_messages.hpp"

#include <nlohmann/json.hpp>

namespace halocline {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(FieldDescription, name, unit, centring, components, ghosts, vector, position)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(StoredField, description, precision)

namespace snapshot_messages {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Header, last, step, time, blocks, fields)

// Unlike text, the binary form keeps all numbers and names exactly.
std::string packed(Header const& header) {
  std::string text;
  nlohmann::json::to_cbor(header, text);
  return text;
}

Header unpacked(std::string const& text) { return nlohmann::json::from_cbor(text).get<Header>(); }

}  // namespace snapshot_messages
}  // namespace halocline
