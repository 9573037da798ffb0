#include "framework/io/hdf5.hpp"

#include <cerrno>
#include <thread>
#include <vector>

#include "framework/io/whole_file.hpp"

namespace halocline::hdf5 {

namespace {

/// The text between the quotation marks that follow `label`; empty when there is none.
std::string quoted_after(std::string const& text, std::string const& label) {
  std::size_t const at = text.find(label);
  if (at == std::string::npos) return "";
  std::size_t const open = text.find('\'', at);
  std::size_t const close = open == std::string::npos ? open : text.find('\'', open + 1);
  return close == std::string::npos ? "" : text.substr(open + 1, close - open - 1);
}

/// Keeps what the operating system or MPI said if it is somewhere on the stack; else the deepest description.
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
  return found.empty() ? "HDF5 does not say why" : found;
}

Object declare(File const& file, std::string const& name, hid_t type, std::span<hsize_t const> dimensions) {
  Object const space(H5Screate_simple(static_cast<int>(dimensions.size()), dimensions.data(), nullptr), H5Sclose,
                     file.path);
  Object const properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, file.path);
  check(H5Pset_alloc_time(properties, H5D_ALLOC_TIME_EARLY), file.path);
  check(H5Pset_fill_time(properties, H5D_FILL_TIME_NEVER), file.path);
  check(H5Pset_obj_track_times(properties, 0), file.path);
  return {H5Dcreate2(file.object, name.c_str(), type, space, H5P_DEFAULT, properties, H5P_DEFAULT), H5Dclose,
          file.path};
}

Object open_dataset(File const& file, std::string const& name) {
  return {H5Dopen2(file.object, name.c_str(), H5P_DEFAULT), H5Dclose, file.path};
}

Object create_group(File const& file, std::string const& name) {
  return {H5Gcreate2(file.object, name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose, file.path};
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

namespace {

/// `rows` pieces of `length` entries each, one every `distance` entries.
struct Rows {
  Index first;
  Index length;
  Index rows = 1;
  Index distance = 1;
};

void write_rows(File const& file, hid_t dataset, hid_t type, Rows const& rows, Index per_entry, void const* values) {
  Object const space(H5Dget_space(dataset), H5Sclose, file.path);
  // Entries of several numbers are rows of a matrix, or lie end to end in a list.
  bool const matrix = H5Sget_simple_extent_ndims(space) == 2;
  auto const place = [&](Index entry) { return static_cast<hsize_t>(matrix ? entry : entry * per_entry); };
  std::array<hsize_t, 2> const start{place(rows.first), 0};
  std::array<hsize_t, 2> const stride{place(rows.distance), static_cast<hsize_t>(per_entry)};
  std::array<hsize_t, 2> const count{static_cast<hsize_t>(rows.rows), 1};
  std::array<hsize_t, 2> const block{place(rows.length), static_cast<hsize_t>(per_entry)};
  check(H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), stride.data(), count.data(), block.data()), file.path);
  auto const numbers = static_cast<hsize_t>(rows.length * rows.rows * per_entry);
  Object const memory(H5Screate_simple(1, &numbers, nullptr), H5Sclose, file.path);
  errno = 0;
  if (H5Dwrite(dataset, type, memory, space, H5P_DEFAULT, values) >= 0) return;
  // MPI-IO does not pass on what the system said, but leaves it there.
  if (errno != 0) throw_write_error(file.path, errno);
  throw_write_error(file.path, reason());
}

}  // namespace

void write_range(File const& file, hid_t dataset, hid_t type, Index first, Index count, Index per_entry,
                 void const* values) {
  if (count > 0) write_rows(file, dataset, type, {first, count, 1, count}, per_entry, values);
}

void write_box(File const& file, hid_t dataset, hid_t type, Extents const& whole, Extents const& place,
               Extents const& extents, Index per_entry, void const* values) {
  Index const plane = extents[0] * extents[1];
  if (plane * extents[2] == 0) return;
  Index const first = place[0] + whole[0] * (place[1] + whole[1] * place[2]);
  if (extents[0] == whole[0] && extents[1] == whole[1]) {
    return write_range(file, dataset, type, first, plane * extents[2], per_entry, values);
  }
  Index const bytes = plane * per_entry * static_cast<Index>(H5Tget_size(type));
  for (Index k = 0; k < extents[2]; ++k) {
    Rows const rows{first + k * whole[0] * whole[1], extents[0], extents[1], whole[0]};
    write_rows(file, dataset, type, rows, per_entry, static_cast<std::byte const*>(values) + k * bytes);
  }
}

}  // namespace halocline::hdf5
