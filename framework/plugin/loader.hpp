#pragma once

#include <filesystem>
#include <string>

#include "framework/plugin/physics.hpp"
#include "framework/plugin/registry.hpp"

namespace halocline {

/// Loads plugins into a registry of physics, and keeps them loaded until the process ends (their code may be in use by
/// objects that outlive any owner).
class PluginLoader {
 public:
  explicit PluginLoader(Registry<PhysicsEntry>& registry) : registry_(registry) {}

  /// The folder of the built-in physics that belongs to the running program: `../lib/halocline/physics` beside it, in
  /// an install tree and in a build tree alike.
  [[nodiscard]] static std::filesystem::path folder_of_this_program();

  /// Loads one shared object. Throws InputError, naming both sides, if it cannot be loaded, is no plugin, or was built
  /// with another version, backend or compiler ABI; also if its physics has the name of one that is there.
  void load(std::filesystem::path const& shared_object);
  /// Loads every shared object of a folder, in alphabetical order. A folder that does not exist is empty.
  void load_folder(std::filesystem::path const& folder);

 private:
  Registry<PhysicsEntry>& registry_;
};

/// What is wrong with asking `entry` for `precision`, naming both sides; empty if nothing is.
[[nodiscard]] std::string precision_obstacle(PhysicsEntry const& entry, Precision precision);

}  // namespace halocline
