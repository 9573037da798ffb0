#include "framework/plugin/plugin.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <initializer_list>
#include <utility>

#include "framework/deck/mistakes.hpp"
#include "framework/kernel/tune/tuning.hpp"
#include "framework/plugin/loader.hpp"
#include "framework/plugin/shared_object_file.hpp"
#include "framework/runtime/error.hpp"

namespace halocline {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

/// Where CMake puts this test's plugins.
std::filesystem::path const folder = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "plugins";

std::string message_of(std::function<void()> const& action) {
  try {
    action();
  } catch (Error const& error) {
    EXPECT_EQ(error.exit_code(), ExitCode::wrong_input);
    return error.what();
  }
  return "no Error";
}

std::string message_of_loading(std::filesystem::path const& file) {
  Registry<PhysicsEntry> registry("physics");
  std::string const message = message_of([&] { PluginLoader(registry).load(file); });
  EXPECT_TRUE(registry.names().empty());
  std::string const prefix = "`" + file.string() + "`: ";
  EXPECT_THAT(message, StartsWith(prefix));
  return message.substr(std::min(prefix.size(), message.size()));
}

/// While one of these lives, the hostile plugin breaks this promise.
class Hostility {
 public:
  explicit Hostility(std::string const& what) { setenv("HOSTILE_PLUGIN", what.c_str(), 1); }
  ~Hostility() { unsetenv("HOSTILE_PLUGIN"); }
  Hostility(Hostility const&) = delete;
  Hostility& operator=(Hostility const&) = delete;
};

TEST(Loader, LoadsAPlugin) {
  Registry<PhysicsEntry> registry("physics");
  PluginLoader loader(registry);
  loader.load(folder / "fitting.so");
  EXPECT_THAT(registry.names(), ElementsAre("single_only"));
  EXPECT_EQ(registry.find("single_only").options.name(), "single_only");
  EXPECT_EQ(message_of([&] { loader.load(folder / "fitting.so"); }),
            "`" + (folder / "fitting.so").string() + "`: this plugin is loaded already; name it only once");
}

TEST(Loader, BringsTheTuningsOfAPlugin) {
  kernel::SweepKey const key{"a card", "Upwind", "1D star; inputs 8 bytes reaching 1; 1 output; 0 sums", "64 x 1 x 1"};
  EXPECT_FALSE(kernel::tuner::look_up(key));
  Registry<PhysicsEntry> registry("physics");
  PluginLoader(registry).load(folder / "tuned.so");
  auto const found = kernel::tuner::look_up(key);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->source, "table");
  EXPECT_EQ(found->sweep.parameters.at("threads_x"), 32);
}

TEST(Loader, RefusesTuningsThatAreNone) {
  EXPECT_THAT(message_of_loading(folder / "mistuned.so"), StartsWith("its tunings: not a table of tunings: "));
}

TEST(Loader, RefusesADeclarationThatIsWrong) {
  for (auto const& [what, words] : std::initializer_list<std::pair<char const*, char const*>>{
           {"entry: no name", "its physics has no name"},
           {"entry: name with a dot",
            "its physics `hostile.physics` has a name that is not made of letters, digits, _ and -"},
           {"entry: other section",
            "its physics `hostile` has its options in a section `friendly`; give both one name"},
           {"entry: no create", "its physics `hostile` has no function `create` to make it"},
           {"entry: no precision",
            "its physics `hostile` is built for no precision; leave `precisions` out or name one"},
           {"entry: no dimension",
            "its physics `hostile` has no dimensions or impossible ones; name some of 1, 2 and 3 in `dimensions`"},
           {"entry: four dimensions",
            "its physics `hostile` has no dimensions or impossible ones; name some of 1, 2 and 3 in `dimensions`"},
           {"entry: no kind of mesh", "its physics `hostile` supports no kind of mesh; leave `meshes` out or name one"},
           {"format: no name", "its physics `hostile` brings a deck format without a name"},
           {"format: no recognises",
            "its physics `hostile` brings the deck format `two words` without its function `recognises`"},
           {"format: no read", "its physics `hostile` brings the deck format `two words` without its function `read`"},
           {"entry: mistaken default",
            "its physics `hostile` has options that are wrong: the default of option `hostile.table` is not allowed: "
            "expected one of one, two, got 'three'"}}) {
    Hostility const hostility(what);
    EXPECT_EQ(message_of_loading(folder / "hostile.so"), words);
  }
}

