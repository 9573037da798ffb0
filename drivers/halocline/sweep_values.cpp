#include "drivers/halocline/sweep_values.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <string_view>

#include "framework/deck/tree.hpp"
#include "framework/runtime/error.hpp"

namespace halocline {
namespace {

/// File systems take 255, some of which a number may need.
constexpr std::size_t longest_name = 200;  // bytes
constexpr std::string_view spaces = " \t\r\n";

std::string trimmed(std::string_view text) {
  std::size_t const begin = text.find_first_not_of(spaces);
  if (begin == std::string_view::npos) return "";
  return std::string(text.substr(begin, text.find_last_not_of(spaces) - begin + 1));
}

/// A quotation mark begins a text where YAML says so: before a value or an element of one. A second one directly after
/// the end of a text belongs to it.
bool may_begin_text(char quotation, char before) {
  return before == quotation || std::string_view(",[{(:").find(before) != std::string_view::npos;
}

/// Finds the commas between values.
class Splitter {
 public:
  /// Whether `letter`, the next one, is such a comma. Sets `mistake` if brackets do not match.
  bool is_between(char letter) {
    if (quotation_ != 0) {
      go_on_in_text(letter);
      return false;
    }
    if (letter == ',' && closing_.empty()) return before_ = letter, true;
    if ((letter == '"' || letter == '\'') && may_begin_text(letter, before_)) {
      quotation_ = letter;
    } else {
      look_at_bracket(letter);
    }
    if (spaces.find(letter) == std::string_view::npos) before_ = letter;
    return false;
  }
  /// The mistake after all letters are read; empty: none.
  [[nodiscard]] std::string mistake() const {
    if (quotation_ != 0) return "an unmatched quotation mark";
    return unpaired_ || !closing_.empty() ? "an unmatched bracket" : "";
  }

 private:
  void go_on_in_text(char letter) {
    bool const escapes = quotation_ == '"' && letter == '\\' && !escaped_;
    if (letter == quotation_ && !escaped_) quotation_ = 0;
    escaped_ = escapes;
    before_ = letter;
  }

  void look_at_bracket(char letter) {
    constexpr std::string_view opening = "([{";
    constexpr std::string_view closing = ")]}";
    if (std::size_t const kind = opening.find(letter); kind != std::string_view::npos) closing_ += closing[kind];
    if (closing.find(letter) == std::string_view::npos) return;
    if (closing_.empty() || closing_.back() != letter) {
      unpaired_ = true;
    } else {
      closing_.pop_back();
    }
  }

