#pragma once

#include <string>
#include <typeinfo>

namespace halocline::kernel {

/// "stencil_functor::ApplyDot<double, Diffusion<double> >": a type as people write it, without the framework's
/// namespace.
[[nodiscard]] std::string type_name(std::type_info const& type);

template <class Functor>
[[nodiscard]] std::string functor_name() {
  return type_name(typeid(Functor));
}

}  // namespace halocline::kernel
