#include "framework/operator/evolving_system.hpp"

#include "framework/runtime/error.hpp"

namespace halocline {

void EvolvingSystem::carry(CarriedState& /*carried*/, std::string const& name, SystemState& /*state*/) {
  throw DefectError("an integrator wants to carry the state `" + name + "`, and its system does not tell states");
}

}  // namespace halocline
