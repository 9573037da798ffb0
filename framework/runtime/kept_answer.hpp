#pragma once

#include <filesystem>
#include <optional>
#include <string>

// A cache of answers that take time to find out, one file for each question and key.

namespace halocline {

/// Halocline's cache folder for this user: halocline in $XDG_CACHE_HOME or ~/.cache. Empty if neither variable is set;
/// the folder may not exist yet.
[[nodiscard]] std::filesystem::path cache_folder();

/// \param folder the cache folder (cache_folder); empty: nothing is cached
/// \param question prefix of the file's name
/// \param key all that the answer depends on, in complete lines
/// \return nothing if there is no answer, or an incomplete one or one of another key
[[nodiscard]] std::optional<std::string> kept_answer(std::filesystem::path const& folder, std::string const& question,
                                                     std::string const& key);
/// Failures to write are ignored: the answer is then found out again next time.
void keep_answer(std::filesystem::path const& folder, std::string const& question, std::string const& key,
                 std::string const& answer);
/// Path of the answer's file.
[[nodiscard]] std::filesystem::path file_of_answer(std::filesystem::path const& folder, std::string const& question,
                                                   std::string const& key);

}  // namespace halocline
