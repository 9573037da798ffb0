#include <cupti.h>
#include <cxxabi.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <string>

// A library that CUDA loads into a program if CUDA_INJECTION64_PATH names it. At the end it writes all kernels and
// copies to the file in HALOCLINE_CUDA_TRACE, one line of JSON each.

namespace {

struct Total {
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
  std::uint64_t nanoseconds = 0;
  unsigned registers = 0;    ///< per thread …
  unsigned local_bytes = 0;  ///< … and its spilled registers
};

/// Everything that has run so far. Never destroyed, since buffers arrive until the very end.
struct Trace {
  std::mutex mutex;
  std::map<std::string, Total> kernels;
  std::map<std::string, Total> copies;
};
Trace& trace() {
  static auto* const all = new Trace;
  return *all;
}

std::string readable(char const* name) {
  int failed = 0;
  std::unique_ptr<char, decltype(&std::free)> const text(abi::__cxa_demangle(name, nullptr, nullptr, &failed),
                                                         &std::free);
  std::string plain;
  for (char const* each = failed == 0 ? text.get() : name; *each != 0; ++each) {
    if (*each == '"' || *each == '\\') plain += '\\';
    plain += *each;
  }
  return plain;
}

char const* direction(std::uint8_t kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOD:
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOA:
      return "to device";
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOH:
    case CUPTI_ACTIVITY_MEMCPY_KIND_ATOH:
      return "to host";
    default:
      return "within";
  }
}

void CUPTIAPI give_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* records) {
  *size = std::size_t{1} << 20U;
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(8, *size));
  *records = 0;
}

void CUPTIAPI take_buffer(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t, std::size_t filled) {
  std::lock_guard const lock(trace().mutex);
  CUpti_Activity* record = nullptr;
  while (cuptiActivityGetNextRecord(buffer, filled, &record) == CUPTI_SUCCESS) {
    if (record->kind == CUPTI_ACTIVITY_KIND_MEMCPY) {
      auto const& copy = *reinterpret_cast<CUpti_ActivityMemcpy5 const*>(record);
      Total& total = trace().copies[direction(copy.copyKind)];
      ++total.count;
      total.bytes += copy.bytes;
      total.nanoseconds += copy.end - copy.start;
    } else {
      auto const& kernel = *reinterpret_cast<CUpti_ActivityKernel9 const*>(record);
      Total& total = trace().kernels[kernel.name];
      ++total.count;
      total.nanoseconds += kernel.end - kernel.start;
      total.registers = kernel.registersPerThread;
      total.local_bytes = kernel.localMemoryPerThread;
    }
  }
  std::free(buffer);
}

void write() {
  cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  char const* const path = std::getenv("HALOCLINE_CUDA_TRACE");
  if (path == nullptr) return;
  std::lock_guard const lock(trace().mutex);
  std::ofstream file(path);
  for (auto const& [name, total] : trace().copies) {
    file << R"({"copy": ")" << name << R"(", "count": )" << total.count << R"(, "bytes": )" << total.bytes
         << R"(, "nanoseconds": )" << total.nanoseconds << "}\n";
  }
  for (auto const& [name, total] : trace().kernels) {
    file << R"({"kernel": ")" << readable(name.c_str()) << R"(", "count": )" << total.count << R"(, "nanoseconds": )"
         << total.nanoseconds << R"(, "registers": )" << total.registers << R"(, "local_bytes": )" << total.local_bytes
         << "}\n";
  }
}

}  // namespace

/// CUDA calls this before the program's first use of a device.
extern "C" int InitializeInjection() {
  if (cuptiActivityRegisterCallbacks(give_buffer, take_buffer) != CUPTI_SUCCESS ||
      cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMCPY) != CUPTI_SUCCESS ||
      cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) != CUPTI_SUCCESS) {
    std::fputs("cuda_trace: CUPTI does not start\n", stderr);
    return 0;
  }
  std::atexit(write);
  return 1;
}
