/// A library that is preloaded and makes file operations fail like a full or broken disk:
///
///     LD_PRELOAD=failing_calls.so HALOCLINE_FAILING_CALLS="/run.out/|pwrite|28|5|1|0|/log"
///
/// fails the fifth `pwrite` (and, because of the 1, all later ones) on files below /run.out/ of rank 0 with error 28,
/// no space left, and appends the time of the first failure to /log. Rank -1 means any rank; a process that is not a
/// rank counts as rank 0. The call `space` means any call that writes; then bytes are counted, and the write that would
/// exceed the limit is cut short, as on a disk that becomes full.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <string_view>

namespace {

struct Plan {
  std::string folder;
  std::string call;
  int error = 0;
  long count = 0;
  bool for_ever = false;
  std::string log;
};

/// Never freed, since calls come until the very end of a process.
Plan const* plan = nullptr;
std::atomic<long> counted{0};
std::atomic<bool> was_reported{false};

std::string take(std::string_view& rest) {
  std::size_t const bar = rest.find('|');
  std::string word(rest.substr(0, bar));
  rest.remove_prefix(bar == std::string_view::npos ? rest.size() : bar + 1);
  return word;
}

int own_rank() {
  for (char const* const name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"}) {
    if (char const* const rank = std::getenv(name)) return std::atoi(rank);
  }
  return 0;
}

__attribute__((constructor)) void read_plan() {
  char const* const setting = std::getenv("HALOCLINE_FAILING_CALLS");
  if (setting == nullptr) return;
  std::string_view rest = setting;
  auto* const read = new Plan;
  read->folder = take(rest);
  read->call = take(rest);
  read->error = std::atoi(take(rest).c_str());
  read->count = std::atol(take(rest).c_str());
  read->for_ever = take(rest) == "1";
  int const rank = std::atoi(take(rest).c_str());
  read->log = take(rest);
  if (rank < 0 || rank == own_rank()) plan = read;
}

/// Uses system calls directly, which this library does not intercept.
void report(char const* call, char const* path) {
  if (was_reported.exchange(true)) return;
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  std::array<char, 512> line{};
  int const length = std::snprintf(line.data(), line.size(), "%ld.%09ld %s %s\n", static_cast<long>(now.tv_sec),
                                   static_cast<long>(now.tv_nsec), call, path);
  long const log = syscall(SYS_openat, AT_FDCWD, plan->log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0666);
  if (log < 0 || length <= 0) return;
  syscall(SYS_write, log, line.data(), std::strlen(line.data()));
  syscall(SYS_close, log);
}

bool is_below(char const* path) { return path != nullptr && std::strstr(path, plan->folder.c_str()) != nullptr; }

/// The name of an open file, or "".
struct Opened {
  std::array<char, 512> path{};
  explicit Opened(int file) {
    std::array<char, 32> link{};
    std::snprintf(link.data(), link.size(), "/proc/self/fd/%d", file);
    ssize_t const length = readlink(link.data(), path.data(), path.size() - 1);
    path[length > 0 ? static_cast<std::size_t>(length) : 0] = '\0';
  }
};

bool fails(char const* call, char const* path) {
  if (plan == nullptr || plan->call != call || !is_below(path)) return false;
  long const number = ++counted;
  if (number < plan->count || (number > plan->count && !plan->for_ever)) return false;
  report(call, path);
  errno = plan->error;
  return true;
}

bool fails(char const* call, int file) {
  return plan != nullptr && plan->call == call && fails(call, Opened(file).path.data());
}

/// A disk reports failed writes when a file is closed; files opened for reading have none.
bool fails_to_close(int file) { return (fcntl(file, F_GETFL) & O_ACCMODE) != O_RDONLY && fails("close", file); }

/// How many of these bytes the disk can still take; -1: none, it is full.
ssize_t room(int file, std::size_t bytes) {
  if (plan == nullptr || plan->call != "space") return static_cast<ssize_t>(bytes);
  Opened const opened(file);
  if (!is_below(opened.path.data())) return static_cast<ssize_t>(bytes);
  long const after = counted += static_cast<long>(bytes);
  long const over = after - plan->count;
  if (over <= 0) return static_cast<ssize_t>(bytes);
  report("space", opened.path.data());
  if (over < static_cast<long>(bytes)) return static_cast<ssize_t>(bytes) - over;
  errno = plan->error;
  return -1;
}

template <class Function>
Function next(char const* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

int open_as(char const* name, char const* path, int flags, mode_t mode) {
  if ((flags & O_ACCMODE) != O_RDONLY ? fails("open", path) : fails("open to read", path)) return -1;
  static auto* const real = next<int (*)(char const*, int, ...)>(name);
  return real(path, flags, mode);
}

}  // namespace

extern "C" {

int open(char const* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  mode_t const mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  return open_as("open", path, flags, mode);
}

int open64(char const* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  mode_t const mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  return open_as("open64", path, flags, mode);
}

ssize_t write(int file, void const* from, size_t bytes) {
  static auto* const real = next<ssize_t (*)(int, void const*, size_t)>("write");
  if (fails("write", file)) return -1;
  ssize_t const taken = room(file, bytes);
  return taken < 0 ? -1 : real(file, from, static_cast<size_t>(taken));
}

ssize_t pwrite(int file, void const* from, size_t bytes, off_t at) {
  static auto* const real = next<ssize_t (*)(int, void const*, size_t, off_t)>("pwrite");
  if (fails("pwrite", file)) return -1;
  ssize_t const taken = room(file, bytes);
  return taken < 0 ? -1 : real(file, from, static_cast<size_t>(taken), at);
}

ssize_t pwrite64(int file, void const* from, size_t bytes, off64_t at) { return pwrite(file, from, bytes, at); }

ssize_t read(int file, void* to, size_t bytes) {
  static auto* const real = next<ssize_t (*)(int, void*, size_t)>("read");
  return fails("read", file) ? -1 : real(file, to, bytes);
}

ssize_t pread(int file, void* to, size_t bytes, off_t at) {
  static auto* const real = next<ssize_t (*)(int, void*, size_t, off_t)>("pread");
  return fails("pread", file) ? -1 : real(file, to, bytes, at);
}

ssize_t pread64(int file, void* to, size_t bytes, off64_t at) {
  static auto* const real = next<ssize_t (*)(int, void*, size_t, off64_t)>("pread64");
  return fails("pread", file) ? -1 : real(file, to, bytes, at);
}

int fsync(int file) {
  static auto* const real = next<int (*)(int)>("fsync");
  return fails("fsync", file) ? -1 : real(file);
}

int ftruncate(int file, off_t bytes) noexcept {
  static auto* const real = next<int (*)(int, off_t)>("ftruncate");
  return fails("ftruncate", file) ? -1 : real(file, bytes);
}

int ftruncate64(int file, off64_t bytes) noexcept { return ftruncate(file, bytes); }

int posix_fallocate(int file, off_t at, off_t bytes) {
  static auto* const real = next<int (*)(int, off_t, off_t)>("posix_fallocate");
  return fails("posix_fallocate", file) ? plan->error : real(file, at, bytes);
}

int posix_fallocate64(int file, off64_t at, off64_t bytes) { return posix_fallocate(file, at, bytes); }

int close(int file) {
  static auto* const real = next<int (*)(int)>("close");
  // The file is closed in any case.
  bool const failed = fails_to_close(file);
  int const done = real(file);
  if (!failed) return done;
  errno = plan->error;
  return -1;
}

int rename(char const* from, char const* to) noexcept {
  static auto* const real = next<int (*)(char const*, char const*)>("rename");
  return fails("rename", to) ? -1 : real(from, to);
}

int mkdir(char const* path, mode_t mode) noexcept {
  static auto* const real = next<int (*)(char const*, mode_t)>("mkdir");
  return fails("mkdir", path) ? -1 : real(path, mode);
}

int unlink(char const* path) noexcept {
  static auto* const real = next<int (*)(char const*)>("unlink");
  return fails("unlink", path) ? -1 : real(path);
}

}  // extern "C"
