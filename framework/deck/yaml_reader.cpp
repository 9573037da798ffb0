#include "framework/deck/yaml_reader.hpp"

#include <algorithm>
#include <sstream>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "framework/deck/yaml_events.hpp"

namespace halocline::deck {
namespace {

/// Limits on what aliases and merge keys repeat.
constexpr std::size_t most_repeated_values = 100000;
constexpr std::size_t most_repeated_bytes = 16 * 1024 * 1024;

/// Builds the tree from the events; those of an anchor are replayed for each of its aliases.
class TreeBuilder {
 public:
  /// All nodes have the location `fixed` if it names a source, else their location in the deck `name`.
  TreeBuilder(SourceName name, Location fixed, Mistakes& mistakes)
      : name_(std::move(name)), fixed_(std::move(fixed)), mistakes_(mistakes) {}

  [[nodiscard]] Location at(YamlPlace const& place) const {
    return fixed_.is_default() ? Location{name_, place.line + 1, place.column + 1} : fixed_;
  }

  [[nodiscard]] Node build(std::vector<YamlEvent> const& events) {
    find_anchored(events);
    play(events, {0, events.size()});
    return std::move(root_);
  }

 private:
  /// Indices of events, without the end.
  struct Range {
    std::size_t begin = 0;
    std::size_t end = 0;
  };
  struct Open {
    Node node;
    YamlPlace at;
    bool has_key = false;
    std::string key;
    YamlPlace key_at;
    std::vector<Entry> merged;
  };

  void find_anchored(std::vector<YamlEvent> const& events) {
    std::vector<std::size_t> open;
    for (std::size_t n = 0; n < events.size(); ++n) {
      YamlEvent const& event = events[n];
      if (event.kind == YamlEvent::Kind::end) {
        YamlEvent const& first = events[open.back()];
        if (first.anchor != 0) anchored_[first.anchor] = {open.back(), n + 1};
        open.pop_back();
      } else if (event.kind == YamlEvent::Kind::list || event.kind == YamlEvent::Kind::section) {
        open.push_back(n);
      } else if (event.kind != YamlEvent::Kind::alias && event.anchor != 0) {
        anchored_[event.anchor] = {n, n + 1};
      }
    }
  }

  void play(std::vector<YamlEvent> const& events, Range range) {
    for (std::size_t n = range.begin; n < range.end; ++n) {
      YamlEvent const& event = events[n];
      if (aliases_ > 0) count_repeated(event);
      if (event.kind == YamlEvent::Kind::alias) {
        repeat(events, n);
      } else if (event.kind == YamlEvent::Kind::end) {
        close_open();
      } else if (event.kind == YamlEvent::Kind::list || event.kind == YamlEvent::Kind::section) {
        open(event);
      } else {
        close(leaf(event), event.at);
      }
    }
  }

  void repeat(std::vector<YamlEvent> const& events, std::size_t alias) {
    Range const range = anchored_.at(events[alias].anchor);
    if (range.begin < alias && alias < range.end) {
      throw RefusedYaml(events[alias].at, "an anchor cannot hold itself");
    }
    if (aliases_ == 0) alias_at_ = events[alias].at;
    ++aliases_;
    play(events, range);
    --aliases_;
  }

  void count_repeated(YamlEvent const& event) {
    ++repeated_values_;
    repeated_bytes_ += event.text.size();
    if (repeated_values_ <= most_repeated_values && repeated_bytes_ <= most_repeated_bytes) return;
    throw RefusedYaml(alias_at_, "aliases repeat more than " + std::to_string(most_repeated_values) +
                                     " values or 16 MiB of text, the most a deck may have");
  }

  Node leaf(YamlEvent const& event) const {
    Node node = scalar(event.text, at(event.at));
    node.quoted = event.quoted;
    bool const said = !event.quoted && (event.text == "~" || event.text == "null");
    if (event.kind == YamlEvent::Kind::nothing || said) node.kind = Node::Kind::nothing;
    return node;
  }

  void open(YamlEvent const& event) {
    if (open_.size() == deepest_nesting) {
      throw RefusedYaml(alias_at_, "aliases nest sections or lists deeper than " + std::to_string(deepest_nesting) +
                                       ", the most a deck may have");
    }
    Open& made = open_.emplace_back();
    made.node.kind = event.kind == YamlEvent::Kind::list ? Node::Kind::list : Node::Kind::section;
    made.node.location = at(event.at);
    made.at = event.at;
  }

  void close_open() {
    Open done = std::move(open_.back());
    open_.pop_back();
    for (Entry& entry : done.merged) {
      if (done.node.find(entry.name) == nullptr) done.node.entries.push_back(std::move(entry));
    }
    close(std::move(done.node), done.at);
  }

