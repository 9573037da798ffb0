#include "framework/kernel/host_plan.hpp"

#include <unistd.h>

#include <algorithm>

namespace halocline::kernel {

namespace {

/// Points that are worth one more thread: starting a parallel region costs as much as this many points (measured by
/// bench/sweep_bench, see bench/results).
constexpr Index points_per_worker = 8192;

/// Rows shorter than this gain nothing from streaming: their ends share cache lines that are written normally.
constexpr Index shortest_streamed_row = 64;

Index cache_bytes(int name, Index otherwise) {
  long const bytes = sysconf(name);
  return bytes > 0 ? static_cast<Index>(bytes) : otherwise;
}

Index last_level_cache() {
  static Index const bytes = cache_bytes(_SC_LEVEL3_CACHE_SIZE, Index{16} << 20);
  return bytes;
}

Index cache_of_one_core() {
  static Index const bytes = cache_bytes(_SC_LEVEL2_CACHE_SIZE, Index{1} << 20);
  return bytes;
}

/// Rows whose planes, as many as the shape reaches, stay in the cache of one core while the sweep goes from one plane to
/// the next.
Index rows_in_cache(IndexRange const& range, HostTraffic const& traffic) {
  if (range.extent(2) == 1 || traffic.radius == 0) return range.extent(1);
  Index const planes = 2 * traffic.radius + 1;
  Index const row_bytes = range.extent(0) * planes * traffic.input_bytes;
  Index const rows = cache_of_one_core() / std::max<Index>(1, row_bytes);
  return std::clamp<Index>(rows, std::min<Index>(8 * traffic.radius, range.extent(1)), range.extent(1));
}

bool worth_streaming(IndexRange const& range, HostTraffic const& traffic) {
  if (traffic.in_place || range.extent(0) < shortest_streamed_row) return false;
  return range.size() * traffic.output_bytes > last_level_cache();
}

}  // namespace

HostPlan plan_host_sweep(IndexRange const& range, HostTraffic const& traffic, HostTuning const& tuning,
                         int concurrency) {
  Rows const rows(range);
  Index const affordable = range.size() / points_per_worker;
  Index const workers = tuning.workers > 0 ? tuning.workers : std::min<Index>(concurrency, affordable);
  HostPlan plan{rows, static_cast<int>(std::clamp<Index>(workers, 1, std::max<Index>(1, rows.count()))),
                tuning.tile_rows > 0 ? tuning.tile_rows : rows_in_cache(range, traffic), false};
  plan.streaming = traffic.output_bytes > 0 && (tuning.stores == Stores::streaming ||
                                                (tuning.stores == Stores::automatic && worth_streaming(range, traffic)));
  return plan;
}

}  // namespace halocline::kernel
