// The time to fill the ghosts of a block with its neighbours' values, by transport and message size: a chain of
// exchanges, each of which begins on a rank when the previous one has ended there, by the device's clock if there is a
// device. The mesh is cut into slabs along z; if these are periodic, two ranks exchange both faces in one message.
// Start it under mpirun.
#include <CLI/CLI.hpp>
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/timing.hpp"
#include "framework/field/field.hpp"
#include "framework/halo/exchange.hpp"
#include "framework/halo/transports/module.hpp"
#include "framework/kernel/repeated_work.hpp"
#include "framework/mesh/execution.hpp"
#include "framework/mesh/structured_mesh.hpp"
#include "framework/runtime/backend.hpp"
#include "framework/runtime/communicator.hpp"
#include "framework/runtime/environment.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/version.hpp"

namespace {

using namespace halocline;

struct Arguments {
  std::vector<std::string> transports;
  std::vector<Index> bytes{65536};
  int chains = 9;
  int length = 200;
  bool split = false;
  bool periodic = false;
  bool graph = false;
  bool references = false;
};

Arguments parse(int count, char** values) {
  Arguments arguments;
  CLI::App app("Exchanges of one field between slabs");
  app.add_option("--transport", arguments.transports, "by name; all that the build has a use for, if none is named");
  app.add_option("--bytes", arguments.bytes, "of a face, multiples of 4096")->check(CLI::PositiveNumber);
  app.add_option("--chains", arguments.chains, "of which the median counts")->check(CLI::PositiveNumber);
  app.add_option("--length", arguments.length, "exchanges of a chain")->check(CLI::PositiveNumber);
  app.add_flag("--split", arguments.split, "start and finish apart, as sweeps need them that go on in between");
  app.add_flag("--graph", arguments.graph, "a chain is one graph, where the transport allows that");
  app.add_flag("--references", arguments.references, "also what libraries of transports do by themselves");
  app.add_flag("--periodic", arguments.periodic, "every rank has two neighbours");
  try {
    app.parse(count, values);
  } catch (CLI::ParseError const& error) {
    std::exit(app.exit(error));
  }
  if (arguments.graph && arguments.length % 2 != 0) {
    throw CLI::ValidationError("--length", "a graph takes both turns: an even number of exchanges");
  }
  return arguments;
}

constexpr int layers = 4;

/// The value of entry (i, j) in plane k of the whole mesh.
KOKKOS_FUNCTION float value_at(Index i, Index j, Index k) { return static_cast<float>((i + 3 * j + 131 * k) % 65521); }

/// Sets planes, or counts entries with a wrong value.
struct Planes {
  BlockView<float> u;
  Index nx;
  Index ny;
  Index first;   ///< plane within the block
  Index global;  ///< the same plane's index on the mesh

