#include "framework/deck/validation.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include "framework/runtime/shortest_text.hpp"

namespace halocline {

std::optional<std::int64_t> product(std::span<std::int64_t const> sizes) {
  std::int64_t all = 1;
  for (std::int64_t const size : sizes) {
    if (__builtin_mul_overflow(all, size, &all)) return std::nullopt;
  }
  return all;
}

std::string readable_bytes(double bytes) {
  std::array<char const*, 7> const units{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  std::size_t unit = 0;
  while (bytes >= 1024 && unit + 1 < units.size()) {
    bytes /= 1024;
    ++unit;
  }
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), unit == 0 ? "%.0f %s" : "%.3g %s", bytes, units[unit]);
  return text.data();
}

void add_mistake(Options const& section, std::string_view option, std::string const& text, Mistakes& mistakes,
                 std::string const& advice) {
  mistakes.add(section.location(option), section.full_name(option), text, advice);
}

std::string entries_text(std::size_t number) { return std::to_string(number) + (number == 1 ? " entry" : " entries"); }

void check_domain(Options const& section, std::string_view lower, std::string_view upper, Mistakes& mistakes) {
  std::vector<double> const from = section.reals(lower);
  std::vector<double> const to = section.reals(upper);
  if (from.size() != to.size()) {
    add_mistake(
        section, upper,
        "has " + entries_text(to.size()) + ", `" + section.full_name(lower) + "` has " + std::to_string(from.size()),
        mistakes);
  }
  for (std::size_t axis = 0; axis < std::min(from.size(), to.size()); ++axis) {
    if (to[axis] > from[axis]) continue;
    add_mistake(section, upper,
                "the domain is empty along " + std::string(1, "xyz"[std::min<std::size_t>(axis, 2)]) + ": upper " +
                    shortest_text(to[axis]) + " is not above lower " + shortest_text(from[axis]),
                mistakes);
  }
}

void check_memory(Location const& location, std::string const& subject, double needed, double available,
                  Mistakes& mistakes) {
  if (needed <= available) return;
  mistakes.add(location, subject,
               "needs " + readable_bytes(needed) + " of memory, and " + readable_bytes(available) + " are available");
}

}  // namespace halocline
