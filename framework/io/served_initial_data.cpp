#include "framework/io/served_initial_data.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "framework/io/field_file.hpp"
#include "framework/io/input_file.hpp"
#include "framework/io/io_rank_tags.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/incoming_text.hpp"
#include "framework/runtime/owned_wait.hpp"
#include "framework/runtime/region.hpp"

namespace halocline {

namespace {

using Json = nlohmann::json;

std::string text_of(Json const& json) {
  std::vector<std::uint8_t> const bytes = Json::to_cbor(json);
  return {bytes.begin(), bytes.end()};
}

/// What both kinds of requests have.
template <class Request>
Json common(Request const& request) {
  return {{"centring", static_cast<int>(request.centring)},
          {"begin", request.box.begin},
          {"end", request.box.end},
          {"single", request.precision == Precision::single}};
}

template <class Request>
void take_common(Json const& json, Request& request) {
  request.centring = static_cast<Centring>(json["centring"].get<int>());
  request.box = {json["begin"], json["end"]};
  request.precision = json["single"] ? Precision::single : Precision::double_;
}

std::string packed(ExpressionRequest const& request) {
  Json json = common(request);
  json["text"] = request.text;
  json["time"] = request.time;
  return text_of(json);
}

ExpressionRequest expression_request(Json const& json) {
  ExpressionRequest request;
  request.text = json["text"];
  request.time = json["time"];
  take_common(json, request);
  return request;
}

template <class Value>
void put(Json& json, char const* name, std::optional<Value> const& value) {
  if (value) json[name] = *value;
}

template <class Value>
void take(Json const& json, char const* name, std::optional<Value>& value) {
  if (json.contains(name)) value = json[name].get<Value>();
}

/// Paths need not be UTF-8, and texts of CBOR are.
std::vector<std::uint8_t> octets(std::string const& text) { return {text.begin(), text.end()}; }

std::string text_of_bytes(Json const& json) {
  auto const bytes = json.get<std::vector<std::uint8_t>>();
  return {bytes.begin(), bytes.end()};
}

Json packed(FieldFile const& file) {
  Json json{{"path", octets(file.path)},   {"format", static_cast<int>(file.format)}, {"type", file.type},
            {"dims", file.dims},           {"big_endian", file.big_endian},           {"dataset", octets(file.dataset)},
            {"field", octets(file.field)}, {"interpolate", file.interpolate}};
  put(json, "offset", file.offset);
  put(json, "component", file.component);
  return json;
}

FieldFile field_file(Json const& json) {
  FieldFile file;
  file.path = text_of_bytes(json["path"]);
  file.format = static_cast<FieldFile::Format>(json["format"].get<int>());
  file.type = json["type"];
  file.dims = json["dims"].get<std::vector<std::int64_t>>();
  file.big_endian = json["big_endian"];
  file.dataset = text_of_bytes(json["dataset"]);
  file.field = text_of_bytes(json["field"]);
  file.interpolate = json["interpolate"];
  take(json, "offset", file.offset);
  take(json, "component", file.component);
  return file;
}

std::string packed(FileEntriesRequest const& request) {
  Json json = common(request);
  json["file"] = packed(request.file);
  json["bytes"] = request.bytes;
  json["modified"] = request.modified;
  return text_of(json);
}

FileEntriesRequest file_request(Json const& json) {
  FileEntriesRequest request;
  request.file = field_file(json["file"]);
  request.bytes = json["bytes"];
  request.modified = json["modified"];
  take_common(json, request);
  return request;
}

/// How a file was read: which entry is none, or why it could not be.
struct Remark {
  BadEntry bad;
  std::string refusal;
};

std::string packed(Remark const& remark) {
  // As bytes, since JSON has no numbers that are none.
  std::vector<std::uint8_t> value(sizeof(double));
  std::memcpy(value.data(), &remark.bad.value, sizeof(double));
  return text_of({{"place", remark.bad.place}, {"value", value}, {"refusal", octets(remark.refusal)}});
}

Remark remark_of(std::string const& text) {
  Json const json = Json::from_cbor(text);
  Remark remark;
  remark.bad.place = json["place"];
  remark.refusal = text_of_bytes(json["refusal"]);
  auto const value = json["value"].get<std::vector<std::uint8_t>>();
  std::memcpy(&remark.bad.value, value.data(), sizeof(double));
  return remark;
}

/// Answers the compute ranks that one I/O rank serves.
class Server {
 public:
  Server(Communicator const& all, StructuredMesh const& mesh) : all_(all), mesh_(mesh) {}

