#pragma once

#include <array>
#include <string>

#include "framework/deck/expression.hpp"

namespace halocline {

/// Throws InputError for an expression with this text, which is NaN or infinite at a position and time. `called` is the
/// name of its use in messages.
[[noreturn]] void throw_not_finite(std::string const& called, std::string const& text, std::array<double, 3> const& at,
                                   double time);
/// The same for an expression that may also be too large for the precision of its field only.
[[noreturn]] void throw_not_finite(std::string const& called, Expression const& value, std::array<double, 3> const& at,
                                   double time);
/// The same for a value from an expression or a file that is not above zero but must always be. \param given
/// FieldSource::described
[[noreturn]] void throw_not_positive(std::string const& called, std::string const& given,
                                     std::array<double, 3> const& at);
/// The same for a value that is below zero but must not be.
[[noreturn]] void throw_negative(std::string const& called, std::string const& given, std::array<double, 3> const& at);

}  // namespace halocline
