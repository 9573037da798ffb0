#pragma once

namespace halocline {

class StructuredMesh;

/// Says in the log, for --verbose, what a run works on: hardware, process grid, blocks, and which host has which.
void log_set_up(StructuredMesh const& mesh);

}  // namespace halocline
