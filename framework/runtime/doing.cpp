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

// In static memory: the handler of a signal may read it on another thread, while the stack that it is about is going.
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

std::size_t doing(std::span<char> room) noexcept {
  SignalText text(room);
  if (Entry const* const entry = newest()) {
    text << entry->what;
    if (!entry->owner->name.empty()) text << " of " << entry->owner->name;
    if (entry->step > 0) text << ", step " << entry->step;
  }
  return text.view().size();
}

std::string doing() {
  std::array<char, 4096> text{};
  return {text.data(), doing(text)};
}

ExitCode exit_code_of_crash() noexcept {
  Entry const* const entry = newest();
  return entry != nullptr ? entry->owner->crash : ExitCode::defect;
}

}  // namespace halocline
