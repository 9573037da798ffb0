#include "framework/runtime/kept_answer.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

namespace halocline {
namespace {

namespace fs = std::filesystem;

constexpr char const* question = "question";

/// A temporary folder for one rank.
class KeptAnswer : public testing::Test {
 protected:
  KeptAnswer() { fs::create_directories(path_); }
  ~KeptAnswer() override { fs::remove_all(path_); }

  fs::path path_ = fs::temp_directory_path() / ("halocline-kept-" + std::to_string(getpid()));
};

std::ptrdiff_t files(fs::path const& folder) {
  return std::distance(fs::directory_iterator(folder), fs::directory_iterator());
}

TEST_F(KeptAnswer, IsThatOfItsQuestionAndKey) {
  fs::path const folder = path_ / "new" / "halocline";
  EXPECT_FALSE(kept_answer(folder, question, "a: 1\n").has_value());
  keep_answer(folder, question, "a: 1\n", "");
  keep_answer(folder, question, "a: 2\n", "it crashes");
  EXPECT_EQ(kept_answer(folder, question, "a: 1\n"), "");
  EXPECT_EQ(kept_answer(folder, question, "a: 2\n"), "it crashes");
  EXPECT_FALSE(kept_answer(folder, question, "a: 3\n").has_value());
  EXPECT_FALSE(kept_answer(folder, "another", "a: 1\n").has_value());
  keep_answer(folder, question, "a: 1\n", "no more");
  EXPECT_EQ(kept_answer(folder, question, "a: 1\n"), "no more");
  EXPECT_EQ(files(folder), 2) << "nothing else is left";
}

TEST_F(KeptAnswer, IsNoneThatIsNotWhole) {
  keep_answer(path_, question, "a: 1\n", "it crashes");
  ASSERT_EQ(files(path_), 1);
  fs::path const file = file_of_answer(path_, question, "a: 1\n");
  for (char const* const text : {"", "a: 1\n", "a: 1\nanswer: ", "a: 1\nanswer: it cra", "a: 2\nanswer: \n"}) {
    std::ofstream(file) << text;
    EXPECT_FALSE(kept_answer(path_, question, "a: 1\n").has_value()) << text;
  }
}

TEST_F(KeptAnswer, IsNoReasonToFail) {
  std::ofstream(path_ / "file") << "in the way";
  for (fs::path const& folder : {path_ / "file", path_ / "file" / "below", fs::path()}) {
    keep_answer(folder, question, "a: 1\n", "");
    EXPECT_FALSE(kept_answer(folder, question, "a: 1\n").has_value()) << folder;
  }
  EXPECT_EQ(files(path_), 1);
}

}  // namespace
}  // namespace halocline
