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

/// Provides the owned values of a component of field number `field` on a block, x fastest, without gaps; they stay
/// valid until the next call. Called once for each field, block and component, nested in this order.
using OwnedValues = std::function<std::span<std::byte const>(std::size_t field, Block const&, int component)>;

/// A snapshot on the disk.
struct WrittenSnapshot {
  Index step = 0;
  double time = 0;
};

/// Writes the fields of a run for viewers: a snapshot for each requested step (snapshot_name), `mesh.h5` with the data
/// common to all of them, and `snapshots.xdmf`, the series with its times. Values are in global order, x fastest, for
/// any number of ranks; each dataset has the attributes `unit` and `shape` (z, y, x).
///
/// A snapshot of a mesh is an HDF5 file with datasets indexed (z, y, x). It begins with the header of a VTK XML file,
/// which refers to the values inside the HDF5 data, so that it is also a `.vti` or `.vtr` file: for VTKHDF images, VTK
/// 9.1 reads neither values on cells nor meshes of one or two dimensions. A snapshot of points is a VTKHDF file with
/// their positions (FieldDescription::position) and values at the points.
class SnapshotWriter {
 public:
  /// Collective over the mesh's ranks. Writes `mesh.h5` into `folder`, which must exist. Throws InputOutputError on all
  /// ranks. \param earlier snapshots of the same fields from the run that this one continues; the series begins with
  /// them
  SnapshotWriter(std::filesystem::path folder, std::shared_ptr<Mesh const> mesh,
                 std::vector<WrittenSnapshot> earlier = {});

  /// Collective. Writes the series of the earlier snapshots, before further ones of the same `fields` are written.
  void go_on(std::span<FieldBase const* const> fields);
  /// Collective. Writes the owned values of `fields`, on points or on cells or nodes of the mesh, in their own
  /// precision. Throws InputOutputError on all ranks (and deletes the partial file), DefectError for a field on faces
  /// or on another mesh, and for points without a position.
  void write(Index step, double time, std::span<FieldBase const* const> fields);
  /// The same for fields whose values `values` provides.
  void write(Index step, double time, std::span<StoredField const> fields, OwnedValues const& values);

 private:
  void add_earlier(std::span<StoredField const> fields);
  void write_series() const;

  std::filesystem::path folder_;
  std::shared_ptr<Mesh const> mesh_;
  XdmfSeries series_;
  std::vector<WrittenSnapshot> earlier_;  ///< not yet in the series
};

}  // namespace halocline
