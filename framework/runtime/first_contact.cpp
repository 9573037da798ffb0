#include "framework/runtime/first_contact.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <charconv>
#include <chrono>
#include <string_view>
#include <system_error>
#include <thread>

#include "framework/runtime/error.hpp"

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
  constexpr double soon = 0.05;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(ranks, &request);
  int done = 0;
  while (true) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done != 0) return "";
    double const waited = std::chrono::duration<double>(Clock::now() - start).count();
    if (waited > limit) break;
    if (waited < soon) {
      sched_yield();
    } else {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  return fmt::format(
      "{:g} s after the start of MPI, its ranks have not all contacted each other: a rank may be out of memory or "
      "delayed, or the network may block messages; HALOCLINE_START_SECONDS sets a longer limit",
      limit);
}

}  // namespace halocline
