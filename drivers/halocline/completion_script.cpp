#include "drivers/halocline/completion_script.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "framework/deck/words.hpp"

namespace halocline {
namespace {

/// The kind of a value by its placeholder on the command line: `FILE`, `DIR`, `FILE|DIR`. A positional argument with
/// any other placeholder is a file, unless it is a known name.
ValueKind kind_of_name(CommandOption const& option) {
  auto const is_called = [&](char const* name) { return option.value.find(name) != std::string::npos; };
  if (is_called("PATH=")) return ValueKind::settings;
  if (is_called("FILE") || is_called("DECK") || is_called("PROGRAM")) return ValueKind::files;
  if (is_called("DIR") || is_called("FOLDER")) return ValueKind::folders;
  return option.is_positional && !is_called("NAME") ? ValueKind::files : ValueKind::nothing;
}

/// The words that may be a value of a subcommand; null if there are none.
std::vector<std::string> const* words_for(std::string const& command, CommandOption const& option,
                                          CompletionWords const& words) {
  if (!option.choices.empty()) return &option.choices;
  for (std::string const& key : {command + " " + option.value, option.value}) {
    auto const found = words.words.find(key);
    if (found != words.words.end()) return &found->second;
  }
  return nullptr;
}

std::string joined(std::vector<std::string> const& words) { return deck::joined(words, " "); }

/// Text in single quotes, as bash and zsh read it.
std::string in_single_quotes(std::string const& text) {
  std::string safe = "'";
  for (char const c : text) safe += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return safe + "'";
}

/// Each word, quoted if bash, zsh or fish would split it.
std::vector<std::string> as_shell_words(std::vector<std::string> words) {
  for (std::string& word : words) {
    if (word.find(' ') != std::string::npos) word = in_single_quotes(word);
  }
  return words;
}

/// Each word with its blanks escaped, for lists inside quotes.
std::vector<std::string> escaped(std::vector<std::string> words) {
  for (std::string& word : words) {
    for (std::size_t at = word.find(' '); at != std::string::npos; at = word.find(' ', at + 2)) word.insert(at, "\\");
  }
  return words;
}

std::vector<std::string> names_of(std::vector<CommandOption> const& options) {
  std::vector<std::string> names;
  for (CommandOption const& option : options) {
    if (!option.is_positional) names.insert(names.end(), option.names.begin(), option.names.end());
  }
  return names;
}

std::vector<std::string> names_of(std::vector<CommandDescription> const& commands) {
  std::vector<std::string> names;
  for (CommandDescription const& command : commands) names.push_back(command.name);
  return names;
}

// ---- bash

constexpr char const* bash_head =
    R"(# Completion of halocline's command line in bash, made by `halocline completion bash`.

# Paths of options, up to the next dot, and behind `=` the choices of an option. Readline breaks words at `=`.
_halocline_settings() {
  local each rest before=""
  if [[ $word == *=* ]]; then
    [[ $COMP_WORDBREAKS == *=* ]] || before=${word%%=*}=
    for each in $(_halocline_values "${word%%=*}"); do
      if [[ $each == "${word#*=}"* ]]; then COMPREPLY+=("$before$each"); fi
    done
    return
  fi
  compopt -o nospace 2>/dev/null
  for each in "${_halocline_paths[@]}"; do
    [[ $each == "$word"* ]] || continue
    rest=${each#"$word"}
    if [[ $rest == *.* ]]; then each=$word${rest%%.*}.; else each+="="; fi
    [[ ${#COMPREPLY[@]} -gt 0 && ${COMPREPLY[-1]} == "$each" ]] || COMPREPLY+=("$each")
  done
}

_halocline_files() {
  local each
  compopt -o filenames 2>/dev/null
  while IFS= read -r each; do COMPREPLY+=("$each"); done < <(compgen "$1" -- "$word")
}

_halocline_words() {
  local each
  for each in "$@"; do
    if [[ $each == "$word"* ]]; then COMPREPLY+=("${each// /\\ }"); fi
  done
}

)";

constexpr char const* bash_tail = R"(
_halocline() {
  local line=${COMP_LINE:0:COMP_POINT} words=() word command before
  read -ra words <<<"$line"
  if [[ $line == *[[:space:]] ]]; then words+=(""); fi
  word=${words[${#words[@]} - 1]} command=${words[1]} before=${words[${#words[@]} - 2]}
  COMPREPLY=()
  if ((${#words[@]} < 3)); then
    _halocline_words "${_halocline_commands[@]}"
    return
  fi
  if [[ $word == --*=* ]]; then
    before=${word%%=*} word=${word#*=}
  elif [[ $word == -* ]]; then
    before="-"
  fi
  _halocline_value
}
complete -F _halocline halocline
)";

/// The command of the script that completes a value; empty: none.
std::string bash_action(std::string const& command, CommandOption const& option, CompletionWords const& words) {
  std::vector<std::string> const* const known = words_for(command, option, words);
  switch (kind_of_value(command, option, words)) {
    case ValueKind::files:
      return "_halocline_files -f";
    case ValueKind::folders:
      return "_halocline_files -d";
    case ValueKind::settings:
      return "_halocline_settings";
    case ValueKind::words:
      return "_halocline_words " + joined(as_shell_words(*known)) +
             (option.value == "PHYSICS" ? "; _halocline_files -f" : "");
    case ValueKind::nothing:
      break;
  }
  return ":";
}

std::string bash_script(ProgramDescription const& program, CompletionWords const& words) {
  std::string text = bash_head;
  std::vector<std::string> first = names_of(program.commands);
  for (std::string const& name : names_of(program.options)) first.push_back(name);
  text += "_halocline_commands=(" + joined(first) + ")\n_halocline_paths=(\n";
  for (Setting const& setting : words.settings) text += "  " + setting.path + "\n";
  text += ")\n\n_halocline_values() {\n  case $1 in\n";
  for (Setting const& setting : words.settings) {
    if (!setting.choices.empty()) text += fmt::format("    {}) echo {} ;;\n", setting.path, joined(setting.choices));
  }
  text +=
      "  esac\n}\n\n# Completes the value of the option before, or the words that stand without one.\n"
      "_halocline_value() {\n  case \"$command $before\" in\n";
  for (CommandDescription const& command : program.commands) {
    std::string behind = ":";
    for (CommandOption const& option : command.options) {
      std::string const action = bash_action(command.name, option, words);
      if (option.is_positional) {
        behind = action;
      } else if (!option.value.empty()) {
        text += fmt::format("    \"{} {}\") {} ;;\n", command.name, option.name(), action);
      }
    }
    text += fmt::format("    \"{} -\") _halocline_words {} ;;\n", command.name, joined(names_of(command.options)));
    text += fmt::format("    \"{} \"*) {} ;;\n", command.name, behind);
  }
  return text + "  esac\n}\n" + bash_tail;
}

// ---- zsh

constexpr char const* zsh_head = R"(#compdef halocline
# Completion of halocline's command line in zsh, made by `halocline completion zsh`.

# Paths of options, up to the next dot, and behind `=` the choices of an option.
_halocline_settings() {
  local each rest
  local -a found
  if [[ $PREFIX == *=* ]]; then
    found=(${=_halocline_values[${PREFIX%%=*}]})
    compset -P 1 '*='
    compadd -- $found
    return
  fi
  for each in $_halocline_paths; do
    [[ $each == ${PREFIX}* ]] || continue
    rest=${each#$PREFIX}
    if [[ $rest == *.* ]]; then found+=($PREFIX${rest%%.*}.); else found+=($each=); fi
  done
  compadd -S '' -- ${(u)found}
}

)";

/// A sentence inside brackets or after a colon of zsh's `_arguments`.
std::string zsh_sentence(std::string const& sentence) {
  std::string text;
  for (char const c : sentence) {
    if (c == ':') text += '\\';
    text += c == '[' ? '(' : c == ']' ? ')' : c;
  }
  return text;
}

std::string zsh_action(std::string const& command, CommandOption const& option, CompletionWords const& words) {
  switch (kind_of_value(command, option, words)) {
    case ValueKind::files:
      return "_files";
    case ValueKind::folders:
      return "_files -/";
    case ValueKind::settings:
      return "_halocline_settings";
    case ValueKind::words:
      return "(" + joined(escaped(*words_for(command, option, words))) + ")";
    case ValueKind::nothing:
      break;
  }
  return " ";
}

/// A specification for `_arguments`.
std::string zsh_specification(std::string const& command, CommandOption const& option, CompletionWords const& words) {
  std::string const value =
      option.value.empty() ? "" : ":" + zsh_sentence(option.value) + ":" + zsh_action(command, option, words);
  if (option.is_positional) return in_single_quotes((option.is_repeatable ? "*" : "1") + value);
  std::string const sentence = "[" + zsh_sentence(option.sentence) + "]" + value;
  if (option.names.size() > 1) {
    return fmt::format("'({0})'{{{1}}}{2}", joined(option.names), deck::joined(option.names, ","),
                       in_single_quotes(sentence));
  }
  return in_single_quotes((option.is_repeatable ? "*" : "") + option.name() + sentence);
}

std::string zsh_script(ProgramDescription const& program, CompletionWords const& words) {
  std::string text = zsh_head;
  text += "typeset -ga _halocline_paths\ntypeset -gA _halocline_values\n_halocline_paths=(\n";
  for (Setting const& setting : words.settings) text += "  " + setting.path + "\n";
  text += ")\n_halocline_values=(\n";
  for (Setting const& setting : words.settings) {
    if (!setting.choices.empty())
      text += fmt::format("  {} {}\n", setting.path, in_single_quotes(joined(setting.choices)));
  }
  text += ")\n\n_halocline() {\n  local curcontext=$curcontext state line\n  local -a commands\n  commands=(\n";
  for (CommandDescription const& command : program.commands)
    text += "    " + in_single_quotes(command.name + ":" + zsh_sentence(command.sentence)) + "\n";
  text += "  )\n  _arguments -C";
  for (CommandOption const& option : program.options)
    text += " \\\n    " + zsh_specification(program.name, option, words);
  text +=
      " \\\n    '1:command:->command' '*::argument:->argument'\n  case $state in\n"
      "    command) _describe command commands ;;\n    argument)\n      case $words[1] in\n";
  for (CommandDescription const& command : program.commands) {
    text += "        " + command.name + ")\n          _arguments";
    for (CommandOption const& option : command.options)
      text += " \\\n            " + zsh_specification(command.name, option, words);
    text += "\n          ;;\n";
  }
  return text +
         "      esac\n      ;;\n  esac\n}\n\n"
         "if [[ $funcstack[1] == _halocline ]]; then _halocline \"$@\"; else compdef _halocline halocline; fi\n";
}

// ---- fish

/// Text in single quotes, as fish reads it.
std::string fish_quoted(std::string const& text) {
  std::string safe = "'";
  for (char const c : text) {
    if (c == '\'' || c == '\\') safe += '\\';
    safe += c;
  }
  return safe + "'";
}

std::string fish_option(std::string const& command, CommandOption const& option, CompletionWords const& words) {
  std::string const place =
      "complete -c halocline -n " +
      (command.empty() ? std::string("__fish_use_subcommand") : fish_quoted("__fish_seen_subcommand_from " + command));
  std::string text = place;
  for (std::string const& name : option.names) {
    if (option.is_positional) break;
    text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  }
  std::string const needs = option.is_positional ? "" : " -x";
  switch (option.value.empty() ? ValueKind::nothing : kind_of_value(command, option, words)) {
    case ValueKind::files:
      text += option.is_positional ? " -F" : " -r -F";
      break;
    case ValueKind::folders:
      text += needs + " -a '(__fish_complete_directories)'";
      break;
    case ValueKind::settings:
      text += needs + " -a '(__halocline_settings)'";
      break;
    case ValueKind::words:
      text += needs + " -a " + fish_quoted(joined(as_shell_words(*words_for(command, option, words))));
      break;
    case ValueKind::nothing:
      if (option.is_positional) return "";
      if (!option.value.empty()) text += needs;
      break;
  }
  return text + (option.is_positional ? "" : " -d " + fish_quoted(option.sentence)) + "\n";
}

std::string fish_script(ProgramDescription const& program, CompletionWords const& words) {
  std::string text =
      "# Completion of halocline's command line in fish, made by `halocline completion fish`.\n\n"
      "# Options of decks, and the values of those with named choices.\n"
      "function __halocline_settings\n"
      "  printf '%s\\n'";
  for (Setting const& setting : words.settings) {
    text += " \\\n    " + fish_quoted(setting.path + "=\t" + setting.sentence);
    for (std::string const& choice : setting.choices) text.append(" ").append(fish_quoted(setting.path + "=" + choice));
  }
  text += "\nend\n\ncomplete -c halocline -f\n";
  for (CommandOption const& option : program.options) text += fish_option("", option, words);
  for (CommandDescription const& command : program.commands) {
    text += fmt::format("complete -c halocline -n __fish_use_subcommand -a {} -d {}\n", command.name,
                        fish_quoted(command.sentence));
    for (CommandOption const& option : command.options) text += fish_option(command.name, option, words);
  }
  return text;
}

void add_settings(Section const& section, std::string const& path, std::vector<Setting>& settings) {
  for (Option const& option : section.options()) {
    std::vector<std::string> choices = option.names();
    if (option.kind() == OptionKind::boolean && !option.is_vector()) choices = {"true", "false"};
    settings.push_back({deck::joined_name(path, option.name()), choices, option.sentence()});
  }
  for (Section const& inner : section.sections()) add_settings(inner, deck::joined_name(path, inner.name()), settings);
}

}  // namespace

std::vector<Setting> settings_of(Section const& deck) {
  std::vector<Setting> settings;
  add_settings(deck, "", settings);
  // Sort, so that paths with the same beginning are adjacent.
  std::sort(settings.begin(), settings.end(), [](Setting const& a, Setting const& b) { return a.path < b.path; });
  return settings;
}

std::vector<std::string> completion_shells() { return {"bash", "zsh", "fish"}; }

ValueKind kind_of_value(std::string const& command, CommandOption const& option, CompletionWords const& words) {
  return words_for(command, option, words) != nullptr ? ValueKind::words : kind_of_name(option);
}

std::string completion_script(std::string const& shell, ProgramDescription const& program,
                              CompletionWords const& words) {
  if (shell == "zsh") return zsh_script(program, words);
  if (shell == "fish") return fish_script(program, words);
  return bash_script(program, words);
}

}  // namespace halocline
