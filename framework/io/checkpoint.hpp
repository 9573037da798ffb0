#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "framework/io/state_file.hpp"
#include "framework/runtime/index.hpp"

namespace halocline {

/// The manifest of a checkpoint. A checkpoint is a folder `checkpoint_000120` with a state file from each rank and
/// `manifest.json`, which is written when all state files are on the disk. A folder without it is not a checkpoint.
struct Checkpoint {
  /// Format of manifest and state files. Other formats are refused.
  static constexpr int format = 1;

  /// A field of the state.
  struct Field {
    std::string name;
    Precision precision = Precision::double_;
    std::string centring;  ///< "cell", …
    int components = 1;
    Extents extents{};
  };

  Index step = 0;
  double time = 0;
  std::string written;  ///< date and time, UTC
  std::string version;  ///< of the program
  std::vector<Field> fields;
  std::map<std::string, double> numbers;
  std::map<std::string, std::int64_t> counts;
  std::vector<StateFile> files;
  std::string run;  ///< further data of the run next to the state, as JSON
};

inline constexpr char const* manifest_name = "manifest.json";

/// Converts an entry of `files` to a message to the rank that writes the manifest, and back.
[[nodiscard]] std::string packed(StateFile const& file);
[[nodiscard]] StateFile unpacked(std::string const& text);

/// "checkpoint_000120"
[[nodiscard]] std::string checkpoint_name(Index step);
/// The step in the name of a checkpoint, -1 for any other name.
[[nodiscard]] Index step_of_checkpoint(std::string const& name);
/// Whether a file or folder of this name is a checkpoint.
[[nodiscard]] bool is_checkpoint_name(std::string const& name);
/// The folders in `run` with names of checkpoints, complete or not, latest step first.
[[nodiscard]] std::vector<std::filesystem::path> checkpoints_in(std::filesystem::path const& run);

/// Reads a manifest. Throws InputOutputError with the reason if there is none, it is damaged, or its format differs.
[[nodiscard]] Checkpoint read_manifest(std::filesystem::path const& checkpoint);
/// Writes it, which completes the checkpoint. Throws InputOutputError.
void write_manifest(std::filesystem::path const& checkpoint, Checkpoint const& manifest);

/// Deletes a checkpoint, its manifest first. Throws InputOutputError.
void remove_checkpoint(std::filesystem::path const& checkpoint);

/// Restores the state of a checkpoint. Each rank reads the entries that it owns, for any partition of the ranks that
/// wrote them.
class CheckpointReader final : public StateArchive {
 public:
  /// For a checkpoint whose files have been verified.
  CheckpointReader(std::filesystem::path folder, Checkpoint const& checkpoint);
  ~CheckpointReader() override;

  /// Throws InputError if the checkpoint has no such field, or one with another layout; InputOutputError if it cannot
  /// be read.
  void field(std::string const& name, FieldBase& values) override;
  void number(std::string const& name, double& value) override;
  void count(std::string const& name, std::int64_t& value) override;
  [[nodiscard]] bool restores() const override { return true; }
  [[nodiscard]] bool has(std::string const& name) const override;

 private:
  [[noreturn]] void refuse(std::string const& why) const;
  [[nodiscard]] StateFileReader const& file(std::size_t n);
  void read_block(std::string const& name, FieldBase& values, Block const& block);

  std::filesystem::path folder_;
  Checkpoint const& checkpoint_;
  std::map<std::size_t, std::unique_ptr<StateFileReader>> files_;
};

}  // namespace halocline
