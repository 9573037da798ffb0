#include "framework/io/snapshot_file.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "framework/io/hdf5.hpp"
#include "framework/io/mesh_file.hpp"
#include "framework/runtime/error.hpp"

namespace halocline {

namespace {

InputOutputError unreadable(std::filesystem::path const& path, std::string const& why) {
  return InputOutputError("cannot read " + path.string() + ": " + why);
}

hid_t checked(hid_t id, std::filesystem::path const& path) {
  if (id < 0) throw unreadable(path, hdf5::reason());
  return id;
}

hdf5::File open_file(std::filesystem::path const& path) {
  if (!std::filesystem::exists(path)) throw unreadable(path, "there is no such file");
  if (H5Fis_hdf5(path.c_str()) <= 0) throw unreadable(path, "it is no HDF5 file");
  return {hdf5::Object(checked(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), path), H5Fclose, path), path};
}

hdf5::Object open(hdf5::File const& file, std::string const& name) {
  return {checked(H5Dopen2(file.object, name.c_str(), H5P_DEFAULT), file.path), H5Dclose, file.path};
}

std::vector<Index> shape_of(hdf5::File const& file, hid_t dataset) {
  hdf5::Object const space(checked(H5Dget_space(dataset), file.path), H5Sclose, file.path);
  std::vector<hsize_t> extents(static_cast<std::size_t>(std::max(0, H5Sget_simple_extent_ndims(space))));
  if (!extents.empty()) H5Sget_simple_extent_dims(space, extents.data(), nullptr);
  return {extents.begin(), extents.end()};
}

/// All numbers of an attribute; empty where there is none.
std::vector<Index> attribute(hdf5::File const& file, hid_t object, char const* name) {
  if (H5Aexists(object, name) <= 0) return {};
  hdf5::Object const found(checked(H5Aopen(object, name, H5P_DEFAULT), file.path), H5Aclose, file.path);
  hdf5::Object const space(checked(H5Aget_space(found), file.path), H5Sclose, file.path);
  std::vector<Index> numbers(static_cast<std::size_t>(std::max<hssize_t>(0, H5Sget_simple_extent_npoints(space))));
  if (H5Aread(found, H5T_NATIVE_INT64, numbers.data()) < 0) throw unreadable(file.path, hdf5::reason());
  return numbers;
}

/// Names of the datasets in a group, in their order.
std::vector<std::string> datasets_in(hdf5::File const& file, std::string const& group) {
  std::vector<std::string> names;
  if (H5Lexists(file.object, "VTKHDF", H5P_DEFAULT) <= 0 || H5Lexists(file.object, group.c_str(), H5P_DEFAULT) <= 0) {
    return names;
  }
  auto const visit = [](hid_t, char const* name, H5L_info_t const*, void* data) -> herr_t {
    static_cast<std::vector<std::string>*>(data)->emplace_back(name);
    return 0;
  };
  hdf5::Object const object(checked(H5Gopen2(file.object, group.c_str(), H5P_DEFAULT), file.path), H5Gclose, file.path);
  H5Literate(object, H5_INDEX_NAME, H5_ITER_INC, nullptr, visit, &names);
  return names;
}

bool is_single(hdf5::File const& file, hid_t dataset) {
  hdf5::Object const type(checked(H5Dget_type(dataset), file.path), H5Tclose, file.path);
  if (H5Tget_class(type) != H5T_FLOAT) throw unreadable(file.path, "it holds what are no numbers of a field");
  return H5Tget_size(type) == sizeof(float);
}

SnapshotEntry entry_of(hdf5::File const& file, std::string const& name, std::string const& dataset,
                       std::string const& kind) {
  hdf5::Object const object = open(file, dataset);
  std::vector<Index> const shape = shape_of(file, object);
  std::vector<Index> extents = attribute(file, object, "shape");
  if (shape.empty() || extents.size() != 3) throw unreadable(file.path, "it is no snapshot that Halocline wrote");
  std::reverse(extents.begin(), extents.end());
  Index numbers = 1;
  Index entries = 1;
  for (Index const extent : shape) numbers *= extent;
  for (Index const extent : extents) entries *= extent;
  if (entries <= 0 || numbers % entries != 0)
    throw unreadable(file.path, "`" + name + "` has another shape than it says");
  if (kind == "point") extents.resize(1);
  return {name, dataset, kind, extents, numbers / entries, is_single(file, object)};
}

}  // namespace

