#include "framework/io/snapshot_sender.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "framework/io/io_rank_tags.hpp"
#include "framework/runtime/region.hpp"
#include "framework/runtime/staging_memory.hpp"

namespace halocline {

namespace {

namespace messages = snapshot_messages;

/// Bytes of the owned values of one component on a block.
Index bytes_of(FieldBase const& field, Block const& block) {
  return field.owned(block).size() * static_cast<Index>(field.bytes_per_entry());
}

Index bytes_of(std::span<FieldBase const* const> fields, Mesh const& mesh) {
  Index bytes = 0;
  for (FieldBase const* const field : fields) {
    for (Block const& block : mesh.blocks()) bytes += field->components() * bytes_of(*field, block);
  }
  return bytes;
}

}  // namespace

/// A snapshot in flight.
struct SnapshotSender::Buffer {
  std::string header;
  Index size = 0;  ///< of `values`, in bytes
  std::shared_ptr<std::byte> values;
  std::vector<MPI_Request> requests;

  void reserve(Index bytes) {
    if (bytes <= size) return;
    values = staging_memory(bytes);
    size = bytes;
  }
};

/// Notices from each I/O rank to rank 0.
struct SnapshotSender::Notices {
  std::vector<Index> asked;
  std::vector<MPI_Request> requests;
};

SnapshotSender::SnapshotSender(RankRoles const& roles, std::shared_ptr<Mesh const> mesh, int buffers)
    : roles_(roles),
      mesh_(std::move(mesh)),
      server_(roles.compute_ranks() + roles.server_of(roles.all().rank())),
      notices_(std::make_shared<Notices>()) {
  for (int n = 0; n < buffers; ++n) buffers_.push_back(std::make_shared<Buffer>());
  if (roles.all().rank() != 0) return;
  notices_->asked.assign(static_cast<std::size_t>(roles.io_ranks()), 0);
  for (int n = 0; n < roles.io_ranks(); ++n) {
    notices_->requests.push_back(roles.all().receive(&notices_->asked[static_cast<std::size_t>(n)], sizeof(Index),
                                                     roles.compute_ranks() + n, io_rank_tags::notice));
  }
}

SnapshotSender::~SnapshotSender() {
  for (std::shared_ptr<Buffer> const& buffer : buffers_) Communicator::abandon(buffer->requests, buffer);
  Communicator::abandon(notices_->requests, notices_);
}

void SnapshotSender::write(Index step, double time, std::span<FieldBase const* const> fields) {
  ScopedRegion const region("io/hand over snapshot");
  Buffer& buffer = free_buffer();
  messages::Header header{.step = step, .time = time, .blocks = {}, .fields = stored(fields)};
  for (Block const& block : mesh_->blocks()) header.blocks.push_back(block.id);
  buffer.reserve(bytes_of(fields, *mesh_));
  send_header(buffer, header);
  std::byte* to = buffer.values.get();
  for (FieldBase const* const field : fields) {
    for (Block const& block : mesh_->blocks()) {
      Index const bytes = bytes_of(*field, block);
      for (int component = 0; component < field->components(); ++component) {
        field->copy_owned(block, component, std::span(to, static_cast<std::size_t>(bytes)));
        buffer.requests.push_back(roles_.all().send_to_receiver(to, bytes, server_, io_rank_tags::values));
        to += bytes;
      }
    }
  }
}

SnapshotSender::Buffer& SnapshotSender::free_buffer() {
  Buffer& buffer = *buffers_[next_];
  next_ = (next_ + 1) % buffers_.size();
  if (!roles_.all().test_all(buffer.requests)) {
    ScopedRegion const region(waiting_region);
    roles_.all().wait_all(buffer.requests);
  }
  buffer.requests.clear();
  return buffer;
}

void SnapshotSender::send_header(Buffer& buffer, messages::Header const& header) {
  buffer.header = messages::packed(header);
  buffer.requests.push_back(
      roles_.all().send(buffer.header.data(), static_cast<Index>(buffer.header.size()), server_, io_rank_tags::header));
}

messages::Report SnapshotSender::finish() {
  ScopedRegion const region("io/wait for the last snapshot");
  buffers_.push_back(std::make_shared<Buffer>());
  send_header(*buffers_.back(), {.last = true, .blocks = {}, .fields = {}});
  auto const report = std::make_shared<messages::Report>();
  roles_.all().complete({roles_.all().receive(report.get(), sizeof(messages::Report), server_, io_rank_tags::report)},
                        report);
  for (std::shared_ptr<Buffer> const& each : buffers_) roles_.all().wait_all(each->requests);
  return *report;
}

bool SnapshotSender::stop_asked() {
  for (MPI_Request& request : notices_->requests) static_cast<void>(roles_.all().test_all({&request, 1}));
  return std::ranges::any_of(notices_->asked, [](Index asked) { return asked != 0; });
}

}  // namespace halocline
