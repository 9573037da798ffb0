#include "framework/runtime/stop.hpp"

#include <csignal>

namespace halocline {

namespace {

volatile std::sig_atomic_t received = 0;

struct sigaction previous_term;
struct sigaction previous_int;

extern "C" void remember_signal(int signal) { received = signal; }

}  // namespace

StopSignals::StopSignals() {
  received = 0;
  struct sigaction action {};
  action.sa_handler = remember_signal;
  // The second signal meets the default again, for a run that does not come to its next step.
  action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGTERM, &action, &previous_term);
  sigaction(SIGINT, &action, &previous_int);
}

StopSignals::~StopSignals() {
  sigaction(SIGTERM, &previous_term, nullptr);
  sigaction(SIGINT, &previous_int, nullptr);
}

int stop_signal() noexcept { return received; }

bool stop_requested(Communicator const& communicator) { return communicator.any(received != 0); }

}  // namespace halocline
