#pragma once

#include <string>
#include <typeinfo>

namespace halocline::kernel {

/// A type's readable name without the framework's namespace, such as "stencil_functor::ApplyDot<double,
/// Diffusion<double> >".
[[nodiscard]] std::string type_name(std::type_info const& type);

template <class Functor>
[[nodiscard]] std::string functor_name() {
  return type_name(typeid(Functor));
}

}  // namespace halocline::kernel
