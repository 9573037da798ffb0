#include "framework/deck/deck.hpp"

#include <algorithm>
#include <utility>

#include "framework/deck/deck_text.hpp"
#include "framework/deck/overrides.hpp"
#include "framework/deck/resolved_section.hpp"
#include "framework/deck/validate.hpp"
#include "framework/deck/value_reader.hpp"
#include "framework/deck/yaml_reader.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/first_rank.hpp"
#include "framework/runtime/throw_site.hpp"

namespace halocline {

Deck::Deck(std::string name, std::string text, std::vector<Override> overrides, std::vector<DeckFormat> formats)
    : name_(std::move(name)), text_(std::move(text)), overrides_(std::move(overrides)), formats_(std::move(formats)) {}

Deck Deck::load(std::string const& path, std::vector<Override> const& overrides, Communicator const& communicator,
                std::vector<DeckFormat> const& formats) {
  throw_site(ThrowSite::deck);
  std::string text;
  on_first_rank(communicator, [&] { text = deck::file_text(path); });
  communicator.broadcast(text, 0);
  return Deck(path, std::move(text), overrides, formats);
}

Deck Deck::with(std::vector<Override> const& more) const {
  Deck changed = *this;
  changed.overrides_.insert(changed.overrides_.end(), more.begin(), more.end());
  return changed;
}

Options Deck::read(Section const& root) const { return read(deck::resolve(root)); }

std::string Deck::checked_text(Mistakes& mistakes) const {
  std::string text = text_;
  deck::check_text(name_, text, mistakes);
  mistakes.report();
  return text;
}

DeckFormat const* Deck::format_of(std::string const& text) const {
  auto const format = std::find_if(formats_.begin(), formats_.end(),
                                   [&](DeckFormat const& candidate) { return candidate.recognises(text); });
  return format == formats_.end() ? nullptr : &*format;
}

deck::Node Deck::tree(Mistakes& mistakes) const {
  std::string const text = checked_text(mistakes);
  DeckFormat const* const format = format_of(text);
  deck::Node tree = format != nullptr ? format->read(name_, text, mistakes) : deck::read_yaml(name_, text, mistakes);
  bool const is_list_or_scalar = tree.kind == deck::Node::Kind::list || tree.kind == deck::Node::Kind::scalar;
  if (is_list_or_scalar)
    mistakes.add(tree.location, name_, "expected options like `name: value`, got " + deck::described(tree));
  // Without a section there is nothing to validate.
  if (tree.kind != deck::Node::Kind::section) mistakes.report();
  if (tree.location.is_default()) tree.location = {name_, 1, 1};
  deck::apply_overrides(overrides_, tree, mistakes);
  return tree;
}

OptionValue Deck::unvalidated(Option const& option, std::string const& section) const {
  auto const may_name_it = [&](std::string const& text) { return text.find(option.name()) != std::string::npos; };
  auto const may_change_it = [&](Override const& override) { return may_name_it(override.change); };
  bool const is_changed = std::any_of(overrides_.begin(), overrides_.end(), may_change_it);
  Mistakes mistakes;
  try {
    // Other formats than YAML may use other words for an option.
    if (std::string const text = checked_text(mistakes);
        !is_changed && !may_name_it(text) && format_of(text) == nullptr)
      return {};
    deck::Node const tree = this->tree(mistakes);
    deck::Entry const* entry = section.empty() ? nullptr : tree.find(section);
    if (!section.empty() && entry == nullptr) return {};
    entry = (entry != nullptr ? entry->value : tree).find(option.name());
    return entry != nullptr ? deck::read_value(option, entry->value, option.name(), mistakes) : OptionValue();
  } catch (InputError const&) {
    return {};
  }
}

Options Deck::read(std::shared_ptr<deck::ResolvedSection const> const& root) const {
  Mistakes mistakes;
  deck::Node const tree = this->tree(mistakes);
  auto values = deck::validate(root, tree, mistakes);
  mistakes.report();
  return Options(std::move(values));
}

}  // namespace halocline
