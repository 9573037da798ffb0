#include "framework/halo/transport_choice.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <chrono>
#include <limits>
#include <set>
#include <utility>

#include "framework/halo/box_messages.hpp"
#include "framework/halo/transports/mixed.hpp"
#include "framework/runtime/backend.hpp"
#include "framework/runtime/communicator.hpp"
#include "framework/runtime/device.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/kept_answer.hpp"
#include "framework/runtime/version.hpp"

namespace halocline {
namespace {

constexpr Index smallest_class = 512;  // bytes
constexpr Index largest_class = Index{2} << 20;
constexpr Index between_classes = 8;
constexpr double seconds_a_batch = 0.002;
/// Nanoseconds that a kernel waits for a message of a trial, so that a lost message does not block the run.
constexpr Index timeout = 2'000'000'000;

/// The ranks with which this one exchanges messages.
struct Neighbourhood {
  std::vector<int> near;  ///< on this host
  std::vector<int> far;
  std::vector<int> near_faces;  ///< those that share a face with it
  std::vector<int> far_faces;
  Index largest = 0;  ///< bytes of the largest likely message: four layers of 8-byte values

  [[nodiscard]] std::vector<int> const& faces(bool across_hosts) const { return across_hosts ? far_faces : near_faces; }
  [[nodiscard]] std::vector<int> all() const {
    std::vector<int> ranks = near;
    ranks.insert(ranks.end(), far.begin(), far.end());
    return ranks;
  }
};

Neighbourhood neighbourhood_of(Mesh const& mesh) {
  Communicator const& communicator = mesh.communicator();
  Neighbourhood found;
  std::set<int> ranks;
  std::set<int> faces;
  for (Block const& block : mesh.blocks()) {
    for (std::size_t n = 0; n < block.neighbours.size(); ++n) {
      auto const& neighbour = block.neighbours[n];
      if (!neighbour || neighbour->rank == communicator.rank()) continue;
      ranks.insert(neighbour->rank);
      if (distance(direction_at(n)) != 1) continue;
      faces.insert(neighbour->rank);
      Index face = 1;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        if (direction_at(n)[axis] == 0) face *= block.cells.end[axis] - block.cells.begin[axis];
      }
      found.largest = std::max(found.largest, face * 4 * Index{sizeof(double)});
    }
  }
  for (int const rank : ranks) {
    bool const near = communicator.host_of(rank) == communicator.host();
    (near ? found.near : found.far).push_back(rank);
    if (faces.contains(rank)) (near ? found.near_faces : found.far_faces).push_back(rank);
  }
  found.largest = communicator.max(found.largest);
  return found;
}

/// Exchanges equal messages with some ranks like an Exchange: packed by one kernel and unpacked by one.
class Trial {
 public:
  Trial(Communicator const& communicator, Transport const& transport, std::vector<int> const& ranks, Index bytes)
      : rank_(communicator.rank()),
        ranks_(ranks),
        entries_(bytes / Index{sizeof(double)}),
        source_("halo trial", static_cast<std::size_t>(entries_)),
        sink_("halo trial", ranks.size(), source_.extent(0)) {
    if (ranks.empty()) return;
    std::size_t const count = ranks.size();
    BoxMessagesPlan plan{.outgoing = {},
                         .incoming = {},
                         .sends = {},
                         .receives = {},
                         .buffers = 2 + 2 * count,
                         .first_send_buffer = 2,
                         .first_receive_buffer = 2 + count};
    for (std::size_t n = 0; n < count; ++n) {
      plan.sends.push_back({ranks[n], entries_ * Index{sizeof(double)}});
      BoxCopy copy;
      copy.extents[0] = entries_;
      copy.to.buffer = static_cast<int>(2 + n);
      plan.outgoing.push_back(copy);
      copy.from.buffer = static_cast<int>(2 + count + n);
      copy.to = {1, static_cast<Index>(n) * entries_, entries_, entries_};
      plan.incoming.push_back(copy);
    }
    plan.receives = plan.sends;
    auto channel = transport.open(communicator, plan.sends, plan.receives);
    messages_ = BoxMessages(plan, std::move(channel));
    messages_.buffers().set(0, source_.data());
    messages_.buffers().set(1, sink_.data());
    messages_.buffers().set_timeout(timeout);
  }

