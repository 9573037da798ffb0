#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "framework/deck/deck.hpp"
#include "framework/runtime/error.hpp"
#include "tests/support/communicator.hpp"

namespace halocline {
namespace {

/// A file that exists for rank 0 only; on other ranks its name refers to no file.
class FileOfRank0 {
 public:
  explicit FileOfRank0(std::string const& text) {
    if (test::communicator().rank() != 0) return;
    path_ = std::filesystem::temp_directory_path() / ("halocline-deck-" + std::to_string(getpid()));
    std::ofstream(path_, std::ios::binary) << text;
  }
  ~FileOfRank0() {
    if (test::communicator().rank() == 0) std::filesystem::remove(path_);
  }
  FileOfRank0(FileOfRank0 const&) = delete;
  FileOfRank0& operator=(FileOfRank0 const&) = delete;

  [[nodiscard]] std::string path() const { return path_; }

 private:
  std::filesystem::path path_ = "/no/such/file";
};

/// The error message of loading, on any rank.
std::string refusal(std::string const& path) {
  try {
    (void)Deck::load(path, {}, test::communicator());
  } catch (Error const& error) {
    EXPECT_EQ(error.exit_code(), ExitCode::wrong_input);
    return error.what();
  }
  return "";
}

Section root_section() {
  Section root("", "A run.");
  root.integer("n", "A number.");
  return root;
}

TEST(DeckLoad, GivesRank0sTextToAllRanks) {
  FileOfRank0 const file("n: 42 # " + std::string(100000, 'x') + "\n");
  Deck const deck = Deck::load(file.path(), {}, test::communicator());
  EXPECT_EQ(deck.text().size(), 100009U);
  EXPECT_EQ(deck.read(root_section()).integer("n"), 42);
}

TEST(DeckLoad, SaysTheSameOnAllRanks) {
  EXPECT_EQ(refusal("/no/such/file"), "`/no/such/file`: cannot be read: No such file or directory");
}

TEST(DeckLoad, RefusesFoldersAndHugeFilesOnAllRanks) {
  EXPECT_EQ(refusal("/"), "`/`: this is a folder, not a deck");
  EXPECT_EQ(refusal("/dev/zero"), "`/dev/zero`: larger than 16 MiB, the most a deck may be");
}

}  // namespace
}  // namespace halocline
