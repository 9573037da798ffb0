#pragma once

#include "framework/kernel/backends.hpp"
#include "framework/kernel/rows.hpp"

namespace halocline::kernel {

enum class Stores { automatic, plain, streaming };
enum class Prefetch { automatic, off, on };

/// Settings that change the speed of a host sweep but no bit of its result. `plan_host_sweep` chooses those left at
/// their defaults.
struct HostTuning {
  int workers = 0;      ///< threads for the sweep; zero: as many as pay off
  Index tile_rows = 0;  ///< rows of a tile, swept through all planes before the next tile; zero: by cache size
  Stores stores = Stores::automatic;        ///< streaming: bypass the caches
  Prefetch prefetch = Prefetch::automatic;  ///< on: prefetch the lines that later pieces read
};

/// Properties of a sweep that its plan depends on.
struct HostTraffic {
  int radius = 0;
  Index input_bytes = 0;    ///< per point, all inputs
  Index output_bytes = 0;   ///< per point, all outputs
  bool streamable = false;  ///< no output is also an input, and all outputs align alike with cache lines
};

/// Rows that are swept together, piece by piece along x: neighbours in z, or in y where the range has one plane. Values
/// that they share stay in the first-level cache.
inline constexpr Index rows_together = 4;

/// Bytes of a core's private second-level cache.
[[nodiscard]] Index cache_of_one_core();
/// Bytes of the last-level cache that cores share.
[[nodiscard]] Index last_level_cache();

/// How one sweep is divided among workers and into tiles.
struct HostPlan {
  Rows rows;
  int workers;
  Index tile_rows;
  bool streaming;
  bool together_in_z;
  bool prefetching;
  Index ahead_rows;   ///< prefetch distance from the current point: rows …
  Index ahead_bytes;  ///< … and bytes along x
};

/// `concurrency`: threads of the execution space.
[[nodiscard]] HostPlan plan_host_sweep(IndexRange const& range, HostTraffic const& traffic, HostTuning const& tuning,
                                       int concurrency);

/// A piece of up to `rows_together` planes k, k + 1, …: one segment of each of the rows j_begin <= j < j_end.
struct RowBlock {
  Index segment;
  Index j_begin;
  Index j_end;
  Index k;
  Index planes;
};
using VisitRows = void (*)(void const* sweep, RowBlock const& block);

/// Calls `visit` for every piece of the plan on the threads of `execution`, and returns when all are done. A worker
/// owns the same consecutive rows in every sweep over a range, so that its pages are local (first touch). One worker
/// runs on the calling thread without a parallel region. Defined for every host space of the build.
template <class Execution>
void run_host_sweep(Execution const& execution, HostPlan const& plan, VisitRows visit, void const* sweep);

/// Number of threads of a host space; declared here so that callers need not include all of Kokkos.
template <class Execution>
[[nodiscard]] int host_concurrency(Execution const& execution);

}  // namespace halocline::kernel