  void exchange() {
    if (!ranks_.empty()) messages_.exchange(execution_);
  }
  void fence() const { execution_.fence("halo: a trial"); }

  /// Whether several exchanges deliver what was sent.
  [[nodiscard]] bool brings_what_was_sent() {
    auto const sent = Kokkos::create_mirror_view(source_);
    auto const received = Kokkos::create_mirror_view(sink_);
    bool right = true;  // no early return: neighbours wait for all exchanges
    for (int use = 0; use < 4; ++use) {
      for (Index i = 0; i < entries_; ++i) sent(i) = value(rank_, i, use);
      Kokkos::deep_copy(source_, sent);
      exchange();
      fence();
      Kokkos::deep_copy(received, sink_);
      for (std::size_t n = 0; n < ranks_.size(); ++n) {
        for (Index i = 0; i < entries_; ++i) {
          right = right && received(n, i) == value(ranks_[n], i, use);
        }
      }
    }
    return right;
  }

 private:
  [[nodiscard]] static double value(int rank, Index i, int use) {
    return rank + 0.25 * use + 1000.0 * static_cast<double>(i + 1);
  }

  int rank_;
  std::vector<int> ranks_;
  Index entries_;
  Kokkos::View<double*, Memory> source_;
  Kokkos::View<double**, Kokkos::LayoutRight, Memory> sink_;  ///< by neighbour
  BoxMessages messages_;
  Execution execution_;
};

/// Collective. The first non-empty text of all ranks, in the order of ranks.
std::string first_of(Communicator const& communicator, std::string const& mine) {
  std::string first;
  for (std::string const& text : communicator.gather(mine)) {
    if (first.empty()) first = text;
  }
  communicator.broadcast(first, 0);
  return first;
}

/// Collective. Null, with the reason, if any rank cannot open its part: no rank may wait for one that could not.
std::unique_ptr<Trial> open_trial(Communicator const& communicator, Transport const& transport,
                                  std::vector<int> const& ranks, Index bytes, std::string& failure) {
  std::unique_ptr<Trial> trial;
  std::string mine;
  try {
    trial = std::make_unique<Trial>(communicator, transport, ranks, bytes);
  } catch (InputOutputError const& error) {
    mine = error.what();
  }
  failure = first_of(communicator, mine);
  if (!failure.empty()) trial.reset();
  return trial;
}

/// Collective. Why the transport cannot reach these ranks; empty if it can.
std::string failure_of(Communicator const& communicator, Transport const& transport, std::vector<int> const& ranks) {
  std::string failure;
  // Not a multiple of a cache line.
  auto const trial = open_trial(communicator, transport, ranks, 1000 * Index{sizeof(double)}, failure);
  if (trial == nullptr) return failure;
  return communicator.all(trial->brings_what_was_sent()) ? "" : "a trial received wrong values";
}

/// Collective. Seconds of an exchange on the slowest rank, the best of some batches; infinite if memory for messages of
/// that size cannot be allocated.
double seconds_of(Communicator const& communicator, Transport const& transport, std::vector<int> const& ranks,
                  Index bytes) {
  using Clock = std::chrono::steady_clock;
  std::string failure;
  auto const trial = open_trial(communicator, transport, ranks, bytes, failure);
  if (trial == nullptr) return std::numeric_limits<double>::infinity();
  auto const batch = [&](Index repetitions) {
    communicator.barrier();
    Clock::time_point const begin = Clock::now();
    for (Index n = 0; n < repetitions; ++n) trial->exchange();
    trial->fence();
    double const seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    return communicator.max(seconds) / static_cast<double>(repetitions);
  };
  static_cast<void>(batch(1));  // touches the memory
  double best = batch(1);
  auto const repetitions = std::clamp(static_cast<Index>(seconds_a_batch / best), Index{1}, Index{200});
  for (int n = 0; n < 3; ++n) best = std::min(best, batch(repetitions));
  return best;
}

TransportEntry const& entry_of(std::string const& name, std::span<TransportEntry const> known) {
  for (TransportEntry const& entry : known) {
    if (entry.name == name) return entry;
  }
  throw DefectError("no transport is called `" + name + "`");
}

/// Collective. Why a transport cannot be used, as far as is known without a trial; empty if it can.
std::string obstacle_of(TransportEntry const& entry, Communicator const& communicator) {
  if (!entry.obstacle.empty() || entry.probe == nullptr) return entry.obstacle;
  return first_of(communicator, entry.probe(communicator));
}

TransportChoice wanted_transport(TransportEntry const& entry, Communicator const& communicator,
                                 Neighbourhood const& neighbours) {
  auto const refuse = [&](std::string const& why) { throw InputError(entry.name + " cannot be used here: " + why); };
  if (std::string const obstacle = obstacle_of(entry, communicator); !obstacle.empty()) refuse(obstacle);
  if (!entry.across_hosts && communicator.any(!neighbours.far.empty())) {
    refuse("it works within one host, but blocks on different hosts are neighbours");
  }
  TransportChoice choice;
  choice.transport = entry.make();
  choice.names = neighbours.largest == 0 ? "none" : entry.name;
  std::string const failure = failure_of(communicator, *choice.transport, neighbours.all());
  if (!failure.empty()) refuse(failure);
  return choice;
}

/// Whether candidate n carries messages of any size.
bool is_chosen(std::size_t n, std::vector<TransportTimings> const& timings) {
  return std::any_of(timings.begin(), timings.end(), [n](TransportTimings const& t) { return t.chosen == n; });
}

/// Transports that take seconds to start and that an earlier run of this user found to be slower than others, with the
/// same number of ranks, devices and message sizes.
class SlowerThanOthers {
 public:
  /// Collective.
  SlowerThanOthers(Communicator const& communicator, Index largest, std::span<TransportEntry const> known)
      : communicator_(communicator) {
    concerns_ = std::any_of(known.begin(), known.end(),
                            [](TransportEntry const& entry) { return entry.starts_slowly && entry.obstacle.empty(); });
    if (!concerns_) return;
    key_ = std::string("halocline: ") + version + " " + revision() + "\nmessages: " + std::to_string(largest) + "\n";
    for (std::string const& rank : communicator.gather(std::to_string(communicator.host()) + " " + device_name())) {
      key_ += "rank: " + rank + "\n";
    }
    if (communicator.rank() == 0) names_ = kept_answer(cache_folder(), question, key_).value_or("");
    communicator.broadcast(names_, 0);
  }

