#pragma once

#include <cstdint>
#include <string>

namespace halocline {

class FieldBase;

/// The state that the next steps of a run depend on, besides its deck. The physics and its integrators and solvers list
/// it item by item; writing a checkpoint reads the items, restarting from one sets them. Names are unique and the same
/// in every call; a `/` in them groups.
///
///     void serialize(StateArchive& state) { state.field("u", *u_); state.number("time", time_); }
class StateArchive {
 public:
  virtual ~StateArchive() = default;
  StateArchive(StateArchive const&) = delete;
  StateArchive& operator=(StateArchive const&) = delete;

  /// The owned entries of a field, on every rank of its mesh; ghosts must be filled before they are read.
  virtual void field(std::string const& name, FieldBase& values) = 0;
  virtual void number(std::string const& name, double& value) = 0;
  virtual void count(std::string const& name, std::int64_t& value) = 0;
  void flag(std::string const& name, bool& value) {
    std::int64_t number = value ? 1 : 0;
    count(name, number);
    value = number != 0;
  }

  /// Whether items are being set. Values derived from them (ghosts, step factors) must then be computed again.
  [[nodiscard]] virtual bool restores() const = 0;
  /// Whether there is an item with this name, or any in a group of this name, to be set; true where items are read.
  /// With another integrator than that of the checkpoint nothing is found, and that integrator starts anew.
  [[nodiscard]] virtual bool has(std::string const& name) const = 0;

 protected:
  StateArchive() = default;
};

}  // namespace halocline
