#include "bench/benchmark.hpp"

#include "bench/sweeps.hpp"

namespace halocline::benchmarking {

std::vector<Benchmark> const& benchmarks() {
  static std::vector<Benchmark> const all{
      {"laplacian-3d", "7-point Laplacian in double precision: 16 bytes a point", &laplacian_3d},
      {"laplacian-sizes", "the same for cubes of 64^3 points and more: from cache to memory", &laplacian_sizes},
      {"jacobi-3d", "7-point Jacobi sweep with the norm of the change, double precision: 16 bytes a point", &jacobi_3d},
      {"jacobi-2d", "5-point Jacobi sweep with the norm of the change, single precision: 8 bytes a point", &jacobi_2d},
      {"jacobi-1d", "3-point Jacobi sweep with the norm of the change, single precision: 8 bytes a point", &jacobi_1d},
      {"star-25", "star of radius 4 in single precision: 8 bytes a point", &star_25},
      {"dot", "dot product of two fields in double precision: 16 bytes a point", &dot_product},
  };
  return all;
}

}  // namespace halocline::benchmarking