TEST(Loader, RefusesNamesThatAreTaken) {
  std::string const file = (folder / "hostile.so").string();
  std::string const other = (folder / "unoptimised.so").string();
  Registry<PhysicsEntry> registry("physics");
  registry.add({.name = "ours", .sentence = "", .options = Section("ours", ""), .validate = {}, .create = {}});
  PluginLoader loader(registry, {"mesh"});
  loader.load(other);
  EXPECT_EQ(message_of([&] { loader.load(file); }),
            "`" + file + "`: its physics is called `hostile`, and so is the physics of `" + other +
                "`; give it another name");
  for (auto const& [what, words] : std::initializer_list<std::pair<char const*, char const*>>{
           {"entry: called ours", "`ours`, and so is one of Halocline's own"},
           {"entry: called mesh", "`mesh`, and so is a part of every deck"}}) {
    Hostility const hostility(what);
    PluginLoader another(registry, {"mesh"});
    EXPECT_EQ(message_of([&] { another.load(file); }),
              "`" + file + "`: its physics is called " + words + "; give it another name");
  }
}

TEST(Loader, NamesAPluginThatThrowsWhenItIsLoaded) {
  std::string const plugin = "plugin `" + (folder / "hostile.so").string() + "`, in the function of HALOCLINE_PLUGIN: ";
  std::string const blame = "; this is a defect of the plugin: please report it to its author";
  for (auto const& [what, words] : std::initializer_list<std::pair<char const*, std::string>>{
           {"entry: throws", "std::runtime_error: no such table" + blame},
           {"entry: throws a number", "threw int, which is not a std::exception and has no message" + blame},
           {"entry: throws InputError", "`hostile.table`: no such table"},
           {"entry: two options of a name", "section `hostile` declares `table` twice" + blame}}) {
    Hostility const hostility(what);
    Registry<PhysicsEntry> registry("physics");
    EXPECT_EQ(message_of([&] { PluginLoader(registry).load(folder / "hostile.so"); }), plugin + words);
  }
}

/// The deck format of the hostile plugin, as a loader registers it.
DeckFormat hostile_format() {
  Registry<PhysicsEntry> registry("physics");
  PluginLoader(registry).load(folder / "hostile.so");
  return registry.find("hostile").deck_formats.front();
}

TEST(Loader, NamesAPluginWhoseDeckFormatFails) {
  DeckFormat const format = hostile_format();
  std::string const plugin = "plugin `" + (folder / "hostile.so").string() + "`, physics `hostile`, in `";
  std::string const blame = "; this is a defect of the plugin: please report it to its author";
  {
    Hostility const hostility("recognises: throws");
    EXPECT_EQ(message_of([&] { static_cast<void>(format.recognises("hostile 4")); }),
              plugin + "recognises` of deck format `two words`: std::runtime_error: no such table" + blame);
  }
  Mistakes mistakes;
  for (auto const& [what, words] : std::initializer_list<std::pair<char const*, std::string>>{
           {"read: throws", "std::runtime_error: no such table" + blame},
           {"read: throws a number", "threw int, which is not a std::exception and has no message" + blame},
           {"read: throws DefectError", "two tables" + blame},
           {"read: reports no mistake", "it returned a value marked as reported, but reported no mistake" + blame}}) {
    Hostility const hostility(what);
    EXPECT_EQ(message_of([&] { static_cast<void>(format.read("deck", "hostile 4", mistakes)); }),
              plugin + "read` of deck format `two words`: " + words);
  }
}

