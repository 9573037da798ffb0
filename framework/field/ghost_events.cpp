#include "framework/field/ghost_events.hpp"

#include <utility>

namespace halocline {
namespace {

/// The current pass and journal of this thread.
struct Going {
  bool pass = false;
  GhostJournal* journal = nullptr;
};
thread_local Going going;
/// The writes of the current pass. Its memory is reused.
thread_local std::vector<GhostEvent> written;

void apply(GhostEvent const& event) {
  GhostRecord& record = *event.record;
  switch (event.kind) {
    case GhostEvent::Kind::write:
      return record.write(event.range, event.writer);
    case GhostEvent::Kind::start_exchange:
      return record.start_exchange(event.width);
    case GhostEvent::Kind::finish_exchange:
      return record.finish_exchange(event.width, event.corners);
    case GhostEvent::Kind::fill_walls:
      return record.fill_walls(event.walls, event.following, event.corners);
    case GhostEvent::Kind::fill_constant:
      return record.fill_constant();
    case GhostEvent::Kind::fill_function:
      return record.fill_function();
    case GhostEvent::Kind::validate:
      return record.validate(event.width);
    case GhostEvent::Kind::copy:
      return record.copy(*event.from);
  }
}

void end_pass() {
  going.pass = false;
  for (GhostEvent const& event : written) notify(event);
  written.clear();
}

}  // namespace

void notify(GhostEvent const& event) {
  if (going.pass) {
    if (event.kind == GhostEvent::Kind::write) return written.push_back(event);
    if (event.kind == GhostEvent::Kind::start_exchange) {
      end_pass();
      going.pass = true;
    }
  }
  apply(event);
  if (going.journal != nullptr) going.journal->events_.push_back(event);
}

void notify_written(GhostRecord& record, IndexRange const& range, GhostWriter const& by) {
  // The common case: nothing needs to be stored.
  if (!going.pass && going.journal == nullptr) return record.write(range, by);
  notify({.kind = GhostEvent::Kind::write, .record = &record, .range = range, .writer = by});
}

OnePass::OnePass() : outermost_(!std::exchange(going.pass, true)) {}
OnePass::~OnePass() {
  if (outermost_) end_pass();
}

GhostJournal::Recording::Recording(GhostJournal& journal) : before(std::exchange(going.journal, &journal)) {
  journal.events_.clear();
}
GhostJournal::Recording::~Recording() { going.journal = before; }

void GhostJournal::replay() const {
  for (GhostEvent const& event : events_) notify(event);
}

}  // namespace halocline
