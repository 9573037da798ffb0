#include "framework/io/hdf5.hpp"

#include <fcntl.h>

#include <cerrno>
#include <thread>
#include <vector>

#include "framework/io/regular_file.hpp"
#include "framework/io/whole_file.hpp"
#include "framework/runtime/descriptor.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/shown_text.hpp"

namespace halocline::hdf5 {

namespace {

/// The text between the quotation marks after `label`; empty if there is none.
std::string quoted_after(std::string const& text, std::string const& label) {
  std::size_t const at = text.find(label);
  if (at == std::string::npos) return "";
  std::size_t const open = text.find('\'', at);
  std::size_t const close = open == std::string::npos ? open : text.find('\'', open + 1);
  return close == std::string::npos ? "" : text.substr(open + 1, close - open - 1);
}

/// Prefers a reason from the operating system or MPI anywhere on the stack, else the deepest description.
herr_t find_reason(unsigned, H5E_error2_t const* error, void* data) {
  auto& found = *static_cast<std::string*>(data);
  std::string const description = error->desc != nullptr ? error->desc : "";
  for (char const* const label : {"error message = ", "MPI error string is "}) {
    if (std::string said = quoted_after(description, label); !said.empty()) {
      found = said;
      return 1;
    }
  }
  if (found.empty()) found = description;
  return 0;
}

Object text_type(std::string const& text, std::filesystem::path const& path) {
  Object type(H5Tcopy(H5T_C_S1), H5Tclose, path);
  check(H5Tset_size(type, text.empty() ? 1 : text.size()), path);
  return type;
}

void write_attribute(File const& file, hid_t object, std::string const& name, hid_t type, hid_t space,
                     void const* value) {
  Object const attribute(H5Acreate2(object, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose, file.path);
  check(H5Awrite(attribute, type, value), file.path);
}

Object declare(File const& file, std::string const& name, hid_t type, std::span<hsize_t const> dimensions,
               H5D_alloc_time_t when) {
  Object const space(H5Screate_simple(static_cast<int>(dimensions.size()), dimensions.data(), nullptr), H5Sclose,
                     file.path);
  Object const properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, file.path);
  check(H5Pset_alloc_time(properties, when), file.path);
  check(H5Pset_fill_time(properties, H5D_FILL_TIME_NEVER), file.path);
  check(H5Pset_obj_track_times(properties, 0), file.path);
  return {H5Dcreate2(file.object, name.c_str(), type, space, H5P_DEFAULT, properties, H5P_DEFAULT), H5Dclose,
          file.path};
}

/// Writing a first number allocates a dataset's space in the file.
void give_place(File const& file, hid_t dataset, std::size_t axes) {
  std::vector<hsize_t> const start(axes, 0);
  std::vector<hsize_t> const count(axes, 1);
  Object const space(H5Dget_space(dataset), H5Sclose, file.path);
  check(H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr), file.path);
  hsize_t const one = 1;
  Object const memory(H5Screate_simple(1, &one, nullptr), H5Sclose, file.path);
  double const zero = 0;
  check(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, &zero), file.path);
}

}  // namespace

Silence::Silence() {
  static std::recursive_mutex one_thread;
  alone_ = std::unique_lock(one_thread);
  begin();
}

Silence::~Silence() { end(); }

void Silence::begin() {
  H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

void Silence::end() { H5Eset_auto2(H5E_DEFAULT, function_, data_); }

void Silence::give_way() {
  end();
  alone_.unlock();
  std::this_thread::yield();
  alone_.lock();
  begin();
}

Object::Object(hid_t id, herr_t (*closer)(hid_t), std::filesystem::path const& path) : id_(id), close_(closer) {
  if (id < 0) throw_write_error(path, reason());
}

Object::~Object() {
  if (id_ >= 0) close_(id_);
}

bool Object::close() { return close_(std::exchange(id_, -1)) >= 0; }

void check(herr_t status, std::filesystem::path const& path) {
  if (status < 0) throw_write_error(path, reason());
}

std::string reason() {
  std::string found;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, find_reason, &found);
  return found.empty() ? "HDF5 gives no reason" : found;
}

Object declare(File const& file, std::string const& name, hid_t type, std::span<hsize_t const> dimensions) {
  return declare(file, name, type, dimensions, H5D_ALLOC_TIME_EARLY);
}

Object declare_counted(File const& file, std::string const& counter, std::string const& name, hid_t type,
                       std::span<hsize_t const> dimensions) {
  // Metadata of both datasets first, so that none is allocated between their data.
  Object const count = declare(file, counter, H5T_STD_U64LE, std::array{hsize_t{1}}, H5D_ALLOC_TIME_LATE);
  Object values = declare(file, name, type, dimensions, H5D_ALLOC_TIME_LATE);
  std::uint64_t bytes = H5Tget_size(type);
  for (hsize_t const extent : dimensions) bytes *= extent;
  check(H5Dwrite(count, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, &bytes), file.path);
  give_place(file, values, dimensions.size());
  Index const expected = place_in_file(file, count) + static_cast<Index>(sizeof(std::uint64_t));
  if (place_in_file(file, values) != expected) {
    throw DefectError(file.path.string() + ": HDF5 has not stored `" + name + "` directly after its number of bytes");
  }
  return values;
}

Object without_gaps(hsize_t user_block, std::filesystem::path const& path) {
  Object properties(H5Pcreate(H5P_FILE_CREATE), H5Pclose, path);
  check(H5Pset_userblock(properties, user_block), path);
  // Freed space is not reused.
  check(H5Pset_file_space_strategy(properties, H5F_FSPACE_STRATEGY_AGGR, false, 1), path);
  return properties;
}

