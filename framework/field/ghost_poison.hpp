#pragma once

namespace halocline {

/// From now on, until told otherwise, ghosts of new fields are no numbers where nothing may be read before it was
/// brought: where another block begins, or this one again, and on all edges and corners. For tests of what reads them.
void poison_ghosts(bool on);
[[nodiscard]] bool ghosts_are_poisoned();

}  // namespace halocline
