#include "framework/kernel/cuda/tune.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "framework/runtime/cuda_stopwatch.hpp"
#include "framework/runtime/device.hpp"

namespace halocline::kernel::cuda {
namespace {

std::string const streaming = "streaming";
std::string const direct = "direct";

std::string counted(int count, std::string const& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

/// "1", "0", or "1 along y" and "1 along xy" for a reach along some axes only.
std::string reach_of(StreamKernel::Input const& input, int dimensions) {
  int farthest = 0;
  std::string along;
  for (int axis = 0; axis < dimensions; ++axis) {
    if (input.reach[axis] == 0) continue;
    farthest = input.reach[axis];
    along += "xyz"[axis];
  }
  bool const everywhere = along.empty() || along.size() == static_cast<std::size_t>(dimensions);
  return std::to_string(farthest) + (everywhere ? "" : " along " + along);
}

std::string stencil_of(StreamKernel const& kernel) {
  std::string text = std::to_string(kernel.dimensions) + "D " + (kernel.star ? "star" : "box") + "; inputs";
  for (int n = 0; n < kernel.inputs; ++n) {
    text += (n > 0 ? ", " : " ") + std::to_string(kernel.input[n].size) + " bytes reaching " +
            reach_of(kernel.input[n], kernel.dimensions);
  }
  return text + "; " + counted(kernel.outputs, "output") + "; " + counted(kernel.sums, "sum");
}

std::map<std::string, Index> as_parameters(StreamKernel const& kernel, StreamTuning const& tuning) {
  return {{"rows", kernel.rows},
          {"threads_x", tuning.threads_x},
          {"threads_y", tuning.threads_y},
          {"ahead", tuning.ahead},
          {"planes", tuning.planes},
          {"pace", tuning.pace},
          {"order", static_cast<Index>(tuning.order)}};
}

/// Whether a tuning was measured with as many rows per thread as the kernel has now.
bool is_of(StreamKernel const& kernel, TunedSweep const& sweep) {
  auto const rows = sweep.parameters.find("rows");
  return rows == sweep.parameters.end() || rows->second == kernel.rows;
}

/// A tuning from a table; parameters that it does not give have their defaults.
StreamTuning as_tuning(std::map<std::string, Index> const& parameters) {
  StreamTuning tuning;
  // A file may contain any number: products of these must not overflow.
  auto const read = [&](char const* name, auto& into, Index most = Index{1} << 20U) {
    if (auto const at = parameters.find(name); at != parameters.end()) {
      into = static_cast<std::remove_reference_t<decltype(into)>>(std::clamp<Index>(at->second, 0, most));
    }
  };
  constexpr Index most_threads = 1024;
  read("threads_x", tuning.threads_x, most_threads);
  read("threads_y", tuning.threads_y, most_threads);
  read("ahead", tuning.ahead);
  read("planes", tuning.planes);
  read("pace", tuning.pace);
  int order = 0;
  read("order", order);
  tuning.order = static_cast<BlockOrder>(std::min(order, static_cast<int>(BlockOrder::zxy)));
  return tuning;
}

/// Launches shorter than this (in seconds) are measured several at a time.
constexpr double shortest_measure = 5e-4;

}  // namespace

SweepKey key_of(IndexRange const& range, StreamKernel const& kernel) {
  return {device_name(), kernel.functor, stencil_of(kernel), size_class(range)};
}

Choice choose(IndexRange const& range, StreamKernel const& kernel) {
  if (auto const found = tuner::look_up(key_of(range, kernel)); found && is_of(kernel, found->sweep)) {
    if (found->sweep.form == direct) return {std::nullopt, found->source};
    StreamTuning const tuning = as_tuning(found->sweep.parameters);
    // A tuning of a size class may not suit every size in it.
    if (cut_up(range, kernel, tuning).blocks > 0) return {tuning, found->source};
  }
  return {default_tuning(range, kernel), "rule"};
}

std::vector<StreamTuning> candidates(IndexRange const& range, StreamKernel const& kernel) {
  constexpr std::size_t most = 96;
  constexpr std::size_t most_in_orders = 8;
  std::vector<std::pair<double, StreamTuning>> all;
  bool const solid = kernel.dimensions == 3;
  std::vector<Index> planes_tried = {0};
  if (solid) {
    for (Index const chunks : {2, 3, 4, 5, 6, 8, 12, 16})
      planes_tried.push_back((range.extent(2) + chunks - 1) / chunks);
  } else {
    planes_tried.insert(planes_tried.end(), {256, 128, 64, 32});
  }
  for (int const threads_x : {32, 48, 64, 80, 96, 112, 128, 160, 192, 256}) {
    for (int const threads_y : {1, 2, 3, 4, 6, 8, 16}) {
      if (!solid && threads_y > 1) continue;
      for (int const ahead : {1, 2, 4}) {
        for (Index const planes : planes_tried) {
          for (int const pace : {0, 1, 2, 3, 10}) {
            StreamTuning const tuning{threads_x, threads_y, ahead, planes, pace};
            StreamLaunch const launch = cut_up(range, kernel, tuning);
            // Equal chunks, and fewer stages than requested, are covered by other candidates.
            bool const same_as_whole = planes > 0 && launch.plan.chunks == 1;
            if (launch.blocks == 0 || same_as_whole || launch.plan.stages < kernel.stages_in_use + ahead) continue;
            all.emplace_back(-tile_score(range, kernel, tuning), tuning);
          }
        }
      }
    }
  }
  std::sort(all.begin(), all.end());
  // The best of every tile first, so that a score which misjudges a tile does not exclude all of its tunings.
  std::set<std::pair<int, int>> tiles;
  std::vector<StreamTuning> chosen;
  std::vector<StreamTuning> others;
  for (auto const& [score, tuning] : all) {
    bool const is_first = tiles.emplace(tuning.threads_x, tuning.threads_y).second;
    (is_first ? chosen : others).push_back(tuning);
  }
  others.resize(std::min(others.size(), most - std::min(most, chosen.size())));
  std::vector<StreamTuning> const leading(chosen.begin(),
                                          chosen.begin() + static_cast<int>(std::min(most_in_orders, chosen.size())));
  chosen.insert(chosen.end(), others.begin(), others.end());
  for (StreamTuning tuning : leading) {
    StreamPlan const plan = cut_up(range, kernel, tuning).plan;
    for (BlockOrder const order : {BlockOrder::yxz, BlockOrder::zxy}) {
      bool const is_other = order == BlockOrder::yxz ? plan.tiles_x > 1 && plan.tiles_y > 1 : plan.chunks > 1;
      tuning.order = order;
      if (is_other) chosen.push_back(tuning);
    }
  }
  return chosen;
}

SecondsOf by_clock(cudaStream_t stream, std::function<bool(StreamTuning const*)> run) {
  return [stopwatch = std::make_shared<halocline::cuda::Stopwatch>(stream), run = std::move(run)](
             StreamTuning const* tuning, int samples) {
    double best = std::numeric_limits<double>::infinity();
    if (!run(tuning)) return best;
    auto const enqueue = [&] { return run(tuning); };
    double const once = stopwatch->elapsed(enqueue, 1);
    int const runs = std::clamp(static_cast<int>(shortest_measure / std::max(once, 1e-7)), 1, 100);
    for (int n = 0; n < samples; ++n) best = std::min(best, stopwatch->elapsed(enqueue, runs) / runs);
    return best;
  };
}

void search(IndexRange const& range, StreamKernel const& kernel, SecondsOf const& seconds_of) {
  constexpr double worth_a_change = 0.99;
  constexpr std::size_t finalists = 3;
  using Entry = std::optional<StreamTuning>;
  auto const measure = [&](Entry const& entry, int samples) { return seconds_of(entry ? &*entry : nullptr, samples); };
  using Timed = std::pair<double, Entry>;
  auto const sooner = [](Timed const& a, Timed const& b) { return a.first < b.first; };
  std::vector<Timed> tried;
  for (StreamTuning const& tuning : candidates(range, kernel)) tried.emplace_back(measure(tuning, 2), tuning);
  tried.emplace_back(measure(std::nullopt, 2), std::nullopt);
  std::sort(tried.begin(), tried.end(), sooner);
  tried.resize(std::min(tried.size(), finalists));
  // Measures the rule's tuning, the table's and the best of the first round again, alternating, so that all run under
  // the same conditions.
  double const never = std::numeric_limits<double>::infinity();
  std::vector<Timed> standing = {{never, default_tuning(range, kernel)}};
  if (Choice const known = choose(range, kernel); known.source != "rule") standing.emplace_back(never, known.tuning);
  for (auto& [seconds, entry] : tried) seconds = never;
  for (int round = 0; round < 3; ++round) {
    for (auto* const list : {&standing, &tried})
      for (auto& [seconds, entry] : *list) seconds = std::min(seconds, measure(entry, 1));
  }
  auto const best_of = [&](std::vector<Timed> const& list) {
    return *std::min_element(list.begin(), list.end(), sooner);
  };
  double const by_rule = standing.front().first;
  // If the rule cannot stream, there is nothing to choose.
  if (!std::isfinite(by_rule)) return;
  Timed const used = best_of(standing);
  Timed const best = best_of(tried);
  auto const& [seconds, chosen] = best.first < worth_a_change * used.first ? best : used;
  tuner::keep({.key = key_of(range, kernel),
               .form = chosen ? streaming : direct,
               .parameters = chosen ? as_parameters(kernel, *chosen) : std::map<std::string, Index>{},
               .seconds = seconds,
               .default_seconds = by_rule});
  forget_plans();
}

bool wants_search(cudaStream_t stream, IndexRange const& range, StreamKernel const& kernel) {
  if (tuner::mode() != TuneMode::search || is_planned(range, kernel)) return false;
  SweepKey const key = key_of(range, kernel);
  if (auto const found = tuner::look_up(key); !tuner::wants_search(key) && found && is_of(kernel, found->sweep)) {
    return false;
  }
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  check(cudaStreamIsCapturing(stream, &status), "cudaStreamIsCapturing");
  return status == cudaStreamCaptureStatusNone;
}

StandIn::StandIn(cudaStream_t stream, void const* like, std::size_t bytes) : stream_(stream) {
  constexpr std::size_t unit = 256;
  if (cudaMallocAsync(&allocation_, bytes + unit, stream) != cudaSuccess) {
    (void)cudaGetLastError();
    allocation_ = nullptr;
    return;
  }
  memory_ = static_cast<std::byte*>(allocation_) + reinterpret_cast<std::uintptr_t>(like) % unit;
}
StandIn::~StandIn() {
  if (allocation_ != nullptr) (void)cudaFreeAsync(allocation_, stream_);
}
StandIn::StandIn(StandIn&& other) noexcept
    : stream_(other.stream_),
      allocation_(std::exchange(other.allocation_, nullptr)),
      memory_(std::exchange(other.memory_, nullptr)) {}

}  // namespace halocline::kernel::cuda
