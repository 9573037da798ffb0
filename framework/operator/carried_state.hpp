#pragma once

#include <cstdint>
#include <string>

namespace halocline {

class FieldBase;

/// Everything that the next steps of a run depend on beside its deck, told item by item: by the physics, and by the
/// integrators and solvers that it uses. Whoever copies the state reads the items; whoever goes on from a checkpoint
/// sets them. Names are unique, and the same each time; a `/` in them groups.
///
///     void carry(CarriedState& state) { state.field("u", *u_); state.number("time", time_); }
class CarriedState {
 public:
  virtual ~CarriedState() = default;
  CarriedState(CarriedState const&) = delete;
  CarriedState& operator=(CarriedState const&) = delete;

  /// The owned entries of a field, on every rank of its mesh; ghosts are for whoever reads them to fill.
  virtual void field(std::string const& name, FieldBase& values) = 0;
  virtual void number(std::string const& name, double& value) = 0;
  virtual void count(std::string const& name, std::int64_t& value) = 0;
  void flag(std::string const& name, bool& value) {
    std::int64_t number = value ? 1 : 0;
    count(name, number);
    value = number != 0;
  }

  /// Whether items are set. What follows from them (ghosts, factors of a step) has to follow anew then.
  [[nodiscard]] virtual bool restores() const = 0;
  /// Whether there is an item of the name, or any in a group of the name, to be set; true where items are read. Another
  /// integrator than that of the checkpoint finds nothing, and starts anew.
  [[nodiscard]] virtual bool has(std::string const& name) const = 0;

 protected:
  CarriedState() = default;
};

}  // namespace halocline
