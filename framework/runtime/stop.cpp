#include "framework/runtime/stop.hpp"

#include <cerrno>
#include <cstddef>

#include "framework/runtime/abrupt_end.hpp"
#include "framework/runtime/doing.hpp"
#include "framework/runtime/signal_text.hpp"

namespace halocline {

namespace {

std::atomic<StopRequests*> requests = nullptr;

std::array<struct sigaction, stopping_signals.size()> previous;

/// Records the stop in advance: the sender may kill the process before its next step.
void record_request() noexcept {
  std::array<char, 4608> room;
  SignalText text(room);
  text << "stopped by a signal";
  add_doing(text);
  close_abrupt_record(ExitCode::stopped, (text << "; files on disk are intact").view());
}

extern "C" void take_request(int signal) {
  int const before = errno;
  switch (requests.load()->add(signal)) {
    case StopRequests::Meaning::stop:
      record_request();
      break;
    case StopRequests::Meaning::nothing_new:
      break;
    case StopRequests::Meaning::end_at_once:
      end_abruptly(ExitCode::stopped, "stopped by a second signal, before the end of a step; files on disk are intact");
  }
  errno = before;
}

extern "C" void end_now(int) { end_abruptly(ExitCode::stopped, "stopped by a signal"); }

void handle_signals(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  for (int const signal : stopping_signals) sigaddset(&action.sa_mask, signal);
  for (std::size_t n = 0; n < stopping_signals.size(); ++n) {
    sigaction(stopping_signals[n], nullptr, &previous[n]);
    // A signal that was ignored at the program's start (by nohup, say) stays ignored.
    if (previous[n].sa_handler != SIG_IGN) sigaction(stopping_signals[n], &action, nullptr);
  }
}

void restore_signals() {
  for (std::size_t n = 0; n < stopping_signals.size(); ++n) sigaction(stopping_signals[n], &previous[n], nullptr);
}

}  // namespace

StopRequests::Meaning StopRequests::add(int signal, Clock::time_point now) noexcept {
  Clock::rep since = 0;
  Clock::rep const ticks = now.time_since_epoch().count();
  if (since_.compare_exchange_strong(since, ticks)) {
    first_ = signal;
    return Meaning::stop;
  }
  // Another thread may be between the two lines above.
  bool const same = first_ == signal || first_ == 0;
  return same && Clock::duration(ticks - since) < one_request ? Meaning::nothing_new : Meaning::end_at_once;
}

StopSignals::StopSignals() {
  requests = &requests_;
  handle_signals(take_request);
}

StopSignals::~StopSignals() {
  restore_signals();
  requests = nullptr;
}

EndingSignals::EndingSignals() { handle_signals(end_now); }

EndingSignals::~EndingSignals() { restore_signals(); }

int stop_signal() noexcept {
  StopRequests const* const now = requests;
  return now != nullptr ? now->first() : 0;
}

bool stop_requested(Communicator const& communicator) { return communicator.any(stop_signal() != 0); }

}  // namespace halocline
