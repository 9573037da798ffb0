#include "framework/io/direct_driver.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

namespace halocline::hdf5 {

namespace {

/// Settings passed to `open` by a property list.
struct Settings {
  int* error;
};

/// An open file; HDF5 accesses it by its first member.
struct DirectFile {
  H5FD_t known = {};
  int descriptor = -1;
  haddr_t end_of_addresses = 0;
  haddr_t end_of_file = 0;
  int* error = nullptr;
};

DirectFile& of(H5FD_t* file) { return *reinterpret_cast<DirectFile*>(file); }
DirectFile const& of(H5FD_t const* file) { return *reinterpret_cast<DirectFile const*>(file); }

void remember(DirectFile const& file) {
  if (*file.error == 0) *file.error = errno;
}

H5FD_t* open_file(char const* name, unsigned flags, hid_t access, haddr_t) {
  auto file = std::make_unique<DirectFile>();
  file->error = static_cast<Settings const*>(H5Pget_driver_info(access))->error;
  int mode = (flags & H5F_ACC_RDWR) != 0 ? O_RDWR : O_RDONLY;
  if ((flags & H5F_ACC_CREAT) != 0) mode |= O_CREAT;
  if ((flags & H5F_ACC_TRUNC) != 0) mode |= O_TRUNC;
  if ((flags & H5F_ACC_EXCL) != 0) mode |= O_EXCL;
  struct stat status {};
  file->descriptor = open(name, mode | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (file->descriptor < 0 || fstat(file->descriptor, &status) != 0) {
    remember(*file);
    if (file->descriptor >= 0) close(file->descriptor);
    return nullptr;
  }
  file->end_of_file = static_cast<haddr_t>(status.st_size);
  return &file.release()->known;
}

herr_t close_file(H5FD_t* file) {
  std::unique_ptr<DirectFile> const owned(&of(file));
  if (close(owned->descriptor) != 0) remember(*owned);
  return 0;
}

herr_t list_features(H5FD_t const*, unsigned long* flags) {
  if (flags != nullptr) *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA;
  return 0;
}

haddr_t end_of_addresses(H5FD_t const* file, H5FD_mem_t) { return of(file).end_of_addresses; }

herr_t set_end_of_addresses(H5FD_t* file, H5FD_mem_t, haddr_t address) {
  of(file).end_of_addresses = address;
  return 0;
}

haddr_t end_of_file(H5FD_t const* file, H5FD_mem_t) { return of(file).end_of_file; }

/// Reads zeros beyond the file's end.
herr_t read_part(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, std::size_t bytes, void* to) {
  auto* place = static_cast<char*>(to);
  while (bytes > 0) {
    ssize_t const got = pread(of(file).descriptor, place, bytes, static_cast<off_t>(address));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return -1;
    if (got == 0) {
      std::memset(place, 0, bytes);
      return 0;
    }
    place += got;
    address += static_cast<haddr_t>(got);
    bytes -= static_cast<std::size_t>(got);
  }
  return 0;
}

herr_t write_part(H5FD_t* known, H5FD_mem_t, hid_t, haddr_t address, std::size_t bytes, void const* from) {
  DirectFile& file = of(known);
  auto const* place = static_cast<char const*>(from);
  while (bytes > 0 && *file.error == 0) {
    ssize_t const put = pwrite(file.descriptor, place, bytes, static_cast<off_t>(address));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) {
      remember(file);
      return 0;
    }
    place += put;
    address += static_cast<haddr_t>(put);
    bytes -= static_cast<std::size_t>(put);
  }
  file.end_of_file = std::max(file.end_of_file, address);
  return 0;
}

herr_t truncate_file(H5FD_t* known, hid_t, hbool_t) {
  DirectFile& file = of(known);
  if (file.end_of_addresses == file.end_of_file) return 0;
  if (*file.error == 0 && ftruncate(file.descriptor, static_cast<off_t>(file.end_of_addresses)) != 0) remember(file);
  file.end_of_file = file.end_of_addresses;
  return 0;
}

hid_t register_driver() {
  H5FD_class_t driver{};
  driver.name = "halocline_direct";
  driver.maxaddr = (haddr_t{1} << 63) - 1;
  driver.fc_degree = H5F_CLOSE_WEAK;
  driver.fapl_size = sizeof(Settings);
  driver.open = open_file;
  driver.close = close_file;
  driver.query = list_features;
  driver.get_eoa = end_of_addresses;
  driver.set_eoa = set_end_of_addresses;
  driver.get_eof = end_of_file;
  driver.read = read_part;
  driver.write = write_part;
  driver.truncate = truncate_file;
  std::fill(std::begin(driver.fl_map), std::end(driver.fl_map), H5FD_MEM_SUPER);
  return H5FDregister(&driver);
}

}  // namespace

Object direct_access(int& error, std::filesystem::path const& path) {
  static hid_t const driver = register_driver();
  Object properties(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, path);
  Settings const settings{&error};
  check(H5Pset_driver(properties, driver, &settings), path);
  // From this file format on, dataset metadata has checksums.
  check(H5Pset_libver_bounds(properties, H5F_LIBVER_V18, H5F_LIBVER_LATEST), path);
  return properties;
}

}  // namespace halocline::hdf5
