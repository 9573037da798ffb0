#include "physics/nbody/attraction.hpp"

#include "framework/runtime/error.hpp"
#include "physics/nbody/portable.hpp"

namespace halocline::nbody {

std::string to_string(Form form) {
  switch (form) {
    case Form::vectorised:
      return "vectorised";
    case Form::cuda:
      return "cuda";
    default:
      return "portable";
  }
}

std::vector<Form> forms() { return {Form::portable}; }

template <class Real>
void attract(Execution const& execution, Attraction<Real> const& attraction, Form form) {
  if (form != Form::portable) throw DefectError("this build has no " + to_string(form) + " form of attractions");
  portable::attract(execution, attraction);
}

template void attract(Execution const&, Attraction<float> const&, Form);
template void attract(Execution const&, Attraction<double> const&, Form);

}  // namespace halocline::nbody
