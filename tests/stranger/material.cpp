#include "material.hpp"

#include <Teuchos_ParameterList.hpp>
#include <Teuchos_TimeMonitor.hpp>

#include "framework/deck/parameter_list.hpp"

namespace {

Material read(Teuchos::ParameterList& parameters) {
  Teuchos::TimeMonitor const timed(*Teuchos::TimeMonitor::getNewCounter("material"));
  return {parameters.get<std::string>("k"), parameters.get<std::string>("c")};
}

}  // namespace

Material material_of(halocline::Options const& options) {
  Teuchos::ParameterList parameters = halocline::parameter_list(options);
  return read(parameters);
}
