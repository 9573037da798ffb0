#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "framework/deck/nearest_name.hpp"
#include "framework/deck/tree.hpp"
#include "framework/deck/validation.hpp"
#include "framework/io/array_file.hpp"
#include "framework/io/hdf5.hpp"
#include "framework/io/mesh_file.hpp"
#include "framework/runtime/error.hpp"

namespace halocline {
namespace {

/// Chunk cache for compressed datasets: consecutive reads often share a chunk.
constexpr std::size_t chunk_cache_bytes = std::size_t{64} << 20U;
constexpr std::size_t chunk_cache_slots = 12421;

hdf5::File open_file(std::string const& path) {
  htri_t const is_hdf5 = H5Fis_hdf5(path.c_str());
  if (is_hdf5 <= 0) throw wrong_file(path, "is not an HDF5 file");
  hid_t const id = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  if (id < 0) throw wrong_file(path, "cannot be opened as an HDF5 file: " + hdf5::reason());
  return {hdf5::Object(id, H5Fclose, path), path};
}

/// Paths of the datasets below a group of the file; at most a thousand.
std::vector<std::string> datasets_below(hdf5::File const& file, std::string const& group) {
  constexpr std::size_t most = 1000;
  std::vector<std::string> found;
  auto const visit = [](hid_t, char const* name, auto const* info, void* data) -> herr_t {
    auto& names = *static_cast<std::vector<std::string>*>(data);
    if (info->type == H5O_TYPE_DATASET) names.emplace_back(name);
    return names.size() < most ? 0 : 1;
  };
  hid_t const id = H5Oopen(file.object, group.c_str(), hdf5::WithinFile(H5P_LINK_ACCESS, file.path));
  if (id < 0) return found;
  hdf5::Object const object(id, H5Oclose, file.path);
  H5Ovisit2(object, H5_INDEX_NAME, H5_ITER_NATIVE, visit, &found, H5O_INFO_BASIC);
  return found;
}

/// "did you mean …", or the existing names.
std::string advice_for(std::string const& name, std::vector<std::string> const& known) {
  constexpr std::size_t most = 20;
  std::string const nearest = nearest_name(name, known);
  if (!nearest.empty()) return "; did you mean `" + deck::printable(nearest) + "`?";
  if (known.empty()) return "; there is none";
  std::string text = "; there are: ";
  for (std::size_t n = 0; n < std::min(most, known.size()); ++n)
    text += (n > 0 ? ", " : "") + deck::printable(known[n]);
  return known.size() > most ? text + ", …" : text;
}

/// \param why message if there is no dataset of that name
hdf5::Object open_object(hdf5::File const& file, std::string const& name, std::string const& why) {
  hdf5::WithinFile const access(H5P_DATASET_ACCESS, file.path);
  H5Pset_chunk_cache(access, chunk_cache_slots, chunk_cache_bytes, H5D_CHUNK_CACHE_W0_DEFAULT);
  hid_t const id = H5Dopen2(file.object, name.c_str(), access);
  // A change of that file would not be detected.
  if (access.has_met_link()) {
    throw wrong_file(file.path.string(), "has in the place of `" + deck::printable(name) +
                                             "` a link to another file; give that file, or a dataset of this one");
  }
  if (id < 0) throw wrong_file(file.path.string(), why);
  return {id, H5Dclose, file.path};
}

std::string class_name(H5T_class_t type) {
  switch (type) {
    case H5T_STRING:
      return "text";
    case H5T_COMPOUND:
      return "records or complex numbers";
    case H5T_ENUM:
      return "booleans or names";
    default:
      return "something";
  }
}

/// Throws InputError unless a dataset holds real numbers.
void require_numbers(hdf5::File const& file, hid_t dataset, std::string const& name) {
  hdf5::Object const type(H5Dget_type(dataset), H5Tclose, file.path);
  H5T_class_t const kind = H5Tget_class(type);
  if (kind == H5T_FLOAT || kind == H5T_INTEGER) return;
  throw wrong_file(file.path.string(), "holds in dataset `" + deck::printable(name) + "` " + class_name(kind) +
                                           ", not float32, float64 or integers");
}

/// Throws InputError if the values are in external files, whose changes would not be detected, if none were written, or
/// if they use a filter that this HDF5 lacks. In most of these cases HDF5 would read zeros.
void require_values(hdf5::File const& file, hid_t dataset, std::string const& name) {
  auto const refuse = [&](std::string const& why) {
    throw wrong_file(file.path.string(), "has a dataset `" + deck::printable(name) + "` " + why);
  };
  if (hdf5::has_values_elsewhere(file, dataset))
    refuse("whose values are in other files; give a dataset that contains its values");
  hdf5::Object const list(H5Dget_create_plist(dataset), H5Pclose, file.path);
  for (int n = 0; n < H5Pget_nfilters(list); ++n) {
    std::array<char, 40> filter{};
    unsigned flags = 0;
    std::size_t values = 0;
    H5Z_filter_t const id =
        H5Pget_filter2(list, static_cast<unsigned>(n), &flags, &values, nullptr, filter.size(), filter.data(), nullptr);
    filter.back() = 0;
    if (H5Zfilter_avail(id) <= 0)
      refuse("that is stored with the filter `" + deck::printable(filter.data()) +
             "`, which this HDF5 lacks; use gzip");
  }
  hdf5::Object const space(H5Dget_space(dataset), H5Sclose, file.path);
  if (H5Sget_simple_extent_npoints(space) > 0 && H5Dget_storage_size(dataset) == 0) refuse("that was never written");
}

std::vector<Index> shape_of(hdf5::File const& file, hid_t dataset) {
  hdf5::Object const space(H5Dget_space(dataset), H5Sclose, file.path);
  int const axes = H5Sget_simple_extent_ndims(space);
  std::vector<hsize_t> extents(static_cast<std::size_t>(std::max(axes, 0)));
  if (!extents.empty()) H5Sget_simple_extent_dims(space, extents.data(), nullptr);
  return {extents.begin(), extents.end()};
}

/// Reads the selection of a dataset as `count` doubles.
/// Detects errors such as a damaged chunk.
void read_selected(hdf5::File const& file, hid_t dataset, hid_t space, hsize_t count, double* values) {
  hdf5::Object const memory(H5Screate_simple(1, &count, nullptr), H5Sclose, file.path);
  if (H5Dread(dataset, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, values) >= 0) return;
  throw wrong_file(file.path.string(), "holds values that HDF5 cannot read: " + hdf5::reason());
}

/// A dataset with one axis for each axis of the mesh.
class Dataset : public ArrayFile {
 public:
  Dataset(InputFile file, std::string const& name, int dimensions)
      : ArrayFile(std::move(file)), file_(open_file(this->file().path())), dataset_(open(name)) {
    require_numbers(file_, dataset_, name);
    require_values(file_, dataset_, name);
    set_shape(shape_of(file_, dataset_), dimensions);
  }

