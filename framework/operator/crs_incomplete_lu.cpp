#include <KokkosKernels_Handle.hpp>
#include <KokkosSparse_spiluk.hpp>
#include <KokkosSparse_sptrsv.hpp>
#include <algorithm>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "framework/field/field.hpp"
#include "framework/mesh/execution.hpp"
#include "framework/operator/crs_local_rows.hpp"
#include "framework/operator/device_array.hpp"
#include "framework/runtime/communicator.hpp"
#include "framework/runtime/error.hpp"

namespace halocline {

namespace {

namespace kernels = KokkosSparse::Experimental;

template <class Real>
using Handle = KokkosKernels::Experimental::KokkosKernelsHandle<int, int, Real, Execution, Memory, Memory>;
using Numbers = Kokkos::View<int*, Memory>;

/// Limit of working memory. On a host, Kokkos Kernels factorises all rows of a level at once, each with a work array as
/// long as the matrix has rows.
constexpr double most_work_bytes = 4e9;

/// Average rows per level from which several host threads solve a triangle faster than one: the barrier after each
/// level takes a microsecond or two, a row a hundredth of that.
constexpr int rows_worth_threads = 500;

/// An execution instance with one host thread; on a device, the device.
[[nodiscard]] Execution on_one_thread() {
  Execution all;
#if defined(KOKKOS_ENABLE_OPENMP)
  if constexpr (std::is_same_v<Execution, Kokkos::OpenMP>) {
    int const threads = all.concurrency();
    if (threads > 1) return Kokkos::Experimental::partition_space(all, std::vector<int>{1, threads - 1}).front();
  }
#endif
  return all;
}

/// Rows of the largest level; a row is in a later level than the rows of its columns.
template <class Real>
[[nodiscard]] double rows_of_largest_level(CrsRows<Real> const& rows) {
  auto const offsets = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), rows.offsets);
  auto const columns = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), rows.columns);
  std::size_t const count = offsets.extent(0) - 1;
  std::vector<int> level(count);
  std::vector<double> members(count);
  for (std::size_t row = 0; row < count; ++row) {
    int after = 0;
    for (int n = offsets(row); n < offsets(row + 1); ++n) {
      auto const column = static_cast<std::size_t>(columns(static_cast<std::size_t>(n)));
      if (column < row) after = std::max(after, level[column] + 1);
    }
    level[row] = after;
    ++members[static_cast<std::size_t>(after)];
  }
  return *std::max_element(members.begin(), members.end());
}

/// Counts pivots that are zero or not finite; the first entry of a row of U is its pivot.
template <class Real>
struct CountBadPivots {
  Numbers offsets;
  Kokkos::View<Real*, Memory> values;
  KOKKOS_FUNCTION void operator()(std::size_t row, int& bad) const {
    Real const pivot = values(static_cast<std::size_t>(offsets(row)));
    if (pivot == Real{0} || !Kokkos::isfinite(pivot)) ++bad;
  }
};

/// A triangular factor and the data to solve with it.
template <class Real>
struct Factor {
  Numbers offsets, columns;
  Kokkos::View<Real*, Memory> values;
  Handle<Real> handle;
};

/// L and U of one block.
template <class Real>
class Factors {
 public:
  Factors(CrsLocalRows<Real> const& local, int fill) : size_(local.size()) {
    for (double room = 2.0 * (fill + 1);; room *= 2) {
      if (find_pattern(local.rows, fill, room)) break;
    }
    auto const& [offsets, columns, values] = local.rows;
    kernels::spiluk_numeric(&handle_, fill, offsets, columns, values, lower_.offsets, lower_.columns, lower_.values,
                            upper_.offsets, upper_.columns, upper_.values);
    handle_.destroy_spiluk_handle();
  }

  [[nodiscard]] bool has_bad_pivots() const {
    int bad = 0;
    Kokkos::parallel_reduce(Kokkos::RangePolicy<Execution>(0, static_cast<std::size_t>(size_)),
                            CountBadPivots<Real>{upper_.offsets, upper_.values}, bad);
    return bad > 0;
  }

  void prepare_solves(Execution const& where) {
    half_ = Kokkos::View<Real*, Memory>("halocline: L^-1 b", static_cast<std::size_t>(size_));
    prepare(where, lower_, true);
    prepare(where, upper_, false);
    int const levels = lower_.handle.get_sptrsv_handle()->get_num_levels();
    if (memory_on_host && size_ < levels * Index{rows_worth_threads}) one_thread_ = on_one_thread();
  }

  void solve(Execution const& of_block, Kokkos::View<Real*, Memory> const& b, Kokkos::View<Real*, Memory> const& x) {
    Execution where = one_thread_.value_or(of_block);
    // Some kernels of Kokkos Kernels add to the existing values.
    Kokkos::deep_copy(where, half_, Real{0});
    Kokkos::deep_copy(where, x, Real{0});
    kernels::sptrsv_solve(where, &lower_.handle, lower_.offsets, lower_.columns, lower_.values, b, half_);
    kernels::sptrsv_solve(where, &upper_.handle, upper_.offsets, upper_.columns, upper_.values, half_, x);
  }

