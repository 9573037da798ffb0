#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "framework/field/field_base.hpp"
#include "framework/io/stored_field.hpp"
#include "framework/io/xdmf.hpp"
#include "framework/mesh/mesh.hpp"

namespace halocline {

/// Where the values of a snapshot come from: the owned values of a component of field number `field` on a block, x
/// fastest, without gaps; they stay until the next call. It is called field by field, of each block by block, of each
/// component by component, and for each of these once.
using OwnedValues = std::function<std::span<std::byte const>(std::size_t field, Block const&, int component)>;

/// A snapshot that is on the disk.
struct WrittenSnapshot {
  Index step = 0;
  double time = 0;
};

/// Writes the fields of a run for viewers: a snapshot for each step asked for (snapshot_name), `mesh.h5` with what is
/// the same for all of them, and `snapshots.xdmf`, the series with its times. Values lie in global order, x fastest,
/// whatever the number of ranks; attributes of each dataset give `unit` and `shape` (z, y, x).
///
/// A snapshot of a mesh is an HDF5 file with datasets indexed (z, y, x). It begins with the header of a VTK XML file
/// that tells where in it the values of these lie, so that it is a `.vti` or `.vtr` file at the same time: of VTKHDF
/// images, VTK 9.1 reads neither values on cells nor meshes of one and two dimensions. A snapshot of points is a VTKHDF
/// file, with where they lie (FieldDescription::position) and values at the points.
class SnapshotWriter {
 public:
  /// Collective over the mesh's ranks. Writes `mesh.h5` into `folder`, which exists. Throws InputOutputError on all
  /// ranks. \param earlier snapshots of the same fields, of the part of the run that this one goes on from, with which
  /// the series begins
  SnapshotWriter(std::filesystem::path folder, std::shared_ptr<Mesh const> mesh,
                 std::vector<WrittenSnapshot> earlier = {});

  /// Collective. Writes the series of the earlier snapshots, before any more of the same `fields` are written.
  void go_on(std::span<FieldBase const* const> fields);
  /// Collective. Writes the owned values of `fields`, on points or on cells or nodes of the mesh, in their own
  /// precision. Throws InputOutputError on all ranks (no part of the file stays), DefectError for a field on faces or
  /// on another mesh, and for points without a position.
  void write(Index step, double time, std::span<FieldBase const* const> fields);
  /// The same of fields whose values `values` has.
  void write(Index step, double time, std::span<StoredField const> fields, OwnedValues const& values);

 private:
  void add_earlier(std::span<StoredField const> fields);
  void write_series() const;

  std::filesystem::path folder_;
  std::shared_ptr<Mesh const> mesh_;
  XdmfSeries series_;
  std::vector<WrittenSnapshot> earlier_;  ///< that the series does not have yet
};

}  // namespace halocline
