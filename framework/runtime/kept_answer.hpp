#pragma once

#include <filesystem>
#include <optional>
#include <string>

// What a run has found out and later ones need not find out again, a file for each question and key.

namespace halocline {

/// Where Halocline keeps what it has found out on this user's machines: halocline in $XDG_CACHE_HOME or ~/.cache. Empty
/// where neither is known; nobody has made the folder yet.
[[nodiscard]] std::filesystem::path cache_folder();

/// \param folder that of the cache (cache_folder); an empty one keeps nothing
/// \param question the beginning of the file's name
/// \param key all that the answer depends on, in whole lines
/// Nothing where there is no answer, or one that is not whole or of another key.
[[nodiscard]] std::optional<std::string> kept_answer(std::filesystem::path const& folder, std::string const& question,
                                                     std::string const& key);
/// What cannot be kept is found out again next time.
void keep_answer(std::filesystem::path const& folder, std::string const& question, std::string const& key,
                 std::string const& answer);
/// Where it is kept.
[[nodiscard]] std::filesystem::path file_of_answer(std::filesystem::path const& folder, std::string const& question,
                                                   std::string const& key);

}  // namespace halocline
