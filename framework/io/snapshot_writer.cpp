#include "framework/io/snapshot_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <utility>

#include "framework/io/mesh_file.hpp"
#include "framework/io/output_boxes.hpp"
#include "framework/io/shared_file.hpp"
#include "framework/io/whole_file.hpp"
#include "framework/mesh/point_set.hpp"
#include "framework/runtime/communicator.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/version.hpp"

namespace halocline {

namespace {

constexpr char const* series_file = "snapshots.xdmf";

hid_t type_in_memory(StoredField const& field) {
  return field.precision == Precision::single ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE;
}

hid_t type_in_file(StoredField const& field) {
  return field.precision == Precision::single ? H5T_IEEE_F32LE : H5T_IEEE_F64LE;
}

Index entries(Extents const& extents) { return extents[0] * extents[1] * extents[2]; }

void declare_one_number(hdf5::File const& file, std::string const& name, hid_t stored, hid_t type, void const* value) {
  hdf5::Object const dataset = hdf5::declare(file, name, stored, std::array{hsize_t{1}});
  hdf5::write_range(file, dataset, type, 0, 1, 1, value);
}

/// The grid of a VTKHDF file, its geometry, as far as it does not move, linked from the mesh file beside it.
void declare_grid(hdf5::File const& file, Mesh const& mesh) {
  hdf5::Object const group = hdf5::create_group(file, "VTKHDF");
  hdf5::set_attribute(file, group, "Version", std::array<Index, 2>{1, 0});
  hdf5::set_attribute(file, group, "Type", std::string("UnstructuredGrid"));
  Index const points = entries(output_extents(mesh, Centring::node));
  Index const cells = entries(output_extents(mesh, Centring::cell));
  bool const moves = as_points(mesh) != nullptr;
  Index const corners = cells * corners_of_cell(moves ? 0 : mesh.dimensions());
  declare_one_number(file, "VTKHDF/NumberOfPoints", H5T_STD_I64LE, H5T_NATIVE_INT64, &points);
  declare_one_number(file, "VTKHDF/NumberOfCells", H5T_STD_I64LE, H5T_NATIVE_INT64, &cells);
  declare_one_number(file, "VTKHDF/NumberOfConnectivityIds", H5T_STD_I64LE, H5T_NATIVE_INT64, &corners);
  for (std::string const name : {"Points", "Connectivity", "Offsets", "Types"}) {
    if (moves && name == "Points") continue;  // a field of the snapshot
    hdf5::check(H5Lcreate_external(mesh_file_name, ("/" + name).c_str(), group, name.c_str(), H5P_DEFAULT, H5P_DEFAULT),
                file.path);
  }
}

void declare_field(hdf5::File const& file, Mesh const& mesh, StoredField const& field) {
  FieldDescription const& described = field.description;
  Extents const extents = output_extents(mesh, described.centring);
  std::array<hsize_t, 2> const dimensions{static_cast<hsize_t>(entries(extents)),
                                          static_cast<hsize_t>(described.components)};
  std::size_t const rank = described.components == 1 ? 1 : 2;
  hdf5::Object const dataset =
      hdf5::declare(file, dataset_of(mesh, described), type_in_file(field), std::span(dimensions).first(rank));
  hdf5::set_attribute(file, dataset, "shape", std::array{extents[2], extents[1], extents[0]});
  hdf5::set_attribute(file, dataset, "unit", described.unit);
}

/// The owned values of a block, all components of an entry side by side: where there are several, in `room`.
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

/// The values of a part of the block's box, packed; `bytes` is the size of an entry with all of its components.
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

void write_field(hdf5::File const& file, Mesh const& mesh, std::size_t number, StoredField const& field,
                 OwnedValues const& owned_values) {
  FieldDescription const& described = field.description;
  hdf5::Object const dataset = hdf5::open_dataset(file, dataset_of(mesh, described));
  Extents const whole = output_extents(mesh, described.centring);
  std::vector<std::byte> room;
  for (Block const& block : mesh.blocks()) {
    IndexRange const owned = mesh.owned(block, described.centring);
    std::span<std::byte const> const values = values_of(number, field, block, owned_values, room);
    for (OutputBox const& box : output_boxes(mesh, block, described.centring)) {
      bool const all = box.local == owned;
      std::vector<std::byte> const part =
          all ? std::vector<std::byte>{} : cut(values, owned.extents(), box.local, field.bytes_per_entry());
      hdf5::write_box(file, dataset, type_in_memory(field), whole, box.place, box.local.extents(), described.components,
                      all ? values.data() : part.data());
    }
  }
}

void require_positions(std::span<StoredField const> fields) {
  if (std::ranges::count_if(fields, [](StoredField const& field) { return is_position(field.description); }) == 1)
    return;
  throw DefectError("a snapshot of points needs one field that says where they lie (position, three components)");
}

}  // namespace

std::string snapshot_name(Index step) { return fmt::format("snapshot_{:06}.vtkhdf", step); }

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
  std::string const name = snapshot_name(step);
  write_shared_file(
      mesh_->communicator(), folder_ / name,
      [&](hdf5::File const& file) {
        declare_grid(file, *mesh_);
        for (char const* const group : {"VTKHDF/CellData", "VTKHDF/PointData", "VTKHDF/FieldData"}) {
          hdf5::create_group(file, group);
        }
        declare_one_number(file, "VTKHDF/FieldData/TimeValue", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &time);
        hdf5::set_attribute(file, file.object, "halocline", std::string(version));
        hdf5::set_attribute(file, file.object, "step", std::array{step});
        for (StoredField const& field : fields) declare_field(file, *mesh_, field);
      },
      [&](hdf5::File const& file) {
        for (std::size_t n = 0; n < fields.size(); ++n) write_field(file, *mesh_, n, fields[n], values);
      });
  for (WrittenSnapshot const& one : std::exchange(earlier_, {})) {
    series_.add(snapshot_name(one.step), one.time, *mesh_, fields);
  }
  series_.add(name, time, *mesh_, fields);
  if (mesh_->communicator().rank() == 0) write_whole_file(folder_ / series_file, series_.text());
}

}  // namespace halocline
