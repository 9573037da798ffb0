// Jacobi's iteration of a line of 2^22 points as the document prints it (docs/seeds.md): every tenth change, then the
// outcome. The norm is summed by cub::BlockReduce with an atomic addition a block, or by an atomic addition a thread.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "bench/reference_jacobi.hpp"
#include "framework/runtime/backend.hpp"
#include "framework/runtime/environment.hpp"
#include "framework/runtime/version.hpp"

namespace {

using namespace halocline;

struct Arguments {
  std::string sum = "block";
  std::string json;
};

Arguments parse(int count, char** values) {
  Arguments arguments;
  CLI::App app("Jacobi's iteration of a line, with its norm by a kernel written by hand");
  app.add_option("--sum", arguments.sum, "who adds to the norm")->check(CLI::IsMember({"block", "thread"}));
  app.add_option("--json", arguments.json, "where a record goes");
  try {
    app.parse(count, values);
  } catch (CLI::ParseError const& error) {
    std::exit(app.exit(error));
  }
  return arguments;
}

void run(Arguments const& arguments) {
  using benchmarking::JacobiSum;
  auto const sum = arguments.sum == "block" ? JacobiSum::block_reduce : JacobiSum::atomic_of_threads;
  (void)benchmarking::run_jacobi(sum, Index{1} << 22U);  // loads the code
  benchmarking::JacobiRun const run = benchmarking::run_jacobi(sum, Index{1} << 22U);
  std::string const lines = to_string(run);
  std::printf("%s", lines.c_str());
  if (arguments.json.empty()) return;
  nlohmann::json const record{{"machine", host_name()},
                              {"hardware", backend_hardware()},
                              {"backend", backend_name},
                              {"version", version},
                              {"commit", revision()},
                              {"date", utc_now()},
                              {"command", "jacobi_program --sum " + arguments.sum},
                              {"printed", lines},
                              {"iterations", run.changes.size()},
                              {"seconds_an_iteration", run.seconds}};
  std::ofstream(arguments.json) << record.dump(1) << '\n';
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
