#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "framework/runtime/error.hpp"
#include "framework/runtime/process.hpp"

namespace halocline {

/// What the process that starts ranks tells them.
struct Job {
  int ranks = 0;
  int columns = 0;                 ///< of the terminal that standard output of the whole run is; 0 when it is none
  std::vector<std::string> words;  ///< of the user's command line, from the program's name on
  ProcessIdentity starter{};       ///< this process, once it is handed to the ranks
};

/// How ranks came to their end, in the words of the one that speaks for all.
struct JobEnd {
  ExitCode code = ExitCode::done;
  std::string message;
};

/// The first word of a rank's command line; the folder of its job is the second, and there is no third.
inline constexpr char const* rank_option = "--ranks-of";

/// The job of this process's ranks: a private folder for temporary files by which they and this process know each
/// other. Nothing of it is in a variable of the environment, which may be that of another job. Gone with the object.
class JobFolder {
 public:
  /// Throws InputOutputError where there is no room for it.
  explicit JobFolder(Job const& job);
  ~JobFolder();
  JobFolder(JobFolder const&) = delete;
  JobFolder& operator=(JobFolder const&) = delete;

  [[nodiscard]] std::filesystem::path const& path() const { return path_; }
  /// Whether the ranks have come so far that signals reach them.
  [[nodiscard]] bool ranks_listen() const;
  /// Nothing if no rank has told.
  [[nodiscard]] std::optional<JobEnd> end() const;
  /// That of a rank which could not go on.
  [[nodiscard]] std::optional<JobEnd> abrupt_end() const;

 private:
  [[nodiscard]] static std::optional<JobEnd> end_in(std::filesystem::path const& file);

  std::filesystem::path path_;
};

/// For a process whose command line begins with `rank_option`: it is a rank of the job in that folder from now on.
/// Throws InputError if there is none, and StoppedError if the process that made the folder has ended.
void join_job(std::filesystem::path const& folder);
/// The job that this process has joined; null when it has not.
[[nodiscard]] Job const* joined_job();

/// For one rank of a joined job: tells the process that started it that signals reach all ranks, and how they end.
void tell_listening();
void tell_end(JobEnd const& end);

}  // namespace halocline
