#include "framework/operator/evolving_system.hpp"

#include "framework/runtime/error.hpp"

namespace halocline {

void EvolvingSystem::serialize(StateArchive& /*archive*/, std::string const& name, Vector& /*state*/) {
  throw DefectError("an integrator serializes the state `" + name + "`, but its system does not implement `serialize`");
}

}  // namespace halocline
