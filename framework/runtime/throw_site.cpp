#include "framework/runtime/throw_site.hpp"

#if HALOCLINE_THROW_SITES

#include <array>
#include <charconv>
#include <cstdlib>
#include <string>
#include <string_view>

#include "framework/runtime/error.hpp"

namespace halocline {

namespace {

constexpr std::array<std::string_view, 8> names{"deck",      "allocation", "pack",       "wait",
                                                "reduction", "solve",      "hdf5_write", "checkpoint"};

int armed = -1;      // index into `names`, -1 when nothing is armed on this rank
long remaining = 0;  // passes until it throws

[[noreturn]] void refuse(std::string const& setting) {
  std::string known;
  for (std::string_view const name : names) known += ' ' + std::string(name);
  throw InputError("HALOCLINE_THROW_AT=" + setting + ": expected SITE:RANK or SITE:RANK:COUNT, SITE one of" + known);
}

/// Removes a number up to the next colon or the end from the front of `text`; -1 if there is none.
long take_number(std::string_view& text) {
  long number = -1;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return -1;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  if (!text.empty() && text.front() == ':') text.remove_prefix(1);
  return number;
}

int position_of(std::string_view name) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return static_cast<int>(i);
  }
  return -1;
}

}  // namespace

void arm_throw_sites(int rank) {
  armed = -1;
  char const* const setting = std::getenv("HALOCLINE_THROW_AT");
  if (setting == nullptr) return;
  std::string_view rest = setting;
  std::size_t const colon = rest.find(':');
  int const site = position_of(rest.substr(0, colon));
  if (site < 0 || colon == std::string_view::npos) refuse(setting);
  rest.remove_prefix(colon + 1);
  long const at_rank = take_number(rest);
  remaining = rest.empty() ? 1 : take_number(rest);
  if (at_rank < 0 || remaining < 1 || !rest.empty()) refuse(setting);
  if (at_rank == rank) armed = site;
}

void throw_site(ThrowSite site) {
  if (static_cast<int>(site) != armed || --remaining > 0) return;
  armed = -1;
  std::string const message = "armed to fail at " + std::string(names[static_cast<std::size_t>(site)]);
  switch (site) {
    case ThrowSite::deck:
      throw InputError(message);
    case ThrowSite::solve:
      throw SolveError(message);
    case ThrowSite::hdf5_write:
    case ThrowSite::checkpoint:
      throw InputOutputError(message);
    default:
      throw DefectError(message);
  }
}

}  // namespace halocline

#else

namespace halocline {

void arm_throw_sites(int) {}
void throw_site(ThrowSite) {}

}  // namespace halocline

#endif