struct SnapshotFile::Impl {
  hdf5::File file;
};

SnapshotFile::SnapshotFile(std::filesystem::path path) : path_(std::move(path)) {
  hdf5::Silence const silence;
  impl_ = std::make_unique<Impl>(Impl{open_file(path_)});
  hdf5::File const& file = impl_->file;
  std::vector<Index> const step = attribute(file, file.object, "step");
  if (step.size() != 1) throw unreadable(path_, "it is no snapshot that Halocline wrote");
  step_ = step.front();
  hdf5::Object const time = open(file, "VTKHDF/FieldData/TimeValue");
  if (shape_of(file, time) != std::vector<Index>{1} ||
      H5Dread(time, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, &time_) < 0) {
    throw unreadable(path_, "its time cannot be read");
  }
  bool const of_points = H5Lexists(file.object, "VTKHDF/Points", H5P_DEFAULT) > 0;
  if (of_points) fields_.push_back(entry_of(file, "position", "VTKHDF/Points", "point"));
  for (auto const& [group, kind] : {std::pair("VTKHDF/CellData", "cell"), std::pair("VTKHDF/PointData", "node")}) {
    for (std::string const& name : datasets_in(file, group)) {
      fields_.push_back(entry_of(file, name, std::string(group) + "/" + name, of_points ? "point" : kind));
    }
  }
}

SnapshotFile::~SnapshotFile() = default;
SnapshotFile::SnapshotFile(SnapshotFile&&) noexcept = default;

void SnapshotFile::read(SnapshotEntry const& field, Index first, Index count, std::vector<double>& numbers) const {
  hdf5::Silence const silence;
  hdf5::File const& file = impl_->file;
  hdf5::Object const dataset = open(file, field.dataset);
  std::vector<Index> const shape = shape_of(file, dataset);
  numbers.resize(static_cast<std::size_t>(count));
  double* to = numbers.data();
  while (count > 0) {
    // The largest box from there on that lies in one piece: along the first axis as many whole slabs, or a part of one.
    std::vector<hsize_t> start(shape.size());
    std::vector<hsize_t> extent(shape.size(), 1);
    Index rest = first;
    for (std::size_t axis = shape.size(); axis > 0; --axis) {
      start[axis - 1] = static_cast<hsize_t>(rest % shape[axis - 1]);
      rest /= shape[axis - 1];
    }
    Index below = 1;  // numbers of an entry of this axis
    for (std::size_t axis = shape.size(); axis > 0; --axis) {
      auto const at = static_cast<Index>(start[axis - 1]);
      Index const most = std::min(shape[axis - 1] - at, std::max<Index>(1, count / below));
      extent[axis - 1] = static_cast<hsize_t>(most);
      below *= most;
      // A whole line may be repeated along the next axis.
      if (at != 0 || most != shape[axis - 1]) break;
      if (count / below < 2) break;
    }
    hdf5::Object const space(checked(H5Dget_space(dataset), path_), H5Sclose, path_);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, extent.data(), nullptr);
    auto const numbers_there = static_cast<hsize_t>(below);
    hdf5::Object const memory(checked(H5Screate_simple(1, &numbers_there, nullptr), path_), H5Sclose, path_);
    if (H5Dread(dataset, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, to) < 0) {
      throw unreadable(path_, "`" + field.name + "`: " + hdf5::reason());
    }
    to += below;
    first += below;
    count -= below;
  }
}

std::vector<double> SnapshotFile::edges(int axis) const {
  hdf5::Silence const silence;
  std::filesystem::path const path = path_.parent_path() / mesh_file_name;
  std::string const name(1, "xyz"[axis]);
  if (!std::filesystem::exists(path)) return {};
  hdf5::File const mesh = open_file(path);
  if (H5Lexists(mesh.object, name.c_str(), H5P_DEFAULT) <= 0) return {};
  hdf5::Object const dataset = open(mesh, name);
  std::vector<Index> const shape = shape_of(mesh, dataset);
  std::vector<double> edges(shape.size() == 1 ? static_cast<std::size_t>(shape.front()) : 0);
  if (!edges.empty() && H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, edges.data()) < 0) {
    throw unreadable(path, hdf5::reason());
  }
  return edges;
}

}  // namespace halocline
