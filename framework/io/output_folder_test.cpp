#include "framework/io/output_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "framework/io/whole_file.hpp"
#include "framework/runtime/environment.hpp"
#include "framework/runtime/error.hpp"
#include "tests/support/communicator.hpp"

namespace halocline {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

LockAttempt no_locks(int, LockPart) { return LockAttempt::unsupported; }

/// A scratch folder for each rank, on both kinds of file systems: with and without locks.
class OutputFolder : public testing::TestWithParam<bool> {
 protected:
  OutputFolder() {
    std::string name = (fs::temp_directory_path() / "halocline_XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::bad_alloc();
    folder = name;
    out = folder / "out";
  }
  ~OutputFolder() override {
    std::error_code ignored;
    fs::remove_all(folder, ignored);
  }

  static std::string refusal(std::function<void()> const& function) {
    try {
      function();
    } catch (InputError const& error) {
      return error.what();
    }
    return "";
  }
  [[nodiscard]] std::string refusal_of(fs::path const& path, bool overwrite) const {
    return refusal([&] { FolderClaim const claim(path, overwrite, lock); });
  }
  void leave_lock(std::string const& text) const {
    fs::create_directories(out);
    std::ofstream(out / lock_name) << "A run\n" << text;
  }
  [[nodiscard]] static std::string line(ProcessIdentity const& process, std::string const& host = host_name()) {
    return host + ' ' + std::to_string(process.number) + ' ' + std::to_string(process.start) + '\n';
  }

  LockFunction lock = GetParam() ? LockFunction(lock_by_system) : LockFunction(no_locks);
  fs::path folder;
  fs::path out;
  [[nodiscard]] std::string in_use() const {
    return out.string() + " is in use by another run, process " + std::to_string(getpid()) + " of " + host_name() +
           "; --output chooses another folder";
  }
};
INSTANTIATE_TEST_SUITE_P(FileSystems, OutputFolder, testing::Values(true, false),
                         [](auto const& kind) { return kind.param ? "WithLocks" : "WithoutLocks"; });

TEST(OutputFolderName, IsThatOfTheDeck) {
  EXPECT_EQ(default_output_folder("decks/plate.yaml"), "plate.out");
  EXPECT_EQ(default_output_folder("/abs/tea_bm_2.in"), "tea_bm_2.out");
  EXPECT_EQ(default_output_folder("noextension"), "noextension.out");
}

TEST_P(OutputFolder, ThatHoldsARunIsRefused) {
  for (std::string const file : {"summary.json", "snapshot_000010.vti", "scalars.csv"}) {
    fs::path const used = folder / ("used_" + file);
    fs::create_directory(used);
    EXPECT_EQ(refusal_of(used, false), "");
    write_whole_file(used / file, "");
    EXPECT_EQ(refusal_of(used, false),
              used.string() + " holds a run already; --overwrite replaces it, --output chooses another folder");
    EXPECT_EQ(refusal_of(used, true), "");
    EXPECT_TRUE(fs::exists(used / file)) << "claiming touches nothing";
    EXPECT_FALSE(fs::exists(used / lock_name));
  }
}

TEST_P(OutputFolder, CannotBeAFile) {
  fs::path const file = folder / "file";
  write_whole_file(file, "");
  EXPECT_EQ(refusal_of(file, true),
            file.string() + " cannot be the output folder: " + file.string() + " is not a folder");
  EXPECT_EQ(refusal_of(file / "b", false),
            (file / "b").string() + " cannot be the output folder: " + file.string() + " is not a folder");
  fs::path const link = folder / "link";
  fs::create_symlink("nowhere", link);
  EXPECT_EQ(refusal_of(link, false),
            link.string() + " cannot be the output folder: " + link.string() + " is not a folder");
}

TEST_P(OutputFolder, IsGoneWithAClaimThatNothingCameOf) {
  fs::create_directory(folder / "a");
  for (fs::path const& path : {folder / "a" / "b" / "c", folder / "a" / "d" / ".." / "e", folder / "a" / "f" / ""}) {
    {
      FolderClaim const claim(path, false, lock);
      EXPECT_TRUE(fs::exists(path / lock_name));
    }
    EXPECT_TRUE(fs::is_empty(folder / "a")) << path;
  }
  {
    FolderClaim const claim(out, false, lock);
    write_whole_file(out / "summary.json", "");
  }
  EXPECT_TRUE(fs::exists(out / "summary.json"));
  EXPECT_FALSE(fs::exists(out / lock_name));
}

TEST_P(OutputFolder, IsOneRunsUntilItsEnd) {
  {
    FolderClaim const claim(out, false, lock);
    EXPECT_EQ(refusal_of(out, false), in_use());
    EXPECT_EQ(refusal_of(out, true), in_use());
    EXPECT_TRUE(fs::exists(out / lock_name)) << "the refused one has taken nothing away";
  }
  EXPECT_EQ(refusal_of(out, true), "");
}

TEST_P(OutputFolder, OfOneThatWasKilledIsTakenOver) {
  leave_lock(line({getpid(), 1}));
  EXPECT_EQ(refusal_of(out, false), "");
  EXPECT_FALSE(fs::exists(out / lock_name));
}

TEST_P(OutputFolder, IsJoinedByARankOfItsRun) {
  LockHolder const starter = this_holder();
  std::optional<FolderClaim> claim(std::in_place, out, false, lock);
  EXPECT_NE(refusal([&] {
              FolderClaim const other(out, LockHolder{host_name(), {getpid(), 1}}, lock);
            }),
            "")
      << "of another run";
  claim->leave_to_ranks();
  EXPECT_EQ(refusal_of(out, true), in_use());
  std::optional<FolderClaim> rank(std::in_place, out, starter, lock);
  EXPECT_EQ(refusal([&] { FolderClaim const second(out, starter, lock); }), in_use());
  rank.reset();
  EXPECT_TRUE(fs::exists(out / lock_name)) << "goes with the starter";
  claim.reset();
  EXPECT_FALSE(fs::exists(out));
  EXPECT_NE(refusal([&] { FolderClaim const late(out, starter, lock); }), "");
}

TEST_P(OutputFolder, StaysWithTheRankThatOutlivesItsStarter) {
  // The starter, a separate process, is killed once this rank has joined.
  std::array<int, 2> claimed{};
  ASSERT_EQ(pipe(claimed.data()), 0);
  pid_t const child = fork();
  if (child == 0) {
    FolderClaim claim(out, false, lock);
    claim.leave_to_ranks();
    _exit(write(claimed[1], "", 1) == 1 ? pause() : 1);
  }
  char byte = 0;
  ASSERT_EQ(read(claimed[0], &byte, 1), 1);
  LockHolder const starter{host_name(), process_of(child)};
  FolderClaim const rank(out, starter, lock);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_THAT(refusal_of(out, true), HasSubstr(" is in use by another run, process "));
}

TEST_P(OutputFolder, IsClearedOfTheOldRunAndNothingElse) {
  Communicator const& ranks = test::communicator();
  FolderClaim const claim(out, true, lock);
  for (char const* const name : {"summary.json", "snapshot_000001.vti", "snapshots.xdmf", "mesh.h5", "notes.txt",
                                 "snapshot_000002.vti.partial", "slice_u.png"}) {
    write_whole_file(out / name, "");
  }
  clear_output_folder(ranks, out);
  std::vector<std::string> left;
  for (auto const& entry : fs::directory_iterator(out)) left.push_back(entry.path().filename());
  if (ranks.rank() != 0) return;
  EXPECT_THAT(left, testing::UnorderedElementsAre("notes.txt", lock_name));
}

TEST_P(OutputFolder, LocksAreNeitherLinksNorPipes) {
  fs::create_directory(out);
  write_whole_file(folder / "precious", "mine");
  for (bool const link : {true, false}) {
    if (link) {
      fs::create_symlink(folder / "precious", out / lock_name);
    } else {
      ASSERT_EQ(mkfifo((out / lock_name).c_str(), 0600), 0);
    }
    EXPECT_EQ(refusal_of(out, true), (out / lock_name).string() + " is not a file of a run; delete it");
    fs::remove(out / lock_name);
  }
  std::ifstream file(folder / "precious");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), "mine");
}

