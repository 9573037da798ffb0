#include "framework/deck/parameter_list.hpp"

#include <Teuchos_Array.hpp>
#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "framework/deck/option.hpp"
#include "framework/deck/section.hpp"
#include "framework/deck/values.hpp"

namespace halocline {
namespace {

bool fits_int(std::int64_t value) {
  return value >= std::numeric_limits<int>::min() && value <= std::numeric_limits<int>::max();
}

/// Adds values with the types that packages of Trilinos expect.
class Adder {
 public:
  Adder(Teuchos::ParameterList& list, Option const& option, bool is_default)
      : list_(list), option_(option), is_default_(is_default) {}

  void operator()(std::monostate) const {}
  template <class Value>
  void operator()(Value const& value) const {
    add(value);
  }
  void operator()(std::int64_t value) const {
    if (fits_int(value)) {
      add(static_cast<int>(value));
    } else {
      add(static_cast<long long>(value));
    }
  }
  void operator()(std::vector<std::int64_t> const& values) const {
    if (std::ranges::all_of(values, fits_int)) {
      add(Teuchos::Array<int>(values.begin(), values.end()));
    } else {
      add(Teuchos::Array<long long>(values.begin(), values.end()));
    }
  }
  void operator()(std::vector<double> const& values) const { add(Teuchos::Array<double>(values)); }
  void operator()(std::vector<std::string> const& values) const { add(Teuchos::Array<std::string>(values)); }
  void operator()(std::vector<bool> const& values) const { add(Teuchos::Array<int>(values.begin(), values.end())); }

 private:
  template <class Value>
  void add(Value const& value) const {
    list_.setEntry(option_.name(), Teuchos::ParameterEntry(value, is_default_, false, option_.sentence()));
  }

  Teuchos::ParameterList& list_;
  Option const& option_;
  bool is_default_;
};

void fill(Teuchos::ParameterList& list, Options::Values const& values) {
  for (Option const& option : values.declaration->section->options()) {
    std::visit(Adder(list, option, !values.locations.contains(option.name())), values.value(option.name()));
  }
  for (auto const& [name, file] : values.files) fill(list.sublist(name), *file);
  for (auto const& [name, section] : values.sections) fill(list.sublist(name), *section);
  for (auto const& [name, elements] : values.lists) {
    Teuchos::ParameterList& numbered = list.sublist(name);
    for (std::size_t n = 0; n < elements.size(); ++n) fill(numbered.sublist(std::to_string(n)), *elements[n]);
  }
}

}  // namespace

Teuchos::ParameterList parameter_list(Options const& options) {
  std::string const name = options.full_name();
  Teuchos::ParameterList list(name.empty() ? "deck" : name);
  fill(list, *options.values_);
  return list;
}

}  // namespace halocline
