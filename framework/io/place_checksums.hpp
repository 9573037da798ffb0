#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "framework/runtime/communicator.hpp"
#include "framework/runtime/index.hpp"

namespace halocline {

/// Checksums of a list of numbers that is distributed over ranks: one for every `numbers_of_checksum` numbers. Each is
/// the sum, modulo 2^64, of a hash of each number's bits and index, so that it does not depend on the distribution or
/// the order. A change in a single number always changes its checksum.
class PlaceChecksums {
 public:
  static constexpr Index numbers_of_checksum = 65536;

  /// \param numbers length of the whole list
  explicit PlaceChecksums(Index numbers);

  /// Adds consecutive numbers, from number `first` of the list on; each has four or eight bytes.
  void add(Index first, std::span<std::byte const> values, std::size_t bytes_per_number);
  /// Collective. The checksums of the numbers added on all ranks.
  [[nodiscard]] std::vector<std::uint64_t> of_all(Communicator const& communicator) const;
  [[nodiscard]] std::vector<std::uint64_t> const& sums() const { return sums_; }

 private:
  std::vector<std::uint64_t> sums_;
};

}  // namespace halocline
