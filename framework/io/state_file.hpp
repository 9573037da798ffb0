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

/// A file of a checkpoint, as described by its manifest.
struct StateFile {
  std::string name;  ///< in the folder of the checkpoint
  Index bytes = 0;
  std::string checksum;            ///< XXH3, 128 bits
  std::vector<IndexRange> blocks;  ///< cells, or points, of the blocks whose values it holds
};

/// Writes a rank's state as an HDF5 file, with `NAME/block_N` for each field and block; every chunk and the metadata
/// have checksums. The file gets its final name only when it is complete and on the disk. May run concurrently with the
/// computation: it uses no MPI. Throws InputOutputError and deletes the partial file.
[[nodiscard]] StateFile write_state_file(std::filesystem::path const& path, StateCopy const& state);

/// Why a file differs from what was written; empty if it does not.
[[nodiscard]] std::string damage_of(std::filesystem::path const& folder, StateFile const& file);

/// Size and XXH3 checksum (128 bits) of a file. Throws InputOutputError.
[[nodiscard]] StateFile measured_file(std::filesystem::path const& path);

/// Reads the values of a field in a state file, block by block.
class StateFileReader {
 public:
  /// Throws InputOutputError if it cannot be opened.
  explicit StateFileReader(std::filesystem::path const& path);
  ~StateFileReader();
  StateFileReader(StateFileReader const&) = delete;
  StateFileReader& operator=(StateFileReader const&) = delete;

  /// The blocks of a field, of at most `most` in the file, with their index ranges in the whole field.
  [[nodiscard]] std::vector<std::pair<std::size_t, IndexRange>> blocks_of(std::string const& field,
                                                                          std::size_t most) const;
  /// Reads a component of a box (in indices of the whole field) of block number `block`, x fastest, in the precision of
  /// the file. Throws InputOutputError if a chunk is damaged.
  void read(std::string const& field, std::size_t block, IndexRange const& box, int component, Precision precision,
            std::span<std::byte> to) const;

 private:
  struct Opened;
  std::unique_ptr<Opened> opened_;
};

}  // namespace halocline
