#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace halocline {

/// Reads "90", "90s", "30m", "2h", "1:30:00" or "30:00" as seconds. Throws InputError for anything else, and for a
/// duration that is not above 0.
[[nodiscard]] double read_duration(std::string const& text);

/// When a run must have ended: at the given limit, or ten seconds before the end of its job, which Slurm sets in the
/// environment (SLURM_JOB_END_TIME, seconds since 1970).
class WallLimit {
 public:
  using Clock = std::chrono::system_clock;

  /// \param seconds from `start`; 0: no limit given
  WallLimit(double seconds, Clock::time_point start, char const* end_of_job);

  /// Whether a run should stop now, if it needs `needed` seconds until it could stop again.
  [[nodiscard]] bool is_near(double needed, Clock::time_point now = Clock::now()) const {
    return end_ && now + std::chrono::duration<double>(needed) >= *end_;
  }
  /// Seconds until the limit, negative after it; empty: there is none.
  [[nodiscard]] std::optional<double> seconds_left(Clock::time_point now = Clock::now()) const {
    if (!end_) return std::nullopt;
    return std::chrono::duration<double>(*end_ - now).count();
  }
  /// "at the wall limit of 90 s", "before the end of its job".
  [[nodiscard]] std::string const& text() const { return text_; }

 private:
  std::optional<Clock::time_point> end_;
  std::string text_;
};

}  // namespace halocline
