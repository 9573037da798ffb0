#include "drivers/halocline/isolated_process.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>

#include "framework/runtime/abrupt_end.hpp"
#include "framework/runtime/descriptor.hpp"
#include "framework/runtime/stop.hpp"

namespace halocline {

void isolate_process(bool keeps_output, void (*at_stop)(int)) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  expect_exit();
  for (int const fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) std::signal(fault, SIG_DFL);
  for (int const signal : stopping_signals) std::signal(signal, at_stop);
  Descriptor const nothing("/dev/null", O_RDWR);
  dup2(nothing.number(), STDIN_FILENO);
  if (!keeps_output) {
    for (int const stream : {STDOUT_FILENO, STDERR_FILENO}) dup2(nothing.number(), stream);
  }
  rlimit const none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
}

}  // namespace halocline
