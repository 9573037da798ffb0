#include "framework/halo/transports/segment.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <random>
#include <string>
#include <utility>

#include "framework/runtime/error.hpp"

namespace halocline {
namespace {

[[noreturn]] void refuse(std::string const& what) {
  throw InputOutputError("cannot share memory: " + what + ": " + std::strerror(errno));
}

}  // namespace

Segment::Segment(int descriptor, Index bytes) : bytes_(static_cast<std::size_t>(bytes)) {
  void* const address = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (address == MAP_FAILED) refuse("mmap of " + std::to_string(bytes) + " bytes");
  address_ = static_cast<std::byte*>(address);
}
Segment::~Segment() {
  if (address_ != nullptr) munmap(address_, bytes_);
}
Segment::Segment(Segment&& other) noexcept : address_(std::exchange(other.address_, nullptr)), bytes_(other.bytes_) {}
Segment& Segment::operator=(Segment&& other) noexcept {
  std::swap(address_, other.address_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

OwnSegment::OwnSegment(Index bytes)
    : file_(memfd_create("halocline halo", MFD_CLOEXEC)), bytes_(bytes), mark_(random_mark()) {
  if (file_.number() < 0) refuse("memfd_create");
  // Reports a lack of memory here, instead of by a signal in a kernel.
  do {
    errno = posix_fallocate(file_.number(), 0, bytes);
  } while (errno == EINTR);
  if (errno != 0) refuse(std::to_string(bytes) + " bytes");
  segment_ = Segment(file_.number(), bytes);
  std::memcpy(segment_.at(0), &mark_, sizeof mark_);
}

SegmentOffer OwnSegment::offer() const { return {getpid(), file_.number(), bytes_, mark_}; }

std::uint64_t random_mark() {
  std::random_device device;
  return (std::uint64_t{device()} << 32U) | device();
}

Segment open_offered(SegmentOffer const& offer) {
  std::string const path = "/proc/" + std::to_string(offer.process) + "/fd/" + std::to_string(offer.descriptor);
  Descriptor const file(path, O_RDWR);
  if (file.number() < 0) refuse(path);
  if (lseek(file.number(), 0, SEEK_END) != offer.bytes)
    throw InputOutputError("cannot share memory: not found at " + path);
  Segment segment(file.number(), offer.bytes);
  std::uint64_t mark = 0;
  std::memcpy(&mark, segment.at(0), sizeof mark);
  if (mark != offer.mark) throw InputOutputError("cannot share memory: not found at " + path);
  return segment;
}

}  // namespace halocline
