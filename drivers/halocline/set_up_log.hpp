#pragma once

namespace halocline {

class Mesh;
struct HaloRecord;

/// Logs, for --verbose, the basis of a run: hardware, process grid, blocks, and the blocks of each host.
void log_set_up(Mesh const& mesh);
/// Logs how halos are exchanged, and the measurements behind that choice.
void log_transport(HaloRecord const& halo);

}  // namespace halocline
