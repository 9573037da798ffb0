#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "framework/plugin/physics.hpp"
#include "framework/plugin/registry.hpp"

namespace halocline {

/// Loads plugins into a registry of physics, and keeps them loaded until the process ends (their code may be in use by
/// objects that outlive any owner).
class PluginLoader {
 public:
  /// \param folder where the built-in physics are, one shared object each, `<name>.so`
  PluginLoader(Registry<PhysicsEntry>& registry, std::filesystem::path folder);

  /// The folder of the built-in physics that belongs to the running program: `../lib/halocline/physics` beside it, in an
  /// install tree and in a build tree alike.
  [[nodiscard]] static std::filesystem::path folder_of_this_program();

  /// Loads one shared object. Throws InputError, naming both sides, if it cannot be loaded, is no plugin, or was built
  /// with another version, backend or compiler ABI; also if its physics has the name of one that is there.
  void load(std::filesystem::path const& shared_object);
  /// Names of the built-in physics, loaded or not; reads the folder and opens nothing.
  [[nodiscard]] std::vector<std::string> built_in() const;
  /// Loads the built-in physics `name` unless it is in the registry; does nothing if there is no such one.
  void load_built_in(std::string const& name);
  /// Loads all built-in physics.
  void load_all();

 private:
  Registry<PhysicsEntry>& registry_;
  std::filesystem::path folder_;
};

/// Throws InputError, naming both sides, if `entry` is not built for `precision`.
void require_precision(PhysicsEntry const& entry, Precision precision);

}  // namespace halocline
