#include "framework/kernel/cuda/tune.hpp"

#include <gtest/gtest.h>

#include <string>

namespace halocline::kernel::cuda {
namespace {

/// Shared memory is allowed to it, and occupancies are asked of it.
__global__ void stand_in_kernel() {}

StreamKernel kernel_named(std::string const& name) {
  StreamKernel kernel;
  kernel.function = reinterpret_cast<void const*>(&stand_in_kernel);
  kernel.dimensions = 3;
  kernel.width = 4;
  kernel.rows = 2;
  kernel.step = 1;
  kernel.stages_in_use = 3;
  kernel.most_threads = 256;
  kernel.outputs = 1;
  kernel.inputs = 1;
  kernel.input[0] = {4, {1, 1, 1}};
  kernel.functor = name;
  return kernel;
}

bool is_kept(std::string const& functor) {
  std::string const text = tuner::cache().text();
  EXPECT_EQ(TuningTable::parse(text, "the cache").text(), text);
  return text.find(functor) != std::string::npos;
}

IndexRange const range{{0, 0, 0}, {64, 64, 64}};

TEST(CudaTunerTest, ASearchKeepsWhatItMeasured) {
  search(nullptr, range, kernel_named("RunsByBothForms"), [](StreamTuning const*) { return true; });
  EXPECT_TRUE(is_kept("RunsByBothForms"));
}

/// The time of what cannot run is not a number that a table could hold.
TEST(CudaTunerTest, ASearchKeepsNothingWhereNothingStreams) {
  search(nullptr, range, kernel_named("RunsDirectlyOnly"),
         [](StreamTuning const* tuning) { return tuning == nullptr; });
  EXPECT_FALSE(is_kept("RunsDirectlyOnly"));
}

}  // namespace
}  // namespace halocline::kernel::cuda