  std::string closing_;  ///< expected closing brackets, the next one last
  bool unpaired_ = false;
  char quotation_ = 0;  ///< of the current text; 0: none
  bool escaped_ = false;
  char before_ = ',';  ///< the last letter other than a space
};

/// Reads one `--sweep`. Adds errors to `mistakes`.
SweptOption read_sweep(std::string const& typed, std::vector<std::string>& mistakes) {
  auto const refuse = [&](std::string const& what) {
    mistakes.push_back("`--sweep " + deck::printable(typed) + "`: " + what);
  };
  std::size_t const equals = typed.find('=');
  SweptOption option{trimmed(typed.substr(0, equals)), {}};
  if (equals == std::string::npos || option.name.empty()) {
    refuse("expected a name and values, as in solver.method=cg,multigrid");
    return option;
  }
  std::string const list = typed.substr(equals + 1);
  if (trimmed(list).empty()) {
    refuse("no values; give them after the equals sign, separated by commas");
    return option;
  }
  Splitter splitter;
  std::vector<std::string> values(1);
  for (char const letter : list) {
    if (splitter.is_between(letter)) {
      values.emplace_back();
    } else {
      values.back() += letter;
    }
  }
  if (std::string const mistake = splitter.mistake(); !mistake.empty()) {
    refuse(mistake);
    return option;
  }
  std::set<std::string> known;
  for (std::size_t n = 0; n < values.size(); ++n) {
    option.values.push_back(trimmed(values[n]));
    std::string const& value = option.values.back();
    if (value.empty()) {
      refuse("value " + std::to_string(n + 1) + " of " + std::to_string(values.size()) + " is empty");
    } else if (!known.insert(value).second) {
      refuse("the value " + deck::printable(value) + " is given twice");
    }
  }
  return option;
}

/// Replaces characters that are special to shells or file systems. Characters beyond ASCII remain.
std::string as_part_of_name(std::string const& text) {
  std::string part;
  for (char const letter : text) {
    auto const code = static_cast<unsigned char>(letter);
    bool const plain =
        code >= 0x80 || std::isalnum(code) != 0 || std::string_view("._+-").find(letter) != std::string::npos;
    if (plain) {
      part += letter;
    } else if (!part.empty() && part.back() != '_') {
      part += '_';
    }
  }
  while (part.ends_with('_')) part.pop_back();
  return part;
}

/// Shortens a name, but never within a multi-byte character.
std::string cut(std::string const& name) {
  std::size_t length = std::min(name.size(), longest_name);
  while (length > 0 && length < name.size() && (static_cast<unsigned char>(name[length]) & 0xC0U) == 0x80U) --length;
  return name.substr(0, length);
}

/// Makes names unique.
class NamesOfValues {
 public:
  std::string unique(std::string const& name) {
    std::string candidate = name;
    for (std::size_t& number = given_[name]; !taken_.insert(candidate).second;) {
      number = std::max<std::size_t>(2, number + 1);
      candidate = name + "-" + std::to_string(number);
    }
    return candidate;
  }

 private:
  std::set<std::string> taken_;
  std::map<std::string, std::size_t> given_;  ///< the last number appended to each
};

std::string folder_of(std::vector<SweptOption> const& options, std::vector<std::string> const& values) {
  std::string folder;
  for (std::size_t n = 0; n < options.size(); ++n) {
    folder += (n == 0 ? "" : ",") + as_part_of_name(options[n].name) + "=" + as_part_of_name(values[n]);
  }
  return cut(folder);
}

void require_few(std::vector<SweptOption> const& options) {
  std::size_t runs = 1;
  bool few = true;
  std::string factors;
  for (SweptOption const& option : options) {
    factors += (factors.empty() ? "" : " x ") + std::to_string(option.values.size());
    few = few && option.values.size() <= most_swept_runs / runs;
    if (few) runs *= option.values.size();
  }
  if (few) return;
  throw InputError("--sweep: " + factors + " runs; a sweep may have at most " + std::to_string(most_swept_runs));
}

}  // namespace

std::vector<SweptOption> read_sweeps(std::vector<std::string> const& typed) {
  std::vector<SweptOption> options;
  std::vector<std::string> mistakes;
  std::set<std::string> known;
  for (std::string const& each : typed) {
    options.push_back(read_sweep(each, mistakes));
    std::string const& name = options.back().name;
    if (!name.empty() && !known.insert(name).second)
      mistakes.push_back("`--sweep " + deck::printable(each) + "`: " + deck::printable(name) + " is swept already");
  }
  std::string text;
  for (std::string const& mistake : mistakes) text += (text.empty() ? "" : "\n") + mistake;
  if (!text.empty()) throw InputError(text);
  return options;
}

std::vector<SweptRun> swept_runs(std::vector<SweptOption> const& options) {
  require_few(options);
  std::size_t count = 1;
  for (SweptOption const& option : options) count *= option.values.size();
  std::vector<SweptRun> runs(count);
  NamesOfValues names;
  for (std::size_t n = 0; n < count; ++n) {
    std::vector<std::string>& values = runs[n].values;
    values.resize(options.size());
    std::size_t rest = n;
    for (std::size_t option = options.size(); option-- > 0;) {
      std::vector<std::string> const& all = options[option].values;
      values[option] = all[rest % all.size()];
      rest /= all.size();
    }
    runs[n].folder = names.unique(folder_of(options, values));
  }
  return runs;
}

}  // namespace halocline
