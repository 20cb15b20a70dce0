// SPDX-License-Identifier: MIT
#include "tasks/interferometer.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace vbo::tasks::interferometer {
namespace {

constexpr double pi = std::numbers::pi;
constexpr double wavelength = 6.35e-4;
constexpr double wave_number = 2.0 * pi / wavelength;
constexpr double a = 200.0, b = 700.0, c = 100.0;                        // arm lengths
constexpr double camera = 3.57;                                          // side of the camera
constexpr double radius1 = 0.714;                                        // of beam 1
constexpr double far_tilt = 5000 * 0.52e-6, near_tilt = 2500 * 0.52e-6;  // at screw setting 1
// Beam 2 passes two telescopes (four lenses of focal length 50, offsets 1e-6, 500 apart). Their
// ABCD matrices turn the beam parameter 1/q = -i L/(pi r1^2) into this radius and curvature; a test
// recomputes both.
constexpr double radius2 = 0.73392517312748, curvature2 = 11202.112346;
// The screws start at 1e-4 before the one move an evaluation makes.
constexpr double screw_start = 1e-4;

double dot(const Vec3& u, const Vec3& v) { return u[0] * v[0] + u[1] * v[1] + u[2] * v[2]; }

// Normal of a mirror tilted by (sx, sy) * tilt, turned about the x axis by `turn`.
Vec3 mirror_normal(double sx, double sy, double tilt, double turn) {
  const double ax = sx * tilt, ay = sy * tilt;
  const double nx = -ax / std::sqrt(ax * ax + 1.0), ny = -ay / std::sqrt(ay * ay + 1.0);
  const double nz = std::sqrt(1.0 - nx * nx - ny * ny);
  return {nx, ny * std::cos(turn) + nz * std::sin(turn),
          -ny * std::sin(turn) + nz * std::cos(turn)};
}

// Moves the beam to the plane through q with normal n, then reflects it there.
void reflect(Beam& beam, const Vec3& q, const Vec3& n) {
  auto& [p, k] = beam;
  const double distance = dot({p[0] - q[0], p[1] - q[1], p[2] - q[2]}, n) / dot(k, n);
  for (int i = 0; i < 3; ++i) p[i] -= distance * k[i];
  const double along = dot(k, n);
  for (int i = 0; i < 3; ++i) k[i] -= 2.0 * along * n[i];
}

double pixel_place(int i) { return -0.5 * camera + i * (camera / side); }

// log sum exp(e), safe for large |e|.
double log_sum_exp(const std::array<double, frames>& e) {
  const double top = *std::max_element(e.begin(), e.end());
  double sum = 0.0;
  for (const double value : e) sum += std::exp(value - top);
  return top + std::log(sum);
}

// exp(-((i/64 - 1/2)^2 + (j/64 - 1/2)^2)/0.95^2)
const std::vector<double>& camera_weights() {
  static const std::vector<double> weights = [] {
    std::vector<double> w(pixels);
    for (int i = 0; i < side; ++i) {
      for (int j = 0; j < side; ++j) {
        const double y = static_cast<double>(i) / side - 0.5;
        const double x = static_cast<double>(j) / side - 0.5;
        w[i * side + j] = std::exp(-(y * y + x * x) / (0.95 * 0.95));
      }
    }
    return w;
  }();
  return weights;
}

class Interferometer final : public BasicTask {
 public:
  explicit Interferometer(TaskOptions&) {
    space_ = Space::make(box(4, -1.0, 1.0)).value();
    random_inside_ = true;
    info_ = {.name = "interferometer",
             .summary = "Align two mirrors of an interferometer for the best fringe visibility",
             .source = "Sorokin et al. 2020 (Interferobot); Li et al. 2024",
             .noise = 0.007,
             .cost = Cost::milliseconds,
             .optimum = Optimum{{to_point(std::vector<double>(4, -screw_start))}, 0.994, false}};
  }

 private:
  double value(const Point& point, Rng& rng) const override {
    Screws x;
    for (int i = 0; i < 4; ++i) x[i] = std::get<double>(point[i]);
    const Imperfections imperfections = draw_imperfections(rng);
    return visibility(record(fields(x, imperfections), imperfections).energy);
  }
};

}  // namespace

Beam second_beam(const Screws& x) {
  Screws s;
  for (int i = 0; i < 4; ++i) s[i] = std::clamp(screw_start + x[i], -1.0, 1.0);
  Beam beam{{0.0, -a, -(b + c)}, {0.0, 0.0, 1.0}};
  reflect(beam, {0.0, -a, -c}, mirror_normal(s[0], s[1], far_tilt, 0.75 * pi));
  reflect(beam, {0.0, 0.0, -c}, mirror_normal(s[2], s[3], near_tilt, -0.25 * pi));
  return beam;
}

