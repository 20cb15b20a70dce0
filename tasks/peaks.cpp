// SPDX-License-Identifier: MIT
#include "tasks/peaks.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace vbo::tasks {
namespace {

constexpr double kWide = 0.2, kNarrow = 0.1;         // s_k, in widths of the box per coordinate
constexpr double kLowest = 0.4, kSecondBest = 0.95;  // heights of the peaks beside the highest

struct Peak {
  double height, width;
  std::vector<double> centre;  // (d)
};

class PeaksTask final : public BasicTask {
 public:
  explicit PeaksTask(TaskOptions& options) {
    const auto dim = static_cast<int>(options.integer("dim", 6, 1, 1000, "number of parameters"));
    const auto count = options.integer("peaks", 12, 1, 1000, "number of peaks");
    const auto seed = options.integer("shift", 1, 0, std::int64_t{1} << 53,
                                      "seed: where the peaks are and how high");
    Rng rng(static_cast<std::uint64_t>(seed), "task peaks");
    for (std::int64_t k = 0; k < count; ++k) {
      Peak peak{k == 0 ? 1.0 : rng.uniform(kLowest, kSecondBest), k % 3 == 0 ? kNarrow : kWide, {}};
      for (int i = 0; i < dim; ++i) peak.centre.push_back(rng.uniform(0.1, 0.9));
      peaks_.push_back(std::move(peak));
    }
    space_ = Space::make(box(dim, 0.0, 1.0)).value();
    info_ = {.name = "peaks",
             .summary = "Gaussian peaks at random places, the highest a narrow one",
             .source = "after the Gaussian peaks of Gallagher and Yuan 2006",
             .goal = Goal::maximize,
             .optimum = Optimum{{to_point(peaks_.front().centre)}, 1.0}};
  }

 private:
  double value(const Point& point, Rng&) const override {
    const std::vector<double> x = reals(point);
    double best = 0.0;
    for (const Peak& peak : peaks_) {
      double squares = 0.0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        squares += (x[i] - peak.centre[i]) * (x[i] - peak.centre[i]);
      }
      const double scale = 2.0 * static_cast<double>(x.size()) * peak.width * peak.width;
      best = std::max(best, peak.height * std::exp(-squares / scale));
    }
    return best;
  }

  std::vector<Peak> peaks_;
};

}  // namespace

std::unique_ptr<BasicTask> make_peaks(TaskOptions& options) {
  return std::make_unique<PeaksTask>(options);
}

}  // namespace vbo::tasks
