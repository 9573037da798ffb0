#include "drivers/halocline/manual.hpp"

#include <fmt/core.h>

#include <array>
#include <cstdint>
#include <sstream>

#include "framework/deck/field_source.hpp"
#include "framework/deck/words.hpp"
#include "framework/runtime/config.hpp"
#include "framework/runtime/version.hpp"

namespace halocline {
namespace {

struct Entry {
  char const* name;
  char const* sentence;
};

/// Environment variables for users. Those of other libraries are in their own manuals.
constexpr std::array<Entry, 7> environment{{
    {"HALOCLINE_TUNING_CACHE", "File that tunings of kernels are read from and kept in, in place of the one below."},
    {"XDG_CACHE_HOME", "Folder of caches, ~/.cache if it is not set: tunings are in halocline/tunings.json there."},
    {"TMPDIR", "Folder for temporary files, which ranks of one machine share memory by."},
    {"OMP_NUM_THREADS, OMP_PROC_BIND, OMP_PLACES", "Threads of a rank where it computes on the processor, and cores."},
    {"CUDA_VISIBLE_DEVICES, ROCR_VISIBLE_DEVICES", "Devices that this program may see; --devices chooses among them."},
    {"SLURM_JOB_ID, SLURM_ARRAY_TASK_ID and those of PBS, LSF and Grid Engine",
     "What {job} and {task} stand for in --output."},
    {"SLURM_JOB_END_TIME", "The end of a job, in seconds since 1970: a run in it ends before, with a checkpoint."},
}};

constexpr std::array<Entry, 3> files{{
    {"DECK.out/summary.json", "The record of a run: how it ended, its quantities, and what it ran on."},
    {"PREFIX/lib/halocline/physics", "The physics of this installation, each a shared object."},
    {"PREFIX/share/halocline/templates", "What new-physics makes a project from."},
}};

/// The code point at `text[at]`; moves `at` past it. Invalid UTF-8 is read byte by byte.
std::uint32_t next_code_point(std::string const& text, std::size_t& at) {
  auto const byte = [&](std::size_t n) { return static_cast<unsigned char>(text[n]); };
  unsigned const first = byte(at);
  std::size_t const more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : first >= 0xC0 ? 1 : 0;
  if (more == 0 || at + more >= text.size()) return byte(at++);
  std::uint32_t code = first & (0x3FU >> more);
  for (std::size_t n = 1; n <= more; ++n) code = code << 6U | (byte(at + n) & 0x3FU);
  at += more + 1;
  return code;
}

/// Text escaped for roff: no commands, dashes that can be copied, other alphabets by code point.
std::string roff(std::string const& text) {
  std::string safe;
  bool line_begins = true;
  for (std::size_t at = 0; at < text.size();) {
    std::uint32_t const code = next_code_point(text, at);
    if (line_begins && (code == '.' || code == '\'')) safe += "\\&";
    line_begins = code == '\n';
    if (code == '\\') {
      safe += "\\e";
    } else if (code == '-') {
      safe += "\\-";
    } else if (code == '^' || code == '~' || code == '`' || code == '\'') {
      safe += code == '^' ? "\\(ha" : code == '~' ? "\\(ti" : code == '`' ? "\\(ga" : "\\(aq";
    } else if (code > 0x7E) {
      safe += fmt::format("\\[u{:04X}]", code);
    } else {
      safe += static_cast<char>(code);
    }
  }
  return safe;
}

std::string heading(std::string const& name, std::string const& section, std::string const& sentence) {
  return fmt::format(".\\\" Made by `halocline list --man`.\n.TH {} {} {} \"Halocline {}\"\n.SH NAME\n{} \\- {}\n",
                     name, section, HALOCLINE_VERSION_DATE, version, name, roff(sentence));
}

std::string paragraph(std::string const& head, std::string const& text) {
  return ".TP\n.B " + roff(head) + "\n" + roff(text) + "\n";
}

/// "--set PATH=VALUE", with the value in the font of placeholders.
std::string head_of(CommandOption const& option) {
  std::string text = "\\fB" + roff(deck::joined(option.names)) + "\\fR";
  if (option.is_positional) text = "\\fI" + roff(option.name()) + "\\fR" + (option.is_repeatable ? " ..." : "");
  if (!option.is_positional && !option.value.empty()) text += " \\fI" + roff(option.value) + "\\fR";
  return text;
}

std::string description(std::vector<CommandOption> const& options) {
  std::string text;
  for (CommandOption const& option : options) {
    std::string const choices = option.choices.empty() ? "" : " (one of " + deck::joined(option.choices) + ")";
    text.append(".TP\n").append(head_of(option)).append("\n");
    text.append(roff(option.sentence + choices + ".")).append("\n");
  }
  return text;
}

std::string synopsis(std::string const& program, CommandDescription const& command) {
  std::string text = "\\fB" + roff(program + " " + command.name) + "\\fR [\\fIoptions\\fR]";
  for (CommandOption const& option : command.options) {
    if (!option.is_positional) continue;
    text += option.is_required ? " " + head_of(option) : " [" + head_of(option) + "]";
  }
  return text;
}

std::string unfilled(std::string const& text) { return ".nf\n" + roff(text) + "\n.fi\n"; }

std::string section_of_deck(Section const& section, std::string const& name) {
  std::string text;
  if (!name.empty()) text += ".SS " + roff(name) + "\n" + roff(section.sentence()) + "\n";
  for (Option const& option : section.options()) {
    text.append(".TP\n.B ").append(roff(option.name())).append("\n");
    text.append(roff(option.sentence() + " (" + deck::described(option) + ")")).append("\n");
  }
  for (Section const& inner : section.sections()) text += section_of_deck(inner, deck::joined_name(name, inner.name()));
  for (Section const& element : section.lists())
    text += section_of_deck(element, deck::joined_name(name, element.name()) + "[]");
  return text;
}

}  // namespace

std::string manual_of_program(ProgramDescription const& program) {
  std::string text = heading(program.name, "1", "performance-portable stencil and particle solvers");
  text += ".SH SYNOPSIS\n";
  for (CommandDescription const& command : program.commands) text += synopsis(program.name, command) + "\n.br\n";
  text += "\\fB" + roff(program.name) + "\\fR " + roff("--help | --version") + "\n.SH DESCRIPTION\n";
  text += roff(
      "Solves what a deck says, on one core, all cores, a GPU or the ranks of a cluster. A deck is a file in YAML; "
      "halocline-deck(5) tells all that can stand in it, and `halocline list` the same by parts. It is judged whole "
      "before anything runs, and all that a run writes is in one folder.\n");
  text += ".SH COMMANDS\n";
  for (CommandDescription const& command : program.commands)
    text += ".SS " + roff(program.name + " " + command.name) + "\n" + roff(command.sentence + ".") + "\n" +
            description(command.options);
  std::size_t const codes = program.footer.find("Exit codes:");
  std::string const examples = program.footer.substr(0, codes);
  if (codes != std::string::npos) text += ".SH EXIT STATUS\n" + roff(program.footer.substr(codes)) + "\n";
  text += ".SH ENVIRONMENT\n";
  for (Entry const& variable : environment) text += paragraph(variable.name, variable.sentence);
  text += ".SH FILES\n";
  for (Entry const& file : files) text += paragraph(file.name, file.sentence);
  std::size_t const first = examples.find('\n');
  std::size_t const last = examples.find_last_not_of('\n');
  if (first != std::string::npos && last > first)
    text += ".SH EXAMPLES\n" + unfilled(examples.substr(first + 1, last - first));
  return text + ".SH SEE ALSO\n.BR halocline\\-deck (5),\n.BR mpirun (1),\n.BR srun (1)\n";
}

std::string manual_of_decks(Section const& deck) {
  std::string text = heading("halocline\\-deck", "5", "what a deck of halocline says");
  text += ".SH DESCRIPTION\n";
  text += roff(
      "A deck is a file in YAML: options by name, in sections. On the command line one is set by "
      "`--set section.option=value`. Below, a heading is the path of a section, and `name[]` one of a list. A vector "
      "of one entry needs no brackets. The value of a field may also be a file, as it is told last.\n");
  text += ".SH OPTIONS\n" + section_of_deck(deck, "");
  text += section_of_deck(field_file_section(), "fields from files");
  return text + ".SH SEE ALSO\n.BR halocline (1)\n";
}

}  // namespace halocline
