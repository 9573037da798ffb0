#pragma once

#include <vector>

#include "framework/field/ghost_record.hpp"

namespace halocline {

/// While one of these lives, sweeps are parts of one pass: their writes are recorded when it ends, so that a part may
/// read ghosts of what another part has written (colours of Gauss-Seidel, in boxes). Nested passes belong to the
/// outermost. The start of an exchange records earlier writes at once.
class OnePass {
 public:
  OnePass();
  ~OnePass();
  OnePass(OnePass const&) = delete;
  OnePass& operator=(OnePass const&) = delete;

 private:
  bool outermost_;
};

/// Records the ghost events of work that a device replays without the host (CUDA graphs).
class GhostJournal {
 public:
  /// Calls `work` and records its ghost events.
  template <class Work>
  void record(Work const& work) {
    Recording const recording(*this);
    work();
  }
  /// Applies the recorded events again. The fields must still be the same.
  void replay() const;

 private:
  friend void notify(GhostEvent const& event);
  struct Recording {
    explicit Recording(GhostJournal& journal);
    ~Recording();
    GhostJournal* before;
  };
  std::vector<GhostEvent> events_;
};

}  // namespace halocline
