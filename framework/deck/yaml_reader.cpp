#include "framework/deck/yaml_reader.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <map>
#include <sstream>
#include <utility>
#include <vector>

namespace halocline::deck {
namespace {

constexpr std::size_t most_nodes = 1000000;
constexpr std::size_t deepest = 100;

/// What YAML allows and a deck does not.
struct Refused {
  YAML::Mark mark;
  std::string text;
};

std::size_t count(Node const& node) {
  std::size_t all = 1;
  for (Node const& item : node.items) all += count(item);
  for (Entry const& entry : node.entries) all += count(entry.value);
  return all;
}

/// Builds the tree from the parser's events.
class TreeBuilder : public YAML::EventHandler {
 public:
  /// All nodes are at `fixed` if it names a place, else at their place in the deck `name`.
  TreeBuilder(std::string name, Location fixed) : name_(std::move(name)), fixed_(std::move(fixed)) {}

  [[nodiscard]] Node take() { return std::move(root_); }
  [[nodiscard]] Location at(YAML::Mark const& mark) const {
    return fixed_.is_default() ? Location{name_, mark.line + 1, mark.column + 1} : fixed_;
  }

  void OnDocumentStart(YAML::Mark const& mark) override {
    if (++documents_ > 1) throw Refused{mark, "more than one YAML document"};
  }
  void OnDocumentEnd() override {}

  void OnNull(YAML::Mark const& mark, YAML::anchor_t anchor) override {
    Node node;
    node.location = at(mark);
    close(std::move(node), anchor, mark);
  }

  void OnAlias(YAML::Mark const& mark, YAML::anchor_t anchor) override {
    auto const found = anchored_.find(anchor);
    if (found == anchored_.end()) throw Refused{mark, "an anchor cannot hold itself"};
    nodes_ += count(found->second);
    refuse_many(mark);
    close(found->second, 0, mark);
  }

  void OnScalar(YAML::Mark const& mark, std::string const& tag, YAML::anchor_t anchor,
                std::string const& value) override {
    Node node = scalar(value, at(mark));
    node.quoted = tag == "!" || tag == "tag:yaml.org,2002:str";
    if (!node.quoted && (value == "~" || value == "null")) node.kind = Node::Kind::nothing;
    close(std::move(node), anchor, mark);
  }

  void OnSequenceStart(YAML::Mark const& mark, std::string const&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(Node::Kind::list, mark, anchor);
  }
  void OnSequenceEnd() override { close_open(); }
  void OnMapStart(YAML::Mark const& mark, std::string const&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(Node::Kind::section, mark, anchor);
  }
  void OnMapEnd() override { close_open(); }

 private:
  struct Open {
    Node node;
    YAML::anchor_t anchor;
    YAML::Mark mark;
    bool has_key = false;
    std::string key;
    Location key_location;
    std::vector<Entry> merged;
  };

  void refuse_many(YAML::Mark const& mark) const {
    if (nodes_ > most_nodes) throw Refused{mark, "more than a million values"};
  }

  void open(Node::Kind kind, YAML::Mark const& mark, YAML::anchor_t anchor) {
    if (open_.size() == deepest) throw Refused{mark, "sections or lists nested deeper than 100"};
    Node node;
    node.kind = kind;
    node.location = at(mark);
    open_.push_back({std::move(node), anchor, mark, false, "", {}, {}});
  }

  void close_open() {
    Open done = std::move(open_.back());
    open_.pop_back();
    for (Entry& entry : done.merged) {
      if (done.node.find(entry.name) == nullptr) done.node.entries.push_back(std::move(entry));
    }
    close(std::move(done.node), done.anchor, done.mark);
  }

  /// A node is complete: remembers it if it is anchored and gives it to what it stands in.
  void close(Node node, YAML::anchor_t anchor, YAML::Mark const& mark) {
    ++nodes_;
    refuse_many(mark);
    if (anchor != 0) anchored_[anchor] = node;
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    Open& parent = open_.back();
    if (parent.node.kind == Node::Kind::list) {
      parent.node.items.push_back(std::move(node));
    } else if (!parent.has_key) {
      if (node.kind != Node::Kind::scalar) throw Refused{mark, "expected a name, got " + described(node)};
      parent.has_key = true;
      parent.key = node.text;
      parent.key_location = at(mark);
    } else {
      parent.has_key = false;
      add_entry(parent, std::move(node), mark);
    }
  }

  void add_entry(Open& parent, Node value, YAML::Mark const& mark) {
    if (parent.key != "<<") {
      parent.node.entries.push_back({std::move(parent.key), parent.key_location, std::move(value)});
      return;
    }
    // What the section says itself, even further down, counts more than what is merged into it: that waits.
    std::vector<Node> const sources = value.kind == Node::Kind::list ? value.items : std::vector<Node>{value};
    for (Node const& source : sources) {
      if (source.kind != Node::Kind::section) throw Refused{mark, "`<<` merges sections, got " + described(source)};
      for (Entry const& entry : source.entries) parent.merged.push_back(entry);
    }
  }

  std::string name_;
  Location fixed_;
  Node root_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, Node> anchored_;
  std::size_t nodes_ = 0;
  int documents_ = 0;
};

/// True if a line up to this one is indented with a tab, which YAML forbids and its parser reports in riddles.
bool has_tab_indent(std::string const& text, int last_line) {
  std::istringstream lines(text);
  std::string line;
  for (int number = 0; number <= last_line && std::getline(lines, line); ++number) {
    std::size_t const first = line.find_first_not_of(' ');
    if (first != std::string::npos && line[first] == '\t') return true;
  }
  return false;
}

Node read(std::string const& subject, std::string const& text, TreeBuilder& builder, Mistakes& mistakes) {
  auto const refuse = [&](YAML::Mark const& mark, std::string const& why) {
    std::string const advice = has_tab_indent(text, mark.line) ? "indent with spaces, not with tabs" : "";
    mistakes.add(builder.at(mark), subject, why, advice);
    return Node{};
  };
  try {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    if (!parser.HandleNextDocument(builder)) return {};
    parser.HandleNextDocument(builder);  // refuses a second document
    return builder.take();
  } catch (YAML::Exception const& error) {
    return refuse(error.mark, "not YAML: " + error.msg);
  } catch (Refused const& refused) {
    return refuse(refused.mark, refused.text);
  }
}

}  // namespace

Node read_yaml(std::string const& name, std::string const& text, Mistakes& mistakes) {
  TreeBuilder builder(name, {});
  return read(name, text, builder, mistakes);
}

Node read_yaml_value(std::string const& text, Location const& at, Mistakes& mistakes) {
  TreeBuilder builder("", at);
  Node node = read(text, text, builder, mistakes);
  node.location = at;
  return node;
}

}  // namespace halocline::deck
