#include "bench/reference_laplacian.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <string>

#include "bench/device.hpp"
#include "bench/measure.hpp"
#include "bench/stencils.hpp"
#include "bench/timing.hpp"

namespace halocline::benchmarking {
namespace {

/// The Laplacian in the order in which a tile adds up its terms, each fused with its product.
struct FusedLaplacian {
  static constexpr Shape shape = star<1>;
  static constexpr int operations = 13;
  double centre, x, y, z;
  template <class P, class U>
  KOKKOS_FUNCTION double operator()(P const&, U const& u) const {
    double sum = z * u[bottom];
    sum = fma(y, u[south], sum);
    sum = fma(x, u[west], sum);
    sum = fma(centre, u[here], sum);
    sum = fma(x, u[east], sum);
    sum = fma(y, u[north], sum);
    return fma(z, u[top], sum);
  }
};

/// What a reference kernel works on. Points on the faces of the box are read and not written.
struct Box {
  BlockView<double> f;
  BlockView<double const> u;
  int nx, ny, nz;
  FusedLaplacian weights;
};

// How the blocks of a launch are dealt to x, y and z. Those that run at a time are neighbours in launch order.

struct GridXyz {
  static dim3 ordered(dim3 const& blocks) { return blocks; }
  __device__ __forceinline__ static uint3 block() { return blockIdx; }
};
/// Planes of as many columns as a block is wide come one after the other, instead of whole planes.
struct GridYzx {
  static dim3 ordered(dim3 const& blocks) { return {blocks.y, blocks.z, blocks.x}; }
  __device__ __forceinline__ static uint3 block() { return {blockIdx.z, blockIdx.x, blockIdx.y}; }
};
/// One of several launches, each for some rows of all planes; a profiler sees it by this name.
struct GridOfSubdomain : GridXyz {};

/// A thread evaluates `Rows` neighbours along y, and reads what they share once. `Whole`: the rows of the box are a
/// multiple of that; otherwise the last tile reads no row that is not there.
template <class Grid, int Rows, int Threads, bool Whole>
__global__ void __launch_bounds__(Threads) laplacian_tile(Box const box, int first_row) {
  uint3 const block = Grid::block();
  int const i = static_cast<int>(threadIdx.x + block.x * blockDim.x);
  int const j = first_row + Rows * static_cast<int>(threadIdx.y + block.y * blockDim.y);
  int const k = static_cast<int>(threadIdx.z + block.z * blockDim.z);
  if (i == 0 || i >= box.nx - 1 || j >= box.ny || k == 0 || k >= box.nz - 1) return;
  int const rows = Whole ? Rows : min(Rows, box.ny - j);
  Index const row = box.u.row;
  Index const plane = box.u.plane;
  double const* const u = box.u.at(i, j, k);
  FusedLaplacian const weight = box.weights;

  double sum[Rows] = {};
#pragma unroll
  for (int n = 0; n < Rows; ++n) {
    if (n < rows) sum[n] = weight.z * u[n * row - plane];
  }
  if (j > 0) sum[0] = fma(weight.y, u[-row], sum[0]);
#pragma unroll
  for (int n = 0; n < Rows; ++n) {
    if (n < rows) {
      double const centre = u[n * row];
      sum[n] = fma(weight.x, u[n * row - 1], sum[n]);
      sum[n] = fma(weight.centre, centre, sum[n]);
      sum[n] = fma(weight.x, u[n * row + 1], sum[n]);
      if (n > 0) sum[n - 1] = fma(weight.y, centre, sum[n - 1]);
      if (n + 1 < Rows) sum[n + 1] = fma(weight.y, centre, sum[n + 1]);
    }
  }
  if (j + Rows < box.ny) sum[Rows - 1] = fma(weight.y, u[Rows * row], sum[Rows - 1]);
#pragma unroll
  for (int n = 0; n < Rows; ++n) {
    if (n < rows) sum[n] = fma(weight.z, u[n * row + plane], sum[n]);
  }
  double* const f = box.f.at(i, j, k);
#pragma unroll
  for (int n = 0; n < Rows; ++n) {
    if (j + n > 0 && j + n < box.ny - 1) __stcs(f + n * row, sum[n]);
  }
}

[[nodiscard]] int pieces(int whole, int piece) { return (whole + piece - 1) / piece; }

/// Enqueues the tiles of `rows` rows from `first_row` on, with Width x 1 x Depth threads a block.
template <class Grid, int Rows, int Width, int Depth>
void enqueue_tiles(Box const& box, int first_row, int rows) {
  constexpr int threads = Width * Depth;
  auto const blocks = [](int whole, int piece) { return static_cast<unsigned>(pieces(whole, piece)); };
  dim3 const grid = Grid::ordered({blocks(box.nx, Width), blocks(rows, Rows), blocks(box.nz, Depth)});
  auto* const kernel =
      box.ny % Rows == 0 ? &laplacian_tile<Grid, Rows, threads, true> : &laplacian_tile<Grid, Rows, threads, false>;
  kernel<<<grid, dim3(Width, 1, Depth), 0, Execution{}.cuda_stream()>>>(box, first_row);
  kernel::cuda::check(cudaGetLastError(), "a reference kernel");
}

/// Rows of a subdomain: whole tiles, a quarter of the box, or fewer so that three planes take half of the cache.
[[nodiscard]] int rows_of_subdomain(Box const& box, int rows_of_tile) {
  auto const cache = static_cast<double>(second_level_cache_bytes());
  int subdomains = 4;
  while (3.0 * box.nx * box.ny * sizeof(double) / subdomains > cache / 2) subdomains *= 2;
  return pieces(pieces(box.ny, rows_of_tile), subdomains) * rows_of_tile;
}

/// A way to evaluate the inner points, in words and as what enqueues it.
struct Form {
  std::string words;
  std::function<void()> enqueue;
};

template <int Rows>
void add_forms_of_tile(Box const& box, std::vector<Form>& forms) {
  std::string const tile = "reference: tile of " + std::to_string(Rows) + (Rows == 1 ? " row, " : " rows, ");
  forms.push_back({tile + "256 x 1 x 1 threads", [=] { enqueue_tiles<GridXyz, Rows, 256, 1>(box, 0, box.ny); }});
  forms.push_back({tile + "128 x 1 x 8 threads", [=] { enqueue_tiles<GridXyz, Rows, 128, 8>(box, 0, box.ny); }});
  forms.push_back({tile + "grid ordered y, z, x", [=] { enqueue_tiles<GridYzx, Rows, 256, 1>(box, 0, box.ny); }});
  int const rows = rows_of_subdomain(box, Rows);
  forms.push_back({tile + std::to_string(pieces(box.ny, rows)) + " subdomains", [=] {
                     for (int first = 0; first < box.ny; first += rows) {
                       enqueue_tiles<GridOfSubdomain, Rows, 256, 1>(box, first, std::min(rows, box.ny - first));
                     }
                   }});
}

/// The sweep of the framework first, then all reference kernels.
std::vector<Form> forms_of(Box const& box, IndexRange const& inner) {
  auto const task = kernel::make_task(Geometry<double>{}, box.f, box.weights, box.u);
  std::vector<Form> forms{{form_of(inner, task), [=] { kernel::run(Execution{}, inner, task); }}};
  add_forms_of_tile<1>(box, forms);
  add_forms_of_tile<2>(box, forms);
  add_forms_of_tile<4>(box, forms);
  add_forms_of_tile<8>(box, forms);
  add_forms_of_tile<16>(box, forms);
  return forms;
}

/// What is moved at least: all points but those on the edges of the box are read, the inner ones are written.
[[nodiscard]] double least_bytes(Extents const& extents, IndexRange const& inner) {
  Index const inside[] = {extents[0] - 2, extents[1] - 2, extents[2] - 2};
  Index const read = extents[0] * extents[1] * extents[2] - 8 - 4 * (inside[0] + inside[1] + inside[2]);
  return static_cast<double>(read + inner.size()) * sizeof(double);
}

/// Checks and times every form on one box. Values must agree to the bit: all forms round the same sums.
std::vector<Row> measure_box(Extents const& extents, Options const& options) {
  IndexRange const inner{{1, 1, 1}, {extents[0] - 1, extents[1] - 1, extents[2] - 1}};
  Row row;
  row.problem = problem_of<double>("7-point Laplacian inside", extents);
  row.bytes = least_bytes(extents, inner);
  row.operations = static_cast<double>(inner.size()) * operations_of<FusedLaplacian>;
  std::vector<Row> rows;
  {
    std::uint64_t const seed = fresh_seed();
    Array<double> const u(extents);
    Array<double> f(extents);
    Array<double> expected(extents);
    Box const box{f.view(),
                  u.view(),
                  static_cast<int>(extents[0]),
                  static_cast<int>(extents[1]),
                  static_cast<int>(extents[2]),
                  {-2.0 * (0.9 + 1.0 + 1.1), 0.9, 1.0, 1.1}};
    expected.fill(seed);
    kernel::sweep_portably(Execution{}, inner,
                           kernel::make_task(Geometry<double>{}, expected.view(), box.weights, box.u));
    for (Form const& form : forms_of(box, inner)) {
      f.fill(seed);
      form.enqueue();
      throw_unless_equal(row.problem + ", " + form.words, f, expected, extents);
      row.form = form.words;
      row.seconds = time_each(form.enqueue, options.repetitions);
      rows.push_back(row);
    }
  }
  // After the arrays are gone: the copy needs as much memory.
  for (Row& one : rows) one.copy_seconds = fastest_copy(static_cast<Index>(row.bytes), options.repetitions);
  return rows;
}

}  // namespace

std::vector<Row> reference_laplacian(Options const& options) {
  std::vector<Row> rows;
  for (Index const size : sizes(options, 3, {256, 512, 1024})) {
    // A box needs a point inside.
    Index const n = std::max<Index>(size, 3);
    std::ranges::move(measure_box({n, n, n}, options), std::back_inserter(rows));
  }
  return rows;
}

std::vector<Row> reference_laplacian_planes(Options const& options) {
  std::vector<Row> rows;
  for (Index const size : sizes(options, 3, {2048, 4096})) {
    Index const n = std::max<Index>(size, 3);
    Index const planes = std::min<Index>(256, (Index{1} << 30U) / (n * n));
    std::ranges::move(measure_box({n, n, planes}, options), std::back_inserter(rows));
  }
  return rows;
}

}  // namespace halocline::benchmarking
