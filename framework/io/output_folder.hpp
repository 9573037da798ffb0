#pragma once

#include <filesystem>

#include "framework/runtime/communicator.hpp"

namespace halocline {

/// Where a run of this deck writes when nobody says otherwise: in the working directory, the deck's name with `.out`
/// for its extension.
[[nodiscard]] std::filesystem::path default_output_folder(std::filesystem::path const& deck);

/// Judges, without touching anything, whether a run may write into `folder`. Throws InputError when the path is not a
/// folder, cannot be written to, or holds a run and `overwrite` is false.
void judge_output_folder(std::filesystem::path const& folder, bool overwrite);

/// Collective. Creates `folder` and the folders above it, and removes the files of an earlier run from it (no others);
/// call it once the deck has been judged whole. Throws InputOutputError on all ranks.
void create_output_folder(Communicator const& communicator, std::filesystem::path const& folder);

}  // namespace halocline