  [[nodiscard]] bool holds(TransportEntry const& entry) const {
    return entry.starts_slowly && names_.find(" " + entry.name + " ") != std::string::npos;
  }
  /// Stores the names of those that were measured and carry no messages.
  void keep(std::vector<TransportEntry const*> const& entries, std::vector<TransportTimings> const& timings) const {
    std::string names = " ";
    for (std::size_t n = 0; n < entries.size(); ++n) {
      if (entries[n]->starts_slowly && !is_chosen(n, timings)) names += entries[n]->name + " ";
    }
    if (concerns_ && names_.empty() && communicator_.rank() == 0) keep_answer(cache_folder(), question, key_, names);
  }

 private:
  static constexpr char const* question = "slow-transports";
  Communicator const& communicator_;
  bool concerns_ = false;
  std::string key_;
  std::string names_;  ///< each between two spaces
};

/// The transports that pass a trial; notes why the others are left out.
std::vector<TransportEntry const*> candidates(Communicator const& communicator, Neighbourhood const& neighbours,
                                              std::span<TransportEntry const> known, SlowerThanOthers const& slower,
                                              std::vector<std::string>& left_out) {
  std::vector<TransportEntry const*> passed;
  for (TransportEntry const& entry : known) {
    std::string failure = slower.holds(entry) ? "it takes long to start and was slower than others in an earlier run"
                                              : obstacle_of(entry, communicator);
    if (failure.empty()) {
      failure = failure_of(communicator, *entry.make(), entry.across_hosts ? neighbours.all() : neighbours.near);
    }
    if (failure.empty()) {
      passed.push_back(&entry);
    } else {
      left_out.push_back(entry.name + ": " + failure);
    }
  }
  return passed;
}

TransportTimings measured(Communicator const& communicator, std::vector<TransportEntry const*> const& entries,
                          std::vector<int> const& ranks, bool across_hosts, Index bytes) {
  TransportTimings timings{.across_hosts = across_hosts, .bytes = bytes, .seconds = {}};
  for (TransportEntry const* const entry : entries) {
    bool const reaches = entry->across_hosts || !across_hosts;
    timings.seconds.push_back(reaches ? seconds_of(communicator, *entry->make(), ranks, bytes)
                                      : std::numeric_limits<double>::infinity());
  }
  auto const best = std::min_element(timings.seconds.begin(), timings.seconds.end());
  timings.chosen = static_cast<std::size_t>(best - timings.seconds.begin());
  return timings;
}

MixedTransport::Choice by_timings(std::vector<TransportTimings> timings, Communicator const& communicator) {
  std::vector<bool> far;
  for (int rank = 0; rank < communicator.size(); ++rank) {
    far.push_back(communicator.host_of(rank) != communicator.host());
  }
  return [timings = std::move(timings), far = std::move(far)](int rank, Index bytes) {
    std::size_t chosen = 0;
    for (TransportTimings const& size_class : timings) {
      if (size_class.across_hosts != far[static_cast<std::size_t>(rank)]) continue;
      chosen = size_class.chosen;
      if (bytes <= size_class.bytes) break;
    }
    return chosen;
  };
}

std::string names_of(std::vector<std::string> const& candidates, std::vector<TransportTimings> const& timings) {
  std::string names;
  for (std::size_t n = 0; n < candidates.size(); ++n) {
    if (is_chosen(n, timings)) names += (names.empty() ? "" : ", ") + candidates[n];
  }
  return names;
}

}  // namespace

