#include "framework/kernel/host_plan.hpp"

#include <unistd.h>

#include <algorithm>
#include <fstream>

namespace halocline::kernel {

namespace {

/// Points that justify one more thread: a parallel region starts in one or two microseconds, in which a core sweeps a
/// few thousand points.
constexpr Index points_per_worker = 8192;

/// Shorter rows gain nothing from streaming stores: their ends share cache lines that are written normally.
constexpr Index shortest_streamed_row = 64;

Index cache_bytes(int name, Index otherwise) {
  long const bytes = sysconf(name);
  return bytes > 0 ? static_cast<Index>(bytes) : otherwise;
}

/// Rows of a plane that a worker follows through all planes: what it writes and reads of the planes swept together must
/// stay in its core's cache until the next planes, which read some of it again.
Index rows_of_tile(IndexRange const& range, HostTraffic const& traffic, bool streaming) {
  if (range.extent(2) == 1 || traffic.radius == 0) return range.extent(1);
  Index const bytes_per_point = traffic.input_bytes + (streaming ? 0 : traffic.output_bytes);
  Index const row_bytes = std::max<Index>(1, range.extent(0) * bytes_per_point * rows_together);
  Index const fewest = std::min<Index>(8 * traffic.radius, range.extent(1));
  return std::clamp(cache_of_one_core() / 2 / row_bytes, fewest, range.extent(1));
}

/// Prefetch distance. Rows work better than bytes, because the prefetch then continues past the end of a row.
struct Ahead {
  Index rows;
  Index bytes;
};
Ahead ahead_of(IndexRange const& range, HostTraffic const& traffic) {
  Index const row_bytes = range.extent(0) * std::max<Index>(1, traffic.input_bytes);
  if (rows_together * rows_together * row_bytes <= cache_of_one_core() / 2) return {rows_together, 0};
  return {0, 4096};
}

bool is_prefetching(IndexRange const& range, HostTraffic const& traffic, Prefetch prefetch) {
  if (prefetch != Prefetch::automatic) return prefetch == Prefetch::on;
  return range.size() * (traffic.input_bytes + traffic.output_bytes) > cache_of_one_core();
}

bool worth_streaming(IndexRange const& range, HostTraffic const& traffic) {
  if (range.extent(0) < shortest_streamed_row) return false;
  return range.size() * (traffic.input_bytes + traffic.output_bytes) > last_level_cache();
}

bool is_streaming(IndexRange const& range, HostTraffic const& traffic, Stores stores) {
  if (!traffic.streamable || stores == Stores::plain) return false;
  return stores == Stores::streaming || worth_streaming(range, traffic);
}

}  // namespace

Index cache_of_one_core() {
  static Index const bytes = cache_bytes(_SC_LEVEL2_CACHE_SIZE, Index{1} << 20);
  return bytes;
}

Index last_level_cache() {
  // The kernel reports (in KiB) the cache of one processor. The C library reports that of the whole package, which is
  // ten times as much in a virtual machine with a few of its cores.
  static Index const bytes = [] {
    std::ifstream file("/sys/devices/system/cpu/cpu0/cache/index3/size");
    Index kibibytes = 0;
    return file >> kibibytes && kibibytes > 0 ? kibibytes << 10 : cache_bytes(_SC_LEVEL3_CACHE_SIZE, Index{16} << 20);
  }();
  return bytes;
}

HostPlan plan_host_sweep(IndexRange const& range, HostTraffic const& traffic, HostTuning const& tuning,
                         int concurrency) {
  Rows const rows(range);
  Index const affordable = range.size() / points_per_worker;
  Index const workers = tuning.workers > 0 ? tuning.workers : std::min<Index>(concurrency, affordable);
  bool const streaming = is_streaming(range, traffic, tuning.stores);
  Ahead const ahead = ahead_of(range, traffic);
  return {.rows = rows,
          .workers = static_cast<int>(std::clamp<Index>(workers, 1, std::max<Index>(1, rows.count()))),
          .tile_rows = tuning.tile_rows > 0 ? tuning.tile_rows : rows_of_tile(range, traffic, streaming),
          .streaming = streaming,
          .together_in_z = range.extent(2) > 1,
          .prefetching = is_prefetching(range, traffic, tuning.prefetch),
          .ahead_rows = ahead.rows,
          .ahead_bytes = ahead.bytes};
}

}  // namespace halocline::kernel
