#include "framework/deck/yaml_events.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <sstream>
#include <utility>

namespace halocline::deck {
namespace {

/// Names count as values.
constexpr std::size_t most_values = 500000;

/// The parser stores a token for each open bracket before it reports the first. Brackets in comments and quotes count
/// as well.
constexpr int most_open_brackets = 1000;

using Kind = YamlEvent::Kind;

YamlPlace place(YAML::Mark const& mark) { return {mark.line, mark.column}; }

std::string too_deep() {
  return "sections or lists nested deeper than " + std::to_string(deepest_nesting) + ", the most a deck may have";
}

class Recorder : public YAML::EventHandler {
 public:
  [[nodiscard]] std::vector<YamlEvent> take() { return std::move(events_); }

  void OnDocumentStart(YAML::Mark const& mark) override {
    if (++documents_ > 1) throw RefusedYaml(place(mark), "more than one YAML document");
  }
  void OnDocumentEnd() override {}
  void OnNull(YAML::Mark const& mark, YAML::anchor_t anchor) override { value(Kind::nothing, mark, anchor); }
  void OnAlias(YAML::Mark const& mark, YAML::anchor_t anchor) override { value(Kind::alias, mark, anchor); }
  void OnScalar(YAML::Mark const& mark, std::string const& tag, YAML::anchor_t anchor,
                std::string const& text) override {
    YamlEvent& event = value(Kind::scalar, mark, anchor);
    event.quoted = tag == "!" || tag == "tag:yaml.org,2002:str";
    event.text = text;
  }
  void OnSequenceStart(YAML::Mark const& mark, std::string const&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(Kind::list, mark, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(YAML::Mark const& mark, std::string const&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(Kind::section, mark, anchor);
  }
  void OnMapEnd() override { close(); }

 private:
  YamlEvent& value(Kind kind, YAML::Mark const& mark, YAML::anchor_t anchor) {
    if (++values_ > most_values) {
      throw RefusedYaml(place(mark),
                        "more than " + std::to_string(most_values) + " names and values, the most a deck may have");
    }
    return events_.emplace_back(YamlEvent{kind, false, static_cast<std::uint32_t>(anchor), place(mark), ""});
  }
  void open(Kind kind, YAML::Mark const& mark, YAML::anchor_t anchor) {
    if (++depth_ > deepest_nesting) throw RefusedYaml(place(mark), too_deep());
    value(kind, mark, anchor);
  }
  void close() {
    --depth_;
    events_.push_back({Kind::end, false, 0, {}, ""});
  }

  std::vector<YamlEvent> events_;
  std::size_t values_ = 0;
  std::size_t depth_ = 0;
  int documents_ = 0;
};

/// The message of the parser for a line of a section without `name: value` is not helpful.
std::string reason(YAML::Exception const& error) {
  return error.msg == YAML::ErrorMsg::END_OF_MAP ? "expected `name: value`" : error.msg;
}

void refuse_open_brackets(std::string const& text) {
  YamlPlace at;
  int open = 0;
  for (char const c : text) {
    if (c == '[' || c == '{') ++open;
    if ((c == ']' || c == '}') && open > 0) --open;
    if (open > most_open_brackets) throw RefusedYaml(at, too_deep());
    ++at.column;
    if (c == '\n') at = {at.line + 1, 0};
  }
}

}  // namespace

std::vector<YamlEvent> yaml_events(std::string const& text) {
  refuse_open_brackets(text);
  Recorder recorder;
  try {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    if (parser.HandleNextDocument(recorder)) parser.HandleNextDocument(recorder);  // refuses a second document
  } catch (YAML::Exception const& error) {
    throw RefusedYaml(place(error.mark), "not YAML: " + reason(error));
  }
  return recorder.take();
}

}  // namespace halocline::deck
