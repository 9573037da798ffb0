#include "framework/io/served_initial_data.hpp"

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
#include "framework/runtime/region.hpp"

/// An empty optional becomes null.
template <class Value>
struct nlohmann::adl_serializer<std::optional<Value>> {
  static void to_json(json& to, std::optional<Value> const& from) { to = from ? json(*from) : json(); }
  static void from_json(json const& from, std::optional<Value>& to) {
    if (!from.is_null()) to = from.get<Value>();
  }
};

namespace halocline {

using BinaryJson = nlohmann::json;

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(IndexRange, begin, end)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(BadEntry, place, value)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ExpressionRequest, text, time, centring, box, precision)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(FieldFile, path, format, type, dims, offset, big_endian, dataset, field, component,
                                   interpolate)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(FileEntriesRequest, file, bytes, modified, centring, box, precision)

namespace {

/// Packs a request or an answer: the binary form keeps NaN and infinities, and paths that are not UTF-8.
std::string packed(BinaryJson const& json) {
  std::string text;
  BinaryJson::to_cbor(json, text);
  return text;
}

/// Answers the requests of the compute ranks of one I/O rank.
class Server {
 public:
  Server(Communicator const& all, StructuredMesh const& mesh) : all_(all), mesh_(mesh) {}

  void answer(std::string const& text, int to) {
    ScopedRegion const region("io/initial data");
    BinaryJson const json = BinaryJson::from_cbor(text);
    if (json.contains("file")) {
      answer(json.get<FileEntriesRequest>(), packed(json["file"]), to);
    } else {
      auto const request = json.get<ExpressionRequest>();
      auto const values = std::make_shared<std::vector<std::byte>>(static_cast<std::size_t>(bytes_of(request)));
      evaluate(mesh_, request, *values);
      send(values, to);
    }
  }

 private:
  /// \param file key of the file and its format
  void answer(FileEntriesRequest const& request, std::string const& file, int to) {
    auto const values = std::make_shared<std::vector<double>>(static_cast<std::size_t>(request.box.size()));
    BadEntry bad;
    std::string refusal;
    try {
      std::unique_ptr<FieldFileReader>& reader = readers_[{file, request.centring}];
      if (!reader) reader = std::make_unique<FieldFileReader>(request.file, FieldShape::of(mesh_, request.centring));
      if (reader->file().identity() != FileIdentity{request.bytes, request.modified})
        throw wrong_file(request.file.path, "is not the same file on all ranks; check its path on each host");
      reader->read_entries(request.box, request.precision, values->data(), bad);
      reader->file().require_unchanged();
    } catch (InputError const& error) {
      refusal = error.what();
    }
    all_.send_text(packed({{"bad", bad}, {"refusal", refusal}}), to, io_rank_tags::initial_remark);
    if (refusal.empty()) send(values, to);
  }
  template <class Value>
  void send(std::shared_ptr<std::vector<Value>> const& values, int to) const {
    auto const bytes = static_cast<Index>(values->size() * sizeof(Value));
    all_.complete({all_.send(values->data(), bytes, to, io_rank_tags::initial_values)}, values);
  }

  Communicator const& all_;
  StructuredMesh const& mesh_;
  std::map<std::pair<std::string, Centring>, std::unique_ptr<FieldFileReader>> readers_;
};

}  // namespace

int ServedInitialData::server() const { return roles_.compute_ranks() + roles_.server_of(roles_.all().rank()); }

void ServedInitialData::ask(std::string const& request) const {
  roles_.all().send_text(request, server(), io_rank_tags::initial_data);
}

void ServedInitialData::receive(std::span<std::byte> to) const {
  // MPI may still write to it after the end of `to`.
  auto const values = std::make_shared<std::vector<std::byte>>(to.size());
  roles_.all().complete({roles_.all().receive(values->data(), static_cast<Index>(values->size()), server(),
                                              io_rank_tags::initial_values)},
                        values);
  std::memcpy(to.data(), values->data(), to.size());
}

void ServedInitialData::evaluate(ExpressionRequest const& request, std::span<std::byte> to) {
  ask(packed(request));
  receive(to);
}

BadEntry ServedInitialData::read(FileEntriesRequest const& request, std::span<double> to) {
  ask(packed(request));
  std::optional<std::string> text;
  roles_.all().wait_until([&] {
    text = roles_.all().take_text(server(), io_rank_tags::initial_remark);
    return text.has_value();
  });
  BinaryJson const remark = BinaryJson::from_cbor(*text);
  if (std::string const refusal = remark["refusal"]; !refusal.empty()) throw InputError(refusal);
  receive(std::as_writable_bytes(to));
  return remark["bad"];
}

/// An empty text means no further requests.
void ServedInitialData::finish() { ask(""); }

void serve_initial_data(RankRoles const& roles, StructuredMesh const& mesh) {
  Server server(roles.all(), mesh);
  std::vector<int> clients = roles.clients_of(roles.serving()->rank());
  roles.all().wait_until([&] {
    std::erase_if(clients, [&](int client) {
      std::optional<std::string> const request = roles.all().take_text(client, io_rank_tags::initial_data);
      if (request && !request->empty()) server.answer(*request, client);
      return request && request->empty();
    });
    return clients.empty();
  });
}

}  // namespace halocline
