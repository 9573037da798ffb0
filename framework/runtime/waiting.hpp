#pragma once

#include <mpi.h>
#include <sched.h>

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>

namespace halocline {

/// What a rank does between two tests of what it waits for.
///
/// A rank with a core of its own tests again at once, which notices the answer soonest; in a long wait it yields the
/// core between tests. A crowded rank (see `is_crowded`) takes processor time from those that it waits for, so it
/// yields from the first test on and soon sleeps. Any other rank sleeps, too, once a yield shows that another program
/// computes on its core. Each sleep is a quarter longer than the one before, up to 1 ms, so that a wait ends at most
/// about a quarter later than it could.
class Waiting {
 public:
  using Duration = std::chrono::nanoseconds;
  enum class Pause { none, yield, sleep };

  explicit Waiting(bool crowded) : crowded_(crowded) {}

  /// Pauses after a test that found nothing, and returns how.
  Pause pause() {
    Pause const due = next();
    if (due != Pause::none) take(due);
    return due;
  }
  /// The tests so far.
  [[nodiscard]] unsigned tests() const { return tests_; }

  // The parts of a pause.
  /// Counts a test, and returns the kind of pause that is due after it.
  [[nodiscard]] Pause next() {
    ++tests_;
    if (core_is_taken_) return Pause::sleep;
    if (crowded_) return tests_ <= yields_before_sleep ? Pause::yield : Pause::sleep;
    return tests_ <= tests_before_yield ? Pause::none : Pause::yield;
  }
  /// Length of the sleep that is due; the next one is longer.
  [[nodiscard]] Duration next_sleep();
  /// \param took how long a yield took: long if another thread had the core meanwhile
  void note_yield(Duration took);

  static constexpr Duration longest_sleep = std::chrono::milliseconds(1);

 private:
  static constexpr unsigned tests_before_yield = 512;
  /// Of a crowded rank: about as long as a message takes, if the yields are short.
  static constexpr unsigned yields_before_sleep = 64;

  void take(Pause due);

  bool crowded_;
  bool core_is_taken_ = false;  ///< a yield of this wait was long
  unsigned tests_ = 0;
  Duration sleep_ = std::chrono::microseconds(10);
};

using Cores = cpu_set_t;
/// The cores that the calling thread may use.
[[nodiscard]] Cores cores_of_this_thread();

/// Whether the ranks of a host that may use a core of rank `mine`, itself included, are more than their cores.
[[nodiscard]] bool is_crowded(std::span<Cores const> cores_of_ranks, std::size_t mine);

/// Turn on a core that ranks ask the scheduler for: the shortest that Linux grants.
inline constexpr std::chrono::microseconds short_turn(100);
/// Asks the scheduler for short turns of the calling thread and those that it starts. Where other programs use the
/// cores, too, a rank that has yielded or slept then has its core back about that soon, not after their turns of
/// milliseconds; its share of the core stays the same. Linux knows such a request from 6.12 on (`sched_runtime` in
/// sched_setattr(2), for threads without real-time priority); earlier kernels ignore it.
void request_short_turns();
/// Turn of the calling thread; none where the kernel does not say.
[[nodiscard]] std::optional<std::chrono::nanoseconds> turn_of_this_thread();

/// Returns when the request is complete, and waits as a crowded rank: for the start, when it is not known who is.
void wait_patiently(MPI_Request request);
/// Collective. Returns when all ranks have entered it, and waits as a crowded rank. MPI's own blocking calls wait
/// without sleeping: after this one they are short.
void wait_for_all(MPI_Comm ranks);

}  // namespace halocline
