#include "bench/benchmark.hpp"

#include "bench/reductions.hpp"
#include "bench/sweeps.hpp"

namespace halocline::benchmarking {

std::vector<Benchmark> const& benchmarks() {
  static std::vector<Benchmark> const all{
      {"laplacian-3d", "7-point Laplacian in double precision: 16 bytes a point", &laplacian_3d},
      {"jacobi-3d", "7-point Jacobi sweep with the norm of the change, double precision: 16 bytes a point", &jacobi_3d},
      {"jacobi-2d", "5-point Jacobi sweep with the norm of the change, single precision: 8 bytes a point", &jacobi_2d},
      {"jacobi-1d", "3-point Jacobi sweep with the norm of the change, single precision: 8 bytes a point", &jacobi_1d},
      {"star-25", "star of radius 4 in single precision: 8 bytes a point", &star_25},
      {"dot", "dot product of two fields in double precision: 16 bytes a point", &dot_product},
      {"reductions", "sums of one large array in single precision, whole and by segments: 4 bytes a value",
       &reductions},
      {"reductions-small", "sums of arrays of 4 and 64 KiB in single precision, in a row", &small_reductions},
  };
  return all;
}

}  // namespace halocline::benchmarking
