// Times sweeps on the host and copies of as many bytes in the same process. All cases run once in every repetition, so
// that a change in the machine's load affects all of them; minima and medians are compared.
//
// The lower bound of a sweep's time is that of the fastest copy of as many bytes: the 7-point sweep reads and writes
// each value once, 16 bytes per point in double precision.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "framework/field/field.hpp"
#include "framework/kernel/sweep.hpp"
#include "framework/mesh/structured_mesh.hpp"
#include "framework/operator/stencil_cg.hpp"
#include "framework/runtime/communicator.hpp"
#include "framework/runtime/environment.hpp"
#include "framework/runtime/version.hpp"

namespace {

using namespace halocline;
using Space = HostExecution;

struct Arguments {
  Index cells = 256;
  int repetitions = 60;
  std::string json;
};

Arguments parse(int count, char** values) {
  Arguments arguments;
  CLI::App app("Sweeps beside copies");
  app.add_option("--cells", arguments.cells, "along each axis of the 3D block")->check(CLI::PositiveNumber);
  app.add_option("--repetitions", arguments.repetitions)->check(CLI::PositiveNumber);
  app.add_option("--json", arguments.json, "where the result goes");
  try {
    app.parse(count, values);
  } catch (CLI::ParseError const& error) {
    std::exit(app.exit(error));
  }
  return arguments;
}

using MeshPointer = std::shared_ptr<StructuredMesh const>;

MeshPointer mesh_of(int dimensions, Index cells, std::shared_ptr<Communicator> const& communicator) {
  StructuredMeshDescription description;
  description.axes.assign(static_cast<std::size_t>(dimensions), Axis::uniform(cells, 0, 1));
  return StructuredMesh::make(description, communicator);
}

/// A field on the single block of a mesh.
template <class Real>
class Values {
 public:
  explicit Values(MeshPointer const& mesh) : field_(mesh, {.name = "values"}) { field_.fill(Real{1}); }

  [[nodiscard]] BlockView<Real> view() { return field_.view(block()); }
  [[nodiscard]] Real* data() { return static_cast<Real*>(field_.data(block())); }

 private:
  [[nodiscard]] Block const& block() const { return field_.mesh().blocks().front(); }
  Field<Real> field_;
};

template <class Real, int Dimensions>
struct Laplacian {
  static constexpr Shape shape = star<1>;
  Real centre;
  Real x, y, z;
  template <class P, class U>
  KOKKOS_FUNCTION Real operator()(P const&, U const& u) const {
    Real const plane = centre * u[here] + x * (u[east] + u[west]) + y * (u[north] + u[south]);
    if constexpr (Dimensions == 2) return plane;
    return plane + z * (u[top] + u[bottom]);
  }
  template <class P>
  KOKKOS_FUNCTION Real diagonal(P const&) const {
    return centre;
  }
};

struct Case {
  std::string name;
  Index points;
  Index bytes;  ///< per point: each input read once, each output written once
  std::function<void()> run;
  std::vector<double> seconds{};
};

double quantile(std::vector<double> const& sorted, double part) {
  return sorted[static_cast<std::size_t>(part * static_cast<double>(sorted.size() - 1))];
}

/// A copy of `count` values, divided among threads as rows are.
template <class Copy>
std::function<void()> shared_copy(double* to, double const* from, Index count, Copy copy) {
  return [=] {
    int const workers = Space{}.concurrency();
    Kokkos::parallel_for(Kokkos::RangePolicy<Space>(0, workers), [=](int worker) {
      Index const lines = count / 8;
      Index const begin = lines * worker / workers * 8;
      Index const end = lines * (worker + 1) / workers * 8;
      copy(to + begin, from + begin, end - begin);
    });
  };
}

// Without the attribute the compiler would call memcpy.
[[gnu::optimize("no-tree-loop-distribute-patterns")]] void copy_plainly(double* to, double const* from, Index count) {
  HALOCLINE_INDEPENDENT_ITERATIONS
  for (Index n = 0; n < count; ++n) to[n] = from[n];
}
void copy_streaming(double* to, double const* from, Index count) {
  for (Index n = 0; n < count; n += 8) kernel::stream_lines<1>(to + n, from + n);
  kernel::stream_fence();
}
void copy_by_library(double* to, double const* from, Index count) {
  std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(double));
}

void run_all(std::vector<Case>& cases, int repetitions) {
  for (int repetition = -1; repetition < repetitions; ++repetition) {
    for (Case& one : cases) {
      auto const start = std::chrono::steady_clock::now();
      one.run();
      std::chrono::duration<double> const elapsed = std::chrono::steady_clock::now() - start;
      if (repetition >= 0) one.seconds.push_back(elapsed.count());
    }
  }
  for (Case& one : cases) std::sort(one.seconds.begin(), one.seconds.end());
}

std::string processor() {
  std::ifstream lines("/proc/cpuinfo");
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
  }
  return "unknown";
}

/// The environment variables that affect the command, in shell notation.
std::string settings() {
  std::string all;
  for (std::string const name : {"OMP_NUM_THREADS", "OMP_PROC_BIND", "OMP_PLACES"}) {
    if (char const* const value = std::getenv(name.c_str())) all += name + "=" + value + " ";
  }
  return all;
}

