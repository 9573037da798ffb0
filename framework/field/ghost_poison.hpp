#pragma once

namespace halocline {

/// While on, ghosts of new fields are NaN where an exchange or a fill of corners must write before they are read: at
/// neighbouring or periodic blocks, and on all edges and corners. For tests of such reads.
void poison_ghosts(bool on);
[[nodiscard]] bool ghosts_are_poisoned();

}  // namespace halocline
