#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "framework/deck/mistakes.hpp"
#include "framework/deck/options.hpp"

namespace halocline {

/// Product of sizes; nothing if it does not fit in 64 signed bits.
[[nodiscard]] std::optional<std::int64_t> product(std::span<std::int64_t const> sizes);

/// "1.5 GiB".
[[nodiscard]] std::string readable_bytes(double bytes);

/// "1 entry", "2 entries".
[[nodiscard]] std::string entries_text(std::size_t number);

/// Adds a mistake at each axis on which `upper` is not above `lower`, and one if they have different lengths.
void check_domain(Options const& section, std::string_view lower, std::string_view upper, Mistakes& mistakes);

/// Adds a mistake if `needed` bytes exceed `available` bytes; its text gives both.
///
/// \param subject what needs the memory ("mesh.cells")
void check_memory(Location const& location, std::string const& subject, double needed, double available,
                  Mistakes& mistakes);

/// Adds a mistake at the value of one option: "`full name`: text (location); advice".
void add_mistake(Options const& section, std::string_view option, std::string const& text, Mistakes& mistakes,
                 std::string const& advice = "");

}  // namespace halocline
