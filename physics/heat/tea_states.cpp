#include "physics/heat/tea_states.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "framework/deck/nearest_name.hpp"
#include "framework/deck/number_text.hpp"

namespace halocline::heat {

using deck::integer_from;
using deck::list;
using deck::Node;
using deck::NotANumber;
using deck::printable;
using deck::reported;
using deck::scalar;

namespace {

std::vector<std::string> const state_words{"density", "energy", "geometry", "xmin", "xmax", "ymin", "ymax", "radius"};

struct Shape {
  std::string name;
  std::vector<std::string> needs;
};
/// TeaLeaf's geometries: the centre of a circle or point is (xmin, ymin).
std::vector<Shape> const shapes{{"rectangle", {"xmin", "ymin", "xmax", "ymax"}},
                                {"circle", {"xmin", "ymin", "radius"}},
                                {"point", {"xmin", "ymin"}}};

}  // namespace

Node number(TeaWord const& value) {
  std::string text = value.text;
  bool const starts_as_number = text.find_first_of("0123456789.") <= 1;
  std::size_t const exponent = text.find('d');
  if (starts_as_number && exponent != std::string::npos) text[exponent] = 'e';
  return scalar(text, value.location);
}

void TeaStates::read(std::span<TeaWord const> words) {
  Location const at = words.front().location;
  auto const state = words.size() < 2 ? NotANumber{} : integer_from(words[1].text);
  if (!std::holds_alternative<std::int64_t>(state)) {
    mistakes_.add(at, "state", "its number is missing", "write `state 1 density=... energy=...`");
    return;
  }
  auto const number_of_state = std::get<std::int64_t>(state);
  Node made = region(number_of_state, at, read_values(words.subspan(2)));
  auto const [first, is_new] = states_.emplace(number_of_state, State{at, std::move(made)});
  if (is_new) return;
  mistakes_.add_word(at, "state " + std::to_string(number_of_state), "given twice",
                     [first_at = first->second.location] { return "first at " + first_at.text(); });
}

TeaStates::Values TeaStates::read_values(std::span<TeaWord const> words) {
  Values values;
  for (std::size_t n = 0; n < words.size(); n += 2) {
    TeaWord const& word = words[n];
    bool known = false;
    for (std::string const& one : state_words) known = known || one == word.text;
    if (!known) {
      mistakes_.add_word(word.location, printable(word.text), "unknown in a state of a tea.in",
                         [text = word.text] { return advice_for(text, state_words); });
    } else if (n + 1 == words.size()) {
      mistakes_.add(word.location, word.text, "its value is missing");
    } else if (!values.emplace(word.text, words[n + 1]).second) {
      mistakes_.add(word.location, word.text, "given twice");
    }
  }
  return values;
}

Node TeaStates::region(std::int64_t state, Location const& at, Values const& values) {
  std::string const subject = "state " + std::to_string(state);
  Node region;
  region.kind = Node::Kind::section;
  region.location = at;
  for (std::string const word : {"density", "energy"}) {
    auto const found = values.find(word);
    if (found == values.end()) mistakes_.add(at, subject, "its " + word + " is missing");
    region.set(word, at, found == values.end() ? reported(at) : number(found->second));
  }
  if (state == 1) {
    expect_only({"density", "energy"}, values, subject, "is the background, everywhere");
    region.set("shape", at, scalar("everywhere", at));
  } else {
    write_shape(region, subject, values);
  }
  return region;
}

void TeaStates::expect_only(std::vector<std::string> const& words, Values const& values, std::string const& subject,
                            std::string const& what) {
  for (auto const& [word, value] : values) {
    if (std::find(words.begin(), words.end(), word) != words.end()) continue;
    mistakes_.add(value.location, subject, std::string(what).append(", and has no ").append(word));
  }
}

void TeaStates::write_shape(Node& region, std::string const& subject, Values const& values) {
  auto const geometry = values.find("geometry");
  if (geometry == values.end()) {
    mistakes_.add(region.location, subject, "its geometry is missing", "known: rectangle, circle, point");
    region.set("shape", region.location, reported(region.location));
    return;
  }
  TeaWord const& given = geometry->second;
  Shape const* shape = nullptr;
  std::vector<std::string> names;
  for (Shape const& one : shapes) {
    names.push_back(one.name);
    if (one.name == given.text) shape = &one;
  }
  if (shape == nullptr) {
    mistakes_.add(given.location, subject, "unknown geometry '" + printable(given.text) + "'",
                  advice_for(given.text, names));
    region.set("shape", given.location, reported(given.location));
    return;
  }
  std::vector<std::string> words{"density", "energy", "geometry"};
  words.insert(words.end(), shape->needs.begin(), shape->needs.end());
  expect_only(words, values, subject, "is a " + shape->name);
  std::vector<Node> needed;
  for (std::string const& word : shape->needs) {
    auto const found = values.find(word);
    if (found != values.end())
      needed.push_back(number(found->second));
    else
      mistakes_.add(given.location, subject, "a " + shape->name + " needs " + word);
  }
  region.set("shape", given.location, scalar(shape->name, given.location));
  if (needed.size() != shape->needs.size()) {
    region = reported(region.location);
  } else if (shape->name == "rectangle") {
    region.set("lower", needed[0].location, list({needed[0], needed[1]}, needed[0].location));
    region.set("upper", needed[2].location, list({needed[2], needed[3]}, needed[2].location));
  } else {
    region.set("centre", needed[0].location, list({needed[0], needed[1]}, needed[0].location));
    if (shape->name == "circle") region.set("radius", needed[2].location, needed[2]);
  }
}

Node TeaStates::regions(Location const& at) {
  std::vector<Node> all;
  std::int64_t expected = 1;
  for (auto& [number_of_state, state] : states_) {
    if (number_of_state != expected)
      mistakes_.add(state.location, "state " + std::to_string(number_of_state),
                    "state " + std::to_string(expected) + " is missing", "states count from 1, the background");
    if (number_of_state < std::numeric_limits<std::int64_t>::max()) expected = number_of_state + 1;
    all.push_back(std::move(state.region));
  }
  if (!all.empty()) return list(std::move(all), at);
  mistakes_.add(at, "state", "missing", "state 1, the background, is required");
  return reported(at);
}

}  // namespace halocline::heat
