#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "framework/deck/registry.hpp"
#include "framework/plugin/physics.hpp"

namespace halocline {

struct PluginDescription;

/// Loads plugins into a registry of physics and keeps them loaded until the process ends (objects that outlive any
/// owner may still use their code).
class PluginLoader {
 public:
  /// \param reserved names that a plugin's physics may not have: those of a deck's own options and sections
  explicit PluginLoader(Registry<PhysicsEntry>& registry, std::vector<std::string> reserved = {})
      : registry_(registry), reserved_(std::move(reserved)) {}

  /// The folder of the running program's built-in physics: `../lib/halocline/physics` relative to its own folder, in an
  /// install tree and a build tree alike.
  [[nodiscard]] static std::filesystem::path folder_of_this_program();

  /// Loads a user's plugin. Its code is guarded: exceptions name the plugin. Throws InputError, naming the expected and
  /// the actual value, if it cannot be loaded, is truncated, is not a plugin or was built with another version, backend
  /// or compiler ABI; also if its declaration or tuning table is invalid, its name is taken, or it is already loaded.
  /// Warns if anyone may write to the file, or if it is compiled without optimisation.
  void load(std::filesystem::path const& shared_object);
  /// Loads all shared objects of one of our folders, in alphabetical order. A folder that does not exist counts as
  /// empty.
  void load_folder(std::filesystem::path const& folder);

 private:
  /// The symbols that a shared object exports.
  struct Exports {
    PluginDescription const& plugin;
    char const* tunings;  ///< null: none
  };
  Exports open(std::filesystem::path const& shared_object);
  void require_free_name(std::filesystem::path const& shared_object, std::string const& name) const;

  Registry<PhysicsEntry>& registry_;
  std::vector<std::string> reserved_;
  std::map<void*, std::filesystem::path> opened_;             ///< by the handle of dlopen
  std::map<std::string, std::filesystem::path> of_the_user_;  ///< paths of plugins by the names of their physics
};

/// The error if `entry` is used with `precision`, naming both; empty if there is none.
[[nodiscard]] std::string precision_obstacle(PhysicsEntry const& entry, Precision precision);

}  // namespace halocline
