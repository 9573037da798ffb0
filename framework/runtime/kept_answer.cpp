#include "framework/runtime/kept_answer.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <system_error>

#include "framework/runtime/environment.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/log.hpp"
#include "framework/runtime/small_file.hpp"

namespace halocline {
namespace {

namespace fs = std::filesystem;

constexpr char const* answer_begins = "answer: ";

/// Empty if there is no file, or an unusable one.
std::string kept_text(fs::path const& path) {
  try {
    return small_file(path).value_or("");
  } catch (InputError const& error) {
    log_debug(std::string(error.what()) + "; it is not used");
    return "";
  }
}

/// Empty if it is not set.
fs::path path_in(char const* variable) {
  char const* const value = std::getenv(variable);
  return value != nullptr ? value : "";
}

}  // namespace

fs::path cache_folder() {
  if (auto cache = path_in("XDG_CACHE_HOME"); !cache.empty()) return cache / "halocline";
  if (auto home = path_in("HOME"); !home.empty()) return home / ".cache" / "halocline";
  return {};
}

fs::path file_of_answer(fs::path const& folder, std::string const& question, std::string const& key) {
  return folder / fmt::format("{}-{:016x}", question, std::hash<std::string>()(key));
}

std::optional<std::string> kept_answer(fs::path const& folder, std::string const& question, std::string const& key) {
  if (folder.empty()) return std::nullopt;
  std::string const text = kept_text(file_of_answer(folder, question, key));
  std::string const begin = key + answer_begins;
  if (!text.starts_with(begin) || !text.ends_with('\n')) return std::nullopt;
  return text.substr(begin.size(), text.size() - begin.size() - 1);
}

void keep_answer(fs::path const& folder, std::string const& question, std::string const& key,
                 std::string const& answer) {
  if (folder.empty()) return;
  std::error_code error;
  fs::create_directories(folder, error);
  fs::path const path = file_of_answer(folder, question, key);
  // Ranks of other hosts may write the same file: each writes its own and renames it when it is complete.
  fs::path const partial = path.string() + fmt::format("-{}-{}", host_name(), getpid());
  {
    std::ofstream file(partial);
    file << key << answer_begins << answer << '\n';
    if (!file.flush()) error = std::make_error_code(std::errc::io_error);
  }
  if (!error) fs::rename(partial, path, error);
  if (!error) return;
  log_debug(path.string() + " cannot be kept: " + error.message());
  fs::remove(partial, error);
}

}  // namespace halocline
