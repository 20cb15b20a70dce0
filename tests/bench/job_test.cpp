// SPDX-License-Identifier: MIT
#include "bench/job.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace vbo::bench {
namespace {

using ::testing::HasSubstr;

TEST(MethodSpec, ReadsEveryKindOfValue) {
  const MethodSpec spec =
      parse_method("vbo?beta=0.5&critics=4&frame=true&bound=dv&widths=64,64").value();
  EXPECT_EQ(spec.name, "vbo");
  EXPECT_EQ(std::get<double>(spec.settings.at("beta")), 0.5);
  EXPECT_EQ(std::get<std::int64_t>(spec.settings.at("critics")), 4);
  EXPECT_EQ(std::get<bool>(spec.settings.at("frame")), true);
  EXPECT_EQ(std::get<std::string>(spec.settings.at("bound")), "dv");
  EXPECT_EQ(std::get<std::vector<double>>(spec.settings.at("widths")),
            (std::vector<double>{64, 64}));
}

TEST(MethodSpec, HasOneSpelling) {
  const std::string text = "vbo?beta=0.5&bound=dv&critics=4&frame=true&widths=64,64";
  EXPECT_EQ(
      to_string(parse_method("vbo?widths=64,64&critics=4&frame=true&bound=dv&beta=0.50").value()),
      text);
  EXPECT_EQ(to_string(parse_method(text).value()), text);
  EXPECT_EQ(to_string(parse_method("random").value()), "random");
}

TEST(MethodSpec, ExplainsWhatIsWrong) {
  for (const char* text :
       {"", "?beta=1", "vbo?", "vbo?beta", "vbo?=1", "vbo?beta=", "vbo?a=1&&b=2"}) {
    const auto spec = parse_method(text);
    ASSERT_FALSE(spec) << text;
    EXPECT_THAT(spec.error().message, HasSubstr("expected a form like"));
  }
  EXPECT_THAT(parse_method("vbo?a=1&a=2").error().message, HasSubstr("given twice"));
}

TEST(FileStem, DiffersBetweenJobsAndFitsFileSystems) {
  const Job base{.task = "branin", .method = "vbo", .batch = 8, .rounds = 3, .seed = 2};
  std::vector<Job> jobs(9, base);
  jobs[1].task = "branin?noise=1";
  jobs[2].task = "branin/noise=1";
  jobs[3].method = "vbo?beta=1";
  jobs[4].batch = 4;
  jobs[5].rounds = 4;
  jobs[6].initial_rounds = 2;
  jobs[7].seed = 3;
  jobs[8].method = "vbo?text=" + std::string(400, 'x');
  Job other_long = jobs[8];
  other_long.method += "y";
  jobs.push_back(other_long);
  std::set<std::string> stems;
  for (const Job& job : jobs) {
    const std::string stem = file_stem(job);
    stems.insert(stem);
    EXPECT_LT(stem.size(), 230U);
    EXPECT_EQ(stem.find_first_of("/?&* \\:"), std::string::npos) << stem;
  }
  EXPECT_EQ(stems.size(), jobs.size());
}

}  // namespace
}  // namespace vbo::bench
