#include "drivers/halocline/wall_limit.hpp"

#include <charconv>
#include <cmath>
#include <vector>

#include "framework/deck/tree.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/shortest_text.hpp"

namespace halocline {
namespace {

/// The number that `text` consists of; empty if it is not one, or is negative.
std::optional<double> nonnegative_number_of(std::string_view text) {
  double value = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value) || value < 0)
    return std::nullopt;
  return value;
}

std::optional<double> seconds_of(std::string_view text) {
  if (text.find(':') != std::string_view::npos) {
    double seconds = 0;
    int parts = 0;
    while (parts < 3) {
      std::size_t const colon = text.find(':');
      auto const part = nonnegative_number_of(text.substr(0, colon));
      if (!part) return std::nullopt;
      seconds = 60 * seconds + *part;
      ++parts;
      if (colon == std::string_view::npos) return seconds;
      text.remove_prefix(colon + 1);
    }
    return std::nullopt;
  }
  double unit = 1;
  if (text.ends_with('s') || text.ends_with('m') || text.ends_with('h')) {
    unit = text.back() == 'h' ? 3600 : text.back() == 'm' ? 60 : 1;
    text.remove_suffix(1);
  }
  auto const number = nonnegative_number_of(text);
  return number ? std::optional(*number * unit) : std::nullopt;
}

}  // namespace

double read_duration(std::string const& text) {
  auto const seconds = seconds_of(text);
  if (!seconds || !(*seconds > 0) || !std::isfinite(*seconds)) {
    throw InputError("`" + deck::printable(text) +
                     "` is not a duration above 0: give seconds (90), minutes (30m), hours (2h), or H:MM:SS");
  }
  return *seconds;
}

WallLimit::WallLimit(double seconds, Clock::time_point start, char const* end_of_job) {
  auto const in = [](double length) {
    return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(length));
  };
  // Beyond the year 2262 the system clock overflows: such a limit, or such an end of a job, is none.
  constexpr double endless = 4e9;
  if (seconds > 0 && seconds <= endless) {
    end_ = start + in(seconds);
    text_ = "at the wall limit of " + shortest_text(seconds) + " s";
  }
  auto const job = end_of_job == nullptr ? std::nullopt : nonnegative_number_of(end_of_job);
  if (!job || *job > endless) return;
  // Time for whatever the job does after the program has ended.
  constexpr double left_to_the_job = 10;
  Clock::time_point const end_of = Clock::time_point() + in(*job - left_to_the_job);
  if (end_ && *end_ <= end_of) return;
  end_ = end_of;
  text_ = "before the end of its job";
}

}  // namespace halocline
