#include "framework/deck/resolved_section.hpp"

#include <algorithm>
#include <utility>

#include "framework/deck/deck.hpp"
#include "framework/deck/nearest_name.hpp"

namespace halocline::deck {
namespace {

using Inner = ResolvedSection::Inner;

std::shared_ptr<ResolvedSection const> resolve_shared(std::shared_ptr<Section const> section) {
  auto const resolved = std::make_shared<ResolvedSection>();
  for (Option const& option : section->options()) {
    resolved->names.push_back(option.name());
    resolved->validators.push_back(make_validator(option));
    if (std::holds_alternative<std::monostate>(option.default_value())) continue;
    auto const refusals = hold(option, resolved->validators.back(), option.default_value(), resolved->defaults);
    if (!refusals.empty()) resolved->refused_defaults[option.name()] = refusals.front().text;
  }
  for (auto& [nested, chooser] : section->inner()) {
    resolved->names.push_back(nested.name());
    resolved->sections.push_back({resolve_shared(std::make_shared<Section const>(std::move(nested))), chooser});
  }
  for (Section const& element : section->lists()) {
    resolved->names.push_back(element.name());
    resolved->lists.push_back(resolve_shared({section, &element}));
  }
  resolved->section = std::move(section);
  return resolved;
}

/// Whether a section is in use by default.
bool in_use_by_default(ResolvedSection const& section, Inner const& nested) {
  if (nested.chooser.empty()) return true;
  return held(nested.chooser, section.defaults) == OptionValue(nested.declaration->section->name());
}

std::string find_in(Inner const& nested, std::string const& name) {
  auto const& options = nested.declaration->section->options();
  std::string const& prefix = nested.declaration->section->name();
  if (std::any_of(options.begin(), options.end(), [&](Option const& option) { return option.name() == name; }))
    return prefix + "." + name;
  std::string const deeper = find_below(*nested.declaration, name);
  return deeper.empty() ? "" : prefix + "." + deeper;
}

}  // namespace

std::shared_ptr<ResolvedSection const> resolve(Section const& root) {
  return resolve_shared(std::make_shared<Section const>(root));
}

std::string find_below(ResolvedSection const& section, std::string const& name) {
  for (bool const in_use : {true, false}) {
    for (Inner const& nested : section.sections) {
      if (in_use_by_default(section, nested) != in_use) continue;
      std::string place = find_in(nested, name);
      if (!place.empty()) return place;
    }
  }
  return "";
}

std::string advice_for_unknown(std::string const& name, ResolvedSection const& section, ResolvedSection const& root) {
  std::string const elsewhere = find_below(root, name);
  std::string here = advice_for(name, section.names);
  if (elsewhere.empty() || !nearest_name(name, section.names).empty()) return here;
  // If this section has few names, the intended one may be among them.
  return "did you mean `" + elsewhere + "`?" + (section.names.size() <= 2 ? " Here are " + here : "");
}

}  // namespace halocline::deck
