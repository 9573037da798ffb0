#include "framework/runtime/communicator.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

#include "framework/runtime/control_channel.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/message.hpp"
#include "framework/runtime/mpi_check.hpp"
#include "framework/runtime/throw_site.hpp"

namespace halocline {

namespace {

MPI_Comm duplicate(MPI_Comm parent) {
  MPI_Comm copy = MPI_COMM_NULL;
  check_mpi(MPI_Comm_dup(parent, &copy), "MPI_Comm_dup");
  MPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN);
  return copy;
}

/// For each rank the lowest rank with which it shares memory.
std::vector<int> ranks_by_memory(MPI_Comm communicator, int rank, int size) {
  MPI_Comm sharing = MPI_COMM_NULL;
  check_mpi(MPI_Comm_split_type(communicator, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &sharing),
            "MPI_Comm_split_type");
  int lowest = rank;
  MPI_Bcast(&lowest, 1, MPI_INT, 0, sharing);
  MPI_Comm_free(&sharing);
  std::vector<int> all(static_cast<std::size_t>(size));
  check_mpi(MPI_Allgather(&lowest, 1, MPI_INT, all.data(), 1, MPI_INT, communicator), "MPI_Allgather");
  return all;
}

/// Memory that MPI may still read or write, since a message there could not be called back.
std::vector<std::shared_ptr<void const>>& kept_for_ever() {
  static auto& kept = *new std::vector<std::shared_ptr<void const>>;
  return kept;
}

}  // namespace

Communicator::Communicator(MPI_Comm parent, std::span<int const> hosts)
    : data_(duplicate(parent)), control_(std::make_shared<ControlChannel>(parent)) {
  MPI_Comm_rank(data_, &rank_);
  MPI_Comm_size(data_, &size_);
  if (hosts.empty()) {
    find_hosts(ranks_by_memory(data_, rank_, size_));
  } else if (hosts.size() == static_cast<std::size_t>(size_)) {
    find_hosts(hosts);
  } else {
    throw DefectError("hosts named for " + std::to_string(hosts.size()) + " of " + std::to_string(size_) + " ranks");
  }
  control_->crowded = local_size_ > sysconf(_SC_NPROCESSORS_ONLN);
}

Communicator::Communicator(MPI_Comm data, std::shared_ptr<ControlChannel> control, std::span<int const> hosts)
    : data_(data), control_(std::move(control)) {
  MPI_Comm_rank(data_, &rank_);
  MPI_Comm_size(data_, &size_);
  find_hosts(hosts);
}

Communicator::Communicator(std::shared_ptr<ControlChannel> control) : control_(std::move(control)), hosts_{0} {}

Communicator Communicator::alone() { return Communicator(std::make_shared<ControlChannel>()); }

Communicator::Communicator(Communicator&& other) noexcept { *this = std::move(other); }

Communicator& Communicator::operator=(Communicator&& other) noexcept {
  if (this == &other) return *this;
  release();
  data_ = std::exchange(other.data_, MPI_COMM_NULL);
  control_ = std::move(other.control_);
  rank_ = other.rank_;
  size_ = other.size_;
  hosts_ = std::move(other.hosts_);
  host_count_ = other.host_count_;
  local_rank_ = other.local_rank_;
  local_size_ = other.local_size_;
  return *this;
}

Communicator::~Communicator() { release(); }

void Communicator::release() noexcept {
  if (data_ == MPI_COMM_NULL) return;
  int finalized = 0;
  MPI_Finalized(&finalized);
  // Collectives that a failure left half done still use the communicator: it then stays to the program's end.
  bool const may_be_in_use = control_->broken() || std::uncaught_exceptions() > 0;
  if (finalized == 0 && !may_be_in_use) MPI_Comm_free(&data_);
  data_ = MPI_COMM_NULL;
}

