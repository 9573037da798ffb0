#include "framework/runtime/devices.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "framework/runtime/device.hpp"
#include "framework/runtime/error.hpp"

namespace halocline {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using Numbers = std::vector<int>;

std::vector<Device> const two{{0, "A", "0000:01:00.0"}, {1, "B", "0000:02:00.0"}};

std::string message_of(auto const& work) {
  try {
    work();
  } catch (InputError const& error) {
    return error.what();
  }
  return "";
}

Numbers chosen(std::string const& text, std::vector<Device> const& there = two) {
  return chosen_devices(read_device_choice(text), there);
}

TEST(DeviceChoice, IsAllANumberOrAList) {
  EXPECT_THAT(chosen("all"), ElementsAre(0, 1));
  EXPECT_THAT(chosen("1"), ElementsAre(0));
  EXPECT_THAT(chosen(" 2 "), ElementsAre(0, 1));
  EXPECT_THAT(chosen("1,0"), ElementsAre(1, 0));
  EXPECT_THAT(chosen("[1]"), ElementsAre(1));
  EXPECT_THAT(chosen("[0, 0, 1]"), ElementsAre(0, 0, 1)) << "one device several times";
  EXPECT_EQ(read_device_choice("all").size(), std::nullopt);
  EXPECT_EQ(read_device_choice("3").size(), 3);
  EXPECT_EQ(read_device_choice("0,0").size(), 2);
}

TEST(DeviceChoice, RefusesWhatItCannotRead) {
  for (std::string const text : {"", "both", "0", "-1", "1.5", "0,", ",1", "[]", "[0", "0;1", "[all]", "99999999999"}) {
    EXPECT_THAT(message_of([&] { (void)read_device_choice(text); }),
                HasSubstr("expected `all`, how many devices (2), or which ones (0,1; one alone: [1]), got '" + text))
        << text;
  }
  EXPECT_THAT(message_of([] { (void)read_device_choice("0"); }), HasSubstr("device 0 alone is [0]"));
}

TEST(DeviceChoice, NamesWhatIsThere) {
  EXPECT_THAT(message_of([] { (void)chosen("3"); }), HasSubstr("`devices`: 3 asked for; "));
  EXPECT_THAT(message_of([] { (void)chosen("1,2"); }), HasSubstr("`devices`: device 2 asked for; "));
  EXPECT_THAT(message_of([] { (void)chosen("all", {}); }), HasSubstr("`devices`: all asked for; "));
  std::string const message = message_of([] { (void)chosen("3"); });
  if (uses_device_memory()) {
    EXPECT_THAT(message, HasSubstr("this process sees 2: 0 (A, 0000:01:00.0) and 1 (B, 0000:02:00.0)"));
  } else {
    EXPECT_THAT(message, HasSubstr("computes on the processor and has no devices; leave it out"));
  }
}

TEST(DeviceShare, IsEvenAndOfNeighbours) {
  Numbers const four{0, 1, 2, 3};
  EXPECT_THAT(share_of_devices(four, 0, 1), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(share_of_devices(four, 0, 2), ElementsAre(0, 1));
  EXPECT_THAT(share_of_devices(four, 1, 2), ElementsAre(2, 3));
  EXPECT_THAT(share_of_devices(four, 0, 3), ElementsAre(0, 1));
  EXPECT_THAT(share_of_devices(four, 1, 3), ElementsAre(2));
  EXPECT_THAT(share_of_devices(four, 2, 3), ElementsAre(3));
  EXPECT_THAT(share_of_devices({1, 1, 0}, 0, 2), ElementsAre(1, 1));
}

TEST(DeviceShare, IsOneInTurnWhereRanksAreMany) {
  Numbers const two_of_them{3, 5};
  for (int rank = 0; rank < 5; ++rank)
    EXPECT_THAT(share_of_devices(two_of_them, rank, 5), ElementsAre(rank % 2 == 0 ? 3 : 5)) << rank;
  EXPECT_THAT(share_of_devices(two_of_them, 1, 2), ElementsAre(5));
  EXPECT_THAT(share_of_devices({}, 0, 3), IsEmpty());
}

/// A mock backend that only stores which device is current.
struct RememberedDevice {
  static inline int number = 0;
  static inline int changes = 0;
  static int current() { return number; }
  static void make_current(int device) {
    number = device;
    ++changes;
  }
};
using Scope = CurrentDeviceOf<RememberedDevice>;

TEST(CurrentDevice, IsPutBack) {
  RememberedDevice::number = 2;
  RememberedDevice::changes = 0;
  {
    Scope const outer(5);
    EXPECT_EQ(RememberedDevice::number, 5);
    {
      Scope const inner(1);
      EXPECT_EQ(RememberedDevice::number, 1);
    }
    EXPECT_EQ(RememberedDevice::number, 5);
  }
  EXPECT_EQ(RememberedDevice::number, 2);
  EXPECT_EQ(RememberedDevice::changes, 4);
  { Scope const same(2); }
  EXPECT_EQ(RememberedDevice::changes, 4) << "nothing is changed to what it is";
}

TEST(CurrentDevice, IsPutBackByAnException) {
  RememberedDevice::number = 2;
  EXPECT_THROW(
      {
        Scope const scope(5);
        throw std::runtime_error("unwinds");
      },
      std::runtime_error);
  EXPECT_EQ(RememberedDevice::number, 2);
}

TEST(CurrentDevice, IsPutBackAlsoIfSomethingElseChangedIt) {
  RememberedDevice::number = 2;
  {
    Scope const scope;
    RememberedDevice::make_current(7);
  }
  EXPECT_EQ(RememberedDevice::number, 2);
}

TEST(CurrentDevice, OfTheBackendIsPutBack) {
  int const before = BackendDevices::current();
  for (Device const& device : all_devices()) {
    {
      CurrentDevice const scope(device.number);
      EXPECT_EQ(BackendDevices::current(), device.number);
    }
    EXPECT_EQ(BackendDevices::current(), before);
    EXPECT_TRUE(can_reach(device.number, device.number));
    EXPECT_EQ(BackendDevices::current(), before);
  }
  EXPECT_EQ(all_devices().empty(), device_count() == 0);
}

TEST(PeerAccess, IsTheSameEachTimeAndLeavesTheCurrentDevice) {
  int const before = BackendDevices::current();
  for (Device const& from : all_devices()) {
    for (Device const& to : all_devices()) {
      bool const reaches = can_reach(from.number, to.number);
      EXPECT_EQ(can_reach(from.number, to.number), reaches);
      EXPECT_EQ(BackendDevices::current(), before);
    }
  }
}

}  // namespace
}  // namespace halocline
