#include "framework/plugin/plugin.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include "framework/plugin/loader.hpp"
#include "framework/runtime/error.hpp"

namespace halocline {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

/// Where CMake puts the plugins of this test.
std::filesystem::path const folder = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "plugins";

std::string message_of(std::function<void()> const& action) {
  try {
    action();
  } catch (InputError const& error) {
    return error.what();
  }
  return "no InputError";
}

std::string message_of_loading(std::filesystem::path const& file) {
  Registry<PhysicsEntry> registry("physics");
  std::string const message = message_of([&] { PluginLoader(registry).load(file); });
  EXPECT_TRUE(registry.names().empty());
  std::string const prefix = "`" + file.string() + "`: ";
  EXPECT_THAT(message, StartsWith(prefix));
  return message.substr(std::min(prefix.size(), message.size()));
}

struct Named {
  std::string name;
  int value = 0;
};

TEST(Registry, FindsByNameAndListsInOrder) {
  Registry<Named> registry("solver");
  registry.add({"jacobi", 1});
  Named const& jacobi = registry.find("jacobi");
  registry.add({"cg", 2});
  registry.add({"chebyshev", 3});
  EXPECT_EQ(registry.find("cg").value, 2);
  EXPECT_EQ(&registry.find("jacobi"), &jacobi);
  EXPECT_TRUE(registry.contains("chebyshev"));
  EXPECT_FALSE(registry.contains("CG"));
  EXPECT_THAT(registry.names(), ElementsAre("cg", "chebyshev", "jacobi"));
}

TEST(Registry, NamesTheNearestOrAllThatAreKnown) {
  Registry<Named> registry("solver");
  EXPECT_EQ(message_of([&] { static_cast<void>(registry.find("cg")); }), "`cg`: no such solver");
  registry.add({"jacobi", 1});
  registry.add({"cg", 2});
  EXPECT_EQ(message_of([&] { static_cast<void>(registry.find("jakobi")); }),
            "`jakobi`: no such solver; did you mean `jacobi`?");
  EXPECT_EQ(message_of([&] { static_cast<void>(registry.find("multigrid")); }),
            "`multigrid`: no such solver; known: cg, jacobi");
}

TEST(Registry, RefusesASecondOfOneName) {
  Registry<Named> registry("solver");
  registry.add({"cg", 1});
  EXPECT_EQ(message_of([&] { registry.add({"cg", 2}); }), "`cg`: there is already a solver of this name");
  EXPECT_EQ(registry.find("cg").value, 1);
}

TEST(Loader, LoadsAPlugin) {
  Registry<PhysicsEntry> registry("physics");
  PluginLoader loader(registry);
  loader.load(folder / "fitting.so");
  EXPECT_THAT(registry.names(), ElementsAre("single_only"));
  EXPECT_EQ(registry.find("single_only").options.name(), "single_only");
  EXPECT_EQ(message_of([&] { loader.load(folder / "fitting.so"); }),
            "`single_only`: there is already a physics of this name");
}

TEST(Loader, RefusesWhatDoesNotFitNamingBothSides) {
  std::string const advice = "; build the plugin against this installation";
  EXPECT_EQ(message_of_loading(folder / "other_version.so"),
            std::string("built for version 0.0.7, but this Halocline has ") + HALOCLINE_VERSION + advice);
  EXPECT_EQ(message_of_loading(folder / "other_backend.so"),
            std::string("built for backend Abacus, but this Halocline has ") + HALOCLINE_BACKEND_NAME + advice);
  EXPECT_EQ(message_of_loading(folder / "other_compiler.so"),
            std::string("built for compiler C++ ABI 2, but this Halocline has ") + compiler_abi + advice);
  EXPECT_EQ(
      message_of_loading(folder / "other_layout.so"),
      "its plugin interface is number 4711, but this Halocline has number " + std::to_string(plugin_layout) + advice);
}

TEST(Loader, KnowsLibrariesOfAnotherVersionByTheirNames) {
  EXPECT_EQ(message_of_loading(folder / "other_library.so"),
            std::string("built for another version than this Halocline, which has ") + HALOCLINE_VERSION +
                " (libhalocline_plugin.so.0.0: cannot open shared object file: No such file or directory); build the "
                "plugin against this installation");
}

TEST(Loader, RefusesWhatIsNoPlugin) {
  EXPECT_EQ(message_of_loading(folder / "not_there.so"), "no such plugin");
  EXPECT_EQ(message_of_loading(folder / "no_symbol.so"),
            "not a Halocline plugin: it has no symbol `halocline_plugin` (HALOCLINE_PLUGIN in one of its sources makes "
            "it)");
  std::filesystem::path const text = std::filesystem::temp_directory_path() / "halocline_plugin_test.so";
  std::ofstream(text) << "#!/bin/sh\n";
  EXPECT_THAT(message_of_loading(text), HasSubstr("cannot be loaded as a plugin: "));
  std::filesystem::remove(text);
}

TEST(Loader, LoadsAFolderAndTakesNoneForEmpty) {
  Registry<PhysicsEntry> registry("physics");
  PluginLoader(registry).load_folder(folder / "nowhere");
  EXPECT_TRUE(registry.names().empty());
  EXPECT_THAT(message_of([&] { PluginLoader(registry).load_folder(folder); }), HasSubstr("no_symbol.so"));
}

TEST(Loader, NamesBothPrecisions) {
  Registry<PhysicsEntry> registry("physics");
  PluginLoader(registry).load(folder / "fitting.so");
  PhysicsEntry const& entry = registry.find("single_only");
  EXPECT_EQ(precision_obstacle(entry, Precision::single), "");
  EXPECT_EQ(precision_obstacle(entry, Precision::double_),
            "the deck asks for double, but the physics `single_only` is built for single");
}

}  // namespace
}  // namespace halocline
