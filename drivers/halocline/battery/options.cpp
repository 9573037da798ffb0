#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "drivers/halocline/battery/apart.hpp"
#include "drivers/halocline/battery/check.hpp"
#include "framework/deck/options.hpp"
#include "framework/runtime/error.hpp"

namespace halocline::battery {
namespace {

/// A value that an option must refuse.
struct Wrong {
  std::string change;
  std::string why;
};

bool is_number(OptionKind kind) { return kind == OptionKind::integer || kind == OptionKind::real; }

/// Adds values with a wrong type, values out of range, and misspelt names.
void add_wrong(Option const& option, std::string const& path, std::vector<Wrong>& wrong) {
  std::string const name = path + "." + option.name();
  if (is_number(option.kind())) {
    wrong.push_back({name + "=plenty", "a word instead of a number"});
    auto const beyond = [&](Option::Bound const& bound, double direction) {
      double const value = bound.inclusive ? bound.value + direction : bound.value;
      std::string const text = option.kind() == OptionKind::integer ? fmt::format("{}", static_cast<long>(value))
                                                                    : fmt::format("{:.17g}", value);
      wrong.push_back({name + "=" + text, "out of range"});
    };
    if (option.lower()) beyond(*option.lower(), -1);
    if (option.upper()) beyond(*option.upper(), 1);
  }
  if (option.kind() == OptionKind::boolean) wrong.push_back({name + "=perhaps", "a word instead of true or false"});
  if (option.kind() == OptionKind::choice) wrong.push_back({name + "=none_such", "an unknown name"});
  if (option.kind() == OptionKind::expression || option.kind() == OptionKind::field)
    wrong.push_back({name + "='1 +* x'", "not an expression"});
  wrong.push_back({path + ".x" + option.name() + "=1", "misspelt"});
}

void add_wrong(Section const& section, std::string const& path, std::vector<Wrong>& wrong) {
  for (Option const& option : section.options()) add_wrong(option, path, wrong);
  for (Section const& inner : section.sections()) add_wrong(inner, path + "." + inner.name(), wrong);
}

bool is_refused(Subject const& subject, std::string const& change) {
  try {
    static_cast<void>(subject.read({change}));
  } catch (InputError const&) {
    return true;
  }
  return false;
}

}  // namespace

Finding options(Subject const& subject) {
  std::vector<Wrong> wrong;
  add_wrong(subject.entry.options, subject.entry.name, wrong);
  if (wrong.empty()) return not_applicable("it has no options");
  for (Wrong const& each : wrong) {
    if (!is_refused(subject, each.change))
      return failed(fmt::format("`{}` is accepted, but is {}", each.change, each.why));
  }
  // The program must exit with code 2 and leave no files; one mistake of each kind.
  std::vector<std::string> known;
  for (Wrong const& each : wrong) {
    if (std::find(known.begin(), known.end(), each.why) != known.end() || known.size() == 3) continue;
    known.push_back(each.why);
    auto const folder = subject.scratch / "refused";
    std::vector<std::string> words{
        "run", (subject.scratch / "deck").string(), "--set", each.change, "--output", folder.string()};
    for (std::string const& plugin : subject.plugins) words.insert(words.end(), {"--plugin", plugin});
    ProgramEnd const end = run_program_with(words);
    if (end.code != 2)
      return failed(
          fmt::format("`run --set {}` exited with code {} instead of 2: {}", each.change, end.code, end.said));
    if (std::filesystem::exists(folder)) return failed(fmt::format("`run --set {}` created a folder", each.change));
  }
  return held(fmt::format("{} wrong values are refused", wrong.size()));
}

}  // namespace halocline::battery
