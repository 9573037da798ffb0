#include "tests/fuzz/deck_mutator.hpp"

#include <algorithm>
#include <utility>

namespace halocline::test {
namespace {

/// Size limit of a mutated deck.
constexpr std::size_t largest = 1 << 20;

std::vector<std::string> const numbers{"0",     "-1",    "1",     "2",      "8",    "1e400",
                                       "nan",   "inf",   "-.inf", "1e-320", "0x10", "9223372036854775807",
                                       "1_000", "1e18",  "1.5",   "1e-15",  "-0",   "9223372036854775808",
                                       "007",   "+1",    "1e5",   "65536",  "0.1",  "4294967296",
                                       "''",    "\"8\"", "~",     "null",   "true", "1000000000000"};

std::vector<std::string> const signs{"<<: *a",
                                     "&a ",
                                     "*a",
                                     "!!str ",
                                     "!x ",
                                     "---\n",
                                     "...\n",
                                     "%YAML 1.2\n",
                                     "%TAG ! x\n",
                                     "? ",
                                     "- ",
                                     "|\n",
                                     ">-\n",
                                     "\t",
                                     "\xEF\xBB\xBF",
                                     "\r\n",
                                     ": ",
                                     ":",
                                     "#",
                                     "# ",
                                     "[",
                                     "]",
                                     "{",
                                     "}",
                                     ",",
                                     "'",
                                     "\"",
                                     "\\",
                                     "@",
                                     "`",
                                     "*tea\n",
                                     "*endtea\n",
                                     "state 2 ",
                                     "=",
                                     "\xC3\xA9",
                                     "\xFF",
                                     "\xE2\x82\xAC",
                                     "<<: {a: 1}",
                                     "&b [*b]",
                                     "!"};

std::vector<std::string> const terms{
    "x",   "y",  "z", "t",     "pi",   "1",  "2.5", "1e308", "sin(x)",   "(",        ")",      "+",    "-",    "*",
    "/",   "^",  "?", ":",     "<",    "==", "=",   "&&",    "||",       ",",        "sum(x,", "max(", "exp(", "rnd",
    "_pi", "if", "!", "\"a\"", "log(", "e",  "1/0", "0/0",   "sqrt(-1)", "x>0.5?1:", "u",      "."};

std::string whitespace(std::size_t count) { return std::string(count, ' '); }

}  // namespace

DeckMutator::DeckMutator(std::vector<std::string> decks, std::shared_ptr<deck::ResolvedSection const> declaration)
    : decks_(std::move(decks)), declaration_(std::move(declaration)) {
  collect_words(*declaration_, "");
}

void DeckMutator::collect_words(deck::ResolvedSection const& section, std::string const& path) {
  for (Option const& option : section.section->options()) {
    words_.push_back(option.name());
    paths_.push_back(path + option.name());
    for (std::string const& name : option.names()) words_.push_back(name);
  }
  for (auto const& inner : section.sections) {
    std::string const& name = inner.declaration->section->name();
    words_.push_back(name);
    paths_.push_back(path + name);
    collect_words(*inner.declaration, path + name + ".");
  }
  for (auto const& element : section.lists) {
    std::string const& name = element->section->name();
    words_.push_back(name);
    paths_.push_back(path + name);
    collect_words(*element, path + name + "[0].");
  }
}

HostileDeck DeckMutator::make(std::uint64_t seed) {
  random_.seed(seed);
  HostileDeck made;
  made.text = one_in(3) ? section_text(*declaration_, 0) : any(decks_);
  for (std::size_t changes = below(6); changes > 0; --changes) mutate(made.text);
  if (one_in(300)) repeat(made.text);
  if (made.text.size() > largest) made.text.resize(largest);
  if (one_in(4)) {
    for (std::size_t count = 1 + below(3); count > 0; --count) made.overrides.push_back(override_text());
  }
  return made;
}

std::string DeckMutator::section_text(deck::ResolvedSection const& section, std::size_t depth) {
  std::string text;
  std::string const indent = whitespace(2 * depth);
  for (Option const& option : section.section->options()) {
    bool const given = one_in(3) || (option.is_required() && !one_in(8));
    if (given) text += indent + option.name() + ": " + value_text(option) + "\n";
  }
  for (auto const& inner : section.sections) {
    if (depth > 0 ? !one_in(3) : one_in(3)) continue;
    std::string const nested = section_text(*inner.declaration, depth + 1);
    text += indent + inner.declaration->section->name() + ":" + (nested.empty() ? " {}\n" : "\n" + nested);
  }
  for (auto const& element : section.lists) {
    if (one_in(2)) continue;
    text += indent + element->section->name() + ":\n";
    for (std::size_t count = below(4); count > 0; --count) {
      std::string item = section_text(*element, depth + 2);
      if (item.empty()) item = whitespace(2 * depth + 4) + "{}\n";
      item[2 * depth + 2] = '-';
      text += item;
    }
  }
  return text;
}

std::string DeckMutator::value_text(Option const& option) {
  if (!option.is_vector()) return entry_text(option);
  std::string text = "[";
  for (std::size_t count = one_in(9) ? below(6) : 2; count > 0; --count) {
    text += entry_text(option) + (count > 1 ? ", " : "");
  }
  return text + "]";
}

std::string DeckMutator::entry_text(Option const& option) {
  if (one_in(12)) return hostile_piece();
  switch (option.kind()) {
    case OptionKind::boolean:
      return one_in(2) ? "true" : "false";
    case OptionKind::choice: {
      std::vector<std::string> const names = option.names();
      return names.empty() ? "none" : any(names);
    }
    case OptionKind::field:
      if (one_in(8)) return "{file: " + any(words_) + ", " + any(words_) + ": " + any(numbers) + "}";
      return "'" + expression_text() + "'";
    case OptionKind::expression:
      return "'" + expression_text() + "'";
    case OptionKind::integer:
    case OptionKind::real:
      return one_in(4) ? any(numbers) : std::to_string(1 + below(20));
    default:
      return any(words_);
  }
}

std::string DeckMutator::expression_text() {
  if (one_in(2)) return one_in(2) ? "x + y" : "1";
  if (one_in(40)) {
    std::string const term = any(terms);
    std::string text;
    for (std::size_t count = below(9000); count > 0; --count) text += term;
    return text;
  }
  std::string text;
  for (std::size_t count = 1 + below(8); count > 0; --count) text += any(terms);
  return text;
}

std::string DeckMutator::piece_of(std::string const& text) {
  if (text.empty()) return "";
  std::size_t const begin = below(text.size());
  return text.substr(begin, 1 + below(std::min<std::size_t>(text.size() - begin, 200)));
}

std::string DeckMutator::hostile_piece() {
  switch (below(6)) {
    case 0:
      return any(numbers);
    case 1:
      return any(words_);
    case 2:
      return expression_text();
    case 3:
      return piece_of(any(decks_));
    case 4:
      return std::string(1, static_cast<char>(below(256)));
    default:
      return any(signs);
  }
}

std::string DeckMutator::override_text() {
  std::string text = any(paths_);
  if (one_in(6)) change_byte(text);
  if (one_in(6)) text += "[" + any(numbers) + "]";
  if (one_in(8)) text += "." + any(words_);
  if (one_in(60)) {
    std::string const part = one_in(2) ? ".a" : "[0]";
    for (std::size_t count = below(300); count > 0; --count) text += part;
  }
  if (!one_in(12)) text += "=";
  text += one_in(3) ? hostile_piece() : one_in(2) ? any(numbers) : any(words_);
  if (one_in(10)) nest(text);
  return text;
}

void DeckMutator::mutate(std::string& text) {
  switch (below(9)) {
    case 0:
    case 1:
      for (std::size_t count = 1 + below(4); count > 0; --count) change_byte(text);
      return;
    case 2:
      return change_lines(text);
    case 3:
      return change_number(text);
    case 4:
    case 5:
      return change_word(text);
    case 6: {  // the beginning of this deck and the end of another
      std::string const& other = any(decks_);
      text = text.substr(0, below(text.size() + 1)) + other.substr(below(other.size() + 1));
      return;
    }
    case 7:
      if (one_in(4)) nest(text);
      return;
    default:
      text.insert(below(text.size() + 1), hostile_piece());
  }
}

void DeckMutator::change_byte(std::string& text) {
  if (text.empty()) return;
  std::size_t const at = below(text.size());
  switch (below(4)) {
    case 0:
      text[at] = static_cast<char>(below(256));
      return;
    case 1:
      text[at] = static_cast<char>(static_cast<unsigned char>(text[at]) ^ (1U << below(8)));
      return;
    case 2:
      text.erase(at, 1);
      return;
    default:
      text.insert(at, any(signs));
  }
}

void DeckMutator::change_lines(std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t const end = std::min(text.find('\n', at), text.size() - 1) + 1;
    lines.push_back(text.substr(at, end - at));
    at = end;
  }
  if (lines.empty()) return;
  std::size_t const line = below(lines.size());
  std::size_t const other = below(lines.size());
  switch (below(4)) {
    case 0:
      lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(line));
      break;
    case 1:
      std::swap(lines[line], lines[other]);
      break;
    case 2:
      lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(line), lines[other]);
      break;
    default:
      lines[line] = whitespace(below(9)) + lines[line];
  }
  text.clear();
  for (std::string const& each : lines) text += each;
}

