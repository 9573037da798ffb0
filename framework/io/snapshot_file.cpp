#include "framework/io/snapshot_file.hpp"

#include <xxhash.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <limits>
#include <optional>
#include <system_error>
#include <utility>

#include "framework/deck/validation.hpp"
#include "framework/io/hdf5.hpp"
#include "framework/io/mesh_file.hpp"
#include "framework/io/place_checksums.hpp"
#include "framework/io/regular_file.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/shown_text.hpp"

namespace halocline {

namespace {

/// HDF5 (1.10) cannot close some objects of a damaged file at exit and reports errors there. Call before the library's
/// first use.
void leave_library_as_it_is() { H5dont_atexit(); }

hid_t checked(hid_t id, std::filesystem::path const& path) {
  if (id < 0) throw unreadable(path, hdf5::reason());
  return id;
}

hdf5::File open_file(std::filesystem::path const& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error) && !error) throw unreadable(path, "there is no such file");
  require_regular_file(path);
  if (H5Fis_hdf5(path.c_str()) <= 0) throw unreadable(path, "it is not an HDF5 file");
  return {hdf5::Object(checked(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), path), H5Fclose, path), path};
}

hdf5::Object open(hdf5::File const& file, std::string const& name) {
  std::optional<hdf5::Object> dataset = hdf5::find_dataset(file, name);
  if (!dataset) throw unreadable(file.path, hdf5::reason());
  return std::move(*dataset);
}

std::vector<Index> shape_of(hdf5::File const& file, hid_t dataset) {
  hdf5::Object const space(checked(H5Dget_space(dataset), file.path), H5Sclose, file.path);
  std::vector<hsize_t> extents(static_cast<std::size_t>(std::max(0, H5Sget_simple_extent_ndims(space))));
  if (!extents.empty()) H5Sget_simple_extent_dims(space, extents.data(), nullptr);
  return {extents.begin(), extents.end()};
}

/// Reads a dataset of one number. Throws if it has none or more.
void read_one(hdf5::File const& file, hid_t dataset, hid_t type, void* number) {
  if (shape_of(file, dataset) != std::vector<Index>{1} ||
      H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, number) < 0) {
    throw unreadable(file.path, "one of its numbers cannot be read");
  }
}

/// Product of extents. Throws if it is more than the bytes of the file: all of our numbers are stored, so that a file
/// of so many is not ours, and memory for them may not exist.
Index numbers_in(hdf5::File const& file, std::vector<Index> const& extents) {
  hsize_t bytes = 0;
  if (H5Fget_filesize(file.object, &bytes) < 0) throw unreadable(file.path, hdf5::reason());
  std::optional<Index> const numbers = product(extents);
  if (numbers && *numbers >= 0 && static_cast<hsize_t>(*numbers) <= bytes) return *numbers;
  throw unreadable(file.path, "it is too short for the numbers that it should hold");
}

/// Names of the datasets in a group, in alphabetical order.
std::vector<std::string> datasets_in(hdf5::File const& file, std::string const& group) {
  std::vector<std::string> names;
  if (!hdf5::exists(file, "VTKHDF") || !hdf5::exists(file, group)) return names;
  auto const visit = [](hid_t, char const* name, H5L_info_t const*, void* data) -> herr_t {
    static_cast<std::vector<std::string>*>(data)->emplace_back(name);
    return 0;
  };
  hdf5::WithinFile const access(H5P_GROUP_ACCESS, file.path);
  hid_t const id = H5Gopen2(file.object, group.c_str(), access);
  if (access.has_met_link()) throw unreadable(file.path, "`" + group + "` is a link to another file");
  hdf5::Object const object(checked(id, file.path), H5Gclose, file.path);
  H5Literate(object, H5_INDEX_NAME, H5_ITER_INC, nullptr, visit, &names);
  return names;
}

