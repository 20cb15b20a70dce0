// SPDX-License-Identifier: MIT
// Compiled for plain x86-64 without fused multiply-add, whatever the rest uses: episodes are
// chaotic after touchdown, and one rounding more or less decides some of them.
#include "tasks/lunar_lander.hpp"

#include <box2d/box2d.h>

#include <algorithm>
#include <cmath>

#include "tasks/numpy_random.hpp"

namespace vbo::tasks::lunar {
namespace {

constexpr double scale = 30.0;  // pixels per metre
constexpr double frames_per_second = 50.0;
constexpr double pad_height = height / 4.0;
constexpr double leg_away = 20.0, leg_down = 18.0, leg_half_width = 2.0, leg_half_height = 8.0;
constexpr double main_power = 13.0, side_power = 0.6;
constexpr double side_engine_away = 12.0, side_engine_height = 14.0;
constexpr double force_range = 1000.0;

b2Vec2 vec(double x, double y) { return {static_cast<float>(x), static_cast<float>(y)}; }

}  // namespace

// Touching the ground with the hull is a crash. A leg counts as touching from any beginning contact
// until any ending one, as in the original, even if another contact of that leg persists.
struct Environment::World final : b2ContactListener {
  explicit World(std::uint32_t seed) : random(seed), world(b2Vec2(0.0F, -10.0F)) {
    world.SetContactListener(this);
    make_terrain();
    make_lander();
    for (const int i : {-1, 1}) make_leg(i);
    step(nothing);
  }

  // The order in which bodies are created decides the order of contacts, and with it the results.
  void make_terrain() {
    std::array<double, 12> h;
    for (double& value : h) value = random.uniform(0.0, height / 2.0);
    for (int i = 3; i <= 7; ++i) h[i] = pad_height;
    for (int i = 0; i < 11; ++i) {
      terrain.x[i] = width / 10.0 * i;
      terrain.y[i] = 0.33 * (h[i == 0 ? 11 : i - 1] + h[i] + h[i + 1]);
    }
    const b2BodyDef still;
    b2Body* const ground = world.CreateBody(&still);
    const auto edge = [&](b2Vec2 from, b2Vec2 to, float friction) {
      b2EdgeShape shape;
      shape.SetTwoSided(from, to);
      b2FixtureDef fixture;
      fixture.shape = &shape;
      fixture.friction = friction;
      ground->CreateFixture(&fixture);
    };
    edge(vec(0.0, 0.0), vec(width, 0.0), 0.2F);
    for (int i = 0; i < 10; ++i) {
      edge(vec(terrain.x[i], terrain.y[i]), vec(terrain.x[i + 1], terrain.y[i + 1]), 0.1F);
    }
  }

  void make_lander() {
    b2BodyDef moving;
    moving.type = b2_dynamicBody;
    moving.position = vec(width / 2.0, height);
    lander = world.CreateBody(&moving);
    constexpr double corners[6][2] = {{-14, 17}, {-17, 0}, {-17, -10},
                                      {17, -10}, {17, 0},  {14, 17}};
    b2Vec2 points[6];
    for (int i = 0; i < 6; ++i) points[i] = vec(corners[i][0] / scale, corners[i][1] / scale);
    b2PolygonShape hull;
    hull.Set(points, 6);
    b2FixtureDef fixture;
    fixture.shape = &hull;
    fixture.density = 5.0F;
    fixture.friction = 0.1F;
    fixture.filter.categoryBits = 0x0010;
    fixture.filter.maskBits = 0x0001;
    lander->CreateFixture(&fixture);
    for (double& component : force) component = random.uniform(-force_range, force_range);
    lander->ApplyForceToCenter(vec(force[0], force[1]), true);
  }

  // Deliberately created too high and outside the joint's limits: the first step pulls the leg into
  // place. referenceAngle is what pybox2d sets by itself.
  void make_leg(int i) {
    b2BodyDef moving;
    moving.type = b2_dynamicBody;
    moving.position = vec(width / 2.0 - i * leg_away / scale, height);
    moving.angle = static_cast<float>(i * 0.05);
    b2Body* const leg = world.CreateBody(&moving);
    b2PolygonShape shape;
    shape.SetAsBox(static_cast<float>(leg_half_width / scale),
                   static_cast<float>(leg_half_height / scale));
    b2FixtureDef fixture;
    fixture.shape = &shape;
    fixture.density = 1.0F;
    fixture.filter.categoryBits = 0x0020;
    fixture.filter.maskBits = 0x0001;
    leg->CreateFixture(&fixture);
    b2RevoluteJointDef joint;
    joint.bodyA = lander;
    joint.bodyB = leg;
    joint.localAnchorA = vec(0.0, 0.0);
    joint.localAnchorB = vec(i * leg_away / scale, leg_down / scale);
    joint.referenceAngle = moving.angle;
    joint.enableMotor = true;
    joint.enableLimit = true;
    joint.maxMotorTorque = 40.0F;
    joint.motorSpeed = static_cast<float>(0.3 * i);
    joint.lowerAngle = static_cast<float>(i < 0 ? 0.9 - 0.5 : -0.9);
    joint.upperAngle = static_cast<float>(i < 0 ? 0.9 : -0.9 + 0.5);
    world.CreateJoint(&joint);
    legs[i < 0 ? 0 : 1] = leg;
  }

  void BeginContact(b2Contact* contact) override {
    if (touches(contact, lander)) crashed = true;
    for (int k = 0; k < 2; ++k) {
      if (touches(contact, legs[k])) leg_contact[k] = true;
    }
  }

  void EndContact(b2Contact* contact) override {
    for (int k = 0; k < 2; ++k) {
      if (touches(contact, legs[k])) leg_contact[k] = false;
    }
  }

