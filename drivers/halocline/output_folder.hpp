#pragma once

#include <filesystem>
#include <string>

namespace halocline {

class Communicator;
struct RunCommand;

/// Where a run writes, judged before anything is written: `--output`, or the deck's name and ".out" in the current
/// directory. Throws InputError where a file is in the way, the folder cannot be made, or it holds a run and
/// `--overwrite` is not given. Nothing is created. Collective; rank 0 looks.
[[nodiscard]] std::filesystem::path judged_output_folder(RunCommand const& command, Communicator const& communicator);

/// Makes the folder, and takes what an earlier run left there away. Collective; rank 0 does it.
void make_output_folder(std::filesystem::path const& folder, Communicator const& communicator);

}  // namespace halocline
