#include "framework/runtime/doing.hpp"

#include <algorithm>
#include <array>
#include <atomic>

#include "framework/runtime/signal_text.hpp"

namespace halocline {
namespace {

struct Entry {
  CodeOwner const* owner;
  char const* what;
  Index step;
};

// In static memory: a signal handler may read it on another thread while the owning stack unwinds.
constexpr std::size_t most = 16;
std::array<Entry, most> entries;
std::atomic<std::size_t> depth = 0;

Entry const* newest() noexcept {
  std::size_t const count = std::min(depth.load(std::memory_order_acquire), most);
  return count > 0 ? &entries[count - 1] : nullptr;
}

}  // namespace

Doing::Doing(CodeOwner const& owner, char const* what, Index step) noexcept {
  std::size_t const at = depth.load(std::memory_order_relaxed);
  if (at < most) entries[at] = {&owner, what, step};
  depth.store(at + 1, std::memory_order_release);
}

Doing::~Doing() { depth.fetch_sub(1, std::memory_order_release); }

void add_doing(SignalText& text) noexcept {
  Entry const* const entry = newest();
  if (entry == nullptr) return;
  // Limited, so that space remains for the text that follows.
  std::array<char, 4096> room;
  SignalText what(room);
  what << entry->what;
  if (!entry->owner->name.empty()) what << " of " << entry->owner->name;
  if (entry->step > 0) what << ", step " << entry->step;
  text << " in " << what.view();
}

ExitCode exit_code_of_crash() noexcept {
  Entry const* const entry = newest();
  return entry != nullptr ? entry->owner->crash : ExitCode::defect;
}

}  // namespace halocline