template <class Number>
std::vector<Number> whole_list(hdf5::File const& file, std::string const& name, hid_t type) {
  hdf5::Object const dataset = open(file, name);
  std::vector<Index> const shape = shape_of(file, dataset);
  std::vector<Number> numbers(shape.size() == 1 ? static_cast<std::size_t>(numbers_in(file, shape)) : 0);
  if (!numbers.empty() && H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data()) < 0) {
    throw unreadable(file.path, hdf5::reason());
  }
  return numbers;
}

/// HDF5 itself ignores bytes after the end of its data.
std::string damage_of_size(hdf5::File const& file) {
  hsize_t bytes = 0;
  haddr_t end = 0;
  if (H5Fget_filesize(file.object, &bytes) < 0 || H5Fget_eoa(file.object, &end) < 0)
    throw unreadable(file.path, hdf5::reason());
  if (bytes == end) return "";
  return "has " + std::to_string(bytes) + " bytes instead of the " + std::to_string(end) + " that were written";
}

bool is_single(hdf5::File const& file, hid_t dataset) {
  hdf5::Object const type(checked(H5Dget_type(dataset), file.path), H5Tclose, file.path);
  if (H5Tget_class(type) != H5T_FLOAT) throw unreadable(file.path, "a field does not hold floating-point numbers");
  return H5Tget_size(type) == sizeof(float);
}

SnapshotEntry entry_of(hdf5::File const& file, std::string const& name, std::string const& dataset,
                       std::string const& kind) {
  hdf5::Object const object = open(file, dataset);
  std::vector<Index> const shape = shape_of(file, object);
  std::vector<Index> extents = hdf5::integers(file, object, "shape");
  if (shape.empty() || extents.size() != 3) throw unreadable(file.path, "it is not a snapshot written by Halocline");
  std::reverse(extents.begin(), extents.end());
  Index const numbers = numbers_in(file, shape);
  bool const are_extents = std::ranges::all_of(extents, [](Index extent) { return extent > 0; });
  Index const entries = are_extents ? numbers_in(file, extents) : 0;
  if (entries == 0 || numbers % entries != 0 || numbers / entries > std::numeric_limits<int>::max())
    throw unreadable(file.path, "`" + shown(name) + "` does not have its recorded shape");
  if (kind == "point") extents.resize(1);
  return {name, dataset, kind, extents, numbers / entries, is_single(file, object)};
}

}  // namespace

struct SnapshotFile::Impl {
  hdf5::File file;
};

SnapshotFile::SnapshotFile(std::filesystem::path path) : path_(std::move(path)) {
  leave_library_as_it_is();
  hdf5::Silence const silence;
  impl_ = std::make_unique<Impl>(Impl{open_file(path_)});
  hdf5::File const& file = impl_->file;
  std::vector<Index> const step = hdf5::integers(file, file.object, "step");
  if (step.size() != 1) throw unreadable(path_, "it is not a snapshot written by Halocline");
  step_ = step.front();
  hdf5::Object const time = open(file, "VTKHDF/FieldData/TimeValue");
  read_one(file, time, H5T_NATIVE_DOUBLE, &time_);
  bool const of_points = hdf5::exists(file, "VTKHDF/Points");
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
  numbers.resize(static_cast<std::size_t>(count));
  read_as(H5T_NATIVE_DOUBLE, field, first, count, sizeof(double), reinterpret_cast<std::byte*>(numbers.data()));
}

