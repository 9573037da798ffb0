#include "framework/deck/tree.hpp"

#include <algorithm>
#include <utility>

namespace halocline::deck {

Entry const* Node::find(std::string_view name) const {
  auto const found =
      std::find_if(entries.begin(), entries.end(), [&](Entry const& entry) { return entry.name == name; });
  return found == entries.end() ? nullptr : &*found;
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

Node& Node::section(std::string const& name, Location const& at) {
  if (Entry* const present = find(name)) return present->value;
  Node empty;
  empty.kind = Kind::section;
  empty.location = at;
  return set(name, at, std::move(empty));
}

std::string printable(std::string_view text) {
  std::size_t const longest = 60;
  std::string shown(text.substr(0, longest));
  for (char& c : shown) {
    if (static_cast<unsigned char>(c) < 32 || c == 127) c = ' ';
  }
  return text.size() > longest ? shown + "..." : shown;
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
