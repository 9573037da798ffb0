#pragma once

#include <array>
#include <string>
#include <vector>

#include "physics/equations/transport/discretisation.hpp"

// A manufactured solution and its sources, shared by the tests of this folder.

namespace halocline::transport {

/// A vortex with a component along z.
inline std::array<PointValues, 3> whirl(double speed) {
  std::string const factor = std::to_string(speed) + "*";
  return {Expression(factor + "(y-0.4)"), Expression(factor + "(0.3-x)"), Expression(factor + "0.7")};
}

/// u, its derivative along an axis, and du/dt + v . grad u - div(k grad u) + c u, where v is the vortex, k = 1 + x / 2
/// and c = 3 + y. The travelling solution moves along x and decays.
struct Manufactured {
  int dimensions;
  bool travels = false;

  [[nodiscard]] std::string factor(int axis) const {
    std::string const all[] = {travels ? "exp(-t)*sin(2*x+0.3-t)" : "sin(2*x+0.3)", "cos(1.5*y-0.2)", "exp(0.5*z)"};
    return all[axis];
  }
  [[nodiscard]] std::string product(int axis, std::string const& own) const {
    std::string text = own;
    for (int other = 0; other < dimensions; ++other) {
      if (other != axis) text += "*" + factor(other);
    }
    return text;
  }
  [[nodiscard]] std::string solution() const { return product(0, factor(0)); }
  [[nodiscard]] std::string slope(int axis) const {
    std::string const all[] = {travels ? "2*exp(-t)*cos(2*x+0.3-t)" : "2*cos(2*x+0.3)", "(-1.5*sin(1.5*y-0.2))",
                               "0.5*exp(0.5*z)"};
    return product(axis, all[axis]);
  }
  [[nodiscard]] std::string source() const {
    double const laplacian = -4 - (dimensions > 1 ? 2.25 : 0) + (dimensions > 2 ? 0.25 : 0);
    std::string text =
        "(3+y)*" + solution() + "-(1+x/2)*(" + std::to_string(laplacian) + ")*" + solution() + "-0.5*" + slope(0);
    if (travels) text += "-" + solution() + "-0.5*" + slope(0);
    auto const velocity = whirl(4);
    for (int axis = 0; axis < dimensions; ++axis) {
      text += "+(" + velocity[static_cast<std::size_t>(axis)].text() + ")*" + slope(axis);
    }
    return text;
  }
  [[nodiscard]] BoundaryConditions walls() const {
    BoundaryConditions all =
        BoundaryConditions::all({.kind = BoundaryKind::dirichlet, .value = Expression(solution())});
    all.at(0, 1) = {.kind = BoundaryKind::neumann, .value = Expression(slope(0))};
    if (dimensions > 1) all.at(1, -1) = {.kind = BoundaryKind::robin, .value = Expression(robin()), .a = 2, .b = 3};
    return all;
  }
  /// The same in a deck.
  [[nodiscard]] std::string boundary() const {
    std::string text = "{east: {kind: neumann, value: \"" + slope(0) + "\"}";
    if (dimensions > 1) text += ", south: {kind: robin, a: 2, b: 3, value: \"" + robin() + "\"}";
    std::vector<std::string> faces{"west"};
    if (dimensions > 1) faces.emplace_back("north");
    if (dimensions > 2) faces.insert(faces.end(), {"bottom", "top"});
    for (std::string const& face : faces) text += ", " + face + ": {kind: dirichlet, value: \"" + solution() + "\"}";
    return text + "}";
  }
  [[nodiscard]] std::string robin() const { return "2*" + solution() + "-3*" + slope(1); }
};

}  // namespace halocline::transport
