#include "framework/io/abrupt_summary.hpp"

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <string_view>

#include "framework/io/run_record.hpp"
#include "framework/io/whole_file.hpp"
#include "framework/runtime/signal_text.hpp"

namespace halocline {
namespace {

/// Appends a JSON string with quotation marks.
void add_quoted(SignalText& text, std::string_view message) noexcept {
  text << "\"";
  for (char const& letter : message) {
    bool const special = letter == '"' || letter == '\\';
    bool const control = static_cast<unsigned char>(letter) < ' ';
    text << (special ? "\\" : "") << (control ? " " : std::string_view(&letter, 1));
  }
  text << "\"";
}

void add_number(SignalText& text, double number) noexcept {
  std::array<char, 32> digits;
  auto const end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  text << (std::isfinite(number) ? std::string_view(digits.data(), static_cast<std::size_t>(end - digits.data()))
                                 : std::string_view("null"));
}

}  // namespace

AbruptSummary::AbruptSummary(std::filesystem::path const& path, std::string const& start, int rank)
    : path_(std::filesystem::absolute(path)),
      reserved_(reserved_name(path_)),
      partial_(partial_name(path_).string() + "." + std::to_string(rank)),
      rest_(rest_of(start)) {
  set_abrupt_record(this);
}

AbruptSummary::~AbruptSummary() {
  set_abrupt_record(nullptr);
  // A signal handler on another thread may be running.
  while (closing_.test_and_set()) sched_yield();
}

void AbruptSummary::set_state(Index steps, double time) noexcept {
  steps_ = steps;
  time_ = time;
}

void AbruptSummary::take_over() noexcept {
  finish_abrupt_record();
  mine_ = true;
}

std::string AbruptSummary::rest_of(std::string const& start) {
  std::size_t const at = start.find("\n  \"quantities\":");
  return at == std::string::npos ? "}\n" : start.substr(at + 1);
}

void AbruptSummary::close(ExitCode code, std::string_view message) noexcept {
  if (closing_.test_and_set()) return;
  std::array<char, 16384> room;
  SignalText head(room);
  head << "{\n  \"status\": \"" << status_of(code) << "\",\n  \"exit_code\": " << static_cast<Index>(code)
       << ",\n  \"message\": ";
  add_quoted(head, message);
  head << ",\n  \"abrupt\": true,\n  \"steps\": " << steps_.load() << ",\n  \"time\": ";
  add_number(head, time_.load());
  head << ",\n";
  bool const got = rename(reserved_.c_str(), partial_.c_str()) == 0;
  if (got || mine_) {
    mine_ = true;
    int const file = open(partial_.c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
    bool const whole = file >= 0 && write_all(file, head.view()) && write_all(file, rest_) &&
                       ftruncate(file, static_cast<off_t>(head.view().size() + rest_.size())) == 0;
    if (!whole || rename(partial_.c_str(), path_.c_str()) != 0) unlink(partial_.c_str());
    // Last, since the process may be killed before it finishes.
    if (file >= 0) fsync(file);
    if (file >= 0) ::close(file);
  }
  closing_.clear();
}

}  // namespace halocline