  void read(IndexRange const& box, Index component, double* values) const override {
    hdf5::Silence const silence;
    std::size_t const axes = shape().size();
    std::vector<hsize_t> start(axes, static_cast<hsize_t>(component));
    std::vector<hsize_t> count(axes, 1);
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(dimensions()); ++axis) {
      std::size_t const at = static_cast<std::size_t>(dimensions()) - 1 - axis;
      start[at] = static_cast<hsize_t>(box.begin[axis]);
      count[at] = static_cast<hsize_t>(box.extent(static_cast<int>(axis)));
    }
    hdf5::Object const space(H5Dget_space(dataset_), H5Sclose, file_.path);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr);
    read_selected(file_, dataset_, space, static_cast<hsize_t>(box.size()), values);
  }

 private:
  [[nodiscard]] hdf5::Object open(std::string const& name) const {
    std::vector<std::string> const known = datasets_below(file_, "/");
    return open_object(file_, name, "has no dataset `" + deck::printable(name) + "`" + advice_for(name, known));
  }

  hdf5::File file_;
  hdf5::Object dataset_;
};

/// A field of a snapshot: indexed (z, y, x), or a list of entries, x fastest, with the grid in the attribute `shape`.
class SnapshotField final : public ArrayFile {
 public:
  SnapshotField(InputFile file, std::string const& field, int dimensions)
      : ArrayFile(std::move(file)), file_(open_file(this->file().path())), name_(find(field)), dataset_(open(field)) {
    require_numbers(file_, dataset_, field);
    require_values(file_, dataset_, field);
    std::vector<Index> const list = shape_of(file_, dataset_);
    std::vector<Index> const grid = grid_shape();
    std::vector<Index> shape = grid;
    auto const missing = static_cast<std::size_t>(std::max(0, 3 - dimensions));
    auto const first = shape.begin() + static_cast<std::ptrdiff_t>(std::min(missing, shape.size()));
    if (std::all_of(shape.begin(), first, [](Index extent) { return extent == 1; })) shape.erase(shape.begin(), first);
    is_list_ = list.size() < 3;
    bool const fits = is_list_ ? !list.empty() && product(shape) == list.front()
                               : list.size() <= 4 && std::equal(grid.begin(), grid.end(), list.begin());
    if (!fits) throw no_snapshot();
    if (list.size() == 2 || list.size() == 4) shape.push_back(list.back());
    set_shape(std::move(shape), dimensions);
  }

