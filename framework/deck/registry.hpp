#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halocline {

/// Throws InputError: "`name`: no such solver; did you mean `cg`? (known: cg, chebyshev, jacobi)".
[[noreturn]] void throw_unknown_name(std::string_view kind, std::string_view name,
                                     std::vector<std::string> const& known);
/// Throws InputError: two entries of a kind have the same name.
[[noreturn]] void throw_name_taken(std::string_view kind, std::string_view name);

/// Things of one kind (physics, solvers, …) that a deck chooses by name. An `Entry` has a std::string `name`; usually
/// also a sentence that describes it, the section of its options and a factory. References to entries stay valid.
template <class Entry>
class Registry {
 public:
  /// `kind` is the singular noun for messages: "solver".
  explicit Registry(std::string kind) : kind_(std::move(kind)) {}

  /// Throws InputError if the name is taken.
  void add(Entry entry) {
    std::string const name = entry.name;
    if (!entries_.emplace(name, std::move(entry)).second) throw_name_taken(kind_, name);
    in_order_.push_back(name);
  }

  [[nodiscard]] bool contains(std::string_view name) const { return entries_.find(name) != entries_.end(); }

  /// Throws InputError, with the nearest known name, if there is none.
  [[nodiscard]] Entry const& find(std::string_view name) const {
    auto const found = entries_.find(name);
    if (found == entries_.end()) throw_unknown_name(kind_, name, names());
    return found->second;
  }

  /// In alphabetical order.
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (auto const& [name, entry] : entries_) all.push_back(name);
    return all;
  }
  /// In the order in which they were added.
  [[nodiscard]] std::vector<std::string> const& names_in_order() const { return in_order_; }
  [[nodiscard]] std::string const& kind() const { return kind_; }

 private:
  std::string kind_;
  std::map<std::string, Entry, std::less<>> entries_;
  std::vector<std::string> in_order_;
};

}  // namespace halocline
