#include "framework/io/served_expressions.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "framework/io/io_rank_tags.hpp"
#include "framework/runtime/incoming_text.hpp"
#include "framework/runtime/owned_wait.hpp"
#include "framework/runtime/region.hpp"

namespace halocline {

namespace {

using Json = nlohmann::json;

/// An empty text says that there are no more.
std::string packed(ExpressionRequest const& request) {
  Json const json{
      {"text", request.text},       {"time", request.time},   {"centring", static_cast<int>(request.centring)},
      {"begin", request.box.begin}, {"end", request.box.end}, {"single", request.precision == Precision::single}};
  std::vector<std::uint8_t> const bytes = Json::to_cbor(json);
  return {bytes.begin(), bytes.end()};
}

ExpressionRequest unpacked(std::string const& text) {
  Json const json = Json::from_cbor(text);
  return {.text = json["text"],
          .time = json["time"],
          .centring = static_cast<Centring>(json["centring"].get<int>()),
          .box = {json["begin"], json["end"]},
          .precision = json["single"] ? Precision::single : Precision::double_};
}

void answer(RankRoles const& roles, StructuredMesh const& mesh, ExpressionRequest const& request, int to) {
  ScopedRegion const region("io/initial data");
  auto const values = std::make_shared<std::vector<std::byte>>(static_cast<std::size_t>(bytes_of(request)));
  evaluate(mesh, request, *values);
  MPI_Request sent = roles.all().send(values->data(), bytes_of(request), to, io_rank_tags::expression_values);
  wait_all_owned(roles.all(), {&sent, 1}, values);
}

}  // namespace

int ServedExpressions::server() const { return roles_.compute_ranks() + roles_.server_of(roles_.all().rank()); }

void ServedExpressions::evaluate(ExpressionRequest const& request, std::span<std::byte> to) {
  send_text(roles_.all(), packed(request), server(), io_rank_tags::expression);
  // MPI may write there for longer than `to` lives.
  auto const values = std::make_shared<std::vector<std::byte>>(to.size());
  MPI_Request received = roles_.all().receive(values->data(), static_cast<Index>(values->size()), server(),
                                              io_rank_tags::expression_values);
  wait_all_owned(roles_.all(), {&received, 1}, values);
  std::memcpy(to.data(), values->data(), to.size());
}

void ServedExpressions::finish() { send_text(roles_.all(), "", server(), io_rank_tags::expression); }

void serve_expressions(RankRoles const& roles, StructuredMesh const& mesh) {
  std::vector<std::unique_ptr<IncomingText>> clients;
  for (int const rank : roles.clients_of(roles.serving()->rank())) {
    clients.push_back(std::make_unique<IncomingText>(roles.all(), rank, io_rank_tags::expression));
  }
  roles.all().wait_until([&] {
    std::erase_if(clients, [&](std::unique_ptr<IncomingText> const& client) {
      std::optional<std::string> const request = client->take();
      if (request && !request->empty()) answer(roles, mesh, unpacked(*request), client->from());
      return request && request->empty();
    });
    return clients.empty();
  });
}

}  // namespace halocline
