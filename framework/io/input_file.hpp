#pragma once

#include <cstddef>
#include <string>

#include "framework/runtime/descriptor.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/index.hpp"

namespace halocline {

/// What tells two states of a file apart.
struct FileIdentity {
  Index bytes = 0;
  Index modified = 0;  ///< nanoseconds since 1970
  friend bool operator==(FileIdentity const&, FileIdentity const&) = default;
};

/// "`u0.npy` ends in its header": what messages say of a file of the user's.
[[nodiscard]] InputError wrong_file(std::string const& path, std::string const& why);

/// A file of the user's that is read here and there. What is wrong with it is told as InputError, which names it.
class InputFile {
 public:
  /// Throws InputError where there is none, where it is a folder, a pipe or a device, and where it may not be read.
  explicit InputFile(std::string path);

  [[nodiscard]] std::string const& path() const { return path_; }
  /// As it was when it was opened.
  [[nodiscard]] FileIdentity const& identity() const { return identity_; }
  /// Throws InputError where bytes are missing and InputOutputError where they cannot be read.
  void read(Index offset, std::size_t bytes, std::byte* to) const;
  /// The same of up to `bytes` bytes: fewer at the end of the file.
  [[nodiscard]] std::string text(Index offset, std::size_t bytes) const;
  /// Throws InputError if the file that has this path now is another one than was opened, or in another state.
  void require_unchanged() const;

 private:
  [[nodiscard]] std::size_t read_some(Index offset, std::size_t bytes, std::byte* to) const;

  std::string path_;
  Descriptor file_;
  FileIdentity identity_;
};

/// For all who read files of a deck in this process: what is judged and what is read later must be the same.
/// @{
void remember_judged(InputFile const& file);
/// Throws InputError if the file was in another state when it was last judged.
void require_as_judged(InputFile const& file);
/// @}

/// The XXH3 hash of a file of up to `most` bytes, 128 bits in hexadecimal digits; empty for a larger one.
[[nodiscard]] std::string checksum_of(InputFile const& file, Index most);

}  // namespace halocline
