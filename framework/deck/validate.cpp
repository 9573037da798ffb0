#include "framework/deck/validate.hpp"

#include <algorithm>
#include <utility>

#include "framework/deck/deck.hpp"
#include "framework/deck/field_source.hpp"
#include "framework/deck/parameters.hpp"
#include "framework/deck/resolved_section.hpp"
#include "framework/deck/value_reader.hpp"
#include "framework/deck/words.hpp"
#include "framework/runtime/error.hpp"

namespace halocline::deck {
namespace {

using Values = Options::Values;

/// Location and full name of a section, and how strictly to validate it.
struct Place {
  std::string full_name;
  Location location;
  bool in_use = true;  ///< if not, required options may be missing and its checks do not run
};

/// Limit on entries: a longer list is not written by hand, and each section needs a thousand times a character's
/// memory.
constexpr std::size_t longest_list = 100000;

/// Validates one deck recursively, each section against its declaration.
class DeckValidator {
 public:
  using Declaration = std::shared_ptr<ResolvedSection const>;

  DeckValidator(Declaration root, Mistakes& mistakes) : root_(std::move(root)), mistakes_(mistakes) {}

  std::shared_ptr<Values const> section(Declaration const& declaration, Node const* node, Place const& place) {
    auto const values = std::make_shared<Values>();
    values->declaration = declaration;
    values->full_name = place.full_name;
    values->location = place.location;
    Node const empty;
    Node const& given = node != nullptr && usable(*node, place, *values) ? *node : empty;

    find_unknown(declaration, given, place);
    auto const& options = declaration->section->options();
    for (std::size_t n = 0; n < options.size(); ++n)
      read_option(options[n], declaration->validators[n], given, place, *values);
    for (ResolvedSection::Inner const& nested : declaration->sections) read_section(nested, given, place, *values);
    for (Declaration const& element : declaration->lists) read_list(element, given, place, *values);
    if (place.in_use && !values->wholly_mistaken && !declaration->section->checks().empty()) {
      run_checks(values);
      for (Option const& option : options) {
        if (mistakes_.contains(joined_name(place.full_name, option.name()))) values->mistaken.insert(option.name());
      }
    }
    return values;
  }

 private:
  /// False if there is nothing to read; then the section has only defaults.
  bool usable(Node const& node, Place const& place, Values& values) {
    if (node.kind == Node::Kind::nothing) return false;
    if (node.kind == Node::Kind::section) return true;
    values.wholly_mistaken = true;
    if (node.kind != Node::Kind::reported)
      mistakes_.add(node.location, place.full_name, "expected a section, got " + described(node));
    return false;
  }

  void find_unknown(Declaration const& declaration, Node const& given, Place const& place) {
    std::vector<std::string> const& known = declaration->names;
    for (Entry const& entry : given.entries) {
      Entry const& first = *given.find(entry.name);
      if (&first != &entry) {
        mistakes_.add_word(entry.location, printable(entry.name), "given twice in " + where(place),
                           [at = first.location] { return "first at " + at.text(); });
      } else if (entry.value.kind != Node::Kind::reported &&
                 std::find(known.begin(), known.end(), entry.name) == known.end()) {
        mistakes_.add_word(
            entry.location, printable(entry.name), "unknown in " + where(place),
            [name = entry.name, declaration, root = root_] { return advice_for_unknown(name, *declaration, *root); });
      }
    }
  }

  static std::string where(Place const& place) { return place.full_name.empty() ? "the deck" : place.full_name; }

  void read_option(Option const& option, Validator const& validator, Node const& given, Place const& place,
                   Values& values) {
    Entry const* const entry = given.find(option.name());
    if (entry == nullptr) {
      take_default(option, place, values);
      return;
    }
    Node const& node = entry->value;
    values.locations[option.name()] = node.location;
    if (node.kind == Node::Kind::reported) {
      values.mistaken.insert(option.name());
      return;
    }
    std::string const full_name = joined_name(place.full_name, option.name());
    if (option.kind() == OptionKind::field && node.kind == Node::Kind::section) {
      read_field_file(option.name(), node, {full_name, node.location, place.in_use}, values);
      return;
    }
    OptionValue const value = read_value(option, node, full_name, mistakes_);
    bool const readable = !std::holds_alternative<std::monostate>(value);
    if (readable && values.given == nullptr) values.given = std::make_unique<Teuchos::ParameterList>();
    if (readable && !refuse(hold(option, validator, value, *values.given), node, full_name)) return;
    values.mistaken.insert(option.name());
    remember_entries(option, node, values);
  }

  void read_field_file(std::string const& option, Node const& node, Place const& place, Values& values) {
    static Declaration const declaration = resolve(field_file_section());
    std::size_t const before = mistakes_.size();
    values.files[option] = section(declaration, &node, place);
    if (mistakes_.size() != before) values.mistaken.insert(option);
  }

  /// Records the length of a vector, for rules that need only the length even if an entry has a mistake.
  static void remember_entries(Option const& option, Node const& node, Values& values) {
    if (!option.is_vector() || (node.kind != Node::Kind::list && node.kind != Node::Kind::scalar)) return;
    std::size_t const entries = node.kind == Node::Kind::list ? node.items.size() : 1;
    bool const fits = entries >= static_cast<std::size_t>(option.minimum_entries()) &&
                      entries <= static_cast<std::size_t>(option.maximum_entries());
    if (fits) values.entries[option.name()] = entries;
  }

