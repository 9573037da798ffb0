#include "framework/io/snapshot_receiver.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>
#include <utility>

#include "framework/io/io_rank_tags.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/region.hpp"
#include "framework/runtime/stop.hpp"

namespace halocline {

namespace {

namespace messages = snapshot_messages;
using Clock = std::chrono::steady_clock;

/// An idle I/O rank releases its core to others; snapshots can wait for this time.
constexpr std::chrono::microseconds nap{200};

}  // namespace

/// A served compute rank.
struct SnapshotReceiver::Client {
  int rank = 0;
  std::optional<messages::Header> header;  ///< of a snapshot that is not written yet
  bool ended = false;
};

SnapshotReceiver::SnapshotReceiver(RankRoles const& roles, std::filesystem::path folder, ServedMesh make_mesh,
                                   std::vector<WrittenSnapshot> earlier)
    : roles_(roles), folder_(std::move(folder)), make_mesh_(std::move(make_mesh)), earlier_(std::move(earlier)) {
  for (int const rank : roles.clients_of(roles.serving()->rank())) {
    clients_.push_back(std::make_unique<Client>(Client{.rank = rank, .header = {}}));
  }
}

SnapshotReceiver::~SnapshotReceiver() = default;

void SnapshotReceiver::serve(std::function<void(Index step, double time)> const& written) {
  while (true) {
    wait_for_headers();
    if (all_have_ended()) return;
    write_snapshot();
    messages::Header const& header = *clients_.front()->header;
    if (written) written(header.step, header.time);
    for (std::unique_ptr<Client> const& client : clients_) client->header.reset();
  }
}

bool SnapshotReceiver::all_have_ended() const {
  return std::ranges::all_of(clients_, [](auto const& client) { return client->ended; });
}

bool SnapshotReceiver::all_have_snapshots() const {
  return std::ranges::all_of(clients_, [](auto const& client) { return client->header.has_value(); });
}

void SnapshotReceiver::wait_for_headers() {
  roles_.all().wait_until([this] {
    report_stop();
    if (take_headers()) return true;
    std::this_thread::sleep_for(nap);
    return false;
  });
}

bool SnapshotReceiver::take_headers() {
  for (std::unique_ptr<Client> const& client : clients_) {
    if (client->ended || client->header) continue;
    if (auto const text = roles_.all().take_text(client->rank, io_rank_tags::header)) take_header(*client, *text);
  }
  return all_have_snapshots() || all_have_ended();
}

void SnapshotReceiver::take_header(Client& client, std::string const& text) {
  messages::Header header = messages::unpacked(text);
  if (header.last) {
    answer_last(client);
  } else {
    client.header = std::move(header);
  }
}

void SnapshotReceiver::answer_last(Client& client) {
  client.ended = true;
  auto const report = std::make_shared<messages::Report>(report_);
  roles_.all().complete({roles_.all().send(report.get(), sizeof(messages::Report), client.rank, io_rank_tags::report)},
                        report);
}

void SnapshotReceiver::report_stop() {
  if (stop_reported_ || stop_signal() == 0) return;
  stop_reported_ = true;
  auto const asked = std::make_shared<Index>(1);
  roles_.all().complete({roles_.all().send(asked.get(), sizeof(Index), 0, io_rank_tags::notice)}, asked);
}

void SnapshotReceiver::write_snapshot() {
  ScopedRegion const region("io/snapshot");
  Clock::time_point const start = Clock::now();
  messages::Header const& header = *clients_.front()->header;
  for (std::unique_ptr<Client> const& client : clients_) {
    if (client->header->step == header.step && client->header->fields.size() == header.fields.size()) continue;
    throw DefectError("rank " + std::to_string(client->rank) + " has sent another snapshot than rank " +
                      std::to_string(clients_.front()->rank));
  }
  if (!writer_) make_writer();
  writer_->write(header.step, header.time, header.fields, [&](std::size_t field, Block const& block, int) {
    return receive_values(header.fields[field], block);
  });
  report_.writing += std::chrono::duration<double>(Clock::now() - start).count();
}

void SnapshotReceiver::make_writer() {
  std::vector<Index> counts;
  for (std::unique_ptr<Client> const& client : clients_) {
    counts.push_back(static_cast<Index>(client->header->blocks.size()));
  }
  mesh_ = make_mesh_(counts);
  for (Block const& block : mesh_->blocks()) {
    auto const owner = std::ranges::find_if(clients_, [&](auto const& client) {
      return std::ranges::find(client->header->blocks, block.id) != client->header->blocks.end();
    });
    if (owner == clients_.end()) throw DefectError("no rank computes on block " + std::to_string(block.id));
    client_of_block_.push_back((*owner)->rank);
  }
  writer_.emplace(folder_, mesh_, earlier_);
}

std::span<std::byte const> SnapshotReceiver::receive_values(StoredField const& field, Block const& block) {
  Index const entries = mesh_->owned(block, field.description.centring).size();
  values_->resize(static_cast<std::size_t>(entries) * field.bytes_per_number());
  roles_.all().complete({roles_.all().receive(values_->data(), static_cast<Index>(values_->size()),
                                              client_of_block_[block.local], io_rank_tags::values)},
                        values_);
  return *values_;
}

}  // namespace halocline
