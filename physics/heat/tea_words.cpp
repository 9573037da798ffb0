#include "physics/heat/tea_words.hpp"

#include <algorithm>
#include <cctype>
#include <sstream>
#include <vector>

namespace halocline::heat {
namespace {

std::string lower_case(std::string word) {
  for (char& c : word) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return word;
}

std::vector<TeaWord> words_of(std::string const& line, SourceName const& name, int number) {
  std::string const separators = " \t\r=,";
  std::size_t const end = std::min(line.find_first_of("!#"), line.size());
  std::vector<TeaWord> words;
  std::size_t at = line.find_first_not_of(separators);
  while (at < end) {
    std::size_t const next = std::min(line.find_first_of(separators, at), end);
    words.push_back({lower_case(line.substr(at, next - at)), {name, number, static_cast<int>(at) + 1}});
    at = line.find_first_not_of(separators, next);
  }
  return words;
}

}  // namespace

bool is_tea(std::string const& text) {
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    std::vector<TeaWord> const words = words_of(line.substr(0, 80), "", 0);
    if (!words.empty() && words.front().text == "*tea") return true;
  }
  return false;
}

void for_each_tea_line(SourceName const& name, std::string const& text,
                       std::function<void(std::span<TeaWord const>)> const& read) {
  std::istringstream stream(text);
  std::string line;
  bool inside = false;
  for (int number = 1; std::getline(stream, line); ++number) {
    std::vector<TeaWord> const words = words_of(line, name, number);
    if (words.empty()) continue;
    if (words.front().text == "*endtea" && inside) break;
    if (inside)
      read(words);
    else
      inside = words.front().text == "*tea";
  }
}

}  // namespace halocline::heat