  void take_default(Option const& option, Place const& place, Values& values) {
    if (option.is_required()) {
      values.mistaken.insert(option.name());
      if (place.in_use && !values.wholly_mistaken)
        mistakes_.add(place.location, joined_name(place.full_name, option.name()), "missing",
                      "it is required: " + option.sentence());
      return;
    }
    // The default of a choice may be a name that only a plugin provides: without it the deck must choose.
    auto const& refused = values.declaration->refused_defaults;
    if (refused.empty()) return;
    if (auto const found = refused.find(option.name()); found != refused.end())
      throw DefectError("the default of option `" + joined_name(place.full_name, option.name()) +
                        "` is not allowed: " + found->second);
  }

  /// Reports the refusals of a validator; false if there are none.
  bool refuse(std::vector<Refusal> const& refusals, Node const& node, std::string const& full_name) {
    for (Refusal const& refusal : refusals) {
      bool const of_entry = refusal.entry && node.kind == Node::Kind::list;
      std::string const subject = of_entry ? full_name + "[" + std::to_string(*refusal.entry) + "]" : full_name;
      mistakes_.add(of_entry ? node.items[*refusal.entry].location : node.location, subject, refusal.text,
                    refusal.advice);
    }
    return !refusals.empty();
  }

  void read_section(ResolvedSection::Inner const& nested, Node const& given, Place const& place, Values& values) {
    Section const& inner = *nested.declaration->section;
    Entry const* const entry = given.find(inner.name());
    if (entry != nullptr) values.locations[inner.name()] = entry->location;
    Place inside{joined_name(place.full_name, inner.name()), entry == nullptr ? place.location : entry->location,
                 place.in_use && !values.wholly_mistaken};
    if (entry == nullptr && may_be_absent(inner, values)) inside.in_use = false;
    if (!nested.chooser.empty()) inside.in_use = inside.in_use && chosen(nested.chooser, inner.name(), values);
    Node const* value = entry == nullptr ? nullptr : &entry->value;
    Node switched;
    if (value != nullptr && is_switched(inner.switched_by(), *value)) {
      switched = switched_on(inner.switched_by(), *value);
      value = &switched;
    }
    values.sections[inner.name()] = section(nested.declaration, value, inside);
  }

  /// Whether a single value, or the section's presence, sets its switch option.
  static bool is_switched(std::string const& option, Node const& given) {
    bool const stands =
        given.kind == Node::Kind::section || given.kind == Node::Kind::scalar || given.kind == Node::Kind::list;
    return !option.empty() && stands && given.find(option) == nullptr;
  }

  /// The section with that option set.
  static Node switched_on(std::string const& option, Node const& given) {
    bool const is_section = given.kind == Node::Kind::section;
    Node section = is_section ? given : Node{};
    section.kind = Node::Kind::section;
    section.location = given.location;
    section.set(option, given.location, is_section ? scalar("true", given.location) : given);
    return section;
  }

  static bool may_be_absent(Section const& section, Values const& values) {
    auto const& names = section.optional_names();
    return section.is_optional() || std::any_of(names.begin(), names.end(), [&](std::string const& name) {
             return chosen(section.optional_chooser(), name, values);
           });
  }

  static bool chosen(std::string const& chooser, std::string const& name, Values const& values) {
    OptionValue const value = values.value(chooser);
    auto const* const choice = std::get_if<std::string>(&value);
    return choice != nullptr && *choice == name;
  }

  void read_list(Declaration const& declaration, Node const& given, Place const& place, Values& values) {
    Section const& element = *declaration->section;
    auto& elements = values.lists[element.name()];
    Entry const* const entry = given.find(element.name());
    if (entry == nullptr || entry->value.kind == Node::Kind::nothing) return;
    values.locations[element.name()] = entry->location;
    std::string const full_name = joined_name(place.full_name, element.name());
    if (entry->value.kind != Node::Kind::list) {
      values.mistaken.insert(element.name());
      if (entry->value.kind != Node::Kind::reported)
        mistakes_.add(entry->value.location, full_name, "expected a list of sections, got " + described(entry->value));
      return;
    }
    std::size_t const size = entry->value.items.size();
    if (size > longest_list) {
      values.mistaken.insert(element.name());
      mistakes_.add(
          entry->value.location, full_name,
          "has " + std::to_string(size) + " entries; a list may have at most " + std::to_string(longest_list));
      return;
    }
    for (std::size_t n = 0; n < size; ++n) {
      Node const& item = entry->value.items[n];
      elements.push_back(
          section(declaration, &item, {full_name + "[" + std::to_string(n) + "]", item.location, place.in_use}));
    }
  }

  void run_checks(std::shared_ptr<Values const> const& values) {
    for (Section::Check const& check : values->declaration->section->checks()) {
      try {
        check(Options(values), mistakes_);
      } catch (Unvalidated const&) {
        // The mistake that the check depends on is already reported.
      } catch (InputError const& error) {
        mistakes_.add(values->location, values->full_name.empty() ? "deck" : values->full_name, error.what());
      }
    }
  }

  Declaration root_;
  Mistakes& mistakes_;
};

}  // namespace

std::shared_ptr<Options::Values const> validate(std::shared_ptr<ResolvedSection const> const& root, Node const& node,
                                                Mistakes& mistakes) {
  return DeckValidator(root, mistakes).section(root, &node, {"", node.location, true});
}

}  // namespace halocline::deck
