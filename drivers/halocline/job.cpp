#include "drivers/halocline/job.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <system_error>

#include "framework/io/whole_file.hpp"
#include "framework/runtime/abrupt_end.hpp"

namespace halocline {
namespace {

namespace fs = std::filesystem;

constexpr char const* job_file = "job";
constexpr char const* listening_file = "listening";
constexpr char const* end_file = "end";
constexpr char const* abrupt_end_file = "abrupt-end";

struct Joined {
  Job job;
  fs::path folder;
};
std::optional<Joined> joined;

/// Words of arbitrary bytes, each terminated by a zero.
std::string packed(Job const& job) {
  ProcessIdentity const process = this_process();
  std::string text;
  auto const add = [&text](std::string const& word) { text += word + '\0'; };
  for (auto const& number : {std::to_string(process.number), std::to_string(process.start), std::to_string(job.ranks),
                             std::to_string(job.columns)}) {
    add(number);
  }
  for (std::string const& word : job.words) add(word);
  return text;
}

std::optional<std::string> text_of(fs::path const& path) {
  std::ifstream file(path);
  if (!file) return std::nullopt;
  return std::string{std::istreambuf_iterator<char>(file), {}};
}

/// Writes the file atomically; it need not survive a system crash.
void put(fs::path const& path, std::string const& text) {
  fs::path const partial = partial_name(path).string() + std::to_string(getpid());
  std::ofstream file(partial);
  file << text;
  file.close();
  std::error_code error;
  if (file) fs::rename(partial, path, error);
  if (!file || error) throw_write_error(path, error ? error.message() : "no space left");
}

template <class Number>
bool read_number(std::istream& words, Number& number) {
  std::string word;
  std::getline(words, word, '\0');
  return std::from_chars(word.data(), word.data() + word.size(), number).ec == std::errc();
}

}  // namespace

JobFolder::JobFolder(Job const& job) {
  std::string pattern = fs::absolute(fs::temp_directory_path() / "halocline-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) throw_write_error(pattern, errno);
  path_ = pattern;
  try {
    put(path_ / job_file, packed(job));
  } catch (...) {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
    throw;
  }
}

JobFolder::~JobFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

bool JobFolder::ranks_listen() const { return access((path_ / listening_file).c_str(), F_OK) == 0; }

std::optional<JobEnd> JobFolder::end() const { return end_in(path_ / end_file); }
std::optional<JobEnd> JobFolder::abrupt_end() const { return end_in(path_ / abrupt_end_file); }

std::optional<JobEnd> JobFolder::end_in(fs::path const& path) {
  std::ifstream file(path);
  int code = 0;
  if (!(file >> code)) return std::nullopt;
  file.ignore();
  return JobEnd{static_cast<ExitCode>(code), std::string(std::istreambuf_iterator<char>(file), {})};
}

void join_job(fs::path const& folder) {
  std::string const refusal = std::string(rank_option) + ": reserved for ranks that halocline starts itself";
  struct stat status {};
  bool const ours = stat(folder.c_str(), &status) == 0 && status.st_uid == geteuid() && (status.st_mode & 077U) == 0;
  std::optional<std::string> const text = ours ? text_of(folder / job_file) : std::nullopt;
  if (!text) throw InputError(refusal);
  std::istringstream words(*text);
  Job job;
  bool const whole = read_number(words, job.starter.number) && read_number(words, job.starter.start) &&
                     read_number(words, job.ranks) && read_number(words, job.columns);
  if (!whole) throw InputError(refusal);
  for (std::string word; std::getline(words, word, '\0');) job.words.push_back(word);
  if (!is_alive(job.starter)) throw StoppedError("the process that started this rank has ended");
  joined = {job, folder};
  report_abrupt_end_in((folder / abrupt_end_file).string());
}

Job const* joined_job() { return joined ? &joined->job : nullptr; }

void write_listening() { put(joined->folder / listening_file, ""); }

void write_end(JobEnd const& end) {
  put(joined->folder / end_file, std::to_string(static_cast<int>(end.code)) + '\n' + end.message);
}

}  // namespace halocline