  KOKKOS_FUNCTION void operator()(Index n) const {
    Index const i = n % nx, j = n / nx % ny, k = n / (nx * ny);
    u(i, j, first + k) = value_at(i, j, global + k);
  }
  KOKKOS_FUNCTION void operator()(Index n, Index& wrong) const {
    Index const i = n % nx, j = n / nx % ny, k = n / (nx * ny);
    if (u(i, j, first + k) != value_at(i, j, global + k)) ++wrong;
  }
};

nlohmann::json measure(std::shared_ptr<Communicator> const& communicator, TransportEntry const& entry, Index bytes,
                       Arguments const& arguments) {
  Index const ny = 64;
  Index const nx = bytes / (ny * layers * Index{sizeof(float)});
  Index const nz = 2 * layers;
  Index const planes = nz * communicator->size();
  auto const mesh =
      StructuredMesh::make({.axes = {Axis::uniform(nx, 0, 1), Axis::uniform(ny, 0, 1), Axis::uniform(planes, 0, 1)},
                            .periodic = {false, false, arguments.periodic},
                            .process_grid = {1, 1, communicator->size()}},
                           communicator);
  Block const& block = mesh->blocks().front();
  Field<float> u(mesh, {.name = "u", .ghosts = layers});
  Execution const& on = execution(block);
  using Policy = Kokkos::RangePolicy<Execution, Kokkos::IndexType<Index>>;
  Kokkos::parallel_for("planes", Policy(on, 0, nx * ny * nz), Planes{u.view(block), nx, ny, 0, block.cells.begin[2]});
  Exchange exchange({&u}, {.transport = entry.make()});
  auto const exchanges = [&] {
    for (int n = 0; n < arguments.length; ++n) {
      if (arguments.split) {
        exchange.start({&u});
        exchange.finish();
      } else {
        exchange.exchange({&u});
      }
    }
  };
  kernel::RepeatedWork<Execution, int> graph;
  bool const has_graph = arguments.graph && exchange.buffer_index().has_value();
  auto const chain = [&] {
    if (!has_graph) return exchanges();
    bool const called = graph.run(on, *exchange.buffer_index(), exchanges);
    for (int n = 0; n < arguments.length && !called; ++n) exchange.replayed();
  };
  std::vector<double> seconds;
  constexpr int warm_up = 3;  // the first runs directly, the second is captured
  for (int n = 0; n < arguments.chains + warm_up; ++n) {
    communicator->barrier();
    double const slowest = communicator->max(benchmarking::elapsed(chain, 1));
    if (n >= warm_up) seconds.push_back(slowest / arguments.length);
  }
  std::sort(seconds.begin(), seconds.end());

  Index wrong = 0;
  for (int const side : {-1, 1}) {
    if (!block.neighbour(2, side)) continue;
    Index const first = side < 0 ? -layers : nz;
    Index const global = (block.cells.begin[2] + first + planes) % planes;
    Index count = 0;
    Kokkos::parallel_reduce("ghosts", Policy(on, 0, nx * ny * layers), Planes{u.view(block), nx, ny, first, global},
                            count);
    wrong += count;
  }
  if (communicator->sum(wrong) != 0) throw DefectError(entry.name + ": ghosts are not what was sent");
  double const median = seconds[seconds.size() / 2];
  return {{"transport", entry.name},
          {"bytes", bytes},
          {"ranks", communicator->size()},
          {"faces", arguments.periodic ? 2 : 1},
          {"split", arguments.split},
          {"graph", has_graph},
          {"seconds", median},
          {"fastest", seconds.front()},
          {"slowest", seconds.back()},
          {"bytes_per_second_each_way", static_cast<double>(bytes) * (arguments.periodic ? 2 : 1) / median}};
}

/// The sum of one number over all ranks as in solvers: by the host, in the order of ranks.
ReferenceTiming sum_by_host(Communicator const& communicator) {
  constexpr Index repetitions = 500;
  double sum = communicator.sum(1.0);
  double const begin = MPI_Wtime();
  for (Index n = 0; n < repetitions; ++n) sum = communicator.sum(1.0);
  double const seconds = communicator.max(MPI_Wtime() - begin);
  return {"the sum of one number over all ranks, by the host", seconds / repetitions, repetitions, sum, {}};
}

/// Time of the transport library's own operations, if they can be timed.
void print_references(Communicator const& communicator, TransportEntry const& entry) {
  std::string why;
  TransportModule const* const module = transport_module(entry.name, why);
  if (module == nullptr || module->references == nullptr) return;
  std::vector<ReferenceTiming> timings = module->references(communicator);
  timings.push_back(sum_by_host(communicator));
  for (ReferenceTiming const& timing : timings) {
    nlohmann::json row{{"transport", entry.name},   {"reference", timing.name},          {"ranks", communicator.size()},
                       {"seconds", timing.seconds}, {"repetitions", timing.repetitions}, {"value", timing.value}};
    if (!timing.history.empty()) row["history"] = timing.history;
    if (communicator.rank() == 0) std::printf("%s\n", row.dump().c_str());
  }
}

void run(Arguments const& arguments) {
  auto const communicator = std::make_shared<Communicator>(MPI_COMM_WORLD);
  bool const first = communicator->rank() == 0;
  if (first) {
    nlohmann::json const provenance{{"machine", host_name()},  {"hardware", backend_hardware()},
                                    {"backend", backend_name}, {"version", version},
                                    {"revision", revision()},  {"started", utc_now()}};
    std::printf("%s\n", nlohmann::json{{"provenance", provenance}}.dump().c_str());
  }
  for (TransportEntry const& entry : known_transports()) {
    auto const& wanted = arguments.transports;
    bool const named = std::find(wanted.begin(), wanted.end(), entry.name) != wanted.end();
    if (!entry.obstacle.empty() || (!wanted.empty() && !named)) continue;
    std::string const obstacle = entry.probe == nullptr ? "" : entry.probe(*communicator);
    if (communicator->any(!obstacle.empty())) {
      if (first) std::printf("%s\n", nlohmann::json{{"left_out", entry.name + ": " + obstacle}}.dump().c_str());
      continue;
    }
    for (Index const bytes : arguments.bytes) {
      nlohmann::json const row = measure(communicator, entry, bytes, arguments);
      if (first) std::printf("%s\n", row.dump().c_str());
      std::fflush(stdout);
    }
    if (arguments.references) print_references(*communicator, entry);
  }
}

}  // namespace

int main(int count, char** values) {
  Arguments const arguments = parse(count, values);
  Environment const environment;
  try {
    run(arguments);
  } catch (std::exception const& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
