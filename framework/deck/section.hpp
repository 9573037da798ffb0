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

/// Declaration of a section of a deck: its options, inner sections and the rules between them. Validation, messages,
/// `halocline list`, the JSON schema and the reference pages are derived from it.
///
///     Section cg("cg", "Conjugate gradients, for symmetric positive definite operators.");
///     cg.integer("iterations", "Most iterations of one solve.").defaults_to(1000).at_least(1);
///     cg.choice("preconditioner", "Preconditioner of each step.", preconditioners.names()).defaults_to("none");
class Section {
 public:
  /// Validates what involves several options: called when a deck is read, with the values of this section. Access to an
  /// option with a mistake, of its type or from the check of an inner section, ends the check silently.
  using Check = std::function<void(Options const&, Mistakes&)>;
  /// Sections of everything registered; called when a deck is read.
  using Sections = std::function<std::vector<Section>()>;

  Section(std::string name, std::string sentence);

  /// \name Options
  /// Each is required unless `.defaults_to(…)` or `.optional()` follows. The reference stays valid. Throws DefectError
  /// if the section already has the name.
  /// @{
  Option& integer(std::string name, std::string sentence);  ///< 64 bits
  Option& real(std::string name, std::string sentence);     ///< finite, 64 bits
  Option& boolean(std::string name, std::string sentence);
  Option& text(std::string name, std::string sentence);
  Option& path(std::string name, std::string sentence);
  /// A number or a muParser expression of x, y, z and t.
  Option& expression(std::string name, std::string sentence);
  /// The values of a field: an expression, or a file instead (`field_file_section`).
  Option& field(std::string name, std::string sentence);
  Option& choice(std::string name, std::string sentence, std::vector<std::string> names);
  Option& choice(std::string name, std::string sentence, Names names);
  /// Vectors of `minimum` to `maximum` entries; a single entry needs no brackets.
  Option& integers(std::string name, std::string sentence, int minimum, int maximum);
  Option& reals(std::string name, std::string sentence, int minimum, int maximum);
  Option& booleans(std::string name, std::string sentence, int minimum, int maximum);
  /// @}

  /// An inner section. The reference stays valid.
  Section& section(std::string name, std::string sentence);
  Section& section(Section nested);
  /// A list of sections, each declared by `element`; the list has the name of `element`.
  Section& list(Section element);
  /// One inner section for each registered one (solver.cg, solver.chebyshev, …).
  ///
  /// \param chooser name of the choice in this section that selects the one in use; the others may lack required
  ///                options
  void sections(std::string chooser, Sections sections);
  /// May be omitted even if options inside it are required.
  Section& optional();
  /// The same if the choice `chooser`, next to this section, is one of `names`.
  Section& optional_where(std::string chooser, std::vector<std::string> names);
  /// Allows a single value for this boolean option in place of the section; a section given without the option sets it
  /// to true: `verify: true` and `verify: {error: 1e-6}`.
  Section& switched_by(std::string option);
  /// Adds a rule between the options of this section and its inner sections.
  void check(Check check);
  /// Replaces every rule of this section, and of its inner sections that are not registered, by `wrap` of it.
  void wrap_checks(std::function<Check(Check)> const& wrap);

  [[nodiscard]] std::string const& name() const { return name_; }
  [[nodiscard]] std::string const& sentence() const { return sentence_; }
  [[nodiscard]] std::deque<Option> const& options() const { return options_; }
  [[nodiscard]] bool is_optional() const { return optional_; }
  /// The choice next to this section, and its values, that make it optional; empty if there is none.
  [[nodiscard]] std::string const& optional_chooser() const { return optional_chooser_; }
  [[nodiscard]] std::vector<std::string> const& optional_names() const { return optional_names_; }
  /// Name of the option; empty if there is none.
  [[nodiscard]] std::string const& switched_by() const { return switch_; }
  /// All inner sections, including the registered ones.
  [[nodiscard]] std::vector<Section> sections() const;
  [[nodiscard]] std::list<Section> const& lists() const { return lists_; }
  [[nodiscard]] std::vector<Check> const& checks() const { return checks_; }
  struct Inner;
  /// The inner sections, each with the choice that decides whether it is in use.
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
  std::string chooser;  ///< name of the choice; empty if the section always is in use
};

}  // namespace halocline
