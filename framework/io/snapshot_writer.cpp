#include "framework/io/snapshot_writer.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <utility>

#include "framework/io/mesh_file.hpp"
#include "framework/io/output_boxes.hpp"
#include "framework/io/place_checksums.hpp"
#include "framework/io/shared_file.hpp"
#include "framework/io/snapshot_file.hpp"
#include "framework/io/snapshot_name.hpp"
#include "framework/io/vtk_header.hpp"
#include "framework/io/whole_file.hpp"
#include "framework/mesh/point_set.hpp"
#include "framework/mesh/structured_mesh.hpp"
#include "framework/runtime/communicator.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/version.hpp"

namespace halocline {

namespace {

/// Group of the byte counts that VTK's XML reader expects before values, by the names of the values.
constexpr char const* counters = "counters/";

/// Numbers of a field, including all components.
Index numbers_of(Mesh const& mesh, StoredField const& field) {
  Extents const extents = output_extents(mesh, field.description.centring);
  return extents[0] * extents[1] * extents[2] * field.description.components;
}

hid_t type_in_memory(StoredField const& field) {
  return field.precision == Precision::single ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE;
}

hid_t type_in_file(StoredField const& field) {
  return field.precision == Precision::single ? H5T_IEEE_F32LE : H5T_IEEE_F64LE;
}

void declare_one_number(hdf5::File const& file, std::string const& name, hid_t stored, hid_t type, void const* value) {
  hdf5::Object const dataset = hdf5::declare(file, name, stored, std::array{hsize_t{1}});
  hdf5::write_range(file, dataset, type, 0, 1, 1, value);
}

/// Declares the vertices of points; all but their positions are links to the mesh file next to the snapshot.
void declare_points(hdf5::File const& file, hdf5::Object const& group, Mesh const& mesh) {
  hdf5::set_attribute(file, group, "Version", std::array<Index, 2>{1, 0});
  hdf5::set_attribute(file, group, "Type", std::string("UnstructuredGrid"));
  Index const points = mesh.extents(Centring::cell)[0];
  for (char const* const name : {"NumberOfPoints", "NumberOfCells", "NumberOfConnectivityIds"}) {
    declare_one_number(file, std::string("VTKHDF/") + name, H5T_STD_I64LE, H5T_NATIVE_INT64, &points);
  }
  for (std::string const name : {"Connectivity", "Offsets", "Types"}) {
    hdf5::check(H5Lcreate_external(mesh_file_name, ("/" + name).c_str(), group, name.c_str(), H5P_DEFAULT, H5P_DEFAULT),
                file.path);
  }
}

void declare_checksums(hdf5::File const& file, std::string const& dataset, Index numbers) {
  hdf5::declare(file, checksums_of(dataset), H5T_STD_U64LE,
                std::array{static_cast<hsize_t>(PlaceChecksums(numbers).sums().size())});
}

/// Writes the node positions of a stretched mesh along x, y and z.
/// \return offsets of these lists; empty for a uniform mesh
std::vector<Index> declare_coordinates(hdf5::File const& file, StructuredMesh const& mesh) {
  std::vector<Index> places;
  for (std::size_t axis = 0; axis < 3 && !is_uniform(mesh); ++axis) {
    bool const exists = static_cast<int>(axis) < mesh.dimensions();
    std::vector<double> const coordinates = exists ? edges_of(mesh.axes()[axis]) : std::vector<double>{0};
    std::string const name = std::string(1, "XYZ"[axis]) + "Coordinates";
    hdf5::Object const dataset = hdf5::declare_counted(file, counters + name, "VTKHDF/" + name, H5T_IEEE_F64LE,
                                                       std::array{static_cast<hsize_t>(coordinates.size())});
    hdf5::write_range(file, dataset, H5T_NATIVE_DOUBLE, 0, static_cast<Index>(coordinates.size()), 1,
                      coordinates.data());
    PlaceChecksums checksums(static_cast<Index>(coordinates.size()));
    checksums.add(0, std::as_bytes(std::span(coordinates)), sizeof(double));
    declare_checksums(file, "VTKHDF/" + name, static_cast<Index>(coordinates.size()));
    hdf5::write_range(file, hdf5::open_dataset(file, checksums_of("VTKHDF/" + name)), H5T_NATIVE_UINT64, 0,
                      static_cast<Index>(checksums.sums().size()), 1, checksums.sums().data());
    places.push_back(hdf5::place_in_file(file, dataset));
  }
  return places;
}

/// Values on a grid are indexed (z, y, x), those of points are a list; several components add an axis.
/// \return its offset in the file
Index declare_field(hdf5::File const& file, Mesh const& mesh, StoredField const& field) {
  FieldDescription const& described = field.description;
  Extents const extents = output_extents(mesh, described.centring);
  std::string const name = dataset_of(mesh, described);
  bool const in_list = as_points(mesh) != nullptr;
  std::vector<hsize_t> dimensions;
  for (std::size_t axis = in_list ? 1 : 3; axis > 0; --axis) {
    dimensions.push_back(static_cast<hsize_t>(extents[axis - 1]));
  }
  if (described.components > 1) dimensions.push_back(static_cast<hsize_t>(described.components));
  hdf5::Object const dataset = in_list ? hdf5::declare(file, name, type_in_file(field), dimensions)
                                       : hdf5::declare_counted(file, counters + name.substr(name.find('/') + 1), name,
                                                               type_in_file(field), dimensions);
  declare_checksums(file, name, numbers_of(mesh, field));
  hdf5::set_attribute(file, dataset, "shape", std::array{extents[2], extents[1], extents[0]});
  hdf5::set_attribute(file, dataset, "unit", described.unit);
  return hdf5::place_in_file(file, dataset);
}

void declare_snapshot(hdf5::File const& file, Mesh const& mesh, Index step, double time,
                      std::span<StoredField const> fields, Index header) {
  hdf5::set_attribute(file, file.object, "halocline", std::string(version));
  hdf5::set_attribute(file, file.object, "step", std::array{step});
  hdf5::set_attribute(file, file.object, "time", time);
  hdf5::Object const group = hdf5::create_group(file, "VTKHDF");
  for (char const* const data : {"VTKHDF/CellData", "VTKHDF/PointData", "VTKHDF/FieldData"}) {
    hdf5::create_group(file, data);
  }
  declare_one_number(file, "VTKHDF/FieldData/TimeValue", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &time);
  for (char const* const data : {"", "/CellData", "/PointData"}) {
    hdf5::create_group(file, std::string(checksums_group) + data);
  }
  if (as_points(mesh) != nullptr) {
    declare_points(file, group, mesh);
    for (StoredField const& field : fields) declare_field(file, mesh, field);
    return;
  }
  for (char const* const data : {"", "CellData", "PointData"}) hdf5::create_group(file, std::string(counters) + data);
  std::vector<Index> const coordinates = declare_coordinates(file, structured(mesh));
  std::vector<PlacedField> placed;
  for (StoredField const& field : fields) placed.push_back({field, declare_field(file, mesh, field)});
  std::string const text = vtk_header(structured(mesh), time, placed, coordinates, header);
  hdf5::write_user_block(file, text);
  hdf5::set_attribute(file, file.object, header_checksum_name, std::array{header_checksum(text)});
}

/// Bytes for the header of a snapshot before HDF5's data; 0 for points.
Index header_size(Mesh const& mesh, double time, std::span<StoredField const> fields) {
  if (as_points(mesh) != nullptr) return 0;
  std::vector<PlacedField> placed;
  for (StoredField const& field : fields) placed.push_back({field});
  return vtk_header_size(structured(mesh), time, placed);
}

/// The owned values of a block, with components interleaved; uses `room` if there are several components.
std::span<std::byte const> values_of(std::size_t number, StoredField const& field, Block const& block,
                                     OwnedValues const& owned_values, std::vector<std::byte>& room) {
  auto const components = static_cast<std::size_t>(field.description.components);
  if (components == 1) return owned_values(number, block, 0);
  std::size_t const size = field.bytes_per_number();
  for (std::size_t c = 0; c < components; ++c) {
    std::span<std::byte const> const component = owned_values(number, block, static_cast<int>(c));
    room.resize(component.size() * components);
    for (std::size_t n = 0; n < component.size() / size; ++n) {
      std::memcpy(&room[(n * components + c) * size], &component[n * size], size);
    }
  }
  return room;
}

/// Packs the values of a part of the block's box; `bytes` is the size of an entry with all components.
std::vector<std::byte> cut(std::span<std::byte const> values, Extents const& extents, IndexRange const& part,
                           std::size_t bytes) {
  std::vector<std::byte> packed;
  std::size_t const row = static_cast<std::size_t>(part.extent(0)) * bytes;
  for (Index k = part.begin[2]; k < part.end[2]; ++k) {
    for (Index j = part.begin[1]; j < part.end[1]; ++j) {
      Index const first = part.begin[0] + extents[0] * (j + extents[1] * k);
      std::byte const* const from = &values[static_cast<std::size_t>(first) * bytes];
      packed.insert(packed.end(), from, from + row);
    }
  }
  return packed;
}

/// Adds the written values of a box to the checksums of its field.
void add_box(std::byte const* numbers, Extents const& whole, OutputBox const& box, StoredField const& field,
             PlaceChecksums& checksums) {
  Extents const extents = box.local.extents();
  Index const components = field.description.components;
  std::size_t const row = static_cast<std::size_t>(extents[0]) * field.bytes_per_entry();
  for (Index k = 0; k < extents[2]; ++k) {
    for (Index j = 0; j < extents[1]; ++j) {
      Index const first = box.place[0] + whole[0] * (box.place[1] + j + whole[1] * (box.place[2] + k));
      checksums.add(first * components, {numbers, row}, field.bytes_per_number());
      numbers += row;
    }
  }
}

void write_field(hdf5::File const& file, Mesh const& mesh, std::size_t number, StoredField const& field,
                 OwnedValues const& owned_values, PlaceChecksums& checksums) {
  FieldDescription const& described = field.description;
  hdf5::Object const dataset = hdf5::open_dataset(file, dataset_of(mesh, described));
  bool const in_list = as_points(mesh) != nullptr;
  std::vector<std::byte> room;
  for (Block const& block : mesh.blocks()) {
    IndexRange const owned = mesh.owned(block, described.centring);
    std::span<std::byte const> const values = values_of(number, field, block, owned_values, room);
    for (OutputBox const& box : output_boxes(mesh, block, described.centring)) {
      bool const all = box.local == owned;
      std::vector<std::byte> const part =
          all ? std::vector<std::byte>{} : cut(values, owned.extents(), box.local, field.bytes_per_entry());
      std::byte const* const numbers = all ? values.data() : part.data();
      add_box(numbers, output_extents(mesh, described.centring), box, field, checksums);
      if (in_list) {
        hdf5::write_range(file, dataset, type_in_memory(field), box.place[0], box.local.extent(0), described.components,
                          numbers);
      } else {
        hdf5::write_box(file, dataset, type_in_memory(field), box.place, box.local.extents(), described.components,
                        numbers);
      }
    }
  }
}

void require_positions(std::span<StoredField const> fields) {
  if (std::ranges::count_if(fields, [](StoredField const& field) { return is_position(field.description); }) == 1)
    return;
  throw DefectError("a snapshot of points needs one field of their positions (position, three components)");
}

}  // namespace

SnapshotWriter::SnapshotWriter(std::filesystem::path folder, std::shared_ptr<Mesh const> mesh,
                               std::vector<WrittenSnapshot> earlier)
    : folder_(std::move(folder)),
      mesh_(std::move(mesh)),
      series_(*mesh_, mesh_file_name),
      earlier_(std::move(earlier)) {
  write_mesh_file(*mesh_, folder_ / mesh_file_name);
}

void SnapshotWriter::write(Index step, double time, std::span<FieldBase const* const> fields) {
  for (FieldBase const* const field : fields) {
    if (&field->mesh() != mesh_.get()) throw DefectError("field " + field->name() + " is not on the snapshot's mesh");
  }
  std::vector<std::byte> values;
  write(step, time, stored(fields), [&](std::size_t field, Block const& block, int component) {
    FieldBase const& from = *fields[field];
    values.resize(static_cast<std::size_t>(from.owned(block).size()) * from.bytes_per_entry());
    from.copy_owned(block, component, values);
    return std::span<std::byte const>(values);
  });
}

void SnapshotWriter::write(Index step, double time, std::span<StoredField const> fields, OwnedValues const& values) {
  if (as_points(*mesh_) != nullptr) require_positions(fields);
  std::string const name = snapshot_name(*mesh_, step);
  Index const header = header_size(*mesh_, time, fields);
  std::vector<PlaceChecksums> checksums;
  for (StoredField const& field : fields) checksums.emplace_back(numbers_of(*mesh_, field));
  std::vector<std::vector<std::uint64_t>> sums;
  SharedFileSeal const seal{[&] {
                              for (PlaceChecksums const& one : checksums)
                                sums.push_back(one.of_all(mesh_->communicator()));
                            },
                            [&](hdf5::File const& file) {
                              for (std::size_t n = 0; n < fields.size(); ++n) {
                                hdf5::Object const dataset =
                                    hdf5::open_dataset(file, checksums_of(dataset_of(*mesh_, fields[n].description)));
                                hdf5::write_range(file, dataset, H5T_NATIVE_UINT64, 0,
                                                  static_cast<Index>(sums[n].size()), 1, sums[n].data());
                              }
                            }};
  write_shared_file(
      mesh_->communicator(), folder_ / name,
      [&](hdf5::File const& file) { declare_snapshot(file, *mesh_, step, time, fields, header); },
      [&](hdf5::File const& file) {
        for (std::size_t n = 0; n < fields.size(); ++n) write_field(file, *mesh_, n, fields[n], values, checksums[n]);
      },
      header, seal);
  add_earlier(fields);
  series_.add(name, time, *mesh_, fields);
  write_series();
}

void SnapshotWriter::go_on(std::span<FieldBase const* const> fields) {
  add_earlier(stored(fields));
  write_series();
}

void SnapshotWriter::add_earlier(std::span<StoredField const> fields) {
  for (WrittenSnapshot const& one : std::exchange(earlier_, {})) {
    series_.add(snapshot_name(*mesh_, one.step), one.time, *mesh_, fields);
  }
}

void SnapshotWriter::write_series() const {
  if (mesh_->communicator().rank() == 0) write_whole_file(folder_ / series_name, series_.text());
}

}  // namespace halocline