TransportChoice choose_transport(std::string const& wanted, Mesh const& mesh, std::span<TransportEntry const> known) {
  Communicator const& communicator = mesh.communicator();
  Neighbourhood const neighbours = neighbourhood_of(mesh);
  if (wanted != "auto") return wanted_transport(entry_of(wanted, known), communicator, neighbours);

  TransportChoice choice;
  choice.transport = known.front().make();
  choice.names = "none";
  if (neighbours.largest == 0) return choice;
  SlowerThanOthers const slower(communicator, neighbours.largest, known);
  std::vector<TransportEntry const*> const entries =
      candidates(communicator, neighbours, known, slower, choice.left_out);
  if (entries.empty()) throw DefectError("no transport passes its trial: " + choice.left_out.front());
  for (TransportEntry const* const entry : entries) choice.candidates.push_back(entry->name);
  if (entries.size() == 1) {
    choice.transport = entries.front()->make();
    choice.names = entries.front()->name;
    return choice;
  }
  for (bool const across_hosts : {false, true}) {
    if (!communicator.any(!neighbours.faces(across_hosts).empty())) continue;
    Index const largest = std::min(neighbours.largest, largest_class);
    for (Index bytes = std::min(smallest_class, largest);; bytes = std::min(bytes * between_classes, largest)) {
      choice.timings.push_back(measured(communicator, entries, neighbours.faces(across_hosts), across_hosts, bytes));
      if (bytes == largest) break;
    }
  }
  slower.keep(entries, choice.timings);
  choice.names = names_of(choice.candidates, choice.timings);
  std::vector<std::shared_ptr<Transport const>> transports;
  for (TransportEntry const* const entry : entries) transports.push_back(entry->make());
  choice.transport = std::make_shared<MixedTransport>(std::move(transports), by_timings(choice.timings, communicator));
  return choice;
}

}  // namespace halocline
