#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "framework/mesh/index_range.hpp"

namespace halocline {

/// A field as a snapshot holds it.
struct SnapshotEntry {
  std::string name;
  std::string dataset;         ///< path in the file
  std::string kind;            ///< what its entries are: "cell", "node" or "point"
  std::vector<Index> extents;  ///< of entries along x, y and z; of points their number alone
  Index components = 1;
  bool is_single = false;  ///< single precision
};

/// Where a snapshot keeps the checksums of a dataset, PlaceChecksums of its numbers: "checksums/CellData/u".
inline constexpr char const* checksums_group = "checksums";
[[nodiscard]] std::string checksums_of(std::string const& dataset);

/// The attribute of a snapshot that has the checksum of its header, and what that is.
inline constexpr char const* header_checksum_name = "header_checksum";
[[nodiscard]] Index header_checksum(std::string const& header);

/// A snapshot that a run wrote, to be read by one process. Everything throws InputOutputError, which names the file,
/// where that cannot be read or is no snapshot.
class SnapshotFile {
 public:
  explicit SnapshotFile(std::filesystem::path path);
  ~SnapshotFile();
  SnapshotFile(SnapshotFile&&) noexcept;
  SnapshotFile& operator=(SnapshotFile&&) = delete;

  [[nodiscard]] std::filesystem::path const& path() const { return path_; }
  [[nodiscard]] Index step() const { return step_; }
  [[nodiscard]] double time() const { return time_; }
  /// In the order of their names, cells before nodes; the positions of points are called "position".
  [[nodiscard]] std::vector<SnapshotEntry> const& fields() const { return fields_; }
  /// `count` numbers from number `first` on, as they lie in the file: components of an entry side by side, x fastest.
  void read(SnapshotEntry const& field, Index first, Index count, std::vector<double>& numbers) const;
  /// What is not as it was written, in words, each a line: "`u`: numbers 65536 to 131071 have other bits". Reads all.
  [[nodiscard]] std::vector<std::string> damage() const;
  /// Where the cells of the mesh begin and end along an axis, from the mesh file beside it; empty where there is none.
  [[nodiscard]] std::vector<double> edges(int axis) const;

 private:
  struct Impl;

  void read_as(std::int64_t type, SnapshotEntry const& field, Index first, Index count, std::size_t bytes_per_number,
               std::byte* to) const;
  [[nodiscard]] std::vector<std::string> damage_of(SnapshotEntry const& field) const;
  [[nodiscard]] std::vector<std::string> damage_of_header() const;

  std::filesystem::path path_;
  std::unique_ptr<Impl> impl_;
  Index step_ = 0;
  double time_ = 0;
  std::vector<SnapshotEntry> fields_;
};

/// The same of the mesh file beside snapshots. Throws InputOutputError where it cannot be read.
[[nodiscard]] std::vector<std::string> damage_of_mesh_file(std::filesystem::path const& path);

}  // namespace halocline