  void answer(std::string const& text, int to) {
    ScopedRegion const region("io/initial data");
    Json const json = Json::from_cbor(text);
    if (json.contains("file")) {
      answer(file_request(json), json["file"].dump(), to);
    } else {
      ExpressionRequest const request = expression_request(json);
      auto const values = std::make_shared<std::vector<std::byte>>(static_cast<std::size_t>(bytes_of(request)));
      evaluate(mesh_, request, *values);
      send(values, to);
    }
  }

 private:
  /// \param file which one it is, and as what it is read
  void answer(FileEntriesRequest const& request, std::string const& file, int to) {
    auto const values = std::make_shared<std::vector<double>>(static_cast<std::size_t>(request.box.size()));
    Remark remark;
    try {
      std::unique_ptr<FieldFileReader>& reader = readers_[{file, request.centring}];
      if (!reader) reader = std::make_unique<FieldFileReader>(request.file, FieldShape::of(mesh_, request.centring));
      if (reader->file().identity() != FileIdentity{request.bytes, request.modified})
        throw wrong_file(request.file.path, "is not the same file on all ranks: look where it lies");
      reader->read_entries(request.box, request.precision, values->data(), remark.bad);
      reader->file().require_unchanged();
    } catch (InputError const& error) {
      remark.refusal = error.what();
    }
    send_text(all_, packed(remark), to, io_rank_tags::initial_remark);
    if (remark.refusal.empty()) send(values, to);
  }

  template <class Value>
  void send(std::shared_ptr<std::vector<Value>> const& values, int to) const {
    auto const bytes = static_cast<Index>(values->size() * sizeof(Value));
    MPI_Request sent = all_.send(values->data(), bytes, to, io_rank_tags::initial_values);
    wait_all_owned(all_, {&sent, 1}, values);
  }

  Communicator const& all_;
  StructuredMesh const& mesh_;
  std::map<std::pair<std::string, Centring>, std::unique_ptr<FieldFileReader>> readers_;
};

}  // namespace

int ServedInitialData::server() const { return roles_.compute_ranks() + roles_.server_of(roles_.all().rank()); }

void ServedInitialData::ask(std::string const& request) const {
  send_text(roles_.all(), request, server(), io_rank_tags::initial_data);
}

void ServedInitialData::receive(std::span<std::byte> to) const {
  // MPI may write there for longer than `to` lives.
  auto const values = std::make_shared<std::vector<std::byte>>(to.size());
  MPI_Request received =
      roles_.all().receive(values->data(), static_cast<Index>(values->size()), server(), io_rank_tags::initial_values);
  wait_all_owned(roles_.all(), {&received, 1}, values);
  std::memcpy(to.data(), values->data(), to.size());
}

void ServedInitialData::evaluate(ExpressionRequest const& request, std::span<std::byte> to) {
  ask(packed(request));
  receive(to);
}

BadEntry ServedInitialData::read(FileEntriesRequest const& request, std::span<double> to) {
  ask(packed(request));
  IncomingText incoming(roles_.all(), server(), io_rank_tags::initial_remark);
  std::optional<std::string> text;
  roles_.all().wait_until([&] {
    text = incoming.take();
    return text.has_value();
  });
  Remark const remark = remark_of(*text);
  if (!remark.refusal.empty()) throw InputError(remark.refusal);
  receive(std::as_writable_bytes(to));
  return remark.bad;
}

/// An empty text says that there are no more.
void ServedInitialData::finish() { ask(""); }

void serve_initial_data(RankRoles const& roles, StructuredMesh const& mesh) {
  Server server(roles.all(), mesh);
  std::vector<std::unique_ptr<IncomingText>> clients;
  for (int const rank : roles.clients_of(roles.serving()->rank())) {
    clients.push_back(std::make_unique<IncomingText>(roles.all(), rank, io_rank_tags::initial_data));
  }
  roles.all().wait_until([&] {
    std::erase_if(clients, [&](std::unique_ptr<IncomingText> const& client) {
      std::optional<std::string> const request = client->take();
      if (request && !request->empty()) server.answer(*request, client->from());
      return request && request->empty();
    });
    return clients.empty();
  });
}

}  // namespace halocline
