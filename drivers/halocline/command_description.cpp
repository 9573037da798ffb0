#include "drivers/halocline/command_description.hpp"

#include <CLI/CLI.hpp>
#include <sstream>

namespace halocline {
namespace {

/// "off", "read", "search" from "TEXT:{off,read,search}", CLI11's notation for a set of values.
std::vector<std::string> choices_in(std::string const& type) {
  std::size_t const begin = type.find('{');
  std::size_t const end = type.find('}');
  std::vector<std::string> names;
  if (begin == std::string::npos || end == std::string::npos) return names;
  std::istringstream words(type.substr(begin + 1, end - begin - 1));
  for (std::string name; std::getline(words, name, ',');) names.push_back(name);
  return names;
}

/// Text without trailing blanks.
std::string trimmed(std::string const& text) {
  std::size_t const end = text.find_last_not_of(" \n");
  return end == std::string::npos ? "" : text.substr(0, end + 1);
}

CommandOption describe(CLI::Option const& option) {
  CommandOption found;
  found.is_positional = option.get_positional();
  found.is_required = option.get_required();
  found.is_repeatable =
      option.get_items_expected_max() > 1 || option.get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll;
  found.sentence = trimmed(option.get_description());
  found.choices = choices_in(option.get_type_name());
  for (std::string const& name : option.get_snames()) found.names.push_back("-" + name);
  for (std::string const& name : option.get_lnames()) found.names.push_back("--" + name);
  if (found.names.empty()) found.names.push_back(option.get_name());
  if (found.is_positional) {
    found.value = found.name();
  } else if (option.get_items_expected_max() > 0) {
    std::string const text = trimmed(option.get_option_text());
    found.value = text.empty() ? "VALUE" : text;
  }
  return found;
}

std::vector<CommandOption> options_of(CLI::App const& app) {
  std::vector<CommandOption> options;
  for (CLI::Option const* option : app.get_options()) options.push_back(describe(*option));
  return options;
}

}  // namespace

ProgramDescription describe(CLI::App const& program) {
  ProgramDescription found{
      program.get_name(), program.get_description(), program.get_footer(), options_of(program), {}};
  for (CLI::App const* command : program.get_subcommands([](CLI::App const*) { return true; }))
    found.commands.push_back({command->get_name(), command->get_description(), options_of(*command)});
  return found;
}

}  // namespace halocline
