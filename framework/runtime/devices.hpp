#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace halocline {

/// A device of the backend.
struct Device {
  int number = 0;       ///< among those visible to this process
  std::string name;     ///< "NVIDIA H100 80GB HBM3"
  std::string address;  ///< on the PCI bus: "0000:41:00.0"
};
/// All devices visible to this process, by number; empty without devices. May be called before Kokkos has started.
[[nodiscard]] std::vector<Device> all_devices();

/// Which devices of each host a run may use.
struct DeviceChoice {
  enum class Kind { all, count, list };
  Kind kind = Kind::all;
  int count = 0;               ///< the first `count` devices
  std::vector<int> numbers{};  ///< for a list; a number that occurs several times counts as several devices

  /// Number of devices; nothing if it depends on the host.
  [[nodiscard]] std::optional<int> size() const;
};

/// Reads "all", a number of devices ("2"), or a list of device numbers ("0,1", "[0, 1]"; one alone: "[1]"). Throws
/// InputError.
[[nodiscard]] DeviceChoice read_device_choice(std::string_view text);

/// The numbers of the chosen devices, in the order of the list. Throws InputError, which lists the existing devices, if
/// `choice` asks for more than `there` has or for one that it lacks.
[[nodiscard]] std::vector<int> chosen_devices(DeviceChoice const& choice, std::vector<Device> const& there);

/// The devices of rank `rank` of a host's `ranks` ranks: an even contiguous share of `devices`, one more for the first
/// ranks; if there are more ranks than devices, one device each, assigned round-robin. Empty only without devices.
[[nodiscard]] std::vector<int> share_of_devices(std::vector<int> const& devices, int rank, int ranks);

/// Whether kernels and copies on device `from` can access the memory of device `to` directly, not through the host. The
/// first call enables peer access; the result is cached. A device can reach itself.
[[nodiscard]] bool can_reach(int from, int to);

/// Makes a device current for this thread. The destructor, also during unwinding, restores the device that was current
/// before, even if it was changed in between. `Backend` has `current()` and `make_current(number)`.
template <class Backend>
class CurrentDeviceOf {
 public:
  /// Only restores the current device, if it is changed in between.
  CurrentDeviceOf() : before_(Backend::current()) {}
  explicit CurrentDeviceOf(int device) : before_(Backend::current()) {
    if (device != before_) Backend::make_current(device);
  }
  ~CurrentDeviceOf() {
    if (Backend::current() != before_) Backend::make_current(before_);
  }
  CurrentDeviceOf(CurrentDeviceOf const&) = delete;
  CurrentDeviceOf& operator=(CurrentDeviceOf const&) = delete;

 private:
  int before_;
};

/// The devices of the build's backend. On a host the current one is always number -1.
struct BackendDevices {
  [[nodiscard]] static int current() noexcept;
  static void make_current(int device) noexcept;
};
using CurrentDevice = CurrentDeviceOf<BackendDevices>;

}  // namespace halocline
