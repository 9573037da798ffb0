#include "framework/io/mesh_file.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "framework/io/output_boxes.hpp"
#include "framework/io/shared_file.hpp"
#include "framework/mesh/point_set.hpp"
#include "framework/mesh/structured_mesh.hpp"
#include "framework/runtime/communicator.hpp"
#include "framework/runtime/even_share.hpp"

namespace halocline {

namespace {

constexpr std::array<char const*, 3> axis_names{"x", "y", "z"};

Index product(Extents const& extents) { return extents[0] * extents[1] * extents[2]; }

Extents position_of(Index entry, Extents const& extents) {
  return {entry % extents[0], entry / extents[0] % extents[1], entry / (extents[0] * extents[1])};
}

/// The numbers of one geometry array, computed from the index of the entry alone: any rank can write any part.
class Geometry {
 public:
  explicit Geometry(StructuredMesh const& mesh)
      : mesh_(mesh), nodes_(output_extents(mesh, Centring::node)), cells_(mesh.extents(Centring::cell)) {}

  [[nodiscard]] Index nodes() const { return product(nodes_); }
  [[nodiscard]] Index cells() const { return product(cells_); }
  [[nodiscard]] Index corners() const { return corners_of_cell(mesh_.dimensions()); }

  void point(Index node, double* xyz) const {
    Extents const at = position_of(node, nodes_);
    for (int axis = 0; axis < 3; ++axis) {
      bool const exists = axis < mesh_.dimensions();
      xyz[axis] = exists ? mesh_.axis(axis).edge(at[static_cast<std::size_t>(axis)]) : 0.0;
    }
  }

  /// Corners in VTK's order: around the lower face, then around the upper one.
  void corners(Index cell, Index* ids) const {
    constexpr std::array<std::array<Index, 3>, 8> order{
        {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}}};
    Extents const at = position_of(cell, cells_);
    for (std::size_t n = 0; n < static_cast<std::size_t>(corners()); ++n) {
      ids[n] = at[0] + order[n][0] + nodes_[0] * (at[1] + order[n][1] + nodes_[1] * (at[2] + order[n][2]));
    }
  }

 private:
  StructuredMesh const& mesh_;
  Extents nodes_;
  Extents cells_;
};

/// Writes this rank's even share of an array of `entries` times `per_entry` numbers; `number` fills one entry.
template <class Number>
void write_share(hdf5::File const& file, std::string const& name, hid_t type, Communicator const& communicator,
                 Index entries, Index per_entry, auto&& fill_entry) {
  constexpr Index most = Index{1} << 18;
  hdf5::Object const dataset = hdf5::open_dataset(file, name);
  Index const end = even_share_begin(entries, communicator.size(), communicator.rank() + 1);
  Index first = even_share_begin(entries, communicator.size(), communicator.rank());
  std::vector<Number> numbers;
  while (first < end) {
    Index const count = std::min(most, end - first);
    numbers.resize(static_cast<std::size_t>(count * per_entry));
    for (Index n = 0; n < count; ++n) fill_entry(first + n, &numbers[static_cast<std::size_t>(n * per_entry)]);
    hdf5::write_range(file, dataset, type, first, count, per_entry, numbers.data());
    first += count;
  }
}

void declare_cells(hdf5::File const& file, Index cells, Index corners) {
  auto const count = static_cast<hsize_t>(cells);
  bool const small = cells * corners <= std::numeric_limits<std::int32_t>::max();
  hid_t const ids = small ? H5T_STD_I32LE : H5T_STD_I64LE;
  hdf5::declare(file, "Connectivity", ids, std::array{count * static_cast<hsize_t>(corners)});
  hdf5::declare(file, "Offsets", ids, std::array{count + 1});
  hdf5::declare(file, "Types", H5T_STD_U8LE, std::array{count});
}

/// `fill_corners` tells the corners of a cell.
void write_cells(hdf5::File const& file, Communicator const& ranks, Index cells, int dimensions, auto&& fill_corners) {
  Index const corners = corners_of_cell(dimensions);
  write_share<Index>(file, "Connectivity", H5T_NATIVE_INT64, ranks, cells, corners, fill_corners);
  write_share<Index>(file, "Offsets", H5T_NATIVE_INT64, ranks, cells + 1, 1,
                     [&](Index cell, Index* offset) { *offset = cell * corners; });
  write_share<int>(file, "Types", H5T_NATIVE_INT, ranks, cells, 1,
                   [&](Index, int* type) { *type = vtk_cell_type(dimensions); });
}

void declare_geometry(hdf5::File const& file, StructuredMesh const& mesh, Geometry const& geometry) {
  hdf5::declare(file, "Points", H5T_IEEE_F64LE, std::array{static_cast<hsize_t>(geometry.nodes()), hsize_t{3}});
  declare_cells(file, geometry.cells(), geometry.corners());
  for (int axis = 0; axis < mesh.dimensions(); ++axis) {
    Axis const& line = mesh.axis(axis);
    std::vector<double> edges;
    for (Index i = 0; i <= line.cells(); ++i) edges.push_back(line.edge(i));
    auto const count = static_cast<Index>(edges.size());
    hdf5::Object const dataset = hdf5::declare(file, axis_names[static_cast<std::size_t>(axis)], H5T_IEEE_F64LE,
                                               std::array{static_cast<hsize_t>(count)});
    hdf5::write_range(file, dataset, H5T_NATIVE_DOUBLE, 0, count, 1, edges.data());
  }
}

void write_vertices(PointSet const& points, std::filesystem::path const& path) {
  Communicator const& ranks = points.communicator();
  write_shared_file(
      ranks, path, [&](hdf5::File const& file) { declare_cells(file, points.points(), corners_of_cell(0)); },
      [&](hdf5::File const& file) {
        write_cells(file, ranks, points.points(), 0, [](Index point, Index* corner) { *corner = point; });
      });
}

void write_grid(StructuredMesh const& mesh, std::filesystem::path const& path) {
  Geometry const geometry(mesh);
  Communicator const& ranks = mesh.communicator();
  write_shared_file(
      ranks, path, [&](hdf5::File const& file) { declare_geometry(file, mesh, geometry); },
      [&](hdf5::File const& file) {
        write_share<double>(file, "Points", H5T_NATIVE_DOUBLE, ranks, geometry.nodes(), 3,
                            [&](Index node, double* xyz) { geometry.point(node, xyz); });
        write_cells(file, ranks, geometry.cells(), mesh.dimensions(),
                    [&](Index cell, Index* ids) { geometry.corners(cell, ids); });
      });
}

}  // namespace

int vtk_cell_type(int dimensions) {
  constexpr std::array<int, 4> types{1, 3, 9, 12};
  return types[static_cast<std::size_t>(dimensions)];
}

Index corners_of_cell(int dimensions) { return Index{1} << dimensions; }

void write_mesh_file(Mesh const& mesh, std::filesystem::path const& path) {
  if (PointSet const* const points = as_points(mesh)) {
    write_vertices(*points, path);
  } else {
    write_grid(structured(mesh), path);
  }
}

}  // namespace halocline
