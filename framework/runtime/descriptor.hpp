#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string_view>
#include <utility>

namespace halocline {

/// An open file descriptor; if the file could not be opened, number() is negative and errno has the reason.
class Descriptor {
 public:
  /// Takes ownership of `number`, which may be negative.
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(std::filesystem::path const& path, int flags) : number_(open(path.c_str(), flags | O_CLOEXEC, 0666)) {}
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
};

/// Writes all of a text. On failure returns false and sets errno; part of the text may be written. Safe in signal
/// handlers.
[[nodiscard]] inline bool write_all(int file, std::string_view text) noexcept {
  while (!text.empty()) {
    ssize_t const written = write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace halocline
