#include "framework/halo/nccl/nccl_group.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <span>
#include <thread>
#include <utility>

#include "framework/halo/cuda/rank_devices.hpp"
#include "framework/runtime/error.hpp"

namespace halocline::nccl {
namespace {

/// Whether a rank has failed; stored in its segment behind the header.
using Failed = std::atomic<std::uint32_t>;
static_assert(Failed::is_always_lock_free, "flags between processes have no lock");

Failed& failed_in(Segment const& segment) { return *reinterpret_cast<Failed*>(segment.at(OwnSegment::header)); }

std::mutex groups_mutex;
std::vector<Group*> groups;  // never destroyed: threads watch them

/// Collective. The flags of all ranks, including this one, as mapped by this process.
std::vector<Segment> share_words(Communicator const& communicator, OwnSegment const& own) {
  SegmentOffer const mine = own.offer();
  std::vector<Index> const words{mine.process, mine.descriptor, mine.bytes, static_cast<Index>(mine.mark)};
  std::vector<Index> const all = communicator.all_gather(words);
  std::vector<Segment> segments;
  std::exception_ptr failure;
  try {
    for (std::size_t n = 0; n < all.size(); n += words.size()) {
      segments.push_back(open_offered({all[n], all[n + 1], all[n + 2], static_cast<std::uint64_t>(all[n + 3])}));
    }
  } catch (InputOutputError const&) {
    failure = std::current_exception();
  }
  // Segments stay open until all ranks have mapped them.
  if (communicator.any(failure != nullptr) && failure == nullptr)
    throw InputOutputError("another rank failed to share memory");
  if (failure != nullptr) std::rethrow_exception(failure);
  return segments;
}

std::string connect(Communicator const& communicator, ncclComm_t& made) {
  setenv("NCCL_NVLS_ENABLE", "0", 1);  // NVLink multicast, which point-to-point messages do not use
  ncclUniqueId id{};
  ncclResult_t result = communicator.rank() == 0 ? ncclGetUniqueId(&id) : ncclSuccess;
  communicator.broadcast(std::as_writable_bytes(std::span(&id, 1)), 0);
  if (communicator.any(result != ncclSuccess)) {
    return result != ncclSuccess ? std::string("ncclGetUniqueId: ") + ncclGetErrorString(result) : "";
  }
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  result = ncclCommInitRankConfig(&made, communicator.size(), id, communicator.rank(), &config);
  communicator.wait_until([&] {
    if (result != ncclSuccess && result != ncclInProgress) return true;
    ncclCommGetAsyncError(made, &result);
    return result != ncclInProgress;
  });
  return result == ncclSuccess ? "" : std::string("ncclCommInitRankConfig: ") + ncclGetErrorString(result);
}

}  // namespace

void check(ncclResult_t result, char const* call) {
  if (result == ncclSuccess || result == ncclInProgress) return;
  throw InputOutputError(std::string("NCCL: ") + call + ": " + ncclGetErrorString(result));
}

std::string Group::make(Communicator const& communicator) {
  {
    std::scoped_lock const lock(groups_mutex);
    bool const known =
        std::any_of(groups.begin(), groups.end(), [&](Group* group) { return group->holds(communicator); });
    if (known) return "";
  }
  std::string const shared = cuda::ranks_on_one_device(communicator);
  if (!shared.empty()) return shared + ", but NCCL needs one for each";
  OwnSegment own(OwnSegment::header + Index{sizeof(Failed)});
  std::vector<Segment> all;
  try {
    all = share_words(communicator, own);
  } catch (InputOutputError const& error) {
    return error.what();
  }
  ncclComm_t made = nullptr;
  std::string const failure = connect(communicator, made);
  if (communicator.any(!failure.empty() || made == nullptr)) {
    if (made != nullptr) ncclCommAbort(made);
    return failure;
  }
  MPI_Group ranks = MPI_GROUP_NULL;
  MPI_Comm_group(communicator.data(), &ranks);
  auto* const group = new Group(ranks, made, std::move(own), std::move(all));
  std::scoped_lock const lock(groups_mutex);
  groups.push_back(group);
  std::thread([group] { group->watch(); }).detach();
  return "";
}

Group& Group::of(Communicator const& communicator) {
  std::scoped_lock const lock(groups_mutex);
  for (Group* const group : groups) {
    if (group->holds(communicator)) return *group;
  }
  throw InputOutputError("NCCL does not connect these ranks");
}

Group::Group(MPI_Group ranks, ncclComm_t communicator, OwnSegment own, std::vector<Segment> all)
    : ranks_(ranks), communicator_(communicator), own_(std::move(own)), all_(std::move(all)) {}

std::vector<int> Group::peers(Communicator const& communicator) const { return ranks_of(communicator, ranks_); }

bool Group::holds(Communicator const& communicator) const {
  if (any_failed()) return false;
  std::vector<int> const all = ranks_of(communicator, ranks_);
  return std::find(all.begin(), all.end(), MPI_UNDEFINED) == all.end();
}

bool Group::any_failed() const {
  return std::any_of(all_.begin(), all_.end(),
                     [](Segment const& segment) { return failed_in(segment).load(std::memory_order_acquire) != 0; });
}

void Group::fail() {
  failed_in(own_.memory()).store(1, std::memory_order_release);
  abort();
}

void Group::abort() {
  std::scoped_lock const lock(mutex_);
  if (communicator_ != nullptr) ncclCommAbort(communicator_);
  communicator_ = nullptr;
}

void Group::watch() {
  constexpr std::chrono::milliseconds poll_interval{20};
  while (!any_failed()) std::this_thread::sleep_for(poll_interval);
  abort();
}

}  // namespace halocline::nccl
