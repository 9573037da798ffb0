#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace halocline {

/// A device of the backend.
struct Device {
  int number = 0;       ///< among those that this process sees
  std::string name;     ///< "NVIDIA H100 80GB HBM3"
  std::string address;  ///< on the PCI bus: "0000:41:00.0"
};
/// All that this process sees, by number; none where the backend has none. Also before Kokkos has started.
[[nodiscard]] std::vector<Device> all_devices();

/// Which devices of each host a run may use.
struct DeviceChoice {
  enum class Kind { all, count, list };
  Kind kind = Kind::all;
  int count = 0;               ///< the first so many
  std::vector<int> numbers{};  ///< of a list; one that is there several times counts as several devices

  /// Number of devices; nothing where only the host can tell.
  [[nodiscard]] std::optional<int> size() const;
};

/// Reads "all", a number of devices ("2"), or which devices ("0,1", "[0, 1]"; one alone: "[1]"). Throws InputError.
[[nodiscard]] DeviceChoice read_device_choice(std::string_view text);

/// The numbers of the chosen devices, in the order of a list. Throws InputError, which tells what devices there are,
/// when `choice` asks for more than `there`, or for one that is not.
[[nodiscard]] std::vector<int> chosen_devices(DeviceChoice const& choice, std::vector<Device> const& there);

/// What rank `rank` of the `ranks` of a host uses of its `devices`: an even share of neighbours, the first ranks one
/// more; where there are more ranks than devices, one of them, which ranks take in turn. Empty only without devices.
[[nodiscard]] std::vector<int> share_of_devices(std::vector<int> const& devices, int rank, int ranks);

/// Whether kernels and copies of device `from` reach the memory of device `to` without a detour by the host. Access is
/// asked for the first time, and kept. A device reaches itself.
[[nodiscard]] bool can_reach(int from, int to);

/// Makes a device current for this thread, and puts back what was current before, also when an exception unwinds, and
/// whatever was made current in between. `Backend` has `current()` and `make_current(number)`.
template <class Backend>
class CurrentDeviceOf {
 public:
  /// Puts back what is current, whatever is made current in between.
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

/// The devices of the build's backend. On a host the current one is number -1, and nothing changes it.
struct BackendDevices {
  [[nodiscard]] static int current() noexcept;
  static void make_current(int device) noexcept;
};
using CurrentDevice = CurrentDeviceOf<BackendDevices>;

}  // namespace halocline