  void read(IndexRange const& box, Index component, double* values) const override {
    hdf5::Silence const silence;
    Extents const all = extents();
    hdf5::Object const space(H5Dget_space(dataset_), H5Sclose, file_.path);
    if (!is_list_) {
      std::array<hsize_t, 4> start{};
      std::array<hsize_t, 4> count{1, 1, 1, 1};
      for (std::size_t axis = 0; axis < 3; ++axis) {
        start[2 - axis] = static_cast<hsize_t>(box.begin[axis]);
        count[2 - axis] = static_cast<hsize_t>(box.extent(static_cast<int>(axis)));
      }
      start[3] = static_cast<hsize_t>(component);
      H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr);
      return read_selected(file_, dataset_, space, static_cast<hsize_t>(box.size()), values);
    }
    auto const row = static_cast<hsize_t>(box.extent(0));
    auto const rows = static_cast<hsize_t>(box.extent(1));
    for (Index k = 0; k < box.extent(2); ++k) {
      Index const first = box.begin[0] + all[0] * (box.begin[1] + all[1] * (box.begin[2] + k));
      std::array<hsize_t, 2> const start{static_cast<hsize_t>(first), static_cast<hsize_t>(component)};
      std::array<hsize_t, 2> const stride{static_cast<hsize_t>(all[0]), 1};
      std::array<hsize_t, 2> const count{rows, 1};
      std::array<hsize_t, 2> const block{row, 1};
      H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), stride.data(), count.data(), block.data());
      read_selected(file_, dataset_, space, row * rows, values + k * box.extent(0) * box.extent(1));
    }
  }

  [[nodiscard]] std::optional<bool> on_nodes() const override { return name_.starts_with(point_data); }

  [[nodiscard]] std::vector<double> edges(int axis) const override {
    hdf5::Silence const silence;
    std::string const path = (std::filesystem::path(file().path()).parent_path() / mesh_file_name).string();
    std::error_code missing;
    if (!std::filesystem::exists(path, missing)) return {};
    hdf5::File const mesh = open_file(InputFile(path).path());
    std::string const name(1, "xyz"[axis]);
    hdf5::Object const dataset = open_object(mesh, name, "has no axis " + name);
    std::vector<Index> const shape = shape_of(mesh, dataset);
    Index const entries = extents()[static_cast<std::size_t>(axis)];
    Index const cells = *on_nodes() ? entries - 1 : entries;
    if (shape == std::vector<Index>{cells + 1}) {
      std::vector<double> edges(static_cast<std::size_t>(cells + 1));
      hdf5::Object const space(H5Dget_space(dataset), H5Sclose, mesh.path);
      read_selected(mesh, dataset, space, edges.size(), edges.data());
      return edges;
    }
    throw wrong_file(file().path(), "is beside `" + path + "`, which is the mesh of other snapshots");
  }

 private:
  static constexpr char const* cell_data = "VTKHDF/CellData/";
  static constexpr char const* point_data = "VTKHDF/PointData/";

  [[nodiscard]] InputError no_snapshot() const {
    return wrong_file(file().path(), "is not a snapshot of a mesh written by Halocline");
  }

  [[nodiscard]] std::string find(std::string const& field) const {
    std::vector<std::string> known = datasets_below(file_, cell_data);
    if (std::find(known.begin(), known.end(), field) != known.end()) return cell_data + field;
    std::vector<std::string> const on_points = datasets_below(file_, point_data);
    if (std::find(on_points.begin(), on_points.end(), field) != on_points.end()) return point_data + field;
    known.insert(known.end(), on_points.begin(), on_points.end());
    if (known.empty()) throw no_snapshot();
    throw wrong_file(file().path(), "has no field `" + deck::printable(field) + "`" + advice_for(field, known));
  }

  [[nodiscard]] hdf5::Object open(std::string const& field) const {
    return open_object(file_, name_, "has no field `" + deck::printable(field) + "`");
  }

  /// Entries along z, y and x.
  [[nodiscard]] std::vector<Index> grid_shape() const {
    std::vector<Index> shape(3);
    if (H5Aexists(dataset_, "shape") <= 0) throw no_snapshot();
    hdf5::Object const attribute(H5Aopen(dataset_, "shape", H5P_DEFAULT), H5Aclose, file_.path);
    hdf5::Object const space(H5Aget_space(attribute), H5Sclose, file_.path);
    if (H5Sget_simple_extent_npoints(space) != 3) throw no_snapshot();
    if (H5Aread(attribute, H5T_NATIVE_INT64, shape.data()) < 0) throw no_snapshot();
    return shape;
  }

  hdf5::File file_;
  std::string name_;
  hdf5::Object dataset_;
  bool is_list_ = false;
};

}  // namespace

std::unique_ptr<ArrayFile> open_dataset(FieldFile const& file, int dimensions) {
  hdf5::Silence const silence;
  return std::make_unique<Dataset>(InputFile(file.path), file.dataset, dimensions);
}

std::unique_ptr<ArrayFile> open_snapshot(FieldFile const& file, int dimensions) {
  hdf5::Silence const silence;
  return std::make_unique<SnapshotField>(InputFile(file.path), file.field, dimensions);
}

}  // namespace halocline
