#include <Kokkos_Core.hpp>
#include <algorithm>

#include "framework/kernel/host_plan.hpp"
#include "framework/kernel/stream.hpp"
#include "framework/kernel/tune/tuning.hpp"

namespace halocline::kernel {

namespace {

/// The part of `total` that one of `workers` owns.
struct Share {
  Index begin;
  Index end;
  Share(Index total, int worker, int workers) : begin(total * worker / workers), end(total * (worker + 1) / workers) {}
};

/// For too few rows to divide: workers own segments of rows.
void visit_segments(HostPlan const& plan, int worker, VisitRows visit, void const* sweep) {
  Rows const& rows = plan.rows;
  Share const share(rows.count(), worker, plan.workers);
  for (Index number = share.begin; number < share.end; ++number) {
    Index const row = number / rows.segments;
    Index const j = rows.begin[1] + row % rows.extent(1);
    visit(sweep, {number % rows.segments, j, j + 1, rows.begin[2] + row / rows.extent(1), 1});
  }
}

/// Workers own consecutive rows, in general with part of a plane at both ends. One tile of rows is followed through all
/// planes, several at a time, before the next tile.
void visit_tiles(HostPlan const& plan, int worker, VisitRows visit, void const* sweep) {
  Rows const& rows = plan.rows;
  Index const per_plane = rows.extent(1);
  Share const share(per_plane * rows.extent(2), worker, plan.workers);
  Index const first_plane = share.begin / per_plane;
  Index const end_plane = (share.end + per_plane - 1) / per_plane;
  Index const first_whole = (share.begin + per_plane - 1) / per_plane;
  Index const end_whole = share.end / per_plane;
  for (Index tile = 0; tile < per_plane; tile += plan.tile_rows) {
    for (Index plane = first_plane, planes = 1; plane < end_plane; plane += planes) {
      bool const whole = first_whole <= plane && plane < end_whole;
      planes = whole ? std::min(rows_together, end_whole - plane) : 1;
      Index const begin = std::max(tile, share.begin - plane * per_plane);
      Index const end = std::min({tile + plan.tile_rows, per_plane, share.end - plane * per_plane});
      if (begin >= end) continue;
      for (Index segment = 0; segment < rows.segments; ++segment) {
        visit(sweep, {segment, rows.begin[1] + begin, rows.begin[1] + end, rows.begin[2] + plane, planes});
      }
    }
  }
}

void run_worker(HostPlan const& plan, int worker, VisitRows visit, void const* sweep) {
  constexpr Index rows_worth_sharing = 8;
  bool const few_rows = plan.rows.extent(1) * plan.rows.extent(2) < rows_worth_sharing * plan.workers;
  if (few_rows && plan.rows.segments > 1) {
    visit_segments(plan, worker, visit, sweep);
  } else {
    visit_tiles(plan, worker, visit, sweep);
  }
  if (plan.streaming) stream_fence();
}

}  // namespace

template <class Execution>
void run_host_sweep(Execution const& execution, HostPlan const& plan, VisitRows visit, void const* sweep) {
  if (plan.rows.count() == 0) return;
  [[maybe_unused]] static bool const noted = (tuner::note({"all", "", "vectorised rows", ""}), true);
  if (plan.workers == 1) {
    run_worker(plan, 0, visit, sweep);
    return;
  }
  using Workers = Kokkos::RangePolicy<Execution, Kokkos::Schedule<Kokkos::Static>, Kokkos::IndexType<int>>;
  Workers workers(execution, 0, plan.workers);
  workers.set_chunk_size(1);
  Kokkos::parallel_for("halocline sweep", workers, [&](int worker) { run_worker(plan, worker, visit, sweep); });
}

template <class Execution>
int host_concurrency(Execution const& execution) {
  return execution.concurrency();
}

#if defined(KOKKOS_ENABLE_SERIAL)
template void run_host_sweep(Kokkos::Serial const&, HostPlan const&, VisitRows, void const*);
template int host_concurrency(Kokkos::Serial const&);
#endif
#if defined(KOKKOS_ENABLE_OPENMP)
template void run_host_sweep(Kokkos::OpenMP const&, HostPlan const&, VisitRows, void const*);
template int host_concurrency(Kokkos::OpenMP const&);
#endif
#if defined(KOKKOS_ENABLE_THREADS)
template void run_host_sweep(Kokkos::Threads const&, HostPlan const&, VisitRows, void const*);
template int host_concurrency(Kokkos::Threads const&);
#endif

}  // namespace halocline::kernel
