#pragma once

#include <span>
#include <string>
#include <vector>

#include "framework/deck/options.hpp"
#include "framework/io/run_record.hpp"
#include "framework/plugin/physics.hpp"

namespace halocline {

/// What a run reads besides the text of its deck.
struct InputFiles {
  std::vector<FieldFileRecord> of_deck;  ///< files of fields, and those whose paths are options of the physics
  std::vector<FieldFileRecord> plugins;
};

/// Describes the files of a validated deck and the shared objects named on the command line. Throws InputError if the
/// file of a field has changed since it was validated.
[[nodiscard]] InputFiles record_input_files(PhysicsEntry const& entry, Options const& deck,
                                            std::vector<std::string> const& plugins);

/// For each file with the same option and name, for a plugin also another name of the same file, but other contents:
/// what has changed, for a message.
[[nodiscard]] std::vector<std::string> changed_files(std::span<FieldFileRecord const> then,
                                                     std::span<FieldFileRecord const> now);

}  // namespace halocline
