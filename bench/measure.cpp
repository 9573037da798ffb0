#include "bench/measure.hpp"

#include <random>

namespace halocline::benchmarking {

std::uint64_t fresh_seed() {
  std::random_device device;
  return (std::uint64_t{device()} << 32U) + device();
}

std::vector<Row> with_copy(std::vector<Row> rows, int repetitions) {
  for (Row& row : rows) row.copy_seconds = fastest_copy(static_cast<Index>(row.bytes), repetitions);
  return rows;
}

std::vector<Index> sizes(Options const& options, int dimensions, std::vector<Index> const& usual) {
  // Larger arrays fit into no memory, and products of extents would overflow.
  constexpr Index largest[] = {Index{1} << 40U, Index{1} << 20U, Index{1} << 13U};
  if (options.size > largest[dimensions - 1]) {
    throw InputError("--size " + std::to_string(options.size) + ": at most " + std::to_string(largest[dimensions - 1]) +
                     " in " + std::to_string(dimensions) + "D");
  }
  return options.size > 0 ? std::vector<Index>{options.size} : usual;
}
std::vector<Index> sizes(Options const& options, int dimensions, std::vector<Index> const& host,
                         std::vector<Index> const& device) {
  return sizes(options, dimensions, kernel::is_host<Execution> ? host : device);
}

}  // namespace halocline::benchmarking
