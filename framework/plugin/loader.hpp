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

/// Loads plugins into a registry of physics, and keeps them loaded until the process ends (their code may be in use by
/// objects that outlive any owner).
class PluginLoader {
 public:
  /// \param reserved names that no physics of a plugin may have: those of a deck's own options and sections
  explicit PluginLoader(Registry<PhysicsEntry>& registry, std::vector<std::string> reserved = {})
      : registry_(registry), reserved_(std::move(reserved)) {}

  /// The folder of the built-in physics that belongs to the running program: `../lib/halocline/physics` beside it, in
  /// an install tree and in a build tree alike.
  [[nodiscard]] static std::filesystem::path folder_of_this_program();

  /// Loads a plugin of the user's. Its code is guarded: what it throws names it. Throws InputError, naming both sides,
  /// if it cannot be loaded, is cut short, is no plugin or was built with another version, backend or compiler ABI;
  /// also if its declaration or its table of tunings is wrong, its name is taken, or it is loaded already. Warns of
  /// what works but should not be: a file that everybody may write to, code without optimisation.
  void load(std::filesystem::path const& shared_object);
  /// Loads every shared object of a folder of ours, in alphabetical order. A folder that does not exist is empty.
  void load_folder(std::filesystem::path const& folder);

 private:
  /// What a shared object exports.
  struct Exports {
    PluginDescription const& plugin;
    char const* tunings;  ///< null: it brings none
  };
  Exports open(std::filesystem::path const& shared_object);
  void require_free_name(std::filesystem::path const& shared_object, std::string const& name) const;

  Registry<PhysicsEntry>& registry_;
  std::vector<std::string> reserved_;
  std::map<void*, std::filesystem::path> opened_;             ///< by the handle of dlopen
  std::map<std::string, std::filesystem::path> of_the_user_;  ///< plugins by the names of their physics
};

/// What is wrong with asking `entry` for `precision`, naming both sides; empty if nothing is.
[[nodiscard]] std::string precision_obstacle(PhysicsEntry const& entry, Precision precision);

}  // namespace halocline