TEST_P(OutputFolder, KeepsALockThatAnotherRunHasPutThere) {
  {
    FolderClaim const claim(out, false, lock);
    fs::remove(out / lock_name);
    leave_lock("another run's\n");
  }
  EXPECT_TRUE(fs::exists(out / lock_name));
}

/// The previous run ends and deletes its file after that is opened and before it is locked.
TEST_P(OutputFolder, IsTakenByAFileThatIsThere) {
  leave_lock(line({getpid(), 1}));
  int attempts = 0;
  FolderClaim const claim(out, true, [&](int descriptor, LockPart part) {
    if (++attempts == 1) fs::remove(out / lock_name);
    return lock(descriptor, part);
  });
  EXPECT_EQ(attempts, 2);
  EXPECT_TRUE(fs::exists(out / lock_name));
}

TEST_P(OutputFolder, IsTakenByOneOfManyAtOnce) {
  constexpr int processes = 8;
  constexpr int rounds = 12;
  for (bool const stale : {false, true}) {
    for (int round = 0; round < rounds; ++round) {
      if (stale) leave_lock(line({getpid(), 1}));
      std::array<int, 2> gate{};
      std::array<int, 2> taken{};
      ASSERT_EQ(pipe(gate.data()), 0);
      ASSERT_EQ(pipe(taken.data()), 0);
      std::vector<pid_t> children;
      for (int n = 0; n < processes; ++n) {
        children.push_back(fork());
        if (children.back() != 0) continue;
        close(gate[1]);
        char byte = 0;
        static_cast<void>(read(gate[0], &byte, 1));
        // The holder must live until all have tried.
        std::optional<FolderClaim> claim;
        bool const refused = !refusal([&] { claim.emplace(out, true, lock); }).empty();
        if (!refused && write(taken[1], "", 1) == 1) pause();
        _exit(3);
      }
      close(gate[0]);
      close(gate[1]);
      int ended = 0;
      for (; ended < processes - 1; ++ended) {
        int status = 0;
        ASSERT_GT(wait(&status), 0);
        ASSERT_EQ(WEXITSTATUS(status), 3);
      }
      close(taken[1]);
      char byte = 0;
      EXPECT_EQ(read(taken[0], &byte, 1), 1) << "nobody had it";
      close(taken[0]);
      EXPECT_FALSE(fs::exists(partial_name(out / lock_name))) << "of one that gave up";
      for (pid_t const child : children) kill(child, SIGKILL);
      ASSERT_GT(wait(nullptr), 0);
      fs::remove_all(out);
    }
  }
}