void Communicator::find_hosts(std::span<int const> hosts) {
  std::vector<int> names;
  for (int rank = 0; rank < size_; ++rank) {
    auto const name = std::find(names.begin(), names.end(), hosts[static_cast<std::size_t>(rank)]);
    hosts_.push_back(static_cast<int>(name - names.begin()));
    if (name == names.end()) names.push_back(hosts[static_cast<std::size_t>(rank)]);
  }
  host_count_ = static_cast<int>(names.size());
  local_size_ = static_cast<int>(std::count(hosts_.begin(), hosts_.end(), host()));
  local_rank_ = static_cast<int>(std::count(hosts_.begin(), hosts_.begin() + rank_, host()));
}

void Communicator::poll() const { control_->poll(); }

MPI_Request Communicator::send_init(void const* data, Index bytes, int to, int tag) const {
  MessageType const message(bytes);
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Send_init(data, message.count(), message.type(), to, tag, data_, &request), "MPI_Send_init");
  return request;
}

MPI_Request Communicator::receive_init(void* data, Index bytes, int from, int tag) const {
  MessageType const message(bytes);
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Recv_init(data, message.count(), message.type(), from, tag, data_, &request), "MPI_Recv_init");
  return request;
}

MPI_Request Communicator::send(void const* data, Index bytes, int to, int tag) const {
  MessageType const message(bytes);
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Isend(data, message.count(), message.type(), to, tag, data_, &request), "MPI_Isend");
  return request;
}

MPI_Request Communicator::send_to_receiver(void const* data, Index bytes, int to, int tag) const {
  MessageType const message(bytes);
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Issend(data, message.count(), message.type(), to, tag, data_, &request), "MPI_Issend");
  return request;
}

MPI_Request Communicator::receive(void* data, Index bytes, int from, int tag) const {
  MessageType const message(bytes);
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Irecv(data, message.count(), message.type(), from, tag, data_, &request), "MPI_Irecv");
  return request;
}

void Communicator::wait_until(std::function<bool()> const& done) const {
  throw_site(ThrowSite::wait);
  Rhythm rhythm(*control_);
  while (!done()) rhythm.pause();
}

void Communicator::wait_all(std::span<MPI_Request> requests) const {
  wait_until([&] {
    int done = 0;
    check_mpi(MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE),
              "MPI_Testall");
    return done != 0;
  });
}

bool Communicator::test_all(std::span<MPI_Request> requests) const {
  int done = 0;
  check_mpi(MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE), "MPI_Testall");
  if (done == 0) poll();
  return done != 0;
}

void Communicator::abandon(std::span<MPI_Request> requests, std::shared_ptr<void const> memory) noexcept {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized != 0) return;
  bool complete = true;
  for (MPI_Request& request : requests) {
    if (request == MPI_REQUEST_NULL) continue;
    int done = 0;
    MPI_Request_get_status(request, &done, MPI_STATUS_IGNORE);
    if (done == 0) {
      MPI_Cancel(&request);
      MPI_Request_get_status(request, &done, MPI_STATUS_IGNORE);
    }
    complete = complete && done != 0;
    MPI_Request_free(&request);
  }
  if (!complete && memory) kept_for_ever().push_back(std::move(memory));
}

std::unique_ptr<Communicator> Communicator::split(int colour, int key) const {
  barrier();
  MPI_Comm part = MPI_COMM_NULL;
  check_mpi(MPI_Comm_split(data_, colour < 0 ? MPI_UNDEFINED : colour, key, &part), "MPI_Comm_split");
  if (part == MPI_COMM_NULL) return nullptr;
  int part_size = 0;
  MPI_Comm_size(part, &part_size);
  std::vector<int> hosts(static_cast<std::size_t>(part_size));
  MPI_Allgather(&hosts_[static_cast<std::size_t>(rank_)], 1, MPI_INT, hosts.data(), 1, MPI_INT, part);
  return std::unique_ptr<Communicator>(new Communicator(part, control_, hosts));
}

}  // namespace halocline
