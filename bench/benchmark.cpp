#include "bench/benchmark.hpp"

#include "bench/assembled.hpp"
#include "bench/multigrid.hpp"
#include "bench/nbody.hpp"
#include "bench/reductions.hpp"
#include "bench/stages.hpp"
#include "bench/sweeps.hpp"

#if defined(HALOCLINE_REFERENCE_KERNELS)
#include "bench/peer_copy.hpp"
#include "bench/reference_jacobi.hpp"
#include "bench/tunings.hpp"
#define HALOCLINE_OF_CUDA(function) &function
#else
#define HALOCLINE_OF_CUDA(function) nullptr
#endif
#if defined(HALOCLINE_REFERENCE_LAPLACIAN)
#include "bench/reference_laplacian.hpp"
#define HALOCLINE_OF_GPUS(function) &function
#else
#define HALOCLINE_OF_GPUS(function) nullptr
#endif

namespace halocline::benchmarking {
namespace {

/// Sweeps compared with hand-written CUDA kernels, some also for HIP; other builds do not have them.
std::vector<Benchmark> reference_benchmarks() {
  return {
      {"reference-laplacian", "7-point Laplacian inside of a cube, double precision, beside kernels written by hand",
       HALOCLINE_OF_GPUS(reference_laplacian)},
      {"reference-laplacian-shapes", "the same for boxes of other shapes, 256 to 1024 points along each axis",
       HALOCLINE_OF_GPUS(reference_laplacian_shapes)},
      {"reference-laplacian-planes", "the same for planes too large for the second-level cache",
       HALOCLINE_OF_GPUS(reference_laplacian_planes)},
      {"reference-laplacian-steps", "the same for a cube by each step from a thread a point to streaming stores",
       HALOCLINE_OF_GPUS(reference_laplacian_steps)},
      {"reference-laplacian-blocks", "the same for cubes by blocks of 128 to 1024 threads",
       HALOCLINE_OF_GPUS(reference_laplacian_blocks)},
      {"reference-laplacian-splits", "the same for large planes as subdomains along y and along x",
       HALOCLINE_OF_GPUS(reference_laplacian_splits)},
      {"reference-laplacian-growing", "the same for 32 planes of 1024 x 512 to 1024 x 8192 points",
       HALOCLINE_OF_GPUS(reference_laplacian_growing)},
      {"reference-laplacian-strides", "the same for planes of 1 to 64 MiB, rows of 512, 1024 and 2048 points",
       HALOCLINE_OF_GPUS(reference_laplacian_strides)},
      {"reference-jacobi-1d", "3-point Jacobi sweep and norm, single precision, beside sums by atomic additions",
       HALOCLINE_OF_CUDA(reference_jacobi_1d)},
      {"reduction-grids", "sums in one cooperative launch of few and of many blocks, beside launches that do nothing",
       HALOCLINE_OF_CUDA(reduction_grids)},
      {"peer-copy", "copies from device to device by both paths, 4 KiB to 128 MiB, beside cudaMemcpyPeer",
       HALOCLINE_OF_CUDA(peer_copy)},
      {"nbody-devices", "gravity of bodies in host memory by one thread's devices, with and without allocations",
       HALOCLINE_OF_CUDA(nbody_devices)},
      {"tunings", "sweeps of a cube by every form and by all tunings that a search tries", HALOCLINE_OF_CUDA(tunings)},
  };
}

std::vector<Benchmark> joined(std::vector<Benchmark> one, std::vector<Benchmark> const& other) {
  one.insert(one.end(), other.begin(), other.end());
  return one;
}

}  // namespace

std::vector<Benchmark> const& benchmarks() {
  static std::vector<Benchmark> const everywhere{
      {"laplacian-3d", "7-point Laplacian in double precision: 16 bytes a point", &laplacian_3d},
      {"laplacian-sizes", "the same for cubes of 64^3 points and more: from cache to memory", &laplacian_sizes},
      {"jacobi-3d", "7-point Jacobi sweep with the norm of the change, double precision: 16 bytes a point", &jacobi_3d},
      {"jacobi-2d", "5-point Jacobi sweep with the norm of the change, single precision: 8 bytes a point", &jacobi_2d},
      {"jacobi-1d", "3-point Jacobi sweep with the norm of the change, single precision: 8 bytes a point", &jacobi_1d},
      {"star-25", "star of radius 4 in single precision: 8 bytes a point", &star_25},
      {"leapfrog", "leapfrog step of a wave, star of radius 4 in single precision: 12 bytes a point", &leapfrog},
      {"stages", "stages of Gray-Scott as declared and as written by hand, single precision: 16 and 24 bytes a point",
       &stages},
      {"dot", "dot product of two fields in double precision: 16 bytes a point", &dot_product},
      {"reductions", "sums of one large array in single precision, whole and by segments: 4 bytes a value",
       &reductions},
      {"reductions-small", "sums of arrays of 4 and 64 KiB in single precision, in a row", &small_reductions},
      {"assembled",
       "Poisson's equation as a matrix: products and iterations of conjugate gradients, beside the stencil",
       &assembled},
      {"multigrid", "a V-cycle for Poisson's equation: 6 numbers an unknown", &multigrid_cycles},
      {"full-multigrid", "the same equation to the discretisation's error: 9.4 numbers an unknown", &full_multigrid},
      {"nbody", "gravity of all bodies on each other, beside what the arithmetic units can issue", &nbody},
  };
  static std::vector<Benchmark> const all = joined(everywhere, reference_benchmarks());
  return all;
}

}  // namespace halocline::benchmarking
