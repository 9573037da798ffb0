#include "framework/io/state_copy.hpp"

#include <algorithm>
#include <span>

#include "framework/field/field_base.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/staging_memory.hpp"

namespace halocline {

void StateCopy::clear() {
  spare_ = std::move(fields_);
  fields_.clear();
  numbers_.clear();
  counts_.clear();
}

void StateCopy::field(std::string const& name, FieldBase& values) {
  auto const is_called_so = [&](Item const& item) { return item.name == name; };
  if (std::any_of(fields_.begin(), fields_.end(), is_called_so))
    throw DefectError("two fields of the serialized state are called `" + name + "`");
  Item item;
  if (auto const old = std::find_if(spare_.begin(), spare_.end(), is_called_so); old != spare_.end())
    item.blocks = std::move(old->blocks);
  item.name = name;
  item.stored = stored(values);
  item.extents = values.mesh().extents(values.centring());
  item.blocks.resize(values.mesh().blocks().size());
  for (Block const& block : values.mesh().blocks()) {
    BlockValues& to = item.blocks[block.local];
    to.place = values.mesh().global_owned(block.id, values.centring());
    std::size_t const bytes = static_cast<std::size_t>(to.place.size()) * values.bytes_per_entry();
    auto const components = static_cast<std::size_t>(values.components());
    if (to.bytes != bytes * components) {
      to.memory = staging_memory(static_cast<Index>(bytes * components));
      to.bytes = bytes * components;
    }
    for (std::size_t c = 0; c < components; ++c)
      values.copy_owned(block, static_cast<int>(c), to.values().subspan(c * bytes, bytes));
  }
  fields_.push_back(std::move(item));
}

std::size_t StateCopy::bytes() const {
  std::size_t all = 0;
  for (Item const& item : fields_) {
    for (BlockValues const& block : item.blocks) all += block.bytes;
  }
  return all;
}

bool is_of(std::string const& item, std::string const& name) { return item == name || item.starts_with(name + "/"); }

namespace {

/// The item with a name in a list; `name_of` returns the name of an item.
template <class List, class NameOf>
auto const* find(List const& list, std::string const& name, NameOf const& name_of) {
  auto const found = std::find_if(list.begin(), list.end(), [&](auto const& one) { return name_of(one) == name; });
  if (found == list.end()) throw InputError("the copied state has no `" + name + "`");
  return &*found;
}

}  // namespace

void CopiedState::field(std::string const& name, FieldBase& values) {
  auto const* const item = find(copy_.fields(), name, [](auto const& one) { return one.name; });
  for (Block const& block : values.mesh().blocks()) {
    auto const components = static_cast<std::size_t>(values.components());
    std::span<std::byte const> const all = item->blocks.at(block.local).values();
    std::size_t const bytes = all.size() / components;
    for (std::size_t c = 0; c < components; ++c)
      values.set_owned(block, static_cast<int>(c), all.subspan(c * bytes, bytes));
  }
}

void CopiedState::number(std::string const& name, double& value) {
  value = find(copy_.numbers(), name, [](auto const& one) { return one.name; })->value;
}

void CopiedState::count(std::string const& name, std::int64_t& value) {
  value = find(copy_.counts(), name, [](auto const& one) { return one.first; })->second;
}

bool CopiedState::has(std::string const& name) const {
  auto const& fields = copy_.fields();
  auto const& numbers = copy_.numbers();
  auto const& counts = copy_.counts();
  return std::any_of(fields.begin(), fields.end(), [&](auto const& one) { return is_of(one.name, name); }) ||
         std::any_of(numbers.begin(), numbers.end(), [&](auto const& one) { return is_of(one.name, name); }) ||
         std::any_of(counts.begin(), counts.end(), [&](auto const& one) { return is_of(one.first, name); });
}

}  // namespace halocline