nlohmann::json report(std::vector<Case> const& cases, std::string const& command) {
  nlohmann::json all = {{"machine", processor()},
                        {"threads", Space{}.concurrency()},
                        {"date", utc_now()},
                        {"commit", revision()},
                        {"command", settings() + command}};
  for (Case const& one : cases) {
    double const median = quantile(one.seconds, 0.5);
    double const moved = static_cast<double>(one.points * one.bytes);
    all["cases"].push_back({{"name", one.name},
                            {"points", one.points},
                            {"bytes_per_point", one.bytes},
                            {"minimum_seconds", one.seconds.front()},
                            {"median_seconds", median},
                            {"quartiles_seconds", {quantile(one.seconds, 0.25), quantile(one.seconds, 0.75)}},
                            {"median_bytes_per_second", moved / median},
                            {"maximum_bytes_per_second", moved / one.seconds.front()}});
  }
  return all;
}

/// Bytes per second relative to the fastest copy: by medians and by minima.
void compare(nlohmann::json& all) {
  for (char const* const which : {"median_bytes_per_second", "maximum_bytes_per_second"}) {
    double best = 0;
    for (auto const& one : all["cases"]) {
      if (one["name"].get<std::string>().rfind("copy", 0) == 0) best = std::max(best, one[which].get<double>());
    }
    for (auto& one : all["cases"]) one[std::string("of_best_copy_") + which] = one[which].get<double>() / best;
  }
}

void print(nlohmann::json const& all) {
  std::printf("%-36s %10s %10s %9s %9s %9s\n", "", "minimum", "median", "GB/s", "of copy", "(minima)");
  for (auto const& one : all["cases"]) {
    std::printf("%-36s %7.3f ms %7.3f ms %9.1f %9.2f %9.2f\n", one["name"].get<std::string>().c_str(),
                1e3 * one["minimum_seconds"].get<double>(), 1e3 * one["median_seconds"].get<double>(),
                1e-9 * one["median_bytes_per_second"].get<double>(),
                one["of_best_copy_median_bytes_per_second"].get<double>(),
                one["of_best_copy_maximum_bytes_per_second"].get<double>());
  }
}

void measure(Arguments const& arguments, std::string const& command) {
  Space const space;
  Index const n = arguments.cells;
  Index const flat = 4096;
  IndexRange const cube{{0, 0, 0}, {n, n, n}};
  IndexRange const square{{0, 0, 0}, {flat, flat, 1}};
  auto const communicator = std::make_shared<Communicator>(MPI_COMM_WORLD);
  MeshPointer const cubic = mesh_of(3, n, communicator);
  MeshPointer const flat_mesh = mesh_of(2, flat, communicator);
  Values<double> a(cubic), b(cubic), c(cubic);
  Values<float> a_single(cubic), b_single(cubic);
  Values<double> a_flat(flat_mesh), b_flat(flat_mesh);
  Geometry<double> const geometry;
  Laplacian<double, 3> const laplacian{6.0, -1.0, -1.0, -1.0};
  stencil_functor::JacobiStep<double, Laplacian<double, 3>> const jacobi{laplacian, 0.8};
  stencil_functor::ApplyDot<double, Laplacian<double, 3>> const apply_dot{laplacian};
  Reduction<Space> sums;

  std::vector<Case> cases;
  Index const points = cube.size();
  cases.push_back({"copy, plain stores", points, 16, shared_copy(b.data(), a.data(), points, copy_plainly)});
  cases.push_back({"copy, streaming stores", points, 16, shared_copy(b.data(), a.data(), points, copy_streaming)});
  cases.push_back({"copy, memcpy", points, 16, shared_copy(b.data(), a.data(), points, copy_by_library)});
  cases.push_back(
      {"7-point, double", points, 16, [&] { sweep(space, cube, geometry, b.view(), laplacian, a.view()); }});
  cases.push_back({"7-point, double, plain stores", points, 16, [&] {
                     kernel::sweep_on_host(space, cube, kernel::make_task(geometry, b.view(), laplacian, a.view()),
                                           {0, 0, kernel::Stores::plain});
                   }});
  cases.push_back({"7-point, single", points, 8, [&] {
                     sweep(space, cube, Geometry<float>{}, b_single.view(),
                           Laplacian<float, 3>{6.0F, -1.0F, -1.0F, -1.0F}, a_single.view());
                   }});
  cases.push_back({"7-point and dot product, double", points, 16,
                   [&] { sweep_reduce(space, cube, geometry, sums, b.view(), apply_dot, a.view()); }});
  cases.push_back({"Jacobi step and norms, double", points, 24,
                   [&] { sweep_reduce(space, cube, geometry, sums, b.view(), jacobi, c.view(), a.view()); }});
  cases.push_back(
      {"5-point, 4096 x 4096, double", square.size(), 16, [&] {
         sweep(space, square, geometry, b_flat.view(), Laplacian<double, 2>{4.0, -1.0, -1.0, 0.0}, a_flat.view());
       }});
  for (Index const small : {Index{16}, Index{32}, Index{64}, Index{128}}) {
    IndexRange const part{{0, 0, 0}, {small, small, small}};
    for (int const workers : {1, space.concurrency()}) {
      cases.push_back({"7-point, double, " + std::to_string(small) + "^3, workers " + std::to_string(workers),
                       part.size(), 16, [&, part, workers] {
                         kernel::sweep_on_host(space, part, kernel::make_task(geometry, b.view(), laplacian, a.view()),
                                               {workers});
                       }});
    }
  }
  run_all(cases, arguments.repetitions);
  nlohmann::json all = report(cases, command);
  compare(all);
  print(all);
  if (!arguments.json.empty()) std::ofstream(arguments.json) << all.dump(2) << '\n';
}

}  // namespace

int main(int count, char** values) {
  Arguments const arguments = parse(count, values);
  Environment const environment;
  std::string command;
  for (int n = 0; n < count; ++n) command.append(n == 0 ? "" : " ").append(values[n]);
  measure(arguments, command);
}
