#pragma once

#include <hdf5.h>

#include <array>
#include <filesystem>
#include <mutex>
#include <span>
#include <string>
#include <utility>

#include "framework/mesh/index_range.hpp"

/// The little of HDF5 that output needs: objects that close themselves, errors that say why.
namespace halocline::hdf5 {

/// While one of these lives, HDF5 prints nothing, and no other thread of this process works with it: the library is not
/// made for several. Whoever uses HDF5 has one; the same thread may have several.
class Silence {
 public:
  Silence();
  ~Silence();
  Silence(Silence const&) = delete;
  Silence& operator=(Silence const&) = delete;
  /// Lets another thread go first, where one waits. For the outermost of a thread's.
  void give_way();

 private:
  void begin();
  void end();

  std::unique_lock<std::recursive_mutex> alone_;
  H5E_auto2_t function_ = nullptr;
  void* data_ = nullptr;
};

/// An HDF5 object. Made from what an HDF5 function returned and the function that closes it; a negative id throws
/// InputOutputError with what HDF5 says and the name of the file.
class Object {
 public:
  Object(hid_t id, herr_t (*closer)(hid_t), std::filesystem::path const& path);
  ~Object();
  Object(Object&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Object& operator=(Object&&) = delete;
  [[nodiscard]] hid_t id() const { return id_; }
  operator hid_t() const { return id_; }
  /// Closes it now; false if that failed.
  [[nodiscard]] bool close();

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

/// Throws InputOutputError when `status` is negative.
void check(herr_t status, std::filesystem::path const& path);

/// What HDF5's error stack says at its bottom: "No space left on device".
[[nodiscard]] std::string reason();

/// An open file and its name, for messages.
struct File {
  Object object;
  std::filesystem::path path;
};

/// Declares a dataset that has its place in the file at once, and nothing written there.
/// \param dimensions number of entries, then (if not 1) numbers per entry
Object declare(File const& file, std::string const& name, hid_t type, std::span<hsize_t const> dimensions);
/// Declares a dataset that has its place in the file at once, right behind one of a single unsigned number of 64 bits,
/// `counter`, which is the dataset's number of bytes. Nothing else is written. Needs a file that was made by
/// `without_gaps`.
Object declare_counted(File const& file, std::string const& counter, std::string const& name, hid_t type,
                       std::span<hsize_t const> dimensions);
/// How to make a file in which datasets lie one behind the other as they get their places, after `user_block` bytes
/// that are no part of HDF5's (512 times a power of two, or 0).
[[nodiscard]] Object without_gaps(hsize_t user_block, std::filesystem::path const& path);
/// Where the first byte of a dataset lies in the file.
[[nodiscard]] Index place_in_file(File const& file, hid_t dataset);
Object open_dataset(File const& file, std::string const& name);
Object create_group(File const& file, std::string const& name);

void set_attribute(File const& file, hid_t object, std::string const& name, std::string const& text);
void set_attribute(File const& file, hid_t object, std::string const& name, std::span<Index const> numbers);
void set_attribute(File const& file, hid_t object, std::string const& name, double number);
/// Writes a text into the bytes that HDF5 leaves to others, at the beginning of a file that is not whole yet.
void write_user_block(File const& file, std::string const& text);

/// Writes `count` entries from entry `first` on, each of `per_entry` numbers of `type`.
void write_range(File const& file, hid_t dataset, hid_t type, Index first, Index count, Index per_entry,
                 void const* values);

/// Writes a box of a dataset that is indexed (z, y, x), with a last axis more for entries of several numbers: `extents`
/// entries from `place` on. `values` are packed, x fastest, `per_entry` numbers of `type` each.
void write_box(File const& file, hid_t dataset, hid_t type, Extents const& place, Extents const& extents,
               Index per_entry, void const* values);

}  // namespace halocline::hdf5
