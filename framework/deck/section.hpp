#pragma once

#include <deque>
#include <functional>
#include <list>
#include <string>
#include <string_view>
#include <vector>

#include "framework/deck/option.hpp"

namespace halocline {

class Mistakes;
class Options;

/// Declaration of a section of a deck: its options, the sections inside it and the rules between them. Declared once;
/// validation, messages, `halocline list`, the JSON schema and the reference pages all come from it.
///
///     Section cg("cg", "Conjugate gradients, for symmetric positive definite operators.");
///     cg.integer("iterations", "Most iterations of one solve.").defaults_to(1000).at_least(1);
///     cg.choice("preconditioner", "Preconditioner of each step.", preconditioners.names()).defaults_to("none");
class Section {
 public:
  /// Judges what single options cannot: called when a deck is read, with the values of this section. Asking for an
  /// option that has a mistake of its own, of its type or from the check of an inner section, ends the check without a
  /// word: there is nothing to judge then.
  using Check = std::function<void(Options const&, Mistakes&)>;
  /// Sections of everything registered, asked for when a deck is read.
  using Sections = std::function<std::vector<Section>()>;

  Section(std::string name, std::string sentence);

  /// \name Options
  /// Each is required until `.defaults_to(…)` or `.optional()` says otherwise. The reference stays valid. A name that
  /// the section already has throws DefectError.
  /// @{
  Option& integer(std::string name, std::string sentence);  ///< 64 bits
  Option& real(std::string name, std::string sentence);     ///< finite, 64 bits
  Option& boolean(std::string name, std::string sentence);
  Option& text(std::string name, std::string sentence);
  Option& path(std::string name, std::string sentence);
  /// A number or a muParser expression of x, y, z and t.
  Option& expression(std::string name, std::string sentence);
  /// The values of a field: an expression, or a file in its place (`field_file_section`).
  Option& field(std::string name, std::string sentence);
  Option& choice(std::string name, std::string sentence, std::vector<std::string> names);
  Option& choice(std::string name, std::string sentence, Names names);
  /// Vectors of `minimum` to `maximum` entries; a lone entry needs no brackets.
  Option& integers(std::string name, std::string sentence, int minimum, int maximum);
  Option& reals(std::string name, std::string sentence, int minimum, int maximum);
  Option& booleans(std::string name, std::string sentence, int minimum, int maximum);
  /// @}

  /// A section inside this one. The reference stays valid.
  Section& section(std::string name, std::string sentence);
  Section& section(Section nested);
  /// A list of sections, all declared by `element`, whose name is the list's.
  Section& list(Section element);
  /// One section inside this one for each that is registered (solver.cg, solver.chebyshev, …).
  ///
  /// \param chooser name of the choice, in this section, that says which of them is in use; what the others require may
  ///                be missing from the deck
  void sections(std::string chooser, Sections sections);
  /// May be left out even if options inside it are required.
  Section& optional();
  /// The same where the choice `chooser`, beside this section, is one of `names`.
  Section& optional_where(std::string chooser, std::vector<std::string> names);
  /// A lone value in place of the section stands for this boolean option of it, and a section that is given without the
  /// option has it: `verify: true` and `verify: {error: 1e-6}`.
  Section& switched_by(std::string option);
  /// Adds a rule between the options of this section and those inside it.
  void check(Check check);
  /// Replaces every rule of this section, and of those inside it that are not registered, by what `wrap` makes of it.
  void wrap_checks(std::function<Check(Check)> const& wrap);

  [[nodiscard]] std::string const& name() const { return name_; }
  [[nodiscard]] std::string const& sentence() const { return sentence_; }
  [[nodiscard]] std::deque<Option> const& options() const { return options_; }
  [[nodiscard]] bool is_optional() const { return optional_; }
  /// The choice beside it, and its values, that make it optional; empty where none does.
  [[nodiscard]] std::string const& optional_chooser() const { return optional_chooser_; }
  [[nodiscard]] std::vector<std::string> const& optional_names() const { return optional_names_; }
  /// Empty where nothing does.
  [[nodiscard]] std::string const& switched_by() const { return switch_; }
  /// Sections inside this one, the registered ones included.
  [[nodiscard]] std::vector<Section> sections() const;
  [[nodiscard]] std::list<Section> const& lists() const { return lists_; }
  [[nodiscard]] std::vector<Check> const& checks() const { return checks_; }
  struct Inner;
  /// The sections inside this one, each with the choice that says whether it is in use.
  [[nodiscard]] std::vector<Inner> inner() const;

 private:
  struct Family {
    std::string chooser;
    Sections sections;
  };
  Option& add(Option option);
  void refuse_known(std::string const& name) const;

  std::string name_;
  std::string sentence_;
  bool optional_ = false;
  std::string optional_chooser_;
  std::vector<std::string> optional_names_;
  std::string switch_;
  std::deque<Option> options_;
  std::list<Section> sections_;
  std::list<Section> lists_;
  std::vector<Family> families_;
  std::vector<Check> checks_;
};

struct Section::Inner {
  Section section;
  std::string chooser;  ///< name of the choice; empty where the section always is in use
};

}  // namespace halocline
