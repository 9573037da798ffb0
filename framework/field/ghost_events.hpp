#pragma once

#include <vector>

#include "framework/field/ghost_record.hpp"

namespace halocline {

/// While it lives, sweeps are parts of one pass: what they write counts as written when it ends, so that a part may
/// read ghosts of what another part has written (colours of Gauss-Seidel, in boxes). Passes inside of a pass belong to
/// it. Whatever is to be exchanged counts as written when the exchange starts.
class OnePass {
 public:
  OnePass();
  ~OnePass();
  OnePass(OnePass const&) = delete;
  OnePass& operator=(OnePass const&) = delete;

 private:
  bool outermost_;
};

/// What work that a device repeats without the host does to the ghosts of fields.
class GhostJournal {
 public:
  /// Calls `work` and notes what is told meanwhile.
  template <class Work>
  void record(Work const& work) {
    Recording const recording(*this);
    work();
  }
  /// Tells it again. The fields must be those of then.
  void replay() const;

 private:
  friend void tell(GhostEvent const& event);
  struct Recording {
    explicit Recording(GhostJournal& journal);
    ~Recording();
    GhostJournal* before;
  };
  std::vector<GhostEvent> events_;
};

}  // namespace halocline
