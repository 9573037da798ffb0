#include "framework/deck/judge.hpp"

#include <algorithm>
#include <utility>

#include "framework/deck/nearest_name.hpp"
#include "framework/deck/parameters.hpp"
#include "framework/deck/unjudged.hpp"
#include "framework/deck/value_reader.hpp"
#include "framework/runtime/error.hpp"

namespace halocline::deck {
namespace {

using Values = Options::Values;

std::string joined_name(std::string const& section, std::string const& name) {
  return section.empty() ? name : section + "." + name;
}

/// Where a section is asked for and how strictly.
struct Place {
  std::string full_name;
  Location location;
  bool in_use = true;  ///< if not, what it requires may be missing and its checks do not run
};

/// Whether a section is in use where nobody says otherwise.
bool in_use_by_default(Section const& section, std::string const& nested) {
  std::string const chooser = section.chooser_of(nested);
  return std::all_of(section.options().begin(), section.options().end(), [&](Option const& option) {
    return option.name() != chooser || option.default_value() == OptionValue(nested);
  });
}

/// The first place below `section` where an option or a section is called `name`, of those in use by default if there
/// is one; empty if there is none.
std::string find_elsewhere(Section const& section, std::string const& prefix, std::string const& name) {
  std::vector<Section> sections = section.sections();
  std::stable_partition(sections.begin(), sections.end(),
                        [&](Section const& nested) { return in_use_by_default(section, nested.name()); });
  for (Section const& nested : sections) {
    std::string const full_name = joined_name(prefix, nested.name());
    auto const& options = nested.options();
    if (std::any_of(options.begin(), options.end(), [&](Option const& option) { return option.name() == name; }))
      return joined_name(full_name, name);
    std::string deeper = find_elsewhere(nested, full_name, name);
    if (!deeper.empty()) return deeper;
  }
  return "";
}

/// Judges one deck, section by section, each from its declaration downwards.
class Judge {
 public:
  Judge(Section const& root, Mistakes& mistakes) : root_(root), mistakes_(mistakes) {}

  std::shared_ptr<Values const> section(std::shared_ptr<Section const> const& declaration, Node const* node,
                                        Place const& place) {
    auto const values = std::make_shared<Values>();
    values->declaration = declaration;
    values->full_name = place.full_name;
    values->location = place.location;
    Node const empty;
    Node const& given = node != nullptr && usable(*node, place, *values) ? *node : empty;

    find_unknown(*declaration, given, place);
    for (Option const& option : declaration->options()) read_option(option, given, place, *values);
    for (Section const& nested : declaration->sections()) read_section(nested, given, place, *values);
    for (Section const& element : declaration->lists()) read_list(element, given, place, *values);
    if (place.in_use && !values->wholly_mistaken) {
      run_checks(values);
      for (Option const& option : declaration->options()) {
        if (mistakes_.contains(joined_name(place.full_name, option.name()))) values->mistaken.insert(option.name());
      }
    }
    return values;
  }

 private:
  /// False if there is nothing to read; then the section is all defaults.
  bool usable(Node const& node, Place const& place, Values& values) {
    if (node.kind == Node::Kind::nothing) return false;
    if (node.kind == Node::Kind::section) return true;
    values.wholly_mistaken = true;
    if (node.kind != Node::Kind::reported)
      mistakes_.add(node.location, place.full_name, "expected a section, got " + described(node));
    return false;
  }

  void find_unknown(Section const& declaration, Node const& given, Place const& place) {
    if (given.entries.empty()) return;
    std::vector<std::string> const known = names_in(declaration);
    std::map<std::string, Location> seen;
    for (Entry const& entry : given.entries) {
      auto const [first, is_new] = seen.emplace(entry.name, entry.location);
      std::string const where = place.full_name.empty() ? "the deck" : place.full_name;
      std::string const shown = printable(entry.name);
      if (!is_new)
        mistakes_.add(entry.location, shown, "given twice in " + where, "first at " + first->second.text());
      else if (std::find(known.begin(), known.end(), entry.name) == known.end())
        mistakes_.add(entry.location, shown, "unknown in " + where, advice(entry.name, known));
    }
  }

  std::string advice(std::string const& name, std::vector<std::string> const& known) const {
    std::string const elsewhere = find_elsewhere(root_, "", name);
    if (nearest_name(name, known).empty() && !elsewhere.empty()) return "did you mean `" + elsewhere + "`?";
    return advice_for(name, known);
  }

