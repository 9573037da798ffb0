#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "framework/runtime/communicator.hpp"
#include "framework/runtime/index.hpp"

namespace halocline {

/// Checksums of a list of numbers of which each rank has some: one for every `numbers_of_checksum` numbers. Each is the
/// sum, modulo 2^64, of a hash of each number's bits and place, so it depends neither on which rank adds what nor on
/// the order. One number with other bits is always another checksum.
class PlaceChecksums {
 public:
  static constexpr Index numbers_of_checksum = 65536;

  /// \param numbers length of the whole list
  explicit PlaceChecksums(Index numbers);

  /// Adds numbers that lie one behind the other, from number `first` of the list on; each has four or eight bytes.
  void add(Index first, std::span<std::byte const> values, std::size_t bytes_per_number);
  /// Collective. The checksums of what all ranks have added.
  [[nodiscard]] std::vector<std::uint64_t> of_all(Communicator const& communicator) const;
  [[nodiscard]] std::vector<std::uint64_t> const& sums() const { return sums_; }

 private:
  std::vector<std::uint64_t> sums_;
};

}  // namespace halocline
