#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "framework/runtime/error.hpp"
#include "framework/runtime/process.hpp"

namespace halocline {

/// Data for the ranks from the process that starts them.
struct Job {
  int ranks = 0;
  int columns = 0;                 ///< width of the terminal that is the run's standard output; 0: it is no terminal
  std::vector<std::string> words;  ///< of the user's command line, including the program's name
  ProcessIdentity starter{};       ///< this process; set when the job is passed to the ranks
};

/// The end of the ranks, as reported by one for all.
struct JobEnd {
  ExitCode code = ExitCode::done;
  std::string message;
};

/// The first word of a rank's command line, followed only by the folder of its job.
inline constexpr char const* rank_option = "--ranks-of";

/// The job of this process's ranks: a private temporary folder through which they and this process exchange data.
/// Environment variables are not used, since they may be those of another job. The folder is removed with the object.
class JobFolder {
 public:
  /// Throws InputOutputError if there is no space for it.
  explicit JobFolder(Job const& job);
  ~JobFolder();
  JobFolder(JobFolder const&) = delete;
  JobFolder& operator=(JobFolder const&) = delete;

  [[nodiscard]] std::filesystem::path const& path() const { return path_; }
  /// Whether the ranks have started far enough to receive signals.
  [[nodiscard]] bool ranks_listen() const;
  /// Empty if no rank has reported.
  [[nodiscard]] std::optional<JobEnd> end() const;
  /// The report of a rank that could not continue.
  [[nodiscard]] std::optional<JobEnd> abrupt_end() const;

 private:
  [[nodiscard]] static std::optional<JobEnd> end_in(std::filesystem::path const& file);

  std::filesystem::path path_;
};

/// For a process whose command line begins with `rank_option`: makes it a rank of the job in that folder. Throws
/// InputError if there is no such job, and StoppedError if the process that made the folder has ended.
void join_job(std::filesystem::path const& folder);
/// The job that this process has joined; null if none.
[[nodiscard]] Job const* joined_job();

/// For one rank of a joined job: reports to the process that started it that all ranks receive signals, and how they
/// end.
void write_listening();
void write_end(JobEnd const& end);

}  // namespace halocline
