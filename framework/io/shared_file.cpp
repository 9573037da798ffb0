#include "framework/io/shared_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <exception>
#include <optional>

#include "framework/io/direct_driver.hpp"
#include "framework/io/whole_file.hpp"
#include "framework/runtime/region.hpp"
#include "framework/runtime/throw_site.hpp"

namespace halocline {

namespace {

/// Runs `work` unless there was a failure before; stores its exception.
void attempt(std::exception_ptr& failure, auto&& work) {
  if (failure) return;
  try {
    work();
  } catch (...) {
    failure = std::current_exception();
  }
}

/// Allocates the file's disk space now, so that a full disk is detected on one rank before all ranks write. File
/// systems that do not support this report a full disk later.
void reserve(std::filesystem::path const& partial, std::filesystem::path const& path) {
  int const file = open(partial.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC);
  if (file < 0) throw_write_error(path, errno);
  off_t const size = lseek(file, 0, SEEK_END);
  int const error = fallocate(file, 0, 0, size) == 0 ? 0 : errno;
  close(file);
  if (error != 0 && error != EOPNOTSUPP && error != ENOSYS) throw_write_error(path, error);
}

/// Access of a rank to the file: by MPI-IO if the ranks are on several hosts, whose file systems need it; directly
/// within one host, where the kernel keeps concurrent writes consistent.
class Access {
 public:
  Access(std::filesystem::path const& path, Communicator const* sharing) : path_(path), properties_(open(sharing)) {}
  [[nodiscard]] hid_t properties() const { return properties_; }
  /// Throws the system's error if a write failed.
  void check() const {
    if (error_ != 0) throw_write_error(path_, error_);
  }

 private:
  hdf5::Object open(Communicator const* sharing) {
    if (sharing == nullptr || sharing->hosts() == 1) return hdf5::direct_access(error_, path_);
    hdf5::Object properties(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, path_);
    hdf5::check(H5Pset_fapl_mpio(properties, sharing->data(), MPI_INFO_NULL), path_);
    return properties;
  }

  std::filesystem::path const& path_;
  int error_ = 0;
  hdf5::Object properties_;
};

/// Opens a file by `open`, runs `work` on it, and closes it on every rank, even after a failure.
void with_file(Access const& access, std::filesystem::path const& path, auto&& open, auto&& work) {
  std::exception_ptr failure;
  bool closed = true;
  {
    hid_t const id = open(partial_name(path).c_str(), access.properties());
    if (id < 0) access.check();
    hdf5::File file{{id, H5Fclose, path}, path};
    attempt(failure, [&] { work(file); });
    closed = file.object.close();
  }
  access.check();
  if (failure) std::rethrow_exception(failure);
  if (!closed) throw_write_error(path, hdf5::reason());
}

void declare_file(std::filesystem::path const& path, std::function<void(hdf5::File const&)> const& declare,
                  Index user_block) {
  Access const access(path, nullptr);
  std::optional<hdf5::Object> layout;
  if (user_block > 0) layout.emplace(hdf5::without_gaps(static_cast<hsize_t>(user_block), path));
  auto const create = [&](char const* name, hid_t properties) {
    // A file of that name belongs to no run, or to a failed attempt of this one.
    unlink(name);
    return H5Fcreate(name, H5F_ACC_EXCL, layout ? layout->id() : H5P_DEFAULT, properties);
  };
  with_file(access, path, create, declare);
  reserve(partial_name(path), path);
}

void fill_file(Communicator const& communicator, std::filesystem::path const& path,
               std::function<void(hdf5::File const&)> const& fill) {
  Access const access(path, &communicator);
  // MPI-IO follows links.
  if (std::filesystem::is_symlink(partial_name(path))) throw_write_error(path, ELOOP);
  auto const open = [](char const* name, hid_t properties) { return H5Fopen(name, H5F_ACC_RDWR, properties); };
  with_file(access, path, open, [&](hdf5::File const& file) {
    throw_site(ThrowSite::hdf5_write);
    fill(file);
  });
}

void seal_file(std::filesystem::path const& path, std::function<void(hdf5::File const&)> const& write) {
  Access const access(path, nullptr);
  auto const open = [](char const* name, hid_t properties) { return H5Fopen(name, H5F_ACC_RDWR, properties); };
  with_file(access, path, open, write);
}

}  // namespace

void write_shared_file(Communicator const& communicator, std::filesystem::path const& path,
                       std::function<void(hdf5::File const&)> const& declare,
                       std::function<void(hdf5::File const&)> const& fill, Index user_block,
                       SharedFileSeal const& seal) {
  ScopedRegion const region("io/shared file");
  hdf5::Silence const silence;
  FileSizeSignalIgnored const ignored;
  bool const first = communicator.rank() == 0;
  std::exception_ptr failure;
  try {
    attempt(failure, [&] {
      if (first) declare_file(path, declare, user_block);
    });
    communicator.agree(failure);
    attempt(failure, [&] { fill_file(communicator, path, fill); });
    if (seal.combine) {
      communicator.agree(failure);
      seal.combine();
      attempt(failure, [&] {
        if (first) seal_file(path, seal.write);
      });
    }
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