void DeckMutator::change_number(std::string& text) {
  std::size_t const from = below(text.size() + 1);
  std::size_t const begin = std::min(text.find_first_of("0123456789", from), text.size());
  std::size_t const end = std::min(text.find_first_not_of("0123456789.e-", begin), text.size());
  text.replace(begin, end - begin, any(numbers));
}

void DeckMutator::change_word(std::string& text) {
  char const* const letters = "abcdefghijklmnopqrstuvwxyz_";
  std::size_t const from = below(text.size() + 1);
  std::size_t const begin = std::min(text.find_first_of(letters, from), text.size());
  std::size_t const end = std::min(text.find_first_not_of(letters, begin), text.size());
  text.replace(begin, end - begin, any(words_));
}

void DeckMutator::nest(std::string& text) {
  static std::vector<std::string> const openings{"[", "{a: ", "- ", "? ", "&a [", "a: ", "- - ", "!!seq [", "(", "["};
  std::string const& opening = any(openings);
  std::string piece;
  for (std::size_t count = one_in(20) ? below(20000) : below(120); count > 0; --count) piece += opening;
  text.insert(below(text.size() + 1), piece);
}

void DeckMutator::repeat(std::string& text) {
  std::string const piece = one_in(2) ? hostile_piece() : piece_of(text);
  std::size_t const most = (one_in(4) ? largest : largest / 32) / (piece.size() + 1);
  std::string many;
  for (std::size_t count = below(most); count > 0; --count) many += piece;
  text.insert(below(text.size() + 1), many);
}

}  // namespace halocline::test
