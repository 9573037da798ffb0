#include "bench/reference_laplacian.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <string>

#include "bench/device.hpp"
#include "bench/laplacian_kernels.hpp"
#include "bench/measure.hpp"
#include "bench/stencils.hpp"

namespace halocline::benchmarking {
namespace {

[[nodiscard]] Box make_box(Array<double> const& f, Array<double> const& u, Extents const& extents) {
  return {.f = f.view(),
          .u = u.view(),
          .nx = static_cast<int>(extents[0]),
          .ny = static_cast<int>(extents[1]),
          .nz = static_cast<int>(extents[2]),
          .weights = {.centre = -6, .x = 0.9, .y = 1, .z = 1.1}};
}

[[nodiscard]] int pieces(int whole, int piece) { return (whole + piece - 1) / piece; }

[[nodiscard]] unsigned blocks_of(int whole, int piece) { return static_cast<unsigned>(pieces(whole, piece)); }

/// Enqueues the tiles of `columns` x `rows` columns from a corner on, with Width x 1 x Depth threads per block.
template <class Grid, int Rows, int Width, int Depth>
void enqueue_tiles(Box const& box, Corner const& corner, int columns, int rows) {
  constexpr int threads = Width * Depth;
  dim3 const grid = Grid::ordered({blocks_of(columns, Width), blocks_of(rows, Rows), blocks_of(box.nz, Depth)});
  auto* const function =
      box.ny % Rows == 0 ? &laplacian_tile<Grid, Rows, threads, true> : &laplacian_tile<Grid, Rows, threads, false>;
  function<<<grid, dim3(Width, 1, Depth), 0, stream_of_benchmarks()>>>(box, corner);
  check_launch("a reference kernel");
}
template <class Grid, int Rows, int Width, int Depth>
void enqueue_tiles(Box const& box) {
  enqueue_tiles<Grid, Rows, Width, Depth>(box, {}, box.nx, box.ny);
}

/// Threads of a block along x, if not specified.
constexpr int usual_width = 256;

/// Number of subdomains along y, at least four, so that three planes of one fill half of the cache: written data also
/// pass through the cache.
[[nodiscard]] int usual_subdomains(Box const& box) {
  auto const cache = static_cast<double>(second_level_cache_bytes());
  int subdomains = 4;
  while (cache > 0 && 3.0 * box.nx * box.ny * sizeof(double) / subdomains > cache / 2) subdomains *= 2;
  return subdomains;
}

[[nodiscard]] std::string words_of_tile(int rows) {
  return "reference: tile of " + std::to_string(rows) + (rows == 1 ? " row, " : " rows, ");
}

/// At most `subdomains` consecutive launches, each for some rows of whole tiles.
template <int Rows>
[[nodiscard]] Form form_of_rows(Box const& box, int subdomains) {
  int const rows = pieces(pieces(box.ny, Rows), subdomains) * Rows;
  return {words_of_tile(Rows) + std::to_string(pieces(box.ny, rows)) + " subdomains", [=] {
            for (int first = 0; first < box.ny; first += rows) {
              enqueue_tiles<GridOfSubdomain, Rows, usual_width, 1>(box, {.row = first}, box.nx,
                                                                   std::min(rows, box.ny - first));
            }
          }};
}
/// The same for some columns of whole blocks.
template <int Rows>
[[nodiscard]] Form form_of_columns(Box const& box, int subdomains) {
  int const columns = pieces(pieces(box.nx, usual_width), subdomains) * usual_width;
  return {words_of_tile(Rows) + std::to_string(pieces(box.nx, columns)) + " subdomains along x", [=] {
            for (int first = 0; first < box.nx; first += columns) {
              enqueue_tiles<GridOfSubdomainAlongX, Rows, usual_width, 1>(box, {.column = first},
                                                                         std::min(columns, box.nx - first), box.ny);
            }
          }};
}

template <int Rows, int Width, int Depth>
[[nodiscard]] Form form_of_block(Box const& box) {
  return {words_of_tile(Rows) + std::to_string(Width) + " x 1 x " + std::to_string(Depth) + " threads",
          [=] { enqueue_tiles<GridXyz, Rows, Width, Depth>(box); }};
}

template <int Rows>
void add_forms_of_tile(Box const& box, std::vector<Form>& forms) {
  forms.push_back(form_of_block<Rows, usual_width, 1>(box));
  forms.push_back(form_of_block<Rows, 128, 8>(box));
  forms.push_back(
      {words_of_tile(Rows) + "grid ordered y, z, x", [=] { enqueue_tiles<GridYzx, Rows, usual_width, 1>(box); }});
  forms.push_back(form_of_rows<Rows>(box, usual_subdomains(box)));
}

/// Reference kernels of a box.
using MakeForms = std::function<void(Box const& box, std::vector<Form>& forms)>;

void add_all_tiles(Box const& box, std::vector<Form>& forms) {
  add_forms_of_tile<1>(box, forms);
  add_forms_of_tile<2>(box, forms);
  add_forms_of_tile<4>(box, forms);
  add_forms_of_tile<8>(box, forms);
  add_forms_of_tile<16>(box, forms);
}

/// Rows of a tile in benchmarks that do not vary them.
constexpr int usual_rows = 8;

/// The kernels in the order in which they were optimised, each with one more change than the previous one.
void add_steps(Box const& box, std::vector<Form>& forms) {
  auto const add = [&](std::string const& words, auto* function, int rows) {
    dim3 const grid{blocks_of(box.nx, usual_width), blocks_of(box.ny, rows), blocks_of(box.nz, 1)};
    forms.push_back({"reference: " + words, [=] {
                       function<<<grid, dim3(usual_width), 0, stream_of_benchmarks()>>>(box);
                       check_launch("a reference kernel");
                     }});
  };
  bool const whole = box.ny % usual_rows == 0;
  std::string const tile = "tile of " + std::to_string(usual_rows) + " rows";
  add("step 1, a thread a point", &laplacian_of_rows<1>, 1);
  add("step 2, " + tile, &laplacian_of_rows<usual_rows>, usual_rows);
  add("step 3, reads reordered",
      whole ? &laplacian_reordered<usual_rows, true> : &laplacian_reordered<usual_rows, false>, usual_rows);
  add("step 4, launch bounds",
      whole ? &laplacian_bounded<usual_rows, usual_width, true> : &laplacian_bounded<usual_rows, usual_width, false>,
      usual_rows);
  forms.push_back(
      {"reference: step 5, streaming stores", [=] { enqueue_tiles<GridXyz, usual_rows, usual_width, 1>(box); }});
}

/// Blocks of 128 to 1024 threads, for the best tiles on various devices.
template <int Rows>
void add_blocks_of_tile(Box const& box, std::vector<Form>& forms) {
  forms.push_back(form_of_block<Rows, 128, 1>(box));
  forms.push_back(form_of_block<Rows, 256, 1>(box));
  forms.push_back(form_of_block<Rows, 512, 1>(box));
  forms.push_back(form_of_block<Rows, 1024, 1>(box));
  forms.push_back(form_of_block<Rows, 128, 2>(box));
  forms.push_back(form_of_block<Rows, 128, 4>(box));
  forms.push_back(form_of_block<Rows, 128, 8>(box));
  forms.push_back(form_of_block<Rows, 256, 2>(box));
  forms.push_back(form_of_block<Rows, 256, 4>(box));
  forms.push_back(form_of_block<Rows, 512, 2>(box));
}

void add_blocks(Box const& box, std::vector<Form>& forms) {
  add_blocks_of_tile<1>(box, forms);
  add_blocks_of_tile<2>(box, forms);
  add_blocks_of_tile<4>(box, forms);
  add_blocks_of_tile<8>(box, forms);
  add_blocks_of_tile<16>(box, forms);
}

/// One launch for whole planes, then 2 to 16 launches for parts along y or x.
void add_splits(Box const& box, std::vector<Form>& forms) {
  forms.push_back(form_of_block<usual_rows, usual_width, 1>(box));
  for (int const subdomains : {2, 4, 8, 16}) {
    forms.push_back(form_of_rows<usual_rows>(box, subdomains));
    if (subdomains <= pieces(box.nx, usual_width)) forms.push_back(form_of_columns<usual_rows>(box, subdomains));
  }
}

/// One launch for whole planes, and launches split by the cache size.
void add_whole_and_split(Box const& box, std::vector<Form>& forms) {
  forms.push_back(form_of_block<usual_rows, usual_width, 1>(box));
  forms.push_back(form_of_rows<usual_rows>(box, usual_subdomains(box)));
}

/// The framework's sweep first, then the reference kernels.
std::vector<Form> forms_of(Box const& box, IndexRange const& inner, MakeForms const& add_references) {
  auto const task = kernel::make_task(Geometry<double>{}, box.f, box.weights, box.u);
  auto const enqueue = [=] { kernel::run(Execution{}, inner, task); };
  enqueue();  // the first run may search for the tuning that is then named
  std::vector<Form> forms{{form_of(inner, task), enqueue}};
  add_references(box, forms);
  return forms;
}

/// Minimum traffic: all points except those on the edges of the box are read, the inner ones are written.
[[nodiscard]] double least_bytes(Extents const& extents, IndexRange const& inner) {
  Index const inside[] = {extents[0] - 2, extents[1] - 2, extents[2] - 2};
  Index const read = extents[0] * extents[1] * extents[2] - 8 - 4 * (inside[0] + inside[1] + inside[2]);
  return static_cast<double>(read + inner.size()) * sizeof(double);
}

/// Times every form on one box. Values must agree to the bit, since all forms round the same sums.
std::vector<Row> time_box(Extents const& extents, MakeForms const& references, int repetitions) {
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
  return time_forms(row, forms_of(box, inner, references), repetitions, [&](Form const& form, std::string const& what) {
    f.fill(seed);
    form.enqueue();
    throw_unless_equal(what, f, expected, extents);
  });
}

/// Boxes of this many points, with at least one inner point.
std::vector<Row> measure(Extents extents, MakeForms const& references, Options const& options) {
  for (Index& extent : extents) extent = std::max<Index>(extent, 3);
  return with_copy(time_box(extents, references, options.repetitions), options.repetitions);
}

std::vector<Row> measure_cubes(std::vector<Index> const& usual, MakeForms const& references, Options const& options) {
  std::vector<Row> rows;
  for (Index const n : sizes(options, 3, usual)) {
    std::ranges::move(measure({n, n, n}, references, options), std::back_inserter(rows));
  }
  return rows;
}

/// Planes of n x n points, 2^30 points in total, but at most `most` planes.
std::vector<Row> measure_planes(std::vector<Index> const& usual, Index most, MakeForms const& references,
                                Options const& options) {
  std::vector<Row> rows;
  for (Index const n : sizes(options, 3, usual)) {
    Index const planes = std::min<Index>(most, (Index{1} << 30U) / (n * n));
    std::ranges::move(measure({n, n, planes}, references, options), std::back_inserter(rows));
  }
  return rows;
}

}  // namespace

std::vector<Row> reference_laplacian(Options const& options) {
  return measure_cubes({256, 512, 768, 1024}, add_all_tiles, options);
}

std::vector<Row> reference_laplacian_shapes(Options const& options) {
  std::vector<Row> rows;
  for (Index const n : sizes(options, 3, {256})) {
    for (Index shape = 0; shape < 64; ++shape) {
      Extents const times{1 + shape % 4, 1 + shape / 4 % 4, 1 + shape / 16};
      if (times[0] == times[1] && times[1] == times[2]) continue;
      std::ranges::move(measure({n * times[0], n * times[1], n * times[2]}, add_all_tiles, options),
                        std::back_inserter(rows));
    }
  }
  return rows;
}

std::vector<Row> reference_laplacian_planes(Options const& options) {
  return measure_planes({2048, 4096}, 256, add_all_tiles, options);
}

std::vector<Row> reference_laplacian_steps(Options const& options) { return measure_cubes({512}, add_steps, options); }

std::vector<Row> reference_laplacian_blocks(Options const& options) {
  return measure_cubes({512, 1024}, add_blocks, options);
}

std::vector<Row> reference_laplacian_splits(Options const& options) {
  return measure_planes({1024, 2048, 4096}, 1024, add_splits, options);
}

std::vector<Row> reference_laplacian_growing(Options const& options) {
  constexpr Index planes = 32;
  std::vector<Row> rows;
  for (Index const n : sizes(options, 3, {1024})) {
    // From planes of half a square on to those of eight.
    for (Index const halves : {1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16}) {
      std::ranges::move(measure({n, n * halves / 2, planes}, add_whole_and_split, options), std::back_inserter(rows));
    }
  }
  return rows;
}

std::vector<Row> reference_laplacian_strides(Options const& options) {
  constexpr Index points = Index{1} << 27U;
  constexpr Index points_of_mebibyte = (Index{1} << 20U) / static_cast<Index>(sizeof(double));
  std::vector<Row> rows;
  for (Index const n : sizes(options, 3, {512, 1024, 2048})) {
    // Otherwise the columns of tiles would be too long for a launch.
    Index const nx = std::max<Index>(n, 64);
    for (Index const mebibytes : {1, 2, 4, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64}) {
      Index const ny = mebibytes * points_of_mebibyte / nx;
      Index const nz = points / (nx * ny);
      std::ranges::move(measure({nx, ny, nz}, add_whole_and_split, options), std::back_inserter(rows));
    }
  }
  return rows;
}

}  // namespace halocline::benchmarking
