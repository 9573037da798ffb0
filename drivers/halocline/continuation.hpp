#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "drivers/halocline/commands.hpp"
#include "drivers/halocline/schedule.hpp"
#include "framework/io/checkpoint.hpp"
#include "framework/io/run_record.hpp"
#include "framework/runtime/communicator.hpp"

namespace halocline {

/// How a run was started, as its checkpoints keep it: what it takes to start it again.
[[nodiscard]] std::string described_start(RunCommand const& command, std::string const& deck_name,
                                          std::string const& deck_text, std::string const& physics,
                                          std::span<FieldFileRecord const> field_files);

/// What `halocline restart FOLDER` runs: the deck and the command of the newest checkpoint that can be read, with the
/// further changes of `command.set`, in its folder; on as many ranks, if it asked for these and `command` does not.
/// Throws InputError where the folder holds no checkpoint, InputOutputError where none can be read.
[[nodiscard]] RunCommand command_to_go_on(RunCommand command);

/// A checkpoint from which a run goes on.
struct Continuation {
  std::filesystem::path folder;
  Checkpoint checkpoint;
  std::string physics;
  std::string output;  ///< Output::carried
  ScheduleState schedule;
  std::vector<FieldFileRecord> field_files;  ///< as they were when the run began
  std::vector<std::string> skipped;          ///< newer ones that are not whole, and why
};

/// Collective. The newest whole checkpoint in the folder of a run; nothing where there is none at all. Every byte of it
/// has been looked at, by all ranks together. Throws InputOutputError where there are some, and none is whole.
[[nodiscard]] std::optional<Continuation> find_continuation(std::filesystem::path const& run,
                                                            Communicator const& communicator);

/// Throws InputError where a file that the run goes on with, of the same option and name, has other bytes than when the
/// run began.
void require_same_field_files(Continuation const& from, std::span<FieldFileRecord const> found);

/// Whether the summary in `folder` tells of a run that is done.
[[nodiscard]] bool holds_a_done_run(std::filesystem::path const& folder);
/// Whether the summary in `folder` tells of a run of this judged deck that is done.
[[nodiscard]] bool is_done_already(std::filesystem::path const& folder, std::string const& deck);

}  // namespace halocline
