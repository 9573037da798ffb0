#pragma once

#include <cstdlib>
#include <filesystem>
#include <new>
#include <string>
#include <system_error>

#include "framework/runtime/communicator.hpp"
#include "tests/support/communicator.hpp"

namespace halocline::test {

/// A new folder known to all ranks, removed when they are done with it. Collective.
class SharedFolder {
 public:
  SharedFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "halocline_XXXXXX").string();
    if (communicator().rank() == 0 && mkdtemp(name.data()) == nullptr) throw std::bad_alloc();
    communicator().broadcast(name, 0);
    path_ = name;
  }
  ~SharedFolder() {
    std::error_code ignored;
    communicator().barrier();
    if (communicator().rank() == 0) std::filesystem::remove_all(path_, ignored);
  }
  SharedFolder(SharedFolder const&) = delete;
  SharedFolder& operator=(SharedFolder const&) = delete;
  [[nodiscard]] std::filesystem::path const& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace halocline::test