Imperfections draw_imperfections(Rng& rng) {
  Imperfections imperfections;
  for (auto* factor : {&imperfections.factor1, &imperfections.factor2}) {
    factor->resize(pixels);
    for (double& f : *factor) f = 1.0 - rng.uniform(0.0, 0.2);
  }
  imperfections.start1 = rng.uniform(0.0, 2.0 * pi);
  imperfections.start2 = rng.uniform(0.0, 2.0 * pi);
  return imperfections;
}

Fields fields(const Screws& x, const Imperfections& imperfections) {
  const Beam beam = second_beam(x);
  const auto& [p, k] = beam;
  Fields out;
  out.amplitude1.resize(pixels);
  out.amplitude2.resize(pixels);
  out.phase.resize(pixels);
  for (int i = 0; i < side; ++i) {
    const double px = pixel_place(i);
    for (int j = 0; j < side; ++j) {
      const double py = pixel_place(j);
      // Beam 1 runs along the z axis from (0, 0, -c); beam 2 from p along k, its foot nearest to
      // the pixel at P - d k. Both distances from the axis are taken in x and y only.
      const double d = dot({px - p[0], py - p[1], -p[2]}, k);
      const double sx = px - d * k[0] - p[0], sy = py - d * k[1] - p[1];
      const double rho1 = px * px + py * py, rho2 = sx * sx + sy * sy;
      const int at = i * side + j;
      out.amplitude1[at] = std::exp(-rho1 / (radius1 * radius1));
      out.amplitude2[at] = radius1 / radius2 * std::exp(-rho2 / (radius2 * radius2));
      // Phases are about 1e6 radians: double precision keeps 1e-10 of them.
      out.phase[at] =
          wave_number * c - (wave_number * std::abs(d) + wave_number * rho2 / (2.0 * curvature2));
    }
  }
  const auto apply = [](std::vector<double>& amplitude, const std::vector<double>& factor) {
    for (std::size_t i = 0; i < factor.size(); ++i) amplitude[i] *= factor[i];
  };
  apply(out.amplitude1, imperfections.factor1);
  apply(out.amplitude2, imperfections.factor2);
  return out;
}

// Frame intensity I = A1^2 + A2^2 + 2 A1 A2 cos(phase - t), grey value floor(255 min(I/4, 1)). With
// cos(phase - t) = cos(phase) cos(t) + sin(phase) sin(t) all 16 frames share one sine and cosine.
Frames record(const Fields& fields, const Imperfections& imperfections) {
  std::vector<double> base(pixels), in_phase(pixels), quadrature(pixels);
  for (int i = 0; i < pixels; ++i) {
    const double a1 = fields.amplitude1[i], a2 = fields.amplitude2[i];
    constexpr double scale = 255.0 / 4.0;
    base[i] = scale * (a1 * a1 + a2 * a2);
    in_phase[i] = scale * 2.0 * a1 * a2 * std::cos(fields.phase[i]);
    quadrature[i] = scale * 2.0 * a1 * a2 * std::sin(fields.phase[i]);
  }
  const std::vector<double>& weights = camera_weights();
  Frames out;
  for (int k = 0; k < frames; ++k) {
    const double t = k < 12 ? imperfections.start1 + 2.0 * pi * k / 12.0
                            : imperfections.start2 + 2.0 * pi * (1.0 - (k - 12) / 4.0);
    const double cos_t = std::cos(t), sin_t = std::sin(t);
    out.grey[k].resize(pixels);
    // Eight partial sums: one alone would wait for each addition.
    double sums[8] = {};
    for (int i = 0; i < pixels; i += 8) {
      for (int l = 0; l < 8; ++l) {
        const double intensity = base[i + l] + in_phase[i + l] * cos_t + quadrature[i + l] * sin_t;
        const int grey = static_cast<int>(std::min(std::max(intensity, 0.0), 255.0));
        out.grey[k][i + l] = static_cast<std::uint8_t>(grey);
        sums[l] += weights[i + l] * grey;
      }
    }
    double energy = 0.0;
    for (const double sum : sums) energy += sum;
    out.energy[k] = energy;
  }
  return out;
}

// (hi - lo)/(hi + lo) with a soft maximum and minimum of the frames' energies.
double visibility(const std::array<double, frames>& energy) {
  std::array<double, frames> negated;
  for (int k = 0; k < frames; ++k) negated[k] = -energy[k];
  const double high = log_sum_exp(energy), low = -log_sum_exp(negated);
  return (high - low) / (high + low);
}

std::unique_ptr<BasicTask> make_interferometer(TaskOptions& options) {
  return std::make_unique<Interferometer>(options);
}

}  // namespace vbo::tasks::interferometer
