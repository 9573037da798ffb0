#include "framework/runtime/communicator.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

#include "framework/runtime/control_channel.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/mpi_check.hpp"
#include "framework/runtime/throw_site.hpp"
#include "framework/runtime/waiting.hpp"

namespace halocline {

namespace {

/// Freed by its last owner.
std::shared_ptr<MPI_Comm> owned(MPI_Comm communicator, std::shared_ptr<ControlChannel> const& control) {
  auto const release = [control](MPI_Comm* mine) {
    int finalized = 0;
    MPI_Finalized(&finalized);
    // Collectives that a failure left incomplete still use the communicator: it is then never freed.
    bool const may_be_in_use = control->broken() || std::uncaught_exceptions() > 0;
    if (finalized == 0 && !may_be_in_use) MPI_Comm_free(mine);
    delete mine;
  };
  return {new MPI_Comm(communicator), release};
}

/// A request for a message of any size, created by MPI's function `call`.
template <class Call, class Data>
MPI_Request request_by(Call* call, char const* name, Data* data, Index bytes, int peer, int tag, MPI_Comm ranks) {
  MessageType const message(bytes);
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(call(data, message.count(), message.type(), peer, tag, ranks, &request), name);
  return request;
}

/// What the ranks of a family learn about one another at its start.
struct Neighbourhood {
  std::vector<int> hosts;  ///< for each rank, the lowest rank that shares its memory
  bool crowded = false;    ///< see `is_crowded`
};

Neighbourhood neighbourhood(MPI_Comm communicator, int rank, int size) {
  MPI_Comm sharing = MPI_COMM_NULL;
  check_mpi(MPI_Comm_split_type(communicator, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &sharing),
            "MPI_Comm_split_type");
  int place = 0;
  int neighbours = 1;
  MPI_Comm_rank(sharing, &place);
  MPI_Comm_size(sharing, &neighbours);
  Cores const mine = cores_of_this_thread();
  std::vector<Cores> cores(static_cast<std::size_t>(neighbours));
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Iallgather(&mine, sizeof(Cores), MPI_BYTE, cores.data(), sizeof(Cores), MPI_BYTE, sharing, &request),
            "MPI_Iallgather");
  wait_patiently(request);
  int lowest = rank;
  check_mpi(MPI_Ibcast(&lowest, 1, MPI_INT, 0, sharing, &request), "MPI_Ibcast");
  wait_patiently(request);
  MPI_Comm_free(&sharing);
  Neighbourhood found{std::vector<int>(static_cast<std::size_t>(size)),
                      is_crowded(cores, static_cast<std::size_t>(place))};
  check_mpi(MPI_Iallgather(&lowest, 1, MPI_INT, found.hosts.data(), 1, MPI_INT, communicator, &request),
            "MPI_Iallgather");
  wait_patiently(request);
  return found;
}

bool are_complete(std::span<MPI_Request> requests) {
  int done = 0;
  check_mpi(MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE), "MPI_Testall");
  return done != 0;
}

/// Memory that MPI may still access, since a message could not be cancelled.
std::vector<std::shared_ptr<void const>>& kept_for_ever() {
  static auto& kept = *new std::vector<std::shared_ptr<void const>>;
  return kept;
}

}  // namespace

Communicator::Communicator(MPI_Comm parent, std::span<int const> hosts)
    : control_(std::make_shared<ControlChannel>(parent)), data_(owned(duplicate(parent), control_)) {
  MPI_Comm_rank(data(), &rank_);
  MPI_Comm_size(data(), &size_);
  Neighbourhood const found = neighbourhood(data(), rank_, size_);
  control_->crowded = found.crowded;
  if (hosts.empty()) {
    find_hosts(found.hosts);
  } else if (hosts.size() == static_cast<std::size_t>(size_)) {
    find_hosts(hosts);
  } else {
    throw DefectError("hosts named for " + std::to_string(hosts.size()) + " of " + std::to_string(size_) + " ranks");
  }
}

Communicator::Communicator(MPI_Comm data, std::shared_ptr<ControlChannel> control, std::span<int const> hosts)
    : control_(std::move(control)), data_(owned(data, control_)) {
  MPI_Comm_rank(data, &rank_);
  MPI_Comm_size(data, &size_);
  find_hosts(hosts);
}

Communicator::Communicator(std::shared_ptr<ControlChannel> control) : control_(std::move(control)), hosts_{0} {}

Communicator Communicator::alone() { return Communicator(std::make_shared<ControlChannel>()); }

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
  return request_by(MPI_Send_init, "MPI_Send_init", data, bytes, to, tag, this->data());
}

MPI_Request Communicator::receive_init(void* data, Index bytes, int from, int tag) const {
  return request_by(MPI_Recv_init, "MPI_Recv_init", data, bytes, from, tag, this->data());
}

MPI_Request Communicator::send(void const* data, Index bytes, int to, int tag) const {
  return request_by(MPI_Isend, "MPI_Isend", data, bytes, to, tag, this->data());
}

MPI_Request Communicator::send_to_receiver(void const* data, Index bytes, int to, int tag) const {
  return request_by(MPI_Issend, "MPI_Issend", data, bytes, to, tag, this->data());
}

MPI_Request Communicator::receive(void* data, Index bytes, int from, int tag) const {
  return request_by(MPI_Irecv, "MPI_Irecv", data, bytes, from, tag, this->data());
}

void Communicator::send_text(std::string const& text, int to, int tag) const {
  auto const sent = std::make_shared<std::string>(text);
  complete({send(sent->data(), static_cast<Index>(sent->size()), to, tag)}, sent);
}

std::optional<std::string> Communicator::take_text(int from, int tag) const {
  int has_come = 0;
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Status status;
  check_mpi(MPI_Improbe(from, tag, data(), &has_come, &message, &status), "MPI_Improbe");
  if (has_come == 0) return poll(), std::nullopt;
  MPI_Count length = 0;
  MPI_Get_elements_x(&status, MPI_BYTE, &length);
  auto const text = std::make_shared<std::string>(static_cast<std::size_t>(length), '\0');
  MessageType const type(length);
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Imrecv(text->data(), type.count(), type.type(), &message, &request), "MPI_Imrecv");
  complete({request}, text);
  return std::move(*text);
}

void Communicator::wait_until(std::function<bool()> const& done) const {
  throw_site(ThrowSite::wait);
  control_->wait_until(done);
}

void Communicator::wait_all(std::span<MPI_Request> requests) const {
  wait_until([&] { return are_complete(requests); });
}

void Communicator::complete(std::vector<MPI_Request> requests, std::shared_ptr<void const> owner) const {
  try {
    wait_all(requests);
  } catch (...) {
    abandon(requests, std::move(owner));
    throw;
  }
}

bool Communicator::test_all(std::span<MPI_Request> requests) const {
  bool const done = are_complete(requests);
  if (!done) poll();
  return done;
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
  check_mpi(MPI_Comm_split(data(), colour < 0 ? MPI_UNDEFINED : colour, key, &part), "MPI_Comm_split");
  if (part == MPI_COMM_NULL) return nullptr;
  int part_size = 0;
  MPI_Comm_size(part, &part_size);
  std::vector<int> hosts(static_cast<std::size_t>(part_size));
  MPI_Allgather(&hosts_[static_cast<std::size_t>(rank_)], 1, MPI_INT, hosts.data(), 1, MPI_INT, part);
  return std::unique_ptr<Communicator>(new Communicator(part, control_, hosts));
}

}  // namespace halocline
