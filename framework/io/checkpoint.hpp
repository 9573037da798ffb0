#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "framework/io/state_file.hpp"
#include "framework/runtime/index.hpp"

namespace halocline {

/// What the manifest of a checkpoint says: a folder `checkpoint_000120` with a state file from each rank, and
/// `manifest.json`, which is written when all of these are on the disk. A folder without it is no checkpoint.
struct Checkpoint {
  /// Of manifest and state files together. Others are refused.
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
  std::string run;  ///< what whoever runs keeps beside the state, as JSON
};

inline constexpr char const* manifest_name = "manifest.json";

/// An entry of `files` as a message to the rank that writes the manifest, and the way back.
[[nodiscard]] std::string packed(StateFile const& file);
[[nodiscard]] StateFile unpacked(std::string const& text);

/// "checkpoint_000120"
[[nodiscard]] std::string checkpoint_name(Index step);
/// The step in the name of a checkpoint, -1 in any other name.
[[nodiscard]] Index step_of_checkpoint(std::string const& name);
/// Whether a file or folder of this name is that of a checkpoint.
[[nodiscard]] bool is_checkpoint_name(std::string const& name);
/// The folders in `run` that are named as checkpoints are, whole or not, the latest step first.
[[nodiscard]] std::vector<std::filesystem::path> checkpoints_in(std::filesystem::path const& run);

/// Reads a manifest. Throws InputOutputError, which says what is wrong, where there is none, it is damaged, or it is of
/// another format.
[[nodiscard]] Checkpoint read_manifest(std::filesystem::path const& checkpoint);
/// Writes it: from then on the checkpoint is one. Throws InputOutputError.
void write_manifest(std::filesystem::path const& checkpoint, Checkpoint const& manifest);

/// Takes a checkpoint away, its manifest first. Throws InputOutputError.
void remove_checkpoint(std::filesystem::path const& checkpoint);

/// The state of a checkpoint, for whoever tells what it carries to be set to. Each rank reads what it owns, whatever
/// the ranks were that wrote it.
class CheckpointReader final : public CarriedState {
 public:
  /// Of a checkpoint whose files have been looked at.
  CheckpointReader(std::filesystem::path folder, Checkpoint const& checkpoint);
  ~CheckpointReader() override;

  /// Throws InputError where the checkpoint has no such field, or one of another form; InputOutputError where it cannot
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
