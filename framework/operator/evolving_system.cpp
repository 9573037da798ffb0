#include "framework/operator/evolving_system.hpp"

#include "framework/runtime/error.hpp"

namespace halocline {

void EvolvingSystem::carry(CarriedState& /*carried*/, std::string const& name, SystemState& /*state*/) {
  throw DefectError("an integrator carries the state `" + name + "`, but its system does not implement `carry`");
}

}  // namespace halocline
