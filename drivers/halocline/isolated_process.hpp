#pragma once

namespace halocline {

/// Isolates a forked process that may fail in any way: it reads nothing, its output is discarded unless `keeps_output`,
/// it leaves no core file, ends with its parent, and handles signals that stop a run by `at_stop` (SIG_DFL, SIG_IGN).
void isolate_process(bool keeps_output, void (*at_stop)(int));

}  // namespace halocline