void SnapshotFile::read_as(std::int64_t type, SnapshotEntry const& field, Index first, Index count,
                           std::size_t bytes_per_number, std::byte* to) const {
  hdf5::Silence const silence;
  hdf5::File const& file = impl_->file;
  hdf5::Object const dataset = open(file, field.dataset);
  std::vector<Index> const shape = shape_of(file, dataset);
  while (count > 0) {
    // The largest contiguous box from there on: as many whole slabs of the slowest axis as fit, or a part of one.
    std::vector<hsize_t> start(shape.size());
    std::vector<hsize_t> extent(shape.size(), 1);
    Index rest = first;
    for (std::size_t axis = shape.size(); axis > 0; --axis) {
      start[axis - 1] = static_cast<hsize_t>(rest % shape[axis - 1]);
      rest /= shape[axis - 1];
    }
    Index below = 1;  // numbers per entry of this axis
    for (std::size_t axis = shape.size(); axis > 0; --axis) {
      auto const at = static_cast<Index>(start[axis - 1]);
      Index const most = std::min(shape[axis - 1] - at, std::max<Index>(1, count / below));
      extent[axis - 1] = static_cast<hsize_t>(most);
      below *= most;
      // Only complete lines can extend along the next axis.
      if (at != 0 || most != shape[axis - 1]) break;
      if (count / below < 2) break;
    }
    hdf5::Object const space(checked(H5Dget_space(dataset), path_), H5Sclose, path_);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, extent.data(), nullptr);
    auto const numbers_there = static_cast<hsize_t>(below);
    hdf5::Object const memory(checked(H5Screate_simple(1, &numbers_there, nullptr), path_), H5Sclose, path_);
    if (H5Dread(dataset, type, memory, space, H5P_DEFAULT, to) < 0) {
      throw unreadable(path_, "`" + shown(field.name) + "`: " + hdf5::reason());
    }
    to += below * static_cast<Index>(bytes_per_number);
    first += below;
    count -= below;
  }
}

std::vector<std::string> SnapshotFile::damage() const {
  std::vector<std::string> found = damage_of_header();
  if (std::string const damage = damage_of_size(impl_->file); !damage.empty()) found.push_back(damage);
  for (char const* const name : {"XCoordinates", "YCoordinates", "ZCoordinates"}) {
    std::string const dataset = std::string("VTKHDF/") + name;
    if (!hdf5::exists(impl_->file, dataset)) continue;
    hdf5::Silence const silence;
    std::vector<Index> const extents = shape_of(impl_->file, open(impl_->file, dataset));
    std::vector<std::string> const more = damage_of({name, dataset, "node", extents, 1, false});
    found.insert(found.end(), more.begin(), more.end());
  }
  for (SnapshotEntry const& field : fields_) {
    std::vector<std::string> const more = damage_of(field);
    found.insert(found.end(), more.begin(), more.end());
  }
  return found;
}

std::vector<std::string> SnapshotFile::damage_of(SnapshotEntry const& field) const {
  hdf5::Silence const silence;
  hdf5::File const& file = impl_->file;
  std::string const name = checksums_of(field.dataset);
  std::string const shown_name = "`" + shown(field.name) + "`";
  if (!hdf5::exists(file, checksums_group)) return {shown_name + ": has no checksums"};
  auto const expected = whole_list<std::uint64_t>(file, name, H5T_NATIVE_UINT64);
  Index numbers = field.components;
  for (Index const extent : field.extents) numbers *= extent;
  PlaceChecksums checksums(numbers);
  std::size_t const bytes = field.is_single ? sizeof(float) : sizeof(double);
  std::vector<std::byte> values;
  std::vector<std::string> found;
  if (hdf5::exists(file, "counters")) {
    hdf5::Object const counter = open(file, "counters" + field.dataset.substr(field.dataset.find('/')));
    std::uint64_t told = 0;
    read_one(file, counter, H5T_NATIVE_UINT64, &told);
    if (told != static_cast<std::uint64_t>(numbers) * bytes)
      found.push_back(shown_name + ": its number of bytes is wrong");
  }
  for (Index begin = 0; begin < numbers; begin += PlaceChecksums::numbers_of_checksum) {
    Index const end = std::min(numbers, begin + PlaceChecksums::numbers_of_checksum);
    values.resize(static_cast<std::size_t>(end - begin) * bytes);
    read_as(field.is_single ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE, field, begin, end - begin, bytes, values.data());
    checksums.add(begin, values, bytes);
    auto const block = static_cast<std::size_t>(begin / PlaceChecksums::numbers_of_checksum);
    if (block < expected.size() && expected[block] == checksums.sums()[block]) continue;
    std::string text = shown_name + ": numbers ";
    text.append(std::to_string(begin))
        .append(" to ")
        .append(std::to_string(end - 1))
        .append(" do not match their checksum");
    found.push_back(std::move(text));
  }
  return found;
}

