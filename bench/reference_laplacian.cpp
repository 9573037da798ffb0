#include "bench/reference_laplacian.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>

#include "bench/device.hpp"
#include "bench/measure.hpp"
#include "bench/stencils.hpp"

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

[[nodiscard]] Box make_box(Array<double> const& f, Array<double> const& u, Extents const& extents) {
  return {.f = f.view(),
          .u = u.view(),
          .nx = static_cast<int>(extents[0]),
          .ny = static_cast<int>(extents[1]),
          .nz = static_cast<int>(extents[2]),
          .weights = {.centre = -6, .x = 0.9, .y = 1, .z = 1.1}};
}

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
  auto* const function =
      box.ny % Rows == 0 ? &laplacian_tile<Grid, Rows, threads, true> : &laplacian_tile<Grid, Rows, threads, false>;
  function<<<grid, dim3(Width, 1, Depth), 0, Execution{}.cuda_stream()>>>(box, first_row);
  kernel::cuda::check(cudaGetLastError(), "a reference kernel");
}

/// Rows of a subdomain: whole tiles, a quarter of the box, or fewer so that three planes take half of the cache,
/// through which what is written passes, too.
[[nodiscard]] int rows_of_subdomain(Box const& box, int rows_of_tile) {
  auto const cache = static_cast<double>(second_level_cache_bytes());
  int subdomains = 4;
  while (3.0 * box.nx * box.ny * sizeof(double) / subdomains > cache / 2) subdomains *= 2;
  return pieces(pieces(box.ny, rows_of_tile), subdomains) * rows_of_tile;
}

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
  auto const enqueue = [=] { kernel::run(Execution{}, inner, task); };
  enqueue();  // the first run may search for the form that is named
  std::vector<Form> forms{{form_of(inner, task), enqueue}};
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

/// Times every form on one box. Values must agree to the bit: all forms round the same sums.
std::vector<Row> time_box(Extents const& extents, int repetitions) {
  IndexRange const inner{{1, 1, 1}, {extents[0] - 1, extents[1] - 1, extents[2] - 1}};
  Row row;
  row.problem = problem_of<double>("7-point Laplacian inside", extents);
  row.bytes = least_bytes(extents, inner);
  row.operations = static_cast<double>(inner.size()) * operations_of<FusedLaplacian>;

  Array<double> const u(extents);
  Array<double> f(extents);
  Array<double> expected(extents);
  Box const box = make_box(f, u, extents);
  std::uint64_t const seed = fresh_seed();
  expected.fill(seed);
  kernel::sweep_portably(Execution{}, inner,
                         kernel::make_task(Geometry<double>{}, expected.view(), box.weights, box.u));
  return time_forms(row, forms_of(box, inner), repetitions, [&](Form const& form, std::string const& what) {
    f.fill(seed);
    form.enqueue();
    throw_unless_equal(what, f, expected, extents);
  });
}

/// Boxes of so many points, at least one of them inside.
std::vector<Row> measure(Extents extents, Options const& options) {
  for (Index& extent : extents) extent = std::max<Index>(extent, 3);
  return with_copy(time_box(extents, options.repetitions), options.repetitions);
}

}  // namespace

std::vector<Row> reference_laplacian(Options const& options) {
  std::vector<Row> rows;
  for (Index const n : sizes(options, 3, {256, 512, 768, 1024})) {
    std::ranges::move(measure({n, n, n}, options), std::back_inserter(rows));
  }
  return rows;
}

std::vector<Row> reference_laplacian_shapes(Options const& options) {
  std::vector<Row> rows;
  for (Index const n : sizes(options, 3, {256})) {
    for (Index shape = 0; shape < 64; ++shape) {
      Extents const times{1 + shape % 4, 1 + shape / 4 % 4, 1 + shape / 16};
      if (times[0] == times[1] && times[1] == times[2]) continue;
      std::ranges::move(measure({n * times[0], n * times[1], n * times[2]}, options), std::back_inserter(rows));
    }
  }
  return rows;
}

std::vector<Row> reference_laplacian_planes(Options const& options) {
  std::vector<Row> rows;
  for (Index const n : sizes(options, 3, {2048, 4096})) {
    Index const planes = std::min<Index>(256, (Index{1} << 30U) / (n * n));
    std::ranges::move(measure({n, n, planes}, options), std::back_inserter(rows));
  }
  return rows;
}

}  // namespace halocline::benchmarking
