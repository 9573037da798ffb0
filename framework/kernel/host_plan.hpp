#pragma once

#include "framework/kernel/backends.hpp"
#include "framework/kernel/rows.hpp"

namespace halocline::kernel {

enum class Stores { automatic, plain, streaming };
enum class Prefetch { automatic, off, on };

/// Choices that change the speed of a sweep on the host and never a bit of its result. What is left at its default is
/// decided by `plan_host_sweep`.
struct HostTuning {
  int workers = 0;      ///< threads to share the sweep; zero: as many as are worth their start
  Index tile_rows = 0;  ///< rows of a plane that are swept through all planes before the next ones; zero: by cache size
  Stores stores = Stores::automatic;        ///< streaming: write past the caches
  Prefetch prefetch = Prefetch::automatic;  ///< on: ask for the lines that later pieces read
};

/// What a sweep touches, as far as its plan depends on it.
struct HostTraffic {
  int radius = 0;
  Index input_bytes = 0;    ///< of one point, all inputs
  Index output_bytes = 0;   ///< of one point, all outputs
  bool streamable = false;  ///< no output is an input as well, and the rows of all outputs meet cache lines alike
};

/// Rows that are swept together, piece by piece along x: neighbours in z, or in y where the range has one plane. What
/// one of them reads is then still in the first-level cache when the next one needs it.
inline constexpr Index rows_together = 4;

/// Bytes of the second-level cache, which every core has for itself.
[[nodiscard]] Index cache_of_one_core();
/// Bytes of the last cache that the cores share.
[[nodiscard]] Index last_level_cache();

/// How one sweep is shared among workers and cut into tiles.
struct HostPlan {
  Rows rows;
  int workers;
  Index tile_rows;
  bool streaming;
  bool together_in_z;
  bool prefetching;
  Index ahead_rows;   ///< how far ahead of the point in work memory is asked for: rows,
  Index ahead_bytes;  ///< and bytes along x
};

/// `concurrency`: threads that the execution space has.
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

/// Calls `visit` for every piece of the plan, from the threads of `execution`, and returns when all is done. A worker
/// owns consecutive rows, the same ones in every sweep over the same range, so that a thread meets the pages it touched
/// first; one worker runs on the calling thread without a parallel region. Defined for every host space of the build.
template <class Execution>
void run_host_sweep(Execution const& execution, HostPlan const& plan, VisitRows visit, void const* sweep);

/// Number of threads of a host space; here so that callers need not see the whole space.
template <class Execution>
[[nodiscard]] int host_concurrency(Execution const& execution);

}  // namespace halocline::kernel