TEST(OutputFolderWithoutLocks, IsValidatedByTheFileAlone) {
  std::string name = (fs::temp_directory_path() / "halocline_XXXXXX").string();
  ASSERT_NE(mkdtemp(name.data()), nullptr);
  fs::path const out = name;
  auto const refusal = [&](std::string const& text) -> std::string {
    std::ofstream(out / lock_name) << "A run\n" << text;
    try {
      FolderClaim const claim(out, true, no_locks);
    } catch (InputError const& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refusal("far 12 345\n"), name + " may be in use by another run: " + (out / lock_name).string() +
                                         " belongs to process 12 of far, and this host cannot determine whether that "
                                         "has ended; if it has, delete that file");
  std::string const here = host_name() + ' ';
  EXPECT_THAT(refusal(here + "1 1\nfar 12 345\n"), HasSubstr("delete that file")) << "a rank elsewhere";
  EXPECT_THAT(refusal(""), HasSubstr("an unnamed process"));
  EXPECT_EQ(refusal(here + "1 1\n" + here + "2 2\n"), "") << "all have ended";
  write_whole_file(partial_name(out / lock_name), "");
  EXPECT_EQ(refusal(here + "1 1\n"), name + " is being claimed by another run; if there is none, delete " +
                                         partial_name(out / lock_name).string());
  fs::remove_all(out);
}

}  // namespace
}  // namespace halocline
