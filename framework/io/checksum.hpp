#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace halocline {

/// XXH3 checksum (128 bits) of bytes that are added in parts.
class Checksum {
 public:
  Checksum();
  ~Checksum();
  Checksum(Checksum const&) = delete;
  Checksum& operator=(Checksum const&) = delete;

  void add(std::string_view bytes);
  /// Of all bytes so far: 32 hexadecimal digits.
  [[nodiscard]] std::string text() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace halocline
