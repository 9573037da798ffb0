#include "framework/io/snapshot_messages.hpp"

#include <nlohmann/json.hpp>

namespace halocline::snapshot_messages {

namespace {

using Json = nlohmann::json;

Json described(StoredField const& field) {
  FieldDescription const& d = field.description;
  return {{"name", d.name},
          {"unit", d.unit},
          {"centring", static_cast<int>(d.centring)},
          {"components", d.components},
          {"ghosts", d.ghosts},
          {"vector", d.vector},
          {"position", d.position},
          {"single", field.precision == Precision::single}};
}

StoredField field_of(Json const& json) {
  return {{.name = json["name"],
           .unit = json["unit"],
           .centring = static_cast<Centring>(json["centring"].get<int>()),
           .components = json["components"],
           .ghosts = json["ghosts"],
           .vector = json["vector"],
           .position = json["position"]},
          json["single"] ? Precision::single : Precision::double_};
}

}  // namespace

std::string packed(Header const& header) {
  Json json{{"last", header.last},     {"step", header.step},     {"time", header.time},
            {"waited", header.waited}, {"blocks", header.blocks}, {"fields", Json::array()}};
  for (StoredField const& field : header.fields) json["fields"].push_back(described(field));
  // Unlike its text, the binary form keeps all numbers and names as they are.
  std::vector<std::uint8_t> const bytes = Json::to_cbor(json);
  return {bytes.begin(), bytes.end()};
}

Header unpacked(std::string const& text) {
  Json const json = Json::from_cbor(text);
  Header header{.last = json["last"],
                .step = json["step"],
                .time = json["time"],
                .waited = json["waited"],
                .blocks = json["blocks"],
                .fields = {}};
  for (Json const& field : json["fields"]) header.fields.push_back(field_of(field));
  return header;
}

}  // namespace halocline::snapshot_messages
