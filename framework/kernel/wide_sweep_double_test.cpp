#include "framework/kernel/test_host_forms.hpp"

namespace halocline {
namespace {

TEST(WideSweepTest, HostFormHasTheBitsOfThePortableFormInDouble) { kernel_test::check_wide_shapes<double>(); }

}  // namespace
}  // namespace halocline
