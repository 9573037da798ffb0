#include "framework/io/shared_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <exception>

#include "framework/io/whole_file.hpp"
#include "framework/runtime/region.hpp"
#include "framework/runtime/throw_site.hpp"

namespace halocline {

namespace {

/// Runs `work` unless something failed before; what it throws is kept for later.
void attempt(std::exception_ptr& failure, auto&& work) {
  if (failure) return;
  try {
    work();
  } catch (...) {
    failure = std::current_exception();
  }
}

/// Takes the file's space on the disk now, so that a full disk shows here, on one rank, and not in the middle of what
/// all ranks write. File systems that cannot do that are left to find out.
void reserve(std::filesystem::path const& partial, std::filesystem::path const& path) {
  int const file = open(partial.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) throw_write_error(path, errno);
  off_t const size = lseek(file, 0, SEEK_END);
  int const error = fallocate(file, 0, 0, size) == 0 ? 0 : errno;
  close(file);
  if (error != 0 && error != EOPNOTSUPP && error != ENOSYS) throw_write_error(path, error);
}

void declare_file(std::filesystem::path const& path, std::function<void(hdf5::File const&)> const& declare) {
  std::filesystem::path const partial = partial_name(path);
  hdf5::Object const properties(H5Pcreate(H5P_FILE_CREATE), H5Pclose, path);
  hdf5::File file{{H5Fcreate(partial.c_str(), H5F_ACC_TRUNC, properties, H5P_DEFAULT), H5Fclose, path}, path};
  declare(file);
  if (!file.object.close()) throw_write_error(path, hdf5::reason());
  reserve(partial, path);
}

hdf5::Object access(Communicator const& communicator, std::filesystem::path const& path) {
  hdf5::Object properties(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, path);
  // One rank has nobody to share the file with, and saves the start of MPI-IO.
  if (communicator.size() > 1) hdf5::check(H5Pset_fapl_mpio(properties, communicator.data(), MPI_INFO_NULL), path);
  return properties;
}

void fill_file(Communicator const& communicator, std::filesystem::path const& path, std::exception_ptr& failure,
               std::function<void(hdf5::File const&)> const& fill) {
  // Opening and closing are collective: no rank leaves before it has closed.
  hdf5::Object const properties = access(communicator, path);
  hdf5::File file{{H5Fopen(partial_name(path).c_str(), H5F_ACC_RDWR, properties), H5Fclose, path}, path};
  attempt(failure, [&] {
    throw_site(ThrowSite::hdf5_write);
    fill(file);
  });
  bool const closed = file.object.close();
  attempt(failure, [&] {
    if (!closed) throw_write_error(path, hdf5::reason());
  });
}

}  // namespace

void write_shared_file(Communicator const& communicator, std::filesystem::path const& path,
                       std::function<void(hdf5::File const&)> const& declare,
                       std::function<void(hdf5::File const&)> const& fill) {
  ScopedRegion const region("io/shared file");
  hdf5::Silence const silence;
  FileSizeSignalIgnored const ignored;
  bool const first = communicator.rank() == 0;
  std::exception_ptr failure;
  try {
    attempt(failure, [&] {
      if (first) declare_file(path, declare);
    });
    communicator.agree(failure);
    attempt(failure, [&] { fill_file(communicator, path, failure, fill); });
    attempt(failure, [&] {
      if (communicator.local_rank() == 0) sync_file(partial_name(path));
    });
    communicator.agree(failure);
    attempt(failure, [&] {
      if (first) give_name(path);
    });
    communicator.agree(failure);
  } catch (...) {
    if (first) unlink(partial_name(path).c_str());
    throw;
  }
}

}  // namespace halocline
