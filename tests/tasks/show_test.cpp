// SPDX-License-Identifier: MIT
#include "tasks/show.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tasks/contours.hpp"
#include "tasks/png.hpp"
#include "tasks/svg.hpp"

namespace vbo::tasks {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// Every opened element is closed in order, no stray angle brackets, no NaN in a coordinate.
void expect_well_formed(const std::string& xml) {
  std::vector<std::string> open;
  for (std::size_t at = xml.find('<'); at != std::string::npos; at = xml.find('<', at + 1)) {
    const std::size_t end = xml.find('>', at);
    ASSERT_NE(end, std::string::npos);
    const std::string tag = xml.substr(at + 1, end - at - 1);
    const std::string name = tag.substr(0, tag.find_first_of(" /", 1));
    if (tag[0] == '/') {
      ASSERT_FALSE(open.empty());
      EXPECT_EQ("/" + open.back(), tag);
      open.pop_back();
    } else if (tag.back() != '/') {
      open.push_back(name);
    }
  }
  EXPECT_TRUE(open.empty());
  EXPECT_THAT(xml, StartsWith("<svg xmlns="));
  EXPECT_THAT(xml, Not(HasSubstr("=\"nan")));
  EXPECT_THAT(xml, Not(HasSubstr("=\"-nan")));
  EXPECT_THAT(xml, Not(HasSubstr("inf\"")));
}

class EveryPicture : public ::testing::TestWithParam<const char*> {};

TEST_P(EveryPicture, IsWellFormedSelfContainedAndSmall) {
  const auto task = make_task(GetParam());
  if (!task) {  // built without Box2D
    EXPECT_EQ(task.error().kind, ErrorKind::unsupported);
    return;
  }
  const auto picture = show(**task, (*task)->info().optimum->points[0], 0);
  ASSERT_TRUE(picture);
  expect_well_formed(*picture);
  EXPECT_LT(picture->size(), 300000U);
  EXPECT_THAT(*picture, Not(HasSubstr("href=\"http")));
}

INSTANTIATE_TEST_SUITE_P(Show, EveryPicture,
                         ::testing::Values("branin", "hartmann6", "ackley10", "brusselator",
                                           "interferometer", "lunar-lander", "pest-control",
                                           "pest-control?fresh=1", "levy?dim=1",
                                           "rastrigin?dim=2&discretize=9", "step?dim=2", "mixed",
                                           "labs", "ising", "ackley?dim=2&shift=1&noise=0.1"));

TEST(Show, NamesWhatItDraws) {
  const auto branin = make_task("branin").value();
  const std::string picture = show(*branin, {2.5, 7.5}, 0).value();
  EXPECT_THAT(picture, HasSubstr("value -24.12996 at the cross"));
  EXPECT_THAT(html_page("a < b", picture), HasSubstr("<title>a &lt; b</title>"));
}

TEST(Show, BrusselatorSaysWhenItBlowsUp) {
  const auto task = make_task("brusselator").value();
  const std::string picture = show(*task, {0.1338, 4.7577, 0.0631, 4.8316}, 1).value();
  expect_well_formed(picture);
  EXPECT_THAT(picture, HasSubstr("blew up"));
}

#ifdef VBO_HAVE_BOX2D
TEST(Show, LunarEpisodeIsChecked) {
  const auto task = make_task("lunar-lander").value();
  const auto wrong = show(*task, Point(12, Value(1.0)), 50);
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().message, HasSubstr("expected an episode from 0 to 49"));
}
#endif

// The contour of x^2 + y^2 is a circle: closed, and its points at the right distance.
TEST(Contours, CircleIsOneClosedLine) {
  constexpr int n = 41;
  std::vector<double> values;
  for (int row = 0; row < n; ++row) {
    for (int column = 0; column < n; ++column) {
      values.push_back(std::pow(column - 20.3, 2) + std::pow(row - 19.8, 2));
    }
  }
  const auto lines = contour_lines(values, n, n, 12.0 * 12.0);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0].front().x, lines[0].back().x);
  EXPECT_EQ(lines[0].front().y, lines[0].back().y);
  for (const Pixel& p : lines[0]) EXPECT_NEAR(std::hypot(p.x - 20.3, p.y - 19.8), 12.0, 0.02);
}

TEST(Contours, OpenLinesAndSaddles) {
  const std::vector<double> slope = {0, 1, 2, 0, 1, 2, 0, 1, 2};
  const auto line = contour_lines(slope, 3, 3, 0.5);
  ASSERT_EQ(line.size(), 1U);
  EXPECT_EQ(line[0].size(), 3U);
  for (const Pixel& p : line[0]) EXPECT_DOUBLE_EQ(p.x, 0.5);
  EXPECT_EQ(contour_lines(std::vector<double>{1, 0, 0, 1}, 2, 2, 0.5).size(), 2U);
  EXPECT_TRUE(contour_lines(slope, 3, 3, 7.0).empty());
}

TEST(Png, EncodesBytesAndChecksums) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
  const std::vector<std::uint8_t> pixels(64 * 64, 1);
  const std::vector<std::uint32_t> palette = {0x000000, 0xff8000};
  const std::string png = png_indexed(64, 64, pixels, palette);
  EXPECT_THAT(png, StartsWith("\x89PNG\r\n\x1a\n"));
  EXPECT_EQ(png.substr(png.size() - 8), "IEND\xae\x42\x60\x82");  // the one CRC everybody knows
  // 4096 pixels and 64 filter bytes, stored in one block.
  EXPECT_EQ(png.size(), 8U + 25 + (12 + 6) + (12 + 2 + 5 + 4160 + 4) + 12);
}

TEST(Svg, NumbersAndTicks) {
  EXPECT_EQ(brief(1.0), "1");
  EXPECT_EQ(brief(-0.001), "0");
  EXPECT_EQ(brief(10.25), "10.25");
  EXPECT_EQ(brief(100.0, 0), "100");
  EXPECT_EQ(escaped("a<b & \"c\""), "a&lt;b &amp; &quot;c&quot;");
  EXPECT_EQ(round_ticks(0.0, 1.0, 5), (std::vector<double>{0.0, 0.2, 0.4, 0.2 * 3, 0.8, 1.0}));
  EXPECT_EQ(round_ticks(-5.0, 10.0, 3), (std::vector<double>{-5.0, 0.0, 5.0, 10.0}));
}

}  // namespace
}  // namespace vbo::tasks
