#include "framework/kernel/cuda/tune.hpp"

#include <gtest/gtest.h>

#include <string>

namespace halocline::kernel::cuda {
namespace {

/// Shared memory is allowed to it, occupancies are asked of it, and it takes as long as it is told.
__global__ void stand_in_kernel(long long clocks) {
  for (long long const begin = clock64(); clock64() - begin < clocks;) {
  }
}

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

/// Runs in `clocks`.
bool take(long long clocks) {
  stand_in_kernel<<<1, 1>>>(clocks);
  return true;
}

IndexRange const range{{0, 0, 0}, {64, 64, 64}};

/// What a search has kept for a functor.
TunedSweep kept(std::string const& functor) {
  auto const found = tuner::look_up(key_of(range, kernel_named(functor)));
  EXPECT_TRUE(found && found->sweep.key.functor == functor);
  return found ? found->sweep : TunedSweep{};
}

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

/// A tuning of a table that no search tries stays in use unless something faster is found.
TEST(CudaTunerTest, ASearchKeepsWhatATableKnowsWhereNothingIsFaster) {
  constexpr Index unusual_pace = 7;
  for (bool const table_is_best : {true, false}) {
    std::string const name = table_is_best ? "RunsBestByTheTable" : "RunsBestByAnother";
    tuner::keep({.key = key_of(range, kernel_named(name)),
                 .form = "streaming",
                 .parameters = {{"threads_x", 32}, {"threads_y", 2}, {"ahead", 2}, {"pace", unusual_pace}}});
    search(nullptr, range, kernel_named(name), [&](StreamTuning const* tuning) {
      bool const of_table = tuning != nullptr && tuning->pace == unusual_pace;
      bool const other = tuning != nullptr && tuning->threads_x == 64;
      return take(of_table && table_is_best ? 20'000 : other && !table_is_best ? 20'000 : 200'000);
    });
    TunedSweep const sweep = kept(name);
    EXPECT_EQ(sweep.parameters.at("pace") == unusual_pace, table_is_best);
    EXPECT_EQ(sweep.parameters.at("rows"), kernel_named(name).rows);
    EXPECT_LT(sweep.seconds, sweep.default_seconds);
  }
}

/// With other rows a thread a kernel is another one.
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
