#include "framework/runtime/first_contact.hpp"

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <string_view>
#include <system_error>

#include "framework/runtime/error.hpp"
#include "framework/runtime/waiting.hpp"

namespace halocline {

double first_contact_limit(Variables const& variables) {
  char const* const text = variables("HALOCLINE_START_SECONDS");
  if (text == nullptr) return 60;
  std::string_view const number = text;
  double seconds = 0;
  auto const [end, error] = std::from_chars(number.data(), number.data() + number.size(), seconds);
  if (error == std::errc() && end == number.data() + number.size() && seconds > 0) return seconds;
  throw InputError(std::string("the environment's HALOCLINE_START_SECONDS=") + text +
                   ": expected a number of seconds above 0");
}

std::string obstacle_to_first_contact(MPI_Comm ranks, double limit) {
  using Clock = std::chrono::steady_clock;
  Clock::time_point const start = Clock::now();
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(ranks, &request);
  // Whether ranks share cores is not known yet.
  Waiting waiting(true);
  while (true) {
    int done = 0;
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done != 0) return "";
    if (std::chrono::duration<double>(Clock::now() - start).count() > limit) break;
    waiting.pause();
  }
  return fmt::format(
      "{:g} s after the start of MPI, its ranks have not all contacted each other: a rank may be out of memory or "
      "delayed, or the network may block messages; HALOCLINE_START_SECONDS sets a longer limit",
      limit);
}

}  // namespace halocline
