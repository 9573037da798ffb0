#include "framework/deck/overrides.hpp"

#include <charconv>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "framework/deck/yaml_events.hpp"
#include "framework/deck/yaml_reader.hpp"

namespace halocline {

std::vector<Override> overrides_by_set(std::vector<std::string> const& changes) {
  std::vector<Override> all;
  for (std::string const& change : changes) all.push_back({change, "--set " + deck::printable(change)});
  return all;
}

}  // namespace halocline

namespace halocline::deck {
namespace {

/// One step of a path: the name of an entry, or an index into a list.
struct Part {
  std::string name;
  std::optional<std::size_t> position;
};

/// Splits "a.b[0]" into a, b, [0]; nothing if it is not a path.
std::optional<std::vector<Part>> parts_of(std::string_view path) {
  std::vector<Part> parts;
  while (!path.empty()) {
    if (path.front() == '[') {
      std::size_t const close = path.find(']');
      std::size_t position = 0;
      if (close == std::string_view::npos || parts.empty()) return std::nullopt;
      auto const [end, error] = std::from_chars(path.data() + 1, path.data() + close, position);
      if (error != std::errc{} || end != path.data() + close) return std::nullopt;
      parts.push_back({"", position});
      path.remove_prefix(close + 1);
    } else {
      if (!parts.empty()) {
        if (path.front() != '.') return std::nullopt;
        path.remove_prefix(1);
      }
      std::size_t const length = std::min(path.find_first_of(".["), path.size());
      if (length == 0) return std::nullopt;
      parts.push_back({std::string(path.substr(0, length)), std::nullopt});
      path.remove_prefix(length);
    }
  }
  return parts.empty() ? std::nullopt : std::optional(parts);
}

void append(std::string& path, Part const& part) {
  if (part.position) {
    path.append("[").append(std::to_string(*part.position)).append("]");
  } else {
    path.append(path.empty() ? "" : ".").append(part.name);
  }
}

/// Follows the path of an override down the tree.
class Descent {
 public:
  Descent(Location at, Mistakes& mistakes) : at_(std::move(at)), mistakes_(mistakes) {}

  void apply(std::vector<Part> const& parts, Node value, Node& root) {
    Node* node = &root;
    std::string walked;
    for (Part const& part : parts) {
      node = part.position ? item(*node, walked, *part.position) : entry(*node, walked, part.name);
      if (node == nullptr) return;
      append(walked, part);
    }
    *node = std::move(value);
  }

  /// Removes the entry at the path; returns whether there was one.
  static bool remove(std::vector<Part> const& parts, Node& root) {
    Node* node = &root;
    for (std::size_t n = 0; n + 1 < parts.size() && node != nullptr; ++n) node = present(*node, parts[n]);
    return node != nullptr && !parts.back().position && node->remove(parts.back().name);
  }

 private:
  /// The value at one step of a path; null if there is none.
  static Node* present(Node& parent, Part const& part) {
    if (part.position) return *part.position < parent.items.size() ? &parent.items[*part.position] : nullptr;
    Entry* const entry = parent.find(part.name);
    return entry != nullptr ? &entry->value : nullptr;
  }

  /// The value of the entry `name`, created if it is missing; its location becomes this override.
  Node* entry(Node& parent, std::string const& walked, std::string const& name) {
    if (parent.kind == Node::Kind::nothing) parent.kind = Node::Kind::section;
    if (parent.kind != Node::Kind::section) return refuse(walked, "is " + described(parent) + ", not a section");
    if (Entry* const present = parent.find(name)) return &present->value;
    Node missing;
    missing.location = at_;
    return &parent.set(name, at_, std::move(missing));
  }

  Node* item(Node& parent, std::string const& walked, std::size_t position) {
    if (parent.kind == Node::Kind::nothing) parent.kind = Node::Kind::list;
    if (parent.kind != Node::Kind::list) return refuse(walked, "is " + described(parent) + ", not a list");
    std::size_t const size = parent.items.size();
    if (position > size) return refuse(walked, "has " + std::to_string(size) + " entries, counted from [0]");
    if (position == size) {
      Node missing;
      missing.location = at_;
      parent.items.push_back(std::move(missing));
    }
    return &parent.items[position];
  }

  Node* refuse(std::string const& walked, std::string const& why) {
    mistakes_.add(at_, walked, why);
    return nullptr;
  }

  Location at_;
  Mistakes& mistakes_;
};

}  // namespace

void apply_overrides(std::vector<Override> const& overrides, Node& root, Mistakes& mistakes) {
  std::set<std::string> removed;  // a restart repeats the overrides of the run
  for (std::size_t n = 0; n < overrides.size(); ++n) {
    std::string const& text = overrides[n].change;
    Location const at{overrides[n].typed, static_cast<int>(n) + 1, 0};
    std::size_t const equals = text.find('=');
    auto const parts = equals == std::string::npos ? std::nullopt : parts_of(std::string_view(text).substr(0, equals));
    if (parts && parts->size() > deepest_nesting) {
      mistakes.add(at, printable(text),
                   "a path of " + std::to_string(parts->size()) + " parts; decks nest up to " +
                       std::to_string(deepest_nesting) + " deep");
      continue;
    }
    if (!parts) {
      mistakes.add(at, printable(text), "expected name=value, with a name like `solver.method` or `mesh.cells[0]`");
      continue;
    }
    if (equals + 1 == text.size()) {
      std::string const path = text.substr(0, equals);
      if (Descent::remove(*parts, root)) {
        removed.insert(path);
      } else if (parts->back().position) {
        mistakes.add(at, path, "an element of a list cannot be unset", "set the list");
      } else if (!removed.contains(path)) {
        mistakes.add(at, path, "not in the deck, so that it cannot be unset");
      }
      continue;
    }
    std::size_t const before = mistakes.size();
    Node value = read_yaml_value(text.substr(equals + 1), at, mistakes);
    if (mistakes.size() == before) Descent(at, mistakes).apply(*parts, std::move(value), root);
  }
}

}  // namespace halocline::deck
