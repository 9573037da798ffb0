#pragma once

#include <array>
#include <string>

namespace halocline {

/// Throws the InputError of an expression of this text, which messages name `called`, whose value at a place and time
/// is no finite number.
[[noreturn]] void throw_not_finite(std::string const& called, std::string const& text, std::array<double, 3> const& at,
                                   double time);
/// The same of one, or of a file, that is not above zero, and has to be at all times. \param given
/// FieldSource::described
[[noreturn]] void throw_not_positive(std::string const& called, std::string const& given,
                                     std::array<double, 3> const& at);
/// The same of one that is below zero, and must not be.
[[noreturn]] void throw_negative(std::string const& called, std::string const& given, std::array<double, 3> const& at);

}  // namespace halocline
