#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "drivers/halocline/commands.hpp"
#include "drivers/halocline/input_files.hpp"
#include "drivers/halocline/schedule.hpp"
#include "framework/deck/options.hpp"
#include "framework/io/checkpoint.hpp"
#include "framework/io/run_record.hpp"
#include "framework/runtime/communicator.hpp"

namespace halocline {

/// The options that define the mesh of a deck, with defaults, but not those of its distribution over ranks.
[[nodiscard]] std::string described_mesh(Options const& mesh);

/// How a run was started, as stored in its checkpoints: all that is needed to start it again. `mesh` is a described
/// one; empty: there is none.
[[nodiscard]] std::string described_start(RunCommand const& command, std::string const& deck_name,
                                          std::string const& deck_text, std::string const& physics,
                                          std::string const& mesh, InputFiles const& files);

/// What `halocline restart FOLDER` runs: the deck and the command of the newest readable checkpoint, with the further
/// changes of `command.set`, in its folder; on as many ranks as before, if the run was started with --ranks and
/// `command` gives none. Throws InputError if the folder contains no checkpoint, or if it is a run of plugins and
/// `command` names none, InputOutputError if none can be read.
[[nodiscard]] RunCommand command_to_go_on(RunCommand command);

/// A checkpoint from which a run continues.
struct Continuation {
  std::filesystem::path folder;
  Checkpoint checkpoint;
  std::string physics;
  std::string mesh;    ///< described; empty: not known
  std::string output;  ///< Output::serialized
  ScheduleState schedule;
  InputFiles files;                  ///< as at the beginning of the run
  std::vector<std::string> skipped;  ///< newer ones that are incomplete or damaged, and why
};

/// Collective. The newest intact checkpoint in the folder of a run; empty if there is none at all. All ranks together
/// have verified every byte of it. Throws InputOutputError if there are some, but none is intact.
[[nodiscard]] std::optional<Continuation> find_continuation(std::filesystem::path const& run,
                                                            Communicator const& communicator);

/// Throws InputError, which names the option, if the mesh of a deck is not that of the run.
void require_same_mesh(Continuation const& from, Options const& mesh);

/// Throws InputError if a file of the deck, with the same option and name, has other contents than when the run began.
/// Warns of a plugin that has: it may have been repaired, or built for another machine.
void require_same_files(InputFiles const& then, InputFiles const& now);

/// Whether the summary in `folder` says that the run is finished. Throws InputOutputError if it is not a file.
[[nodiscard]] bool holds_a_done_run(std::filesystem::path const& folder);
/// Whether the summary in `folder` says that a run of this validated deck is finished. Throws InputError if it read
/// other contents of a file or a plugin.
[[nodiscard]] bool is_done_already(std::filesystem::path const& folder, std::string const& deck,
                                   InputFiles const& files);

}  // namespace halocline
