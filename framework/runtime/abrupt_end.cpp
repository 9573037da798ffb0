#include "framework/runtime/abrupt_end.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>

#include "framework/runtime/descriptor.hpp"
#include "framework/runtime/doing.hpp"
#include "framework/runtime/signal_text.hpp"

namespace halocline {
namespace {

struct Crash {
  int signal;
  char const* name;
  bool is_own = true;  ///< raised by the program; otherwise sent from outside or by a timer
};
constexpr std::array<Crash, 12> crashes{{{SIGSEGV, "segmentation fault"},
                                         {SIGBUS, "bus error"},
                                         {SIGFPE, "arithmetic exception, such as a division of an integer by zero"},
                                         {SIGILL, "illegal instruction"},
                                         {SIGABRT, "abort"},
                                         {SIGSYS, "forbidden system call"},
                                         {SIGQUIT, "quit", false},
                                         {SIGALRM, "alarm", false},
                                         {SIGVTALRM, "CPU-time alarm", false},
                                         {SIGPROF, "profiling alarm", false},
                                         {SIGPOLL, "input or output", false},
                                         {SIGPWR, "power failure", false}}};

Crash const& crash_of(int signal) noexcept {
  for (Crash const& crash : crashes) {
    if (crash.signal == signal) return crash;
  }
  return crashes.front();
}

std::array<struct sigaction, crashes.size()> previous;
std::string report_file;
std::atomic<AbruptRecord*> record = nullptr;
std::atomic<AbruptRecord*> retreat = nullptr;
std::atomic<int> own_rank = -1;
std::atomic<bool> armed = false;
std::atomic<bool> finishing = false;
std::atomic_flag ending = ATOMIC_FLAG_INIT;

constexpr char const* report_request =
    "\nThis is a defect of Halocline: please report it, with the deck and this message.";

void report(ExitCode code, std::string_view message) noexcept {
  std::array<char, 8192> room;
  SignalText text(room);
  bool const apart = !report_file.empty();
  if (apart) {
    text << static_cast<Index>(code) << "\n";
  } else {
    text << "halocline: ";
  }
  if (own_rank >= 0 && code != ExitCode::stopped) text << "rank " << static_cast<Index>(own_rank) << ": ";
  text << message;
  if (code == ExitCode::defect) text << report_request;
  if (!apart) return static_cast<void>(write_all(STDERR_FILENO, (text << "\n").view()));
  int const file = open(report_file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return;
  static_cast<void>(write_all(file, text.view()));
  close(file);
}

ExitCode code_of(int signal, siginfo_t const& information) noexcept {
  // A page of a mapped file, such as those for shared memory between ranks, has no space on its file system.
  if (signal == SIGBUS && information.si_code == BUS_ADRERR) return ExitCode::input_output;
  return exit_code_of_crash();
}

void add_record(SignalText& text) noexcept {
  if (record.load() != nullptr) text << "; files on disk are intact";
}

bool is_from_outside(int signal, siginfo_t const& information) noexcept {
  // Other processes send signals by kill() or sigqueue(); raise() and abort() have another code. Not every kernel tells
  // the sender of those.
  bool const is_sent = information.si_code == SI_USER || information.si_code == SI_QUEUE;
  return (is_sent && information.si_pid != getpid()) || !crash_of(signal).is_own;
}

void describe(SignalText& text, int signal, siginfo_t const& information) noexcept {
  char const* const name = crash_of(signal).name;
  if (is_from_outside(signal, information)) {
    text << "killed by signal " << Index{signal} << " (" << name << ") from outside";
  } else {
    text << "crashed (" << name << ")";
    if (signal == SIGBUS && information.si_code == BUS_ADRERR)
      text << ": the file system of a memory-mapped file is full (the folder for temporary files, or /dev/shm)";
  }
  add_doing(text);
  add_record(text);
}

extern "C" void end_by_crash(int signal, siginfo_t* information, void*) {
  std::array<char, 6144> room;
  SignalText text(room);
  describe(text, signal, *information);
  end_abruptly(is_from_outside(signal, *information) ? ExitCode::stopped : code_of(signal, *information), text.view());
}

/// atexit handler: a library or a plugin has called exit().
void end_by_exit() {
  if (!armed) return;
  std::array<char, 6144> room;
  SignalText text(room);
  text << "a library or a plugin ended the program with exit()";
  add_doing(text);
  text << "; any message of it is above";
  add_record(text);
  end_abruptly(exit_code_of_crash(), text.view());
}

/// A thread's stack for signal handlers, freed with the thread.
class HandlerStack {
 public:
  HandlerStack() {
    stack_t now{};
    if (sigaltstack(nullptr, &now) != 0 || (now.ss_flags & SS_DISABLE) == 0) return;
    void* const memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return;
    memory_ = memory;
    stack_t const own{.ss_sp = memory_, .ss_flags = 0, .ss_size = size};
    sigaltstack(&own, nullptr);
  }
  ~HandlerStack() {
    if (memory_ == nullptr) return;
    stack_t const none{.ss_sp = nullptr, .ss_flags = SS_DISABLE, .ss_size = 0};
    sigaltstack(&none, nullptr);
    munmap(memory_, size);
  }
  HandlerStack(HandlerStack const&) = delete;
  HandlerStack& operator=(HandlerStack const&) = delete;

 private:
  static constexpr std::size_t size = 256 << 10;
  void* memory_ = nullptr;
};

struct sigaction crash_action() noexcept {
  struct sigaction action {};
  action.sa_sigaction = end_by_crash;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigfillset(&action.sa_mask);
  return action;
}

}  // namespace

AbruptEnds::AbruptEnds() {
  prepare_thread_for_abrupt_end();
  struct sigaction const action = crash_action();
  for (std::size_t n = 0; n < crashes.size(); ++n) sigaction(crashes[n].signal, &action, &previous[n]);
  static bool const once = std::atexit(end_by_exit) == 0;
  static_cast<void>(once);
  armed = true;
}

AbruptEnds::~AbruptEnds() {
  armed = false;
  for (std::size_t n = 0; n < crashes.size(); ++n) sigaction(crashes[n].signal, &previous[n], nullptr);
}

void restore_abrupt_ends() noexcept {
  if (!armed) return;
  struct sigaction const action = crash_action();
  for (Crash const& crash : crashes) sigaction(crash.signal, &action, nullptr);
}

void report_abrupt_end_in(std::string file) { report_file = std::move(file); }
void prepare_thread_for_abrupt_end() { static thread_local HandlerStack const stack; }

void set_rank_of_abrupt_end(int number) noexcept { own_rank = number; }
void set_abrupt_record(AbruptRecord* next) noexcept {
  finishing = false;
  record = next;
}
void finish_abrupt_record() noexcept { finishing = true; }
void set_abrupt_retreat(AbruptRecord* next) noexcept { retreat = next; }

void close_abrupt_record(ExitCode code, std::string_view message) noexcept {
  AbruptRecord* const open = record.load();
  if (open != nullptr && !finishing) open->close(code, message);
}

void end_abruptly(ExitCode code, std::string_view message) noexcept {
  // Another thread is already ending the process.
  while (ending.test_and_set()) pause();
  if (AbruptRecord* const back = retreat.load(); back != nullptr && record.load() == nullptr)
    back->close(code, message);
  if (AbruptRecord* const open = record.load()) open->close(code, message);
  report(code, message);
  _exit(static_cast<int>(code));
}

void expect_exit() noexcept {
  armed = false;
  std::signal(SIGABRT, SIG_DFL);
}

}  // namespace halocline
