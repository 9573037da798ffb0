#include <dlfcn.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "framework/kernel/tune/tuning.hpp"
#include "framework/plugin/loader.hpp"
#include "framework/plugin/plugin.hpp"

namespace halocline {
namespace {

std::filesystem::path const plugin = PluginLoader::folder_of_this_program() / "wave.so";

TEST(WaveTunings, AreATableAsItIsWritten) {
  void* const handle = dlopen(plugin.c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(handle, nullptr) << dlerror();
  auto const* const text = static_cast<char const*>(dlsym(handle, tunings_symbol));
  ASSERT_NE(text, nullptr);
  EXPECT_EQ(kernel::TuningTable::parse(text, "tunings.json").text(), text);
}

TEST(WaveTunings, AreFoundOnceThePluginIsLoaded) {
  kernel::SweepKey const key{
      "NVIDIA H100 80GB HBM3",
      "StageFunctor<float, equation::WithConstants<float, wave::Acceleration<float, 3> >, 3, 1, 1, false, false>",
      "3D star; inputs 4 bytes reaching 4, 4 bytes reaching 0; 1 output; 0 sums", "512 x 512 x 512"};
  EXPECT_FALSE(kernel::tuner::look_up(key));
  Registry<PhysicsEntry> registry("physics");
  PluginLoader(registry).load(plugin);
  auto const found = kernel::tuner::look_up(key);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->source, "table");
  EXPECT_EQ(found->sweep.key.functor, key.functor);
}

}  // namespace
}  // namespace halocline
