#pragma once

namespace halocline {

class Mesh;
struct HaloRecord;

/// Says in the log, for --verbose, what a run works on: hardware, process grid, blocks, and which host has which.
void log_set_up(Mesh const& mesh);
/// Says there how halos are exchanged, and what was measured to choose that.
void log_transport(HaloRecord const& halo);

}  // namespace halocline
