#pragma once

#include <atomic>
#include <filesystem>
#include <string>

#include "framework/runtime/abrupt_end.hpp"
#include "framework/runtime/index.hpp"

namespace halocline {

/// The summary of a run that a signal handler writes: how and when the run ended, and what was known at its start. Its
/// field `abrupt` distinguishes it from a complete summary. It uses the disk space reserved for the summary: one rank
/// of the run takes that, and the others write nothing. While an object lives, it is the record of abrupt ends.
class AbruptSummary final : public AbruptRecord {
 public:
  /// \param path of the summary
  /// \param start text of the summary at the run's start, as JSON
  /// \param rank of this process
  AbruptSummary(std::filesystem::path const& path, std::string const& start, int rank);
  ~AbruptSummary() override;
  AbruptSummary(AbruptSummary const&) = delete;
  AbruptSummary& operator=(AbruptSummary const&) = delete;

  /// The last recorded state.
  void set_state(Index steps, double time) noexcept;
  /// This process starts to write the complete summary: an end meanwhile still writes this one.
  void take_over() noexcept;
  void close(ExitCode code, std::string_view message) noexcept override;

  /// The part of `start` that is kept: from the field after the time on.
  [[nodiscard]] static std::string rest_of(std::string const& start);

 private:
  std::string path_;
  std::string reserved_;
  std::string partial_;
  std::string rest_;
  std::atomic<Index> steps_ = 0;
  std::atomic<double> time_ = 0;
  std::atomic_flag closing_ = ATOMIC_FLAG_INIT;
  std::atomic<bool> mine_ = false;  ///< this process has taken the reserved space
};

}  // namespace halocline
