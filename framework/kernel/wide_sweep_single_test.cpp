#include "framework/kernel/test_host_forms.hpp"

namespace halocline {
namespace {

TEST(WideSweepTest, HostFormHasTheBitsOfThePortableFormInFloat) { kernel_test::check_wide_shapes<float>(); }

}  // namespace
}  // namespace halocline
