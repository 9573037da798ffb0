#pragma once

#include <charconv>
#include <cstddef>
#include <span>
#include <string_view>

#include "framework/runtime/index.hpp"

namespace halocline {

/// Composes text in the memory that it is given and cuts off what does not fit. Allocates nothing: safe in signal
/// handlers.
class SignalText {
 public:
  explicit SignalText(std::span<char> room) noexcept : room_(room) {}

  SignalText& operator<<(std::string_view part) noexcept {
    for (char const letter : part) {
      if (length_ < room_.size()) room_[length_++] = letter;
    }
    return *this;
  }
  SignalText& operator<<(Index number) noexcept {
    char digits[24];
    auto const end = std::to_chars(digits, digits + sizeof(digits), number).ptr;
    return *this << std::string_view(digits, static_cast<std::size_t>(end - digits));
  }

  [[nodiscard]] std::string_view view() const noexcept { return {room_.data(), length_}; }

 private:
  std::span<char> room_;
  std::size_t length_ = 0;
};

}  // namespace halocline
