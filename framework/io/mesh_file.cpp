#include "framework/io/mesh_file.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "framework/io/place_checksums.hpp"
#include "framework/io/shared_file.hpp"
#include "framework/io/snapshot_file.hpp"
#include "framework/mesh/point_set.hpp"
#include "framework/mesh/structured_mesh.hpp"
#include "framework/runtime/communicator.hpp"
#include "framework/runtime/even_share.hpp"

namespace halocline {

namespace {

constexpr int vtk_vertex = 1;

/// Writes this rank's even share of a list of `entries` numbers; `number` returns each.
template <class Number>
void write_share(hdf5::File const& file, std::string const& name, hid_t type, Communicator const& communicator,
                 Index entries, auto&& number) {
  constexpr Index most = Index{1} << 18;
  hdf5::Object const dataset = hdf5::open_dataset(file, name);
  Index const end = even_share_begin(entries, communicator.size(), communicator.rank() + 1);
  Index first = even_share_begin(entries, communicator.size(), communicator.rank());
  std::vector<Number> numbers;
  while (first < end) {
    Index const count = std::min(most, end - first);
    numbers.resize(static_cast<std::size_t>(count));
    for (Index n = 0; n < count; ++n) numbers[static_cast<std::size_t>(n)] = static_cast<Number>(number(first + n));
    hdf5::write_range(file, dataset, type, first, count, 1, numbers.data());
    first += count;
  }
}

void declare_vertices(hdf5::File const& file, Index points) {
  auto const count = static_cast<hsize_t>(points);
  hid_t const ids = points <= std::numeric_limits<std::int32_t>::max() ? H5T_STD_I32LE : H5T_STD_I64LE;
  hdf5::declare(file, "Connectivity", ids, std::array{count});
  hdf5::declare(file, "Offsets", ids, std::array{count + 1});
  hdf5::declare(file, "Types", H5T_STD_U8LE, std::array{count});
}

void write_vertices(PointSet const& points, std::filesystem::path const& path) {
  Communicator const& ranks = points.communicator();
  auto const itself = [](Index n) { return n; };
  write_shared_file(
      ranks, path, [&](hdf5::File const& file) { declare_vertices(file, points.points()); },
      [&](hdf5::File const& file) {
        write_share<Index>(file, "Connectivity", H5T_NATIVE_INT64, ranks, points.points(), itself);
        write_share<Index>(file, "Offsets", H5T_NATIVE_INT64, ranks, points.points() + 1, itself);
        write_share<int>(file, "Types", H5T_NATIVE_INT, ranks, points.points(), [](Index) { return vtk_vertex; });
      });
}

void declare_axes(hdf5::File const& file, StructuredMesh const& mesh) {
  constexpr std::array<char const*, 3> names{"x", "y", "z"};
  hdf5::create_group(file, checksums_group);
  for (int axis = 0; axis < mesh.dimensions(); ++axis) {
    std::vector<double> const edges = edges_of(mesh.axis(axis));
    hdf5::Object const dataset = hdf5::declare(file, names[static_cast<std::size_t>(axis)], H5T_IEEE_F64LE,
                                               std::array{static_cast<hsize_t>(edges.size())});
    hdf5::write_range(file, dataset, H5T_NATIVE_DOUBLE, 0, static_cast<Index>(edges.size()), 1, edges.data());
    PlaceChecksums checksums(static_cast<Index>(edges.size()));
    checksums.add(0, std::as_bytes(std::span(edges)), sizeof(double));
    std::vector<std::uint64_t> const& sums = checksums.sums();
    hdf5::Object const stored =
        hdf5::declare(file, std::string(checksums_group) + "/" + names[static_cast<std::size_t>(axis)], H5T_STD_U64LE,
                      std::array{static_cast<hsize_t>(sums.size())});
    hdf5::write_range(file, stored, H5T_NATIVE_UINT64, 0, static_cast<Index>(sums.size()), 1, sums.data());
  }
}

}  // namespace

void write_mesh_file(Mesh const& mesh, std::filesystem::path const& path) {
  if (PointSet const* const points = as_points(mesh)) {
    write_vertices(*points, path);
  } else {
    write_shared_file(
        mesh.communicator(), path, [&](hdf5::File const& file) { declare_axes(file, structured(mesh)); },
        [](hdf5::File const&) {});
  }
}

std::vector<double> edges_of(Axis const& axis) {
  std::vector<double> edges;
  for (Index i = 0; i <= axis.cells(); ++i) edges.push_back(axis.edge(i));
  return edges;
}

}  // namespace halocline