 private:
  /// Returns false if L or U needs more than `room` times half of the entries of A. Throws SolveError beyond 32 bits.
  [[nodiscard]] bool find_pattern(CrsRows<Real> const& a, int fill, double room) {
    double const wanted = size_ + room * static_cast<double>(a.values.extent(0)) / 2;
    int const capacity = static_cast<int>(std::min<double>(wanted, std::numeric_limits<int>::max()));
    handle_.create_spiluk_handle(kernels::SPILUKAlgorithm::SEQLVLSCHD_TP1, size_, capacity, capacity);
    for (auto* const factor : {&lower_, &upper_}) {
      factor->offsets = device_array<int>("offsets of a factor", static_cast<std::size_t>(size_) + 1);
      factor->columns = device_array<int>("columns of a factor", static_cast<std::size_t>(capacity));
    }
    try {
      kernels::spiluk_symbolic(&handle_, fill, a.offsets, a.columns, lower_.offsets, lower_.columns, upper_.offsets,
                               upper_.columns);
    } catch (std::runtime_error const& error) {
      if (std::string(error.what()).find("extent must be larger") == std::string::npos) throw;
      if (capacity < std::numeric_limits<int>::max()) return false;
      throw SolveError("a factor has more entries than a 32-bit index can address");
    }
    auto* const spiluk = handle_.get_spiluk_handle();
    make_room(lower_, spiluk->get_nnzL());
    make_room(upper_, spiluk->get_nnzU());
    return true;
  }

  static void make_room(Factor<Real>& factor, int entries) {
    Kokkos::resize(factor.columns, static_cast<std::size_t>(entries));
    factor.values = device_array<Real>("values of a factor", static_cast<std::size_t>(entries));
  }

  void prepare(Execution where, Factor<Real>& factor, bool is_lower) const {
    // Rows have few entries: on a host, a team for each would cost more than their work.
    auto const algorithm =
        memory_on_host ? kernels::SPTRSVAlgorithm::SEQLVLSCHD_RP : kernels::SPTRSVAlgorithm::SEQLVLSCHD_TP1;
    factor.handle.create_sptrsv_handle(algorithm, size_, is_lower);
    kernels::sptrsv_symbolic(where, &factor.handle, factor.offsets, factor.columns, factor.values);
  }

  int size_;
  Handle<Real> handle_;
  Factor<Real> lower_, upper_;
  std::optional<Execution> one_thread_;  ///< where levels are too small for several threads
  Kokkos::View<Real*, Memory> half_;
};

template <class Real>
class CrsIncompleteLu final : public CrsBlockSolve<Real> {
 public:
  using typename CrsBlockSolve<Real>::Values;

  CrsIncompleteLu(std::vector<CrsLocalRows<Real>> blocks, FieldVector<Real> const& like, int fill)
      : CrsBlockSolve<Real>(std::move(blocks)) {
    Mesh const& mesh = like.field().mesh();
    Communicator const& communicator = mesh.communicator();
    double work = 0;
    for (Block const& block : mesh.blocks()) work = std::max(work, work_bytes(this->local(block.local)));
    work = communicator.max(work);
    if (work > most_work_bytes) {
      throw SolveError("incomplete LU of the unknowns of one rank takes " +
                       std::to_string(static_cast<Index>(work / 1e9)) +
                       " GB to factorise; use more ranks or `mesh.blocks_per_rank`, or another preconditioner");
    }
    bool has_bad_pivots = false;
    bool is_too_large = false;
    for (Block const& block : mesh.blocks()) {
      CrsLocalRows<Real> const& local = this->local(block.local);
      execution(block).fence("halocline: before a factorisation");
      auto& factors = factors_.emplace_back();
      if (local.size() == 0) continue;
      try {
        factors = std::make_unique<Factors<Real>>(local, fill);
        has_bad_pivots = has_bad_pivots || factors->has_bad_pivots();
      } catch (SolveError const&) {
        is_too_large = true;
      }
    }
    if (communicator.max(Index{is_too_large}) > 0) {
      throw SolveError(
          "incomplete LU with this fill has more entries than a 32-bit index can address; reduce the fill or use more "
          "ranks");
    }
    if (communicator.max(Index{has_bad_pivots}) > 0) {
      throw SolveError("incomplete LU found a pivot that is zero or not a number; use another preconditioner");
    }
    for (Block const& block : mesh.blocks()) {
      if (factors_[block.local]) factors_[block.local]->prepare_solves(execution(block));
    }
  }

 private:
  [[nodiscard]] static double work_bytes(CrsLocalRows<Real> const& local) {
    if (!memory_on_host || local.size() == 0) return 0;  // devices process the rows of a level in batches that fit
    return rows_of_largest_level(local.rows) * local.size() * sizeof(int);
  }

  void solve(Execution const& where, std::size_t block, Values const& b, Values const& x) override {
    factors_[block]->solve(where, b, x);
  }

  std::vector<std::unique_ptr<Factors<Real>>> factors_;  ///< by Block::local; null without unknowns
};

}  // namespace

template <class Real>
std::unique_ptr<MatrixSolve> make_crs_incomplete_lu(std::vector<CrsLocalRows<Real>> blocks,
                                                    FieldVector<Real> const& like, int fill) {
  return std::make_unique<CrsIncompleteLu<Real>>(std::move(blocks), like, fill);
}

template std::unique_ptr<MatrixSolve> make_crs_incomplete_lu(std::vector<CrsLocalRows<float>>,
                                                             FieldVector<float> const&, int);
template std::unique_ptr<MatrixSolve> make_crs_incomplete_lu(std::vector<CrsLocalRows<double>>,
                                                             FieldVector<double> const&, int);

}  // namespace halocline
