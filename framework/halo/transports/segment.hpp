#pragma once

#include <cstddef>
#include <cstdint>

#include "framework/mesh/index_range.hpp"
#include "framework/runtime/descriptor.hpp"

namespace halocline {

/// Memory mapped by several processes of a host.
class Segment {
 public:
  Segment() = default;
  /// Maps a whole open file. Throws InputOutputError.
  Segment(int descriptor, Index bytes);
  ~Segment();
  Segment(Segment&& other) noexcept;
  Segment& operator=(Segment&& other) noexcept;

  [[nodiscard]] std::byte* at(Index offset) const { return address_ + offset; }

 private:
  std::byte* address_ = nullptr;
  std::size_t bytes_ = 0;
};

/// What a process sends to others so that they can open a segment that it has made.
struct SegmentOffer {
  std::int64_t process = 0;
  std::int64_t descriptor = -1;  ///< of an open file of that process; -1: none
  std::int64_t bytes = 0;
  std::uint64_t mark = 0;  ///< unique number, stored at the beginning of the segment
};

/// A segment of this process. It has no name in any file system, so nothing remains however a run ends. Others may open
/// it during its lifetime.
class OwnSegment {
 public:
  /// Bytes at the beginning that hold the mark.
  static constexpr Index header = 64;

  /// Throws InputOutputError when its memory cannot be allocated.
  explicit OwnSegment(Index bytes);
  [[nodiscard]] SegmentOffer offer() const;
  [[nodiscard]] Segment& memory() { return segment_; }
  [[nodiscard]] Segment const& memory() const { return segment_; }

 private:
  Descriptor file_;
  Index bytes_;
  std::uint64_t mark_;
  Segment segment_;
};

/// A number that is unique among processes.
[[nodiscard]] std::uint64_t random_mark();

/// Maps memory that another process of this host offers. Throws InputOutputError: a process with the same number in
/// another container has no such file, or one without the mark.
[[nodiscard]] Segment open_offered(SegmentOffer const& offer);

}  // namespace halocline
