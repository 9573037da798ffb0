// Measures the cost of the ghost checks in sweeps: sweeps of one point by views of fields, which carry the records that
// are checked, alternating with the same sweeps by views without records.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "framework/field/field.hpp"
#include "framework/kernel/sweep.hpp"
#include "framework/mesh/structured_mesh.hpp"
#include "framework/runtime/communicator.hpp"
#include "framework/runtime/environment.hpp"
#include "framework/runtime/version.hpp"

namespace {

using namespace halocline;
using Space = HostExecution;

/// Seven points of the first input, one of each other.
struct Sum {
  static constexpr Shape shape = star<1>;
  [[nodiscard]] static constexpr Shape input_shape(int n) { return n == 0 ? shape : point; }
  template <class P, class U, class... More>
  KOKKOS_FUNCTION double operator()(P const&, U const& u, More const&... more) const {
    return ((u[east] + u[west] + u[north] + u[south] + u[top] + u[bottom]) + ... + more[here]);
  }
};

constexpr int sweeps_of_a_batch = 2000;

template <class Sweep>
double nanoseconds_of(Sweep const& sweep) {
  auto const start = std::chrono::steady_clock::now();
  for (int n = 0; n < sweeps_of_a_batch; ++n) sweep();
  std::chrono::duration<double, std::nano> const elapsed = std::chrono::steady_clock::now() - start;
  return elapsed.count() / sweeps_of_a_batch;
}

double median(std::vector<double>& values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// `checked` and `plain` compute the same.
template <class Checked, class Plain>
nlohmann::json compared(std::string const& name, Checked const& checked, Plain const& plain) {
  constexpr int batches = 300;
  std::vector<double> with, without;
  for (int batch = 0; batch < batches; ++batch) {
    with.push_back(nanoseconds_of(checked));
    without.push_back(nanoseconds_of(plain));
  }
  double const medians[] = {median(with), median(without)};
  std::printf("%-32s %7.1f ns checked, %7.1f ns plain: %5.1f ns\n", name.c_str(), medians[0], medians[1],
              medians[0] - medians[1]);
  return {{"name", name},
          {"checked_median_nanoseconds", medians[0]},
          {"plain_median_nanoseconds", medians[1]},
          {"checked_minimum_nanoseconds", with.front()},
          {"plain_minimum_nanoseconds", without.front()},
          {"difference_of_medians_nanoseconds", medians[0] - medians[1]},
          {"difference_of_minima_nanoseconds", with.front() - without.front()}};
}

std::string processor() {
  std::ifstream lines("/proc/cpuinfo");
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
  }
  return "unknown";
}

void measure(std::string const& command, char const* file) {
  StructuredMeshDescription description;
  description.axes.assign(3, Axis::uniform(8, 0, 1));
  description.periodic = {true, true, true};  // neighbours beyond all faces: the largest record
  auto const mesh = StructuredMesh::make(description, std::make_shared<Communicator>(MPI_COMM_WORLD));
  Block const& block = mesh->blocks().front();
  Field<double> u(mesh, {.name = "u"}), k(mesh, {.name = "k"}), out(mesh, {.name = "out"});
  Space const space;
  IndexRange const one{{3, 3, 3}, {4, 4, 4}};
  Geometry<double> const geometry;
  using Plain = BlockView<double>;
  using PlainInput = BlockView<double const>;
  nlohmann::json all = {{"machine", processor()}, {"date", utc_now()}, {"commit", revision()}, {"command", command}};
  all["cases"].push_back(compared(
      "7 points of one input",
      [&] { sweep(space, one, geometry, out.view(block), Sum(), std::as_const(u).view(block)); },
      [&] { sweep(space, one, geometry, Plain(out.view(block)), Sum(), PlainInput(std::as_const(u).view(block))); }));
  all["cases"].push_back(compared(
      "and one of two more",
      [&] {
        sweep(space, one, geometry, out.view(block), Sum(), std::as_const(u).view(block), std::as_const(k).view(block),
              std::as_const(out).view(block));
      },
      [&] {
        sweep(space, one, geometry, Plain(out.view(block)), Sum(), PlainInput(std::as_const(u).view(block)),
              PlainInput(std::as_const(k).view(block)), PlainInput(std::as_const(out).view(block)));
      }));
  if (file != nullptr) std::ofstream(file) << all.dump(2) << '\n';
}

}  // namespace

/// ghost_check_bench [FILE]: the file for the result, as JSON.
int main(int count, char** values) {
  Environment const environment;
  std::string command;
  for (int n = 0; n < count; ++n) command.append(n == 0 ? "" : " ").append(values[n]);
  measure(command, count > 1 ? values[1] : nullptr);
}