std::vector<std::string> SnapshotFile::damage_of_header() const {
  hdf5::Silence const silence;
  std::vector<std::string> found;
  double time = time_;
  if (H5Aexists(impl_->file.object, "time") > 0) {
    hdf5::Object const told(checked(H5Aopen(impl_->file.object, "time", H5P_DEFAULT), path_), H5Aclose, path_);
    hdf5::Object const space(checked(H5Aget_space(told), path_), H5Sclose, path_);
    if (H5Sget_simple_extent_npoints(space) == 1) H5Aread(told, H5T_NATIVE_DOUBLE, &time);
  }
  if (!(time == time_)) found.emplace_back("the time does not match its copy");
  std::vector<Index> const expected = hdf5::integers(impl_->file, impl_->file.object, header_checksum_name);
  if (expected.empty()) return found;
  hdf5::Object const properties(checked(H5Fget_create_plist(impl_->file.object), path_), H5Pclose, path_);
  hsize_t size = 0;
  H5Pget_userblock(properties, &size);
  static_cast<void>(numbers_in(impl_->file, {static_cast<Index>(size)}));
  std::string header(static_cast<std::size_t>(size), 0);
  std::ifstream file(path_, std::ios::binary);
  if (!file.read(header.data(), static_cast<std::streamsize>(size))) throw unreadable(path_, "its header is truncated");
  if (header_checksum(header) != expected.front()) found.emplace_back("the header for VTK does not match its checksum");
  return found;
}

std::vector<std::string> damage_of_mesh_file(std::filesystem::path const& path) {
  leave_library_as_it_is();
  hdf5::Silence const silence;
  hdf5::File const file = open_file(path);
  std::vector<std::string> found;
  auto const has = [&](std::string const& name) { return hdf5::exists(file, name); };
  if (std::string const damage = damage_of_size(file); !damage.empty()) found.push_back(damage);
  for (std::string const name : {"x", "y", "z"}) {
    if (!has(name)) continue;
    auto const edges = whole_list<double>(file, name, H5T_NATIVE_DOUBLE);
    PlaceChecksums checksums(static_cast<Index>(edges.size()));
    checksums.add(0, std::as_bytes(std::span(edges)), sizeof(double));
    if (!has(checksums_group)) {
      found.push_back("`" + name + "`: has no checksums");
    } else if (whole_list<std::uint64_t>(file, std::string(checksums_group) + "/" + name, H5T_NATIVE_UINT64) !=
               checksums.sums()) {
      found.push_back("`" + name + "`: does not match its checksum");
    }
  }
  if (!has("Connectivity")) return found;
  // Connectivity, offsets and types of vertices must follow from their index.
  for (std::string const name : {"Connectivity", "Offsets", "Types"}) {
    auto const numbers = whole_list<Index>(file, name, H5T_NATIVE_INT64);
    Index place = 0;
    bool const right =
        std::ranges::all_of(numbers, [&](Index number) { return number == (name == "Types" ? 1 : place++); });
    if (!right) found.push_back("`" + name + "`: does not have the expected values");
  }
  return found;
}

std::string checksums_of(std::string const& dataset) {
  return std::string(checksums_group) + dataset.substr(dataset.find('/'));
}

Index header_checksum(std::string const& header) {
  return static_cast<Index>(XXH3_64bits(header.data(), header.size()));
}

std::vector<double> SnapshotFile::edges(int axis) const {
  hdf5::Silence const silence;
  std::filesystem::path const path = path_.parent_path() / mesh_file_name;
  std::string const name(1, "xyz"[axis]);
  std::error_code missing;
  if (!std::filesystem::exists(path, missing)) return {};
  hdf5::File const mesh = open_file(path);
  if (!hdf5::exists(mesh, name)) return {};
  return whole_list<double>(mesh, name, H5T_NATIVE_DOUBLE);
}

}  // namespace halocline
