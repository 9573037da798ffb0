#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "framework/io/state_copy.hpp"
#include "framework/runtime/index.hpp"

namespace halocline {

/// One file of a checkpoint, as its manifest has it.
struct StateFile {
  std::string name;  ///< in the folder of the checkpoint
  Index bytes = 0;
  std::string checksum;            ///< XXH3, 128 bits
  std::vector<IndexRange> blocks;  ///< cells, or points, of those whose values it holds
};

/// Writes what a rank carries as an HDF5 file, `NAME/block_N` for each field and block with a checksum on every chunk,
/// its metadata checksummed too. The file has its name only when it is whole and on the disk. May be called beside the
/// run: no message is sent. Throws InputOutputError; then nothing of the file is left.
[[nodiscard]] StateFile write_state_file(std::filesystem::path const& path, StateCopy const& state);

/// Why a file is not what was written; empty if it is.
[[nodiscard]] std::string damage_of(std::filesystem::path const& folder, StateFile const& file);

/// Size and XXH3 checksum (128 bits) of a file. Throws InputOutputError.
[[nodiscard]] StateFile measured_file(std::filesystem::path const& path);

/// The values of one field in a state file, block by block.
class StateFileReader {
 public:
  /// Throws InputOutputError where it cannot be opened.
  explicit StateFileReader(std::filesystem::path const& path);
  ~StateFileReader();
  StateFileReader(StateFileReader const&) = delete;
  StateFileReader& operator=(StateFileReader const&) = delete;

  /// The blocks of a field, of `most` that the file may hold, and where they lie in the whole of it.
  [[nodiscard]] std::vector<std::pair<std::size_t, IndexRange>> blocks_of(std::string const& field,
                                                                          std::size_t most) const;
  /// A component of a box (in the indices of the whole field) of the n-th block, x fastest, in the precision of the
  /// file. Throws InputOutputError where a chunk is damaged.
  void read(std::string const& field, std::size_t block, IndexRange const& box, int component, Precision precision,
            std::span<std::byte> to) const;

 private:
  struct Opened;
  std::unique_ptr<Opened> opened_;
};

}  // namespace halocline
