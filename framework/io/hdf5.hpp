#pragma once

#include <hdf5.h>

#include <array>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "framework/mesh/index_range.hpp"

/// The parts of HDF5 that output needs, with objects that close themselves and errors with reasons.
namespace halocline::hdf5 {

/// While one of these lives, HDF5 prints nothing and no other thread of this process uses it, since the library is not
/// thread-safe. All users of HDF5 need one; a thread may nest several.
class Silence {
 public:
  Silence();
  ~Silence();
  Silence(Silence const&) = delete;
  Silence& operator=(Silence const&) = delete;
  /// Lets a waiting thread use HDF5 first. Only for the outermost object of a thread.
  void give_way();

 private:
  void begin();
  void end();

  std::unique_lock<std::recursive_mutex> alone_;
  H5E_auto2_t function_ = nullptr;
  void* data_ = nullptr;
};

/// An HDF5 object. Created from the result of an HDF5 function and the function that closes it; a negative id throws
/// InputOutputError with HDF5's reason and the name of the file.
class Object {
 public:
  Object(hid_t id, herr_t (*closer)(hid_t), std::filesystem::path const& path);
  ~Object();
  Object(Object&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Object& operator=(Object&&) = delete;
  [[nodiscard]] hid_t id() const { return id_; }
  operator hid_t() const { return id_; }
  /// Closes it now; false on failure.
  [[nodiscard]] bool close();

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

/// Throws InputOutputError if `status` is negative.
void check(herr_t status, std::filesystem::path const& path);

/// The deepest reason in HDF5's error stack: "No space left on device".
[[nodiscard]] std::string reason();

/// An open file and its name, for messages.
struct File {
  Object object;
  std::filesystem::path path;
};

/// Declares a dataset and allocates its space in the file at once, without writing to it.
/// \param dimensions number of entries, then (if not 1) numbers per entry
Object declare(File const& file, std::string const& name, hid_t type, std::span<hsize_t const> dimensions);
/// Declares a dataset and allocates its space directly after `counter`, a dataset with one unsigned 64-bit number: the
/// size of the dataset in bytes. Writes nothing else. Requires a file created with `without_gaps`.
Object declare_counted(File const& file, std::string const& counter, std::string const& name, hid_t type,
                       std::span<hsize_t const> dimensions);
/// Property list for a file whose datasets are contiguous in the order of allocation, after `user_block` bytes that
/// HDF5 does not use (512 times a power of two, or 0).
[[nodiscard]] Object without_gaps(hsize_t user_block, std::filesystem::path const& path);
/// Offset of a dataset's first byte in the file.
[[nodiscard]] Index place_in_file(File const& file, hid_t dataset);
Object open_dataset(File const& file, std::string const& name);
Object create_group(File const& file, std::string const& name);

/// Access properties with which no link to another file is followed: that file would be read in the place of this one,
/// unverified, or be a pipe on which opening blocks.
class WithinFile {
 public:
  /// \param kind class of properties: H5P_DATASET_ACCESS, H5P_GROUP_ACCESS, H5P_LINK_ACCESS
  WithinFile(hid_t kind, std::filesystem::path const& path);
  WithinFile(WithinFile const&) = delete;
  WithinFile& operator=(WithinFile const&) = delete;
  operator hid_t() const { return properties_; }
  /// Whether such a link was met.
  [[nodiscard]] bool has_met_link() const { return *has_met_link_; }

 private:
  Object properties_;
  std::unique_ptr<bool> has_met_link_;
};

/// Whether the numbers of a dataset are in other files: in external storage, or because it is virtual.
[[nodiscard]] bool has_values_elsewhere(File const& file, hid_t dataset);
/// Whether there is a link of this name, within the file.
[[nodiscard]] bool exists(File const& file, std::string const& name);
/// Opens a dataset whose numbers are all in this file; empty if there is none of this name. Throws InputOutputError for
/// one that is, or has its numbers, in another file.
[[nodiscard]] std::optional<Object> find_dataset(File const& file, std::string const& name);
/// The integers of an attribute, of which we write at most three; empty if there is no such attribute, or one of more.
[[nodiscard]] std::vector<Index> integers(File const& file, hid_t object, char const* name);

void set_attribute(File const& file, hid_t object, std::string const& name, std::string const& text);
void set_attribute(File const& file, hid_t object, std::string const& name, std::span<Index const> numbers);
void set_attribute(File const& file, hid_t object, std::string const& name, double number);
/// Writes a text into the user block, at the beginning of a file that is not complete yet.
void write_user_block(File const& file, std::string const& text);

/// Writes `count` entries, starting with entry `first`; each has `per_entry` numbers of `type`.
void write_range(File const& file, hid_t dataset, hid_t type, Index first, Index count, Index per_entry,
                 void const* values);

/// Writes a box of a dataset that is indexed (z, y, x), with a further last axis if entries have several numbers:
/// `extents` entries, starting at `place`. `values` are packed, x fastest, with `per_entry` numbers of `type` each.
void write_box(File const& file, hid_t dataset, hid_t type, Extents const& place, Extents const& extents,
               Index per_entry, void const* values);

}  // namespace halocline::hdf5
