#include "framework/runtime/devices.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <charconv>
#include <map>
#include <mutex>
#include <utility>

#include "framework/runtime/backend.hpp"
#include "framework/runtime/device.hpp"
#include "framework/runtime/device_runtime.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/even_share.hpp"
#include "framework/runtime/version.hpp"

namespace halocline {
namespace {

/// A larger number is taken for a typing error.
constexpr int most_devices = 1024;

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

[[noreturn]] void refuse(std::string_view text, std::string const& why) {
  throw InputError("expected `all`, how many devices (2), or which ones (0,1; one alone: [1]), got '" +
                   std::string(text) + "'" + why);
}

int number_from(std::string_view text, std::string_view whole) {
  text = trimmed(text);
  int number = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0 || number > most_devices)
    refuse(whole, "");
  return number;
}

std::vector<int> numbers_from(std::string_view list, std::string_view whole) {
  std::vector<int> numbers;
  while (true) {
    std::size_t const comma = std::min(list.find(','), list.size());
    numbers.push_back(number_from(list.substr(0, comma), whole));
    if (comma == list.size()) return numbers;
    list.remove_prefix(comma + 1);
  }
}

/// "0 (NVIDIA H100, 0000:41:00.0) and 1 (…)"
std::string listed(std::vector<Device> const& there) {
  std::string text;
  for (std::size_t n = 0; n < there.size(); ++n) {
    text += n == 0 ? "" : n + 1 == there.size() ? " and " : ", ";
    text += std::to_string(there[n].number) + " (" + there[n].name + ", " + there[n].address + ")";
  }
  return text;
}

/// The available devices and the permitted choices, for error messages.
std::string what_is_there(std::vector<Device> const& there) {
  if (memory_on_host) {
    return "this build (" + std::string(backend_name) +
           ") computes on the processor and has no devices; leave it out, or use a build for GPUs";
  }
  if (there.empty()) {
    return "this process sees no device; `nvidia-smi` lists those of the machine, CUDA_VISIBLE_DEVICES may hide them";
  }
  return "this process sees " + (there.size() == 1 ? std::string("one") : std::to_string(there.size())) + ": " +
         listed(there);
}

}  // namespace

std::optional<int> DeviceChoice::size() const {
  if (kind == Kind::all) return std::nullopt;
  return kind == Kind::count ? count : static_cast<int>(numbers.size());
}

DeviceChoice read_device_choice(std::string_view text) {
  std::string_view const words = trimmed(text);
  if (words == "all") return {};
  bool const brackets = words.size() >= 2 && words.front() == '[' && words.back() == ']';
  if (brackets) return {DeviceChoice::Kind::list, 0, numbers_from(words.substr(1, words.size() - 2), text)};
  if (words.find(',') != std::string_view::npos) return {DeviceChoice::Kind::list, 0, numbers_from(words, text)};
  int const count = number_from(words, text);
  if (count == 0) refuse(text, ": a run uses at least one device; device 0 alone is [0]");
  return {DeviceChoice::Kind::count, count, {}};
}

std::vector<int> chosen_devices(DeviceChoice const& choice, std::vector<Device> const& there) {
  std::vector<int> numbers = choice.numbers;
  if (choice.kind != DeviceChoice::Kind::list) {
    auto const count = choice.kind == DeviceChoice::Kind::all ? there.size() : static_cast<std::size_t>(choice.count);
    if (count > there.size() || count == 0) {
      std::string const asked = choice.kind == DeviceChoice::Kind::all ? "all" : std::to_string(count);
      throw InputError("`devices`: " + asked + " asked for; " + what_is_there(there));
    }
    for (std::size_t n = 0; n < count; ++n) numbers.push_back(there[n].number);
  }
  for (int const number : numbers) {
    if (std::none_of(there.begin(), there.end(), [&](Device const& device) { return device.number == number; }))
      throw InputError("`devices`: device " + std::to_string(number) + " asked for; " + what_is_there(there));
  }
  return numbers;
}

std::vector<int> share_of_devices(std::vector<int> const& devices, int rank, int ranks) {
  auto const all = static_cast<int>(devices.size());
  if (all == 0) return {};
  if (ranks >= all) return {devices[static_cast<std::size_t>(rank % all)]};
  return {devices.begin() + even_share_begin(all, ranks, rank),
          devices.begin() + even_share_begin(all, ranks, rank + 1)};
}

std::vector<Device> all_devices() {
  std::vector<Device> all;
  for (int number = 0; number < device_count(); ++number)
    all.push_back({number, device_name(number), device_address(number)});
  return all;
}

#if defined(HALOCLINE_DEVICE_RUNTIME)

int BackendDevices::current() noexcept {
  int device = -1;
  return device_runtime::get_device(&device) == device_runtime::success ? device : -1;
}

// The next use of a lost device reports the error.
void BackendDevices::make_current(int device) noexcept {
  if (device >= 0) (void)device_runtime::set_device(device);
}

#else

int BackendDevices::current() noexcept { return -1; }

void BackendDevices::make_current(int) noexcept {}

#endif

#if defined(KOKKOS_ENABLE_CUDA)

namespace {

bool ask_for_access(int from, int to) {
  int possible = 0;
  if (cudaDeviceCanAccessPeer(&possible, from, to) != cudaSuccess || possible == 0) return false;
  CurrentDevice const current(from);
  cudaError_t const error = cudaDeviceEnablePeerAccess(to, 0);
  if (error != cudaSuccess) (void)cudaGetLastError();  // clear the error, or a later call would report it
  return error == cudaSuccess || error == cudaErrorPeerAccessAlreadyEnabled;
}

}  // namespace

bool can_reach(int from, int to) {
  if (from == to) return true;
  static std::mutex mutex;
  static std::map<std::pair<int, int>, bool> known;
  std::scoped_lock const lock(mutex);
  auto const found = known.find({from, to});
  return found != known.end() ? found->second : known[{from, to}] = ask_for_access(from, to);
}

#else

// Kokkos' other backends support one device a process.
bool can_reach(int from, int to) { return from == to; }

#endif

}  // namespace halocline