  static std::vector<std::string> names_in(Section const& declaration) {
    std::vector<std::string> names;
    for (Option const& option : declaration.options()) names.push_back(option.name());
    for (Section const& nested : declaration.sections()) names.push_back(nested.name());
    for (Section const& element : declaration.lists()) names.push_back(element.name());
    return names;
  }

  void read_option(Option const& option, Node const& given, Place const& place, Values& values) {
    Entry const* const entry = given.find(option.name());
    std::string const full_name = joined_name(place.full_name, option.name());
    if (entry == nullptr) {
      take_default(option, place, values);
      return;
    }
    values.locations[option.name()] = entry->value.location;
    if (entry->value.kind == Node::Kind::reported) {
      values.mistaken.insert(option.name());
      return;
    }
    OptionValue const value = read_value(option, entry->value, full_name, mistakes_);
    bool const readable = !std::holds_alternative<std::monostate>(value);
    if (!readable || refuse(hold(option, value, values.parameters), entry->value, full_name))
      values.mistaken.insert(option.name());
  }

  void take_default(Option const& option, Place const& place, Values& values) {
    if (option.is_required()) {
      values.mistaken.insert(option.name());
      if (place.in_use && !values.wholly_mistaken)
        mistakes_.add(place.location, joined_name(place.full_name, option.name()), "missing",
                      "it is required: " + option.sentence());
      return;
    }
    if (std::holds_alternative<std::monostate>(option.default_value())) return;
    // Names that only plugins bring may be the default of a choice: a run without them has to choose.
    auto const refusals = hold(option, option.default_value(), values.parameters);
    if (!refusals.empty())
      throw DefectError("the default of option `" + joined_name(place.full_name, option.name()) +
                        "` is not allowed: " + refusals.front().text);
  }

  /// Reports what a validator refused; false if that is nothing.
  bool refuse(std::vector<Refusal> const& refusals, Node const& node, std::string const& full_name) {
    for (Refusal const& refusal : refusals) {
      bool const of_entry = refusal.entry && node.kind == Node::Kind::list;
      std::string const subject = of_entry ? full_name + "[" + std::to_string(*refusal.entry) + "]" : full_name;
      mistakes_.add(of_entry ? node.items[*refusal.entry].location : node.location, subject, refusal.text,
                    refusal.advice);
    }
    return !refusals.empty();
  }

  void read_section(Section const& nested, Node const& given, Place const& place, Values& values) {
    Entry const* const entry = given.find(nested.name());
    if (entry != nullptr) values.locations[nested.name()] = entry->location;
    Place inside{joined_name(place.full_name, nested.name()), entry == nullptr ? place.location : entry->location,
                 place.in_use && !values.wholly_mistaken};
    if (nested.is_optional() && entry == nullptr) inside.in_use = false;
    std::string const chooser = values.declaration->chooser_of(nested.name());
    if (!chooser.empty()) inside.in_use = inside.in_use && chosen(chooser, nested.name(), values);
    values.sections[nested.name()] =
        section(std::make_shared<Section const>(nested), entry == nullptr ? nullptr : &entry->value, inside);
  }

  static bool chosen(std::string const& chooser, std::string const& name, Values const& values) {
    OptionValue const value = held(chooser, values.parameters);
    auto const* const choice = std::get_if<std::string>(&value);
    return choice != nullptr && *choice == name;
  }

  void read_list(Section const& element, Node const& given, Place const& place, Values& values) {
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
    auto const declaration = std::make_shared<Section const>(element);
    for (std::size_t n = 0; n < entry->value.items.size(); ++n) {
      Node const& item = entry->value.items[n];
      elements.push_back(
          section(declaration, &item, {full_name + "[" + std::to_string(n) + "]", item.location, place.in_use}));
    }
  }

  void run_checks(std::shared_ptr<Values const> const& values) {
    for (Section::Check const& check : values->declaration->checks()) {
      try {
        check(Options(values), mistakes_);
      } catch (Unjudged const&) {
        // What the check depends on is reported as a mistake of its own.
      } catch (InputError const& error) {
        mistakes_.add(values->location, values->full_name.empty() ? "deck" : values->full_name, error.what());
      }
    }
  }

  Section const& root_;
  Mistakes& mistakes_;
};

}  // namespace

std::shared_ptr<Options::Values const> judge(Section const& root, Node const& node, Mistakes& mistakes) {
  return Judge(root, mistakes).section(std::make_shared<Section const>(root), &node, {"", node.location, true});
}

}  // namespace halocline::deck
