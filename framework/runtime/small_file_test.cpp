#include "framework/runtime/small_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "framework/runtime/error.hpp"

namespace halocline {
namespace {

namespace fs = std::filesystem;

class SmallFile : public testing::Test {
 protected:
  SmallFile() {
    std::string name = (fs::temp_directory_path() / "halocline_XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::bad_alloc();
    folder = name;
    file = folder / "file";
  }
  ~SmallFile() override { fs::remove_all(folder); }

  [[nodiscard]] std::string refusal() const {
    try {
      static_cast<void>(small_file(file, 1U << 20U));
    } catch (InputError const& error) {
      std::string const text = error.what();
      return text.starts_with(file.string() + ": ") ? text.substr(file.string().size() + 2) : text;
    }
    return "none";
  }

  fs::path folder;
  fs::path file;
};

TEST_F(SmallFile, IsReadWhole) {
  EXPECT_EQ(small_file(file), std::nullopt);
  std::ofstream(file) << std::string(100000, 'x') << '\0';
  EXPECT_EQ(small_file(file), std::string(100000, 'x') + '\0');
  EXPECT_EQ(small_file(file / "below"), std::nullopt);
}

TEST_F(SmallFile, ALinkIntoNowhereIsNone) {
  fs::create_symlink("nowhere", file);
  EXPECT_EQ(small_file(file), std::nullopt);
}

TEST_F(SmallFile, ALargeFileIsRefused) {
  std::ofstream(file).seekp(1 << 20).put('x');
  EXPECT_EQ(refusal(), "is larger than 1 MiB");
}

TEST_F(SmallFile, WhatIsNoFileIsRefusedAtOnce) {
  fs::create_directory(file);
  EXPECT_EQ(refusal(), "is a folder, not a file");
  fs::remove(file);
  ASSERT_EQ(mkfifo(file.c_str(), 0600), 0);
  EXPECT_EQ(refusal(), "is a pipe or a device, not a file");
  fs::remove(file);
  fs::create_symlink("/dev/zero", file);
  EXPECT_EQ(refusal(), "is a pipe or a device, not a file");
  fs::remove(file);
  fs::create_symlink("file", file);
  EXPECT_EQ(refusal(), "cannot be read: Too many levels of symbolic links");
}

}  // namespace
}  // namespace halocline