  static bool touches(b2Contact* contact, const b2Body* body) {
    return contact->GetFixtureA()->GetBody() == body || contact->GetFixtureB()->GetBody() == body;
  }

  void fire(Action action) {
    const double angle = lander->GetAngle();
    const double tip_x = std::sin(angle), tip_y = std::cos(angle);
    const double side_x = -tip_y, side_y = tip_x;
    const double d0 = random.uniform(-1.0, 1.0) / scale;
    const double d1 = random.uniform(-1.0, 1.0) / scale;
    const b2Vec2 position = lander->GetPosition();
    if (action == main_engine) {
      const double ox = tip_x * (4.0 / scale + 2.0 * d0) + side_x * d1;
      const double oy = -tip_y * (4.0 / scale + 2.0 * d0) - side_y * d1;
      lander->ApplyLinearImpulse(vec(-ox * main_power, -oy * main_power),
                                 vec(position.x + ox, position.y + oy), true);
    } else if (action != nothing) {
      const double direction = action - 2;
      const double q = 3.0 * d1 + direction * side_engine_away / scale;
      const double ox = tip_x * d0 + side_x * q;
      const double oy = -tip_y * d0 - side_y * q;
      // 17 against 14 is in the original.
      lander->ApplyLinearImpulse(vec(-ox * side_power, -oy * side_power),
                                 vec(position.x + ox - tip_x * 17.0 / scale,
                                     position.y + oy + tip_y * side_engine_height / scale),
                                 true);
    }
  }

  Outcome step(Action action) {
    fire(action);
    world.Step(static_cast<float>(1.0 / frames_per_second), 6 * 30, 2 * 30);

    const b2Vec2 position = lander->GetPosition(), velocity = lander->GetLinearVelocity();
    const double s[8] = {(position.x - width / 2.0) / (width / 2.0),
                         (position.y - (pad_height + leg_down / scale)) / (height / 2.0),
                         velocity.x * (width / 2.0) / frames_per_second,
                         velocity.y * (height / 2.0) / frames_per_second,
                         lander->GetAngle(),
                         20.0 * lander->GetAngularVelocity() / frames_per_second,
                         leg_contact[0] ? 1.0 : 0.0,
                         leg_contact[1] ? 1.0 : 0.0};
    std::copy(s, s + 8, observation.begin());

    // Reward: progress towards rest on the pad, minus fuel; -100 for a crash, +100 for coming to
    // rest.
    const double now = -100.0 * std::sqrt(s[0] * s[0] + s[1] * s[1]) -
                       100.0 * std::sqrt(s[2] * s[2] + s[3] * s[3]) - 100.0 * std::abs(s[4]) +
                       10.0 * s[6] + 10.0 * s[7];
    Outcome outcome{.reward = has_shaping ? now - shaping : 0.0};
    has_shaping = true;
    shaping = now;
    if (action == main_engine) outcome.reward -= 0.30;
    if (action == left_engine || action == right_engine) outcome.reward -= 0.03;
    if (crashed || std::abs(s[0]) >= 1.0) {
      outcome = {-100.0, true, crashed ? Ending::crashed : Ending::out_of_sight};
    }
    if (!lander->IsAwake()) outcome = {100.0, true, Ending::landed};
    return outcome;
  }

  NumpyPcg64 random;
  b2World world;
  Terrain terrain{};
  std::array<double, 2> force{};
  b2Body* lander = nullptr;
  std::array<b2Body*, 2> legs{};
  std::array<bool, 2> leg_contact{};
  bool crashed = false, has_shaping = false;
  double shaping = 0.0;
  Observation observation{};
};

Environment::Environment(std::uint32_t seed) : world_(std::make_unique<World>(seed)) {}
Environment::~Environment() = default;
Environment::Outcome Environment::step(Action action) { return world_->step(action); }
const Observation& Environment::observation() const { return world_->observation; }
const Terrain& Environment::terrain() const { return world_->terrain; }
std::array<double, 2> Environment::initial_force() const { return world_->force; }

Environment::Pose Environment::lander() const {
  const b2Body& body = *world_->lander;
  return {body.GetPosition().x, body.GetPosition().y, body.GetAngle()};
}

Environment::Pose Environment::leg(int which) const {
  const b2Body& body = *world_->legs[which];
  return {body.GetPosition().x, body.GetPosition().y, body.GetAngle()};
}

Action decide(const Weights& w, const Observation& o) {
  std::array<double, 8> s;
  std::copy(o.begin(), o.end(), s.begin());
  const double wanted_angle = std::clamp(w[0] * s[0] + w[1] * s[2], -w[2], w[2]);
  const double wanted_height = w[3] * std::abs(s[0]);
  double turn = (wanted_angle - s[4]) * w[4] - s[5] * w[5];
  double hover = (wanted_height - s[1]) * w[6] - s[3] * w[7];
  if (s[6] != 0.0 || s[7] != 0.0) {
    turn = w[8];
    hover = -s[3] * w[9];
  }
  if (hover > std::abs(turn) && hover > w[10]) return main_engine;
  if (turn < -w[11]) return right_engine;
  if (turn > w[11]) return left_engine;
  return nothing;
}

Flight fly(const Weights& w, std::uint32_t seed, std::vector<Frame>* frames) {
  Environment environment(seed);
  Flight flight;
  if (frames) frames->push_back({environment.lander(), nothing});
  while (flight.steps < step_limit) {
    const Action action = decide(w, environment.observation());
    const Environment::Outcome outcome = environment.step(action);
    flight.total += outcome.reward;
    ++flight.steps;
    if (frames) frames->push_back({environment.lander(), action});
    if (outcome.ended) {
      flight.ending = outcome.ending;
      break;
    }
  }
  return flight;
}

}  // namespace vbo::tasks::lunar
