#pragma once

#include <atomic>
#include <filesystem>
#include <string>

#include "framework/runtime/abrupt_end.hpp"
#include "framework/runtime/index.hpp"

namespace halocline {

/// The summary of a run that a handler of signals writes: how and when the run ended, and whatever else was known at
/// its start; its field `abrupt` tells it from a whole one. In the room that is reserved for the summary: of the ranks
/// of a run, one gets that, and leaves the others nothing to do. While an object lives it is the record of abrupt ends.
class AbruptSummary final : public AbruptRecord {
 public:
  /// \param path of the summary
  /// \param start text of the summary at the start of the run, as JSON
  /// \param rank of this process
  AbruptSummary(std::filesystem::path const& path, std::string const& start, int rank);
  ~AbruptSummary() override;
  AbruptSummary(AbruptSummary const&) = delete;
  AbruptSummary& operator=(AbruptSummary const&) = delete;

  /// The last recorded state.
  void set_state(Index steps, double time) noexcept;
  /// This process writes the whole summary now: what ends it meanwhile still leaves this one.
  void take_over() noexcept;
  void close(ExitCode code, std::string_view message) noexcept override;

  /// What of `start` stays, from the field behind the time on.
  [[nodiscard]] static std::string rest_of(std::string const& start);

 private:
  std::string path_;
  std::string reserved_;
  std::string partial_;
  std::string rest_;
  std::atomic<Index> steps_ = 0;
  std::atomic<double> time_ = 0;
  std::atomic_flag closing_ = ATOMIC_FLAG_INIT;
  std::atomic<bool> mine_ = false;  ///< this process got the room that is reserved
};

}  // namespace halocline