  /// Adds a complete node to its parent.
  void close(Node node, YamlPlace const& place) {
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    Open& parent = open_.back();
    if (parent.node.kind == Node::Kind::list) {
      parent.node.items.push_back(std::move(node));
    } else if (!parent.has_key) {
      if (node.kind != Node::Kind::scalar) throw RefusedYaml(place, "expected a name, got " + described(node));
      parent.has_key = true;
      parent.key = std::move(node.text);
      parent.key_at = place;
    } else {
      parent.has_key = false;
      // For a name without a colon the parser reports the value at the name's position.
      if (node.kind == Node::Kind::nothing && place == parent.key_at) refuse_bare(parent, node);
      add_entry(parent, std::move(node), place);
    }
  }

  void refuse_bare(Open const& parent, Node& value) {
    std::string const name = printable(parent.key);
    mistakes_.add_word(at(parent.key_at), name, "a name without a colon and a value",
                       [name] { return "write `" + name + ": ...`, or leave it out"; });
    value.kind = Node::Kind::reported;
  }

  void add_entry(Open& parent, Node value, YamlPlace const& place) {
    if (parent.key != "<<") {
      parent.node.entries.push_back({std::move(parent.key), at(parent.key_at), std::move(value)});
      return;
    }
    // Entries of the section itself, even later ones, take precedence over merged ones: merging is deferred.
    if (value.kind != Node::Kind::list) return merge(parent, std::move(value), place);
    for (Node& source : value.items) merge(parent, std::move(source), place);
  }

  static void merge(Open& parent, Node source, YamlPlace const& place) {
    if (source.kind != Node::Kind::section) throw RefusedYaml(place, "`<<` merges sections, got " + described(source));
    for (Entry& entry : source.entries) parent.merged.push_back(std::move(entry));
  }

  SourceName name_;
  Location fixed_;
  Mistakes& mistakes_;
  Node root_;
  std::vector<Open> open_;
  std::unordered_map<std::uint32_t, Range> anchored_;
  std::size_t aliases_ = 0;  ///< nesting depth of aliases being replayed
  YamlPlace alias_at_;       ///< of the outermost of them
  std::size_t repeated_values_ = 0;
  std::size_t repeated_bytes_ = 0;
};

/// True if a line up to this one is indented with a tab, which YAML forbids and its parser reports unclearly.
bool has_tab_indent(std::string const& text, int last_line) {
  std::istringstream lines(text);
  std::string line;
  for (int number = 0; number <= last_line && std::getline(lines, line); ++number) {
    std::size_t const first = line.find_first_not_of(' ');
    if (first != std::string::npos && line[first] == '\t') return true;
  }
  return false;
}

/// Line number, from 1, of the last line up to `line` with content, if it has no colon; otherwise 0.
int bare_line_before(std::string const& text, int line) {
  std::istringstream lines(text);
  std::string each;
  int bare = 0;
  for (int number = 1; number <= line && std::getline(lines, each); ++number) {
    std::size_t const first = each.find_first_not_of(" \t\r");
    if (first == std::string::npos || each[first] == '#') continue;
    bare = each.find_first_of(":[]{},'\"|>-", first) == std::string::npos ? number : 0;
  }
  return bare;
}

/// How to correct a refused text; empty if unknown.
std::string advice_for(RefusedYaml const& refused, std::string const& text) {
  if (has_tab_indent(text, refused.at.line)) return "indent with spaces, not with tabs";
  bool const lacks_name = std::string_view(refused.what()).find("illegal map value") != std::string_view::npos;
  int const bare = lacks_name ? bare_line_before(text, refused.at.line) : 0;
  return bare > 0 ? "line " + std::to_string(bare) + " has no colon" : "";
}

Node read(std::string const& subject, std::string const& text, TreeBuilder& builder, Mistakes& mistakes) {
  try {
    return builder.build(yaml_events(text));
  } catch (RefusedYaml const& refused) {
    mistakes.add(builder.at(refused.at), subject, refused.what(), advice_for(refused, text));
    return {};
  }
}

}  // namespace

Node read_yaml(std::string const& name, std::string const& text, Mistakes& mistakes) {
  TreeBuilder builder(name, {}, mistakes);
  return read(name, text, builder, mistakes);
}

namespace {

/// The part of a value before a comment and the blanks around it.
std::string_view without_comment(std::string_view text) {
  text = text.substr(0, text.find(" #"));
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

/// Whether YAML would read a section that has no braces.
bool is_section_without_braces(std::string_view text) {
  if (text.empty() || text.starts_with("- ") || std::string_view("{[\"'&*!|>").find(text[0]) != std::string_view::npos)
    return false;
  return text.find(": ") != std::string_view::npos || text.back() == ':';
}

}  // namespace

Node read_yaml_value(std::string const& text, Location const& at, Mistakes& mistakes) {
  std::string_view const value = without_comment(text);
  if (is_section_without_braces(value)) return scalar(std::string(value), at);
  TreeBuilder builder("", at, mistakes);
  Node node = read(printable(text), text, builder, mistakes);
  node.location = at;
  return node;
}

}  // namespace halocline::deck