TEST(Loader, LeavesADeckFormatItsWordOnTheDeck) {
  DeckFormat const format = hostile_format();
  Mistakes mistakes;
  Hostility const hostility("read: throws InputError");
  EXPECT_EQ(message_of([&] { static_cast<void>(format.read("deck", "hostile 4", mistakes)); }),
            "`hostile.table`: no such table");
}

/// A file that is shorter than its tables say is not passed to the dynamic loader, which would crash.
TEST(Loader, RefusesAFileThatIsCutShort) {
  namespace fs = std::filesystem;
  fs::path const cut = fs::temp_directory_path() / "halocline_cut_plugin.so";
  fs::copy_file(folder / "fitting.so", cut, fs::copy_options::overwrite_existing);
  std::uintmax_t const size = fs::file_size(cut);
  for (std::uintmax_t const left : {size - 1, size / 2, std::uintmax_t{4096}, std::uintmax_t{64}}) {
    fs::resize_file(cut, left);
    EXPECT_EQ(message_of_loading(cut), "cannot be loaded as a plugin: the file is truncated, with " +
                                           std::to_string(left) + " of its " + std::to_string(size) +
                                           " bytes; build or copy it anew");
  }
  for (std::uintmax_t const left : {63, 1, 0}) {
    fs::resize_file(cut, left);
    EXPECT_EQ(message_of_loading(cut), "cannot be loaded as a plugin: it is not a shared object (64-bit ELF)");
  }
  fs::remove(cut);
}

TEST(Loader, RefusesWhatIsNoRegularFile) {
  EXPECT_EQ(message_of_loading(folder), "a folder, not a plugin");
  EXPECT_EQ(message_of_loading("/dev/zero"), "not a regular file");
}

TEST(SharedObjectFile, KnowsWhatEverybodyMayWriteTo) {
  namespace fs = std::filesystem;
  fs::path const home = fs::temp_directory_path() / "halocline_writable_plugin";
  fs::create_directory(home);
  fs::path const file = home / "plugin.so";
  std::ofstream(file) << "plugin";
  fs::permissions(home, fs::perms::owner_all);
  fs::permissions(file, fs::perms::owner_all);
  EXPECT_EQ(writable_by_everybody(file), "");
  fs::permissions(file, fs::perms::all);
  EXPECT_EQ(writable_by_everybody(file), "every user may write to it");
  fs::permissions(file, fs::perms::owner_all);
  fs::permissions(home, fs::perms::all);
  EXPECT_EQ(writable_by_everybody(file), "every user may write to its folder `" + fs::canonical(home).string() + "`");
  fs::path const link = fs::temp_directory_path() / "halocline_linked_plugin.so";
  fs::remove(link);
  fs::create_symlink(file, link);
  EXPECT_EQ(writable_by_everybody(link), "every user may write to its folder `" + fs::canonical(home).string() + "`");
  fs::remove(link);
  fs::permissions(home, fs::perms::all | fs::perms::sticky_bit);
  EXPECT_EQ(writable_by_everybody(file), "");
  fs::permissions(file, fs::perms::owner_all | fs::perms::group_all);
  EXPECT_EQ(writable_by_everybody(file), "");
  fs::permissions(file, fs::perms::owner_all | fs::perms::others_write);
  EXPECT_EQ(writable_by_everybody(file), "every user may write to it");
  fs::remove_all(home);
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
  EXPECT_EQ(message_of_loading(folder / "no_compiler.so"),
            std::string("built for compiler (null), but this Halocline has ") + compiler_abi + advice);
  EXPECT_EQ(message_of_loading(folder / "no_function.so"),
            "it names no function that describes its physics (a null pointer)");
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
  EXPECT_THAT(message_of([&] { PluginLoader(registry).load_folder(folder); }),
              HasSubstr("`hostile`: there is already"));
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
