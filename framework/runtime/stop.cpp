#include "framework/runtime/stop.hpp"

#include <cstddef>

namespace halocline {

namespace {

volatile std::sig_atomic_t received = 0;

std::array<struct sigaction, stopping_signals.size()> previous;

extern "C" void remember_signal(int signal) { received = signal; }

}  // namespace

StopSignals::StopSignals() {
  received = 0;
  struct sigaction action {};
  action.sa_handler = remember_signal;
  // The second signal meets the default again, for a run that does not come to its next step.
  action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (std::size_t n = 0; n < stopping_signals.size(); ++n) {
    sigaction(stopping_signals[n], nullptr, &previous[n]);
    // What the program was started to ignore (by nohup, say) it goes on to ignore.
    if (previous[n].sa_handler != SIG_IGN) sigaction(stopping_signals[n], &action, nullptr);
  }
}

StopSignals::~StopSignals() {
  for (std::size_t n = 0; n < stopping_signals.size(); ++n) sigaction(stopping_signals[n], &previous[n], nullptr);
}

int stop_signal() noexcept { return received; }

bool stop_requested(Communicator const& communicator) { return communicator.any(received != 0); }

}  // namespace halocline
