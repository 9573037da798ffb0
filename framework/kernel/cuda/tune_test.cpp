#include "framework/kernel/cuda/tune.hpp"

#include <gtest/gtest.h>

#include <string>

namespace halocline::kernel::cuda {
namespace {

/// A kernel for setting shared memory and for occupancy queries.
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

IndexRange const range{{0, 0, 0}, {512, 512, 64}};

/// What a search stored for a functor.
TunedSweep kept(std::string const& functor) {
  auto const found = tuner::look_up(key_of(range, kernel_named(functor)));
  EXPECT_TRUE(found && found->sweep.key.functor == functor);
  return found ? found->sweep : TunedSweep{};
}

TEST(CudaTunerTest, ASearchKeepsWhatItMeasured) {
  search(range, kernel_named("RunsByBothForms"), by_clock(nullptr, [](StreamTuning const*) { return true; }));
  EXPECT_TRUE(is_kept("RunsByBothForms"));
}

/// The time of a sweep that cannot run is infinite, which a table cannot store.
TEST(CudaTunerTest, ASearchKeepsNothingWhereNothingStreams) {
  search(range, kernel_named("RunsDirectlyOnly"),
         by_clock(nullptr, [](StreamTuning const* tuning) { return tuning == nullptr; }));
  EXPECT_FALSE(is_kept("RunsDirectlyOnly"));
}

/// A table's tuning that no search tries stays in use unless something faster is found.
TEST(CudaTunerTest, ASearchKeepsWhatATableKnowsWhereNothingIsFaster) {
  constexpr Index unusual_pace = 7;
  for (bool const table_is_best : {true, false}) {
    std::string const name = table_is_best ? "RunsBestByTheTable" : "RunsBestByAnother";
    tuner::keep({.key = key_of(range, kernel_named(name)),
                 .form = "streaming",
                 .parameters = {{"threads_x", 32}, {"threads_y", 2}, {"ahead", 2}, {"pace", unusual_pace}}});
    search(range, kernel_named(name), [&](StreamTuning const* tuning, int) {
      if (tuning == nullptr) return 5.0;
      if (tuning->pace == unusual_pace) return 2.0;
      return tuning->order == BlockOrder::yxz && !table_is_best ? 1.0 : 3.0;
    });
    TunedSweep const sweep = kept(name);
    EXPECT_EQ(sweep.parameters.at("pace") == unusual_pace, table_is_best);
    EXPECT_EQ(sweep.parameters.at("order"), static_cast<Index>(table_is_best ? BlockOrder::xyz : BlockOrder::yxz));
    EXPECT_EQ(sweep.parameters.at("rows"), kernel_named(name).rows);
    EXPECT_EQ(sweep.seconds, table_is_best ? 2.0 : 1.0);
    EXPECT_EQ(sweep.default_seconds, 3.0);
  }
}

/// A kernel with other rows per thread has other tunings.
TEST(CudaTunerTest, TuningsOfOtherRowsAreNotUsed) {
  StreamKernel kernel = kernel_named("HasOtherRows");
  tuner::keep({.key = key_of(range, kernel),
               .form = "streaming",
               .parameters = {{"rows", 2}, {"threads_x", 32}, {"threads_y", 4}}});
  EXPECT_NE(choose(range, kernel).source, "rule");
  kernel.rows = 3;
  EXPECT_EQ(choose(range, kernel).source, "rule");
}

}  // namespace
}  // namespace halocline::kernel::cuda
