#include "framework/deck/tree.hpp"

#include <algorithm>
#include <utility>

#include "framework/runtime/shown_text.hpp"

namespace halocline::deck {
namespace {

/// Sections with fewer entries are searched linearly.
constexpr std::size_t large_section = 16;

}  // namespace

std::size_t EntryIndex::find(std::vector<Entry> const& entries, std::string_view name) {
  if (entries.size() < large_section) {
    auto const found =
        std::find_if(entries.begin(), entries.end(), [&](Entry const& entry) { return entry.name == name; });
    return static_cast<std::size_t>(found - entries.begin());
  }
  if (positions_ == nullptr) positions_ = std::make_unique<Positions>();
  for (std::size_t& n = positions_->entries; n < entries.size(); ++n) positions_->of_name.emplace(entries[n].name, n);
  auto const found = positions_->of_name.find(name);
  return found == positions_->of_name.end() ? entries.size() : found->second;
}

Entry const* Node::find(std::string_view name) const {
  std::size_t const at = index_.find(entries, name);
  return at == entries.size() ? nullptr : &entries[at];
}

Entry* Node::find(std::string_view name) { return const_cast<Entry*>(std::as_const(*this).find(name)); }

Node& Node::set(std::string name, Location const& at, Node value) {
  kind = Kind::section;
  if (Entry* const present = find(name)) {
    present->location = at;
    present->value = std::move(value);
    return present->value;
  }
  return entries.emplace_back(Entry{std::move(name), at, std::move(value)}).value;
}

bool Node::remove(std::string_view name) {
  index_ = EntryIndex();  // it counts on entries that stay
  return std::erase_if(entries, [name](Entry const& entry) { return entry.name == name; }) > 0;
}

Node& Node::section(std::string const& name, Location const& at) {
  if (Entry* const present = find(name)) return present->value;
  Node empty;
  empty.kind = Kind::section;
  empty.location = at;
  return set(name, at, std::move(empty));
}

std::string in_one_line(std::string_view text) { return shown(text); }

std::string printable(std::string_view text) {
  std::size_t const longest = 60;
  std::size_t length = std::min(longest, text.size());
  while (length < text.size() && length > 0 && (static_cast<unsigned char>(text[length]) & 0xC0U) == 0x80U) --length;
  std::string const line = in_one_line(text.substr(0, length));
  return text.size() > longest ? line + "..." : line;
}

std::string described(Node const& node) {
  switch (node.kind) {
    case Node::Kind::nothing:
    case Node::Kind::reported:
      return "nothing";
    case Node::Kind::scalar:
      return node.quoted ? "the text \"" + printable(node.text) + "\"" : "'" + printable(node.text) + "'";
    case Node::Kind::list:
      return "a list";
    case Node::Kind::section:
      return "a section";
  }
  return "";
}

Node scalar(std::string text, Location const& at) {
  Node node;
  node.kind = Node::Kind::scalar;
  node.location = at;
  node.text = std::move(text);
  return node;
}

Node reported(Location const& at) {
  Node node;
  node.kind = Node::Kind::reported;
  node.location = at;
  return node;
}

Node list(std::vector<Node> items, Location const& at) {
  Node node;
  node.kind = Node::Kind::list;
  node.location = at;
  node.items = std::move(items);
  return node;
}

}  // namespace halocline::deck
