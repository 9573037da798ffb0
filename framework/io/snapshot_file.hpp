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

/// A field in a snapshot.
struct SnapshotEntry {
  std::string name;
  std::string dataset;         ///< path in the file
  std::string kind;            ///< location of its entries: "cell", "node" or "point"
  std::vector<Index> extents;  ///< entries along x, y and z; for points only their number
  Index components = 1;
  bool is_single = false;  ///< single precision
};

/// Path of a dataset's checksums in a snapshot (PlaceChecksums of its numbers): "checksums/CellData/u".
inline constexpr char const* checksums_group = "checksums";
[[nodiscard]] std::string checksums_of(std::string const& dataset);

/// The attribute with the checksum of a snapshot's header, and the checksum of a header.
inline constexpr char const* header_checksum_name = "header_checksum";
[[nodiscard]] Index header_checksum(std::string const& header);

/// A snapshot of a run, for reading by one process. All functions throw InputOutputError, which names the file, if it
/// cannot be read or is not a snapshot.
class SnapshotFile {
 public:
  explicit SnapshotFile(std::filesystem::path path);
  ~SnapshotFile();
  SnapshotFile(SnapshotFile&&) noexcept;
  SnapshotFile& operator=(SnapshotFile&&) = delete;

  [[nodiscard]] std::filesystem::path const& path() const { return path_; }
  [[nodiscard]] Index step() const { return step_; }
  [[nodiscard]] double time() const { return time_; }
  /// Ordered by name, cells before nodes; the positions of points are called "position".
  [[nodiscard]] std::vector<SnapshotEntry> const& fields() const { return fields_; }
  /// Reads `count` numbers, starting with number `first`, in file order: components of an entry adjacent, x fastest.
  void read(SnapshotEntry const& field, Index first, Index count, std::vector<double>& numbers) const;
  /// Describes damage, one line each: "`u`: numbers 65536 to 131071 do not match their checksum". Reads the whole file.
  [[nodiscard]] std::vector<std::string> damage() const;
  /// Cell edges of the mesh along an axis, from the mesh file next to it; empty without that file.
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

/// The same for the mesh file next to snapshots. Throws InputOutputError if it cannot be read.
[[nodiscard]] std::vector<std::string> damage_of_mesh_file(std::filesystem::path const& path);

}  // namespace halocline
