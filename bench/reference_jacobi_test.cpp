#include "bench/reference_jacobi.hpp"

#include <gtest/gtest.h>

namespace halocline::benchmarking {
namespace {

TEST(ReferenceJacobi, BothSumsPrintTheLinesOfTheDocument) {
  for (JacobiSum const sum : {JacobiSum::atomic_of_threads, JacobiSum::block_reduce}) {
    EXPECT_EQ(to_string(run_jacobi(sum, Index{1} << 22U)),
              "Iteration = 0 error = 0.00272958\n"
              "Iteration = 10 error = 0.00034546\n"
              "Iteration = 20 error = 0.000210903\n"
              "Iteration = 30 error = 0.000157015\n"
              "Iteration = 40 error = 0.000127122\n"
              "Iteration = 50 error = 0.00010783\n"
              "Success!\n");
  }
}

}  // namespace
}  // namespace halocline::benchmarking
