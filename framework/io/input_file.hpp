#pragma once

#include <cstddef>
#include <string>

#include "framework/runtime/descriptor.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/index.hpp"

namespace halocline {

/// Identifies the state of a file, to detect changes.
struct FileIdentity {
  Index bytes = 0;
  Index modified = 0;  ///< nanoseconds since 1970
  friend bool operator==(FileIdentity const&, FileIdentity const&) = default;
};

/// "`u0.npy` ends within its header": the error for a user's file.
[[nodiscard]] InputError wrong_file(std::string const& path, std::string const& why);

/// A user's file with random access. Errors are InputErrors that name it.
class InputFile {
 public:
  /// Throws InputError if it does not exist, is a folder, a pipe or a device, or may not be read.
  explicit InputFile(std::string path);

  [[nodiscard]] std::string const& path() const { return path_; }
  /// State of the file when it was opened.
  [[nodiscard]] FileIdentity const& identity() const { return identity_; }
  /// Throws InputError if the file is too short and InputOutputError if it cannot be read.
  void read(Index offset, std::size_t bytes, std::byte* to) const;
  /// Reads up to `bytes` bytes; fewer at the end of the file.
  [[nodiscard]] std::string text(Index offset, std::size_t bytes) const;
  /// Throws InputError if the file at this path is another one than was opened, or has changed.
  void require_unchanged() const;

 private:
  [[nodiscard]] std::size_t read_some(Index offset, std::size_t bytes, std::byte* to) const;

  std::string path_;
  Descriptor file_;
  FileIdentity identity_;
};

/// For all readers of a deck's files in this process: a file must not change between validation and reading.
/// @{
void remember_validated(InputFile const& file);
/// Throws InputError if the file has changed since it was last validated.
void require_as_validated(InputFile const& file);
/// @}

/// The XXH3 hash of a file of up to `most` bytes, 128 bits in hexadecimal digits; empty for a larger one.
[[nodiscard]] std::string checksum_of(InputFile const& file, Index most);

}  // namespace halocline
