#include "framework/runtime/waiting.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <thread>

#include "framework/runtime/mpi_check.hpp"

namespace halocline {

namespace {

/// A thread that takes over the core keeps it for a millisecond or so; otherwise a yield takes about a microsecond.
constexpr std::chrono::microseconds long_yield(200);

/// As the kernel's interface lays it out (sched_setattr(2)); its header cannot be included beside <sched.h>.
struct SchedulingAttributes {
  std::uint32_t size, policy;
  std::uint64_t flags;
  std::int32_t nice;
  std::uint32_t priority;
  std::uint64_t runtime, deadline, period;
};

/// None of a thread with real-time priority, whose attributes mean something else.
std::optional<SchedulingAttributes> ordinary_attributes() {
  SchedulingAttributes attributes{};
  if (syscall(SYS_sched_getattr, 0, &attributes, sizeof(attributes), 0) != 0) return std::nullopt;
  bool const ordinary = attributes.policy == SCHED_OTHER || attributes.policy == SCHED_BATCH;
  return ordinary ? std::optional(attributes) : std::nullopt;
}

}  // namespace

Waiting::Duration Waiting::next_sleep() {
  Duration const length = sleep_;
  sleep_ = std::min(length + length / 4, longest_sleep);
  return length;
}

void Waiting::note_yield(Duration took) { core_is_taken_ = core_is_taken_ || took > long_yield; }

void Waiting::take(Pause due) {
  using Clock = std::chrono::steady_clock;
  if (due == Pause::sleep) return std::this_thread::sleep_for(next_sleep());
  Clock::time_point const start = Clock::now();
  sched_yield();
  note_yield(Clock::now() - start);
}

Cores cores_of_this_thread() {
  Cores cores;
  CPU_ZERO(&cores);
  // Fails where a core's number exceeds what the set can hold; no core is known then.
  static_cast<void>(sched_getaffinity(0, sizeof(cores), &cores));
  return cores;
}

bool is_crowded(std::span<Cores const> cores_of_ranks, std::size_t mine) {
  Cores together;
  CPU_ZERO(&together);
  int ranks = 0;
  for (Cores const& theirs : cores_of_ranks) {
    Cores common;
    CPU_AND(&common, &theirs, &cores_of_ranks[mine]);
    if (CPU_COUNT(&common) == 0) continue;
    ++ranks;
    CPU_OR(&together, &together, &theirs);
  }
  return ranks > CPU_COUNT(&together);
}

void request_short_turns() {
  std::optional<SchedulingAttributes> attributes = ordinary_attributes();
  if (!attributes) return;
  attributes->size = sizeof(*attributes);
  attributes->runtime = std::chrono::nanoseconds(short_turn).count();
  // Waits are right without it, too.
  static_cast<void>(syscall(SYS_sched_setattr, 0, &*attributes, 0));
}

std::optional<std::chrono::nanoseconds> turn_of_this_thread() {
  std::optional<SchedulingAttributes> const attributes = ordinary_attributes();
  if (!attributes || attributes->runtime == 0) return std::nullopt;
  return std::chrono::nanoseconds(attributes->runtime);
}

void wait_patiently(MPI_Request request) {
  Waiting waiting(true);
  while (true) {
    int done = 0;
    check_mpi(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
    if (done != 0) return;
    waiting.pause();
  }
}

void wait_for_all(MPI_Comm ranks) {
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Ibarrier(ranks, &request), "MPI_Ibarrier");
  wait_patiently(request);
}

}  // namespace halocline