Index place_in_file(File const& file, hid_t dataset) {
  haddr_t const place = H5Dget_offset(dataset);
  if (place == HADDR_UNDEF) throw_write_error(file.path, reason());
  return static_cast<Index>(place);
}

Object open_dataset(File const& file, std::string const& name) {
  return {H5Dopen2(file.object, name.c_str(), H5P_DEFAULT), H5Dclose, file.path};
}

Object create_group(File const& file, std::string const& name) {
  return {H5Gcreate2(file.object, name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose, file.path};
}

WithinFile::WithinFile(hid_t kind, std::filesystem::path const& path)
    : properties_(H5Pcreate(kind), H5Pclose, path), has_met_link_(std::make_unique<bool>(false)) {
  auto const refuse = [](char const*, char const*, char const*, char const*, unsigned*, hid_t, void* met) -> herr_t {
    *static_cast<bool*>(met) = true;
    return -1;
  };
  check(H5Pset_elink_cb(properties_, refuse, has_met_link_.get()), path);
}

bool has_values_elsewhere(File const& file, hid_t dataset) {
  Object const list(H5Dget_create_plist(dataset), H5Pclose, file.path);
  return H5Pget_layout(list) == H5D_VIRTUAL || H5Pget_external_count(list) > 0;
}

bool exists(File const& file, std::string const& name) {
  return H5Lexists(file.object, name.c_str(), WithinFile(H5P_LINK_ACCESS, file.path)) > 0;
}

std::optional<Object> find_dataset(File const& file, std::string const& name) {
  WithinFile const access(H5P_DATASET_ACCESS, file.path);
  hid_t const id = H5Dopen2(file.object, name.c_str(), access);
  if (access.has_met_link()) throw unreadable(file.path, "`" + shown(name) + "` is a link to another file");
  if (id < 0) return std::nullopt;
  Object dataset(id, H5Dclose, file.path);
  if (has_values_elsewhere(file, dataset))
    throw unreadable(file.path, "`" + shown(name) + "` has its values in other files");
  return dataset;
}

std::vector<Index> integers(File const& file, hid_t object, char const* name) {
  if (H5Aexists(object, name) <= 0) return {};
  Object const found(H5Aopen(object, name, H5P_DEFAULT), H5Aclose, file.path);
  Object const space(H5Aget_space(found), H5Sclose, file.path);
  hssize_t const count = H5Sget_simple_extent_npoints(space);
  if (count < 1 || count > 3) return {};
  std::vector<Index> numbers(static_cast<std::size_t>(count));
  if (H5Aread(found, H5T_NATIVE_INT64, numbers.data()) < 0) throw unreadable(file.path, reason());
  return numbers;
}

void set_attribute(File const& file, hid_t object, std::string const& name, std::string const& text) {
  Object const type = text_type(text, file.path);
  Object const space(H5Screate(H5S_SCALAR), H5Sclose, file.path);
  write_attribute(file, object, name, type, space, text.c_str());
}

void set_attribute(File const& file, hid_t object, std::string const& name, std::span<Index const> numbers) {
  hsize_t const count = numbers.size();
  Object const space(H5Screate_simple(1, &count, nullptr), H5Sclose, file.path);
  write_attribute(file, object, name, H5T_NATIVE_INT64, space, numbers.data());
}

void set_attribute(File const& file, hid_t object, std::string const& name, double number) {
  Object const space(H5Screate(H5S_SCALAR), H5Sclose, file.path);
  write_attribute(file, object, name, H5T_NATIVE_DOUBLE, space, &number);
}

void write_user_block(File const& file, std::string const& text) {
  Descriptor const own(partial_name(file.path), O_WRONLY | O_NOFOLLOW);
  if (own.number() < 0 || !write_all(own.number(), text)) throw_write_error(file.path, errno);
}

namespace {

void write_selected(File const& file, hid_t dataset, hid_t type, hid_t space, hsize_t numbers, void const* values) {
  Object const memory(H5Screate_simple(1, &numbers, nullptr), H5Sclose, file.path);
  errno = 0;
  if (H5Dwrite(dataset, type, memory, space, H5P_DEFAULT, values) >= 0) return;
  // MPI-IO does not report the system's error but leaves it in errno.
  if (errno != 0) throw_write_error(file.path, errno);
  throw_write_error(file.path, reason());
}

}  // namespace

void write_range(File const& file, hid_t dataset, hid_t type, Index first, Index count, Index per_entry,
                 void const* values) {
  if (count == 0) return;
  Object const space(H5Dget_space(dataset), H5Sclose, file.path);
  // Entries of several numbers are rows of a matrix, or consecutive in a list.
  Index const along_rows = H5Sget_simple_extent_ndims(space) == 2 ? 1 : per_entry;
  std::array<hsize_t, 2> const start{static_cast<hsize_t>(first * along_rows), 0};
  std::array<hsize_t, 2> const extent{static_cast<hsize_t>(count * along_rows), static_cast<hsize_t>(per_entry)};
  check(H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, extent.data(), nullptr), file.path);
  write_selected(file, dataset, type, space, static_cast<hsize_t>(count * per_entry), values);
}

void write_box(File const& file, hid_t dataset, hid_t type, Extents const& place, Extents const& extents,
               Index per_entry, void const* values) {
  if (extents[0] * extents[1] * extents[2] == 0) return;
  std::array<hsize_t, 4> start{};
  std::array<hsize_t, 4> count{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    start[2 - axis] = static_cast<hsize_t>(place[axis]);
    count[2 - axis] = static_cast<hsize_t>(extents[axis]);
  }
  count[3] = static_cast<hsize_t>(per_entry);
  Object const space(H5Dget_space(dataset), H5Sclose, file.path);
  check(H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr), file.path);
  write_selected(file, dataset, type, space, count[0] * count[1] * count[2] * count[3], values);
}

}  // namespace halocline::hdf5
