// SPDX-License-Identifier: MIT
#include "web/service.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

#include "core/json.hpp"
#include "storage/memory/memory.hpp"
#include "vbo/random.hpp"
#include "web/unsent.hpp"

namespace vbo::web {
namespace {

Trial waiting(TrialId id, EventId asked_in) {
  Trial trial;
  trial.id = id;
  trial.point = {0.1 * static_cast<double>(id)};
  trial.asked_in = asked_in;
  return trial;
}

Trial done(TrialId id, double value, EventId told_in) {
  Trial trial = waiting(id, 1);
  trial.state = TrialState::completed;
  trial.values = {value};
  trial.told_in = told_in;
  return trial;
}

class Service : public ::testing::Test {
 protected:
  Service() {
    StudyRecord record;
    record.name = "s";
    record.budget = 10;
    record.space = Space::make({Parameter::real("x", 0, 1)}).value();
    EXPECT_TRUE(memory_.create_study(record));
    EXPECT_TRUE(memory_.add_trials(std::vector<Trial>{waiting(1, 1), waiting(2, 1), waiting(3, 1)},
                                   std::nullopt, 0, Durability::at_once));
  }

  StudyService make(StudyWriter writer = {}) {
    const auto open = [this]() -> Result<std::unique_ptr<Storage>> {
      if (broken_) return Error{ErrorKind::io, "the disk is gone"};
      return std::unique_ptr<Storage>(std::make_unique<MemoryStorage>(memory_));
    };
    return StudyService("memory:", open, {}, std::move(writer));
  }

  static Response ask(StudyService& service, const std::string& method, const std::string& path,
                      const std::string& body = "", const std::string& after = "") {
    Request request{method, path, {}, body};
    if (!after.empty()) request.query["after"] = after;
    // Shared: the thread that answers may still be inside set_value() when get() returns.
    const auto answer = std::make_shared<std::promise<Response>>();
    service.handle(request,
                   [answer](Response response) { answer->set_value(std::move(response)); });
    return answer->get_future().get();
  }

  static std::string text(const Response& response) {
    return response.shared ? *response.shared : response.body;
  }

  // What is published until the first event of that kind, which is the last. (The look that finds a
  // change may publish importance after it.)
  static std::vector<std::pair<std::string, Json>> watch(StudyService& service,
                                                         const std::string& until) {
    std::atomic<bool> stop{false};
    std::vector<std::pair<std::string, Json>> heard;
    service.watch(
        [&](const std::string& event, const std::string& data) {
          if (stop) return;
          heard.emplace_back(event, Json::parse(data));
          if (event == until) stop = true;
        },
        stop);
    return heard;
  }

  MemoryStorage memory_;
  bool broken_ = false;
};

TEST_F(Service, FollowsWhatOthersWrite) {
  StudyService service = make();
  ASSERT_TRUE(service.load());
  EXPECT_EQ(Json::parse(ask(service, "GET", "/api/study").body).at("completed"), 0);
  const Json hello = Json::parse(service.greeting());
  ASSERT_TRUE(memory_.finish_trials(std::vector<Trial>{done(2, 0.5, 2)}));
  ASSERT_TRUE(
      memory_.add_trials(std::vector<Trial>{waiting(4, 3)}, std::nullopt, 0, Durability::at_once));
  const auto heard = watch(service, "change");
  EXPECT_EQ(heard.back().second.at("version"), hello.at("version").get<int>() + 1);
  EXPECT_EQ(heard.back().second.at("instance"), hello.at("instance"));
  const Json study = Json::parse(ask(service, "GET", "/api/study").body);
  EXPECT_EQ(study.at("completed"), 1);
  EXPECT_EQ(study.at("waiting"), 3);
  EXPECT_EQ(study.at("event"), 3);
}

TEST_F(Service, TrialsAfterAnEvent) {
  ASSERT_TRUE(memory_.finish_trials(std::vector<Trial>{done(2, 0.5, 2)}));
  ASSERT_TRUE(memory_.finish_trials(std::vector<Trial>{done(1, 0.7, 3)}));
  StudyService service = make();
  ASSERT_TRUE(service.load());
  const Json all = Json::parse(text(ask(service, "GET", "/api/trials")));
  EXPECT_EQ(all.at("trials").size(), 3U);
  EXPECT_EQ(all.at("event"), 3);
  const Json later = Json::parse(text(ask(service, "GET", "/api/trials", "", "2")));
  ASSERT_EQ(later.at("trials").size(), 1U);
  EXPECT_EQ(later.at("trials").at(0).at("id"), 1);
  const Json none = Json::parse(text(ask(service, "GET", "/api/trials", "", "3")));
  EXPECT_EQ(none.at("trials").size(), 0U);
  EXPECT_EQ(none.at("event"), 3);
}

// One event may hold a whole import. Its pieces name the place to go on from, and the event counts
// as known only with the last of them.
TEST_F(Service, AnEventLargerThanAnAnswerComesInPieces) {
  std::vector<Trial> imported;
  for (TrialId id = 4; id < 12004; ++id) {
    Trial trial = done(id, 1.0 / static_cast<double>(id), 2);
    trial.asked_in = 2;
    trial.point = {1.0 / static_cast<double>(id)};
    imported.push_back(trial);
  }
  ASSERT_TRUE(memory_.add_trials(imported, std::nullopt, 0, Durability::at_once));
  StudyService service = make();
  ASSERT_TRUE(service.load());
  std::vector<TrialId> ids;
  std::string after = "1";
  int pieces = 0;
  for (bool more = true; more; ++pieces) {
    const Response response = ask(service, "GET", "/api/trials", "", after);
    EXPECT_LT(text(response).size(), std::size_t{2} << 20);
    const Json piece = Json::parse(text(response));
    for (const Json& trial : piece.at("trials")) ids.push_back(trial.at("id"));
    more = piece.at("more");
    after = piece.at("next");
    EXPECT_EQ(piece.at("event"), more ? 1 : 2);
  }
  EXPECT_GT(pieces, 2);
  EXPECT_EQ(ids.size(), imported.size());
  EXPECT_TRUE(std::is_sorted(ids.begin(), ids.end()));
  EXPECT_EQ(after, "2");
  // Whole events, where one fits: the first answer ends before the import.
  const Json first = Json::parse(text(ask(service, "GET", "/api/trials")));
  EXPECT_EQ(first.at("trials").size(), 3U);
  EXPECT_EQ(first.at("next"), "1");
}

TEST_F(Service, PendingComesInPiecesToo) {
  std::vector<Trial> many;
  for (TrialId id = 4; id <= 12003; ++id) many.push_back(waiting(id, 2));
  for (Trial& trial : many) trial.point = {1.0 / static_cast<double>(trial.id)};
  ASSERT_TRUE(memory_.add_trials(many, std::nullopt, 0, Durability::at_once));
  StudyService service = make();
  ASSERT_TRUE(service.load());
  const Response first = ask(service, "GET", "/api/pending");
  const std::size_t size = Json::parse(first.body).size();
  EXPECT_LE(size, 10000U);
  const std::string last = std::to_string(size);  // ids begin at 1
  EXPECT_EQ(first.headers.at("Link"), "</api/pending?after=" + last + ">; rel=\"next\"");
  const Response second = ask(service, "GET", "/api/pending", "", last);
  EXPECT_EQ(size + Json::parse(second.body).size(), 12003U);
  EXPECT_FALSE(second.headers.contains("Link"));
}

// The text is kept once however many ask for it.
TEST_F(Service, EverybodyIsSentTheSameBytes) {
  StudyService service = make();
  ASSERT_TRUE(service.load());
  for (const char* path : {"/api/page", "/api/front"}) {
    const Response one = ask(service, "GET", path), two = ask(service, "GET", path);
    ASSERT_TRUE(one.shared) << path;
    EXPECT_EQ(one.shared, two.shared) << path;
  }
  const Response before = ask(service, "GET", "/api/page");
  ASSERT_TRUE(memory_.finish_trials(std::vector<Trial>{done(2, 0.5, 2)}));
  watch(service, "change");
  EXPECT_NE(ask(service, "GET", "/api/page").shared, before.shared);
}

TEST_F(Service, ALargeChangeIsReadAgainByFollowers) {
  StudyService service = make();
  ASSERT_TRUE(service.load());
  ASSERT_TRUE(memory_.finish_trials(std::vector<Trial>{done(2, 0.5, 2)}));
  EXPECT_TRUE(watch(service, "change").back().second.contains("payload"));
  std::vector<Trial> many;
  Rng rng(1, "points");
  for (TrialId id = 4; id <= 40003; ++id) {
    many.push_back(waiting(id, 3));
    many.back().point = {rng.uniform()};
  }
  ASSERT_TRUE(memory_.add_trials(many, std::nullopt, 0, Durability::at_once));
  EXPECT_FALSE(watch(service, "change").back().second.contains("payload"));
}

TEST_F(Service, AStudyThatCannotBeOpenedIsTheCallersToShow) {
  broken_ = true;
  StudyService service = make();
  EXPECT_EQ(service.load().error().message, "the disk is gone");
  broken_ = false;
  EXPECT_TRUE(service.load());
}

TEST_F(Service, AStudyThatCannotBeOpenedIsTriedAgainWhileWatching) {
  broken_ = true;
  StudyService service = make();
  ASSERT_FALSE(service.load());
  const auto heard = watch(service, "problem");
  EXPECT_EQ(heard.back().second.at("error"), "the disk is gone");
  EXPECT_EQ(ask(service, "GET", "/api/study").status, 503);
  broken_ = false;
  watch(service, "change");
  EXPECT_EQ(ask(service, "GET", "/api/study").status, 200);
}

TEST_F(Service, WritesOnlyWhenAllowed) {
  StudyService reader = make();
  ASSERT_TRUE(reader.load());
  EXPECT_EQ(ask(reader, "POST", "/api/tell", R"({"id":1,"value":2})").status, 403);
  std::vector<Telling> told;
  StudyWriter writer;
  writer.ask = [](std::int64_t count, bool) -> Result<std::vector<Trial>> {
    return std::vector<Trial>(static_cast<std::size_t>(count), waiting(9, 1));
  };
  writer.tell = [&](const Telling& telling) -> Result<Trial> {
    if (telling.outcome.id == 7) return Error{ErrorKind::busy, "somebody else writes"};
    told.push_back(telling);
    return done(telling.outcome.id, telling.outcome.values.front(), 2);
  };
  StudyService service = make(writer);
  ASSERT_TRUE(service.load());
  EXPECT_EQ(ask(service, "POST", "/api/tell", R"({"id":1,"value":2,"metrics":{"m":3.5}})").status,
            200);
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].outcome.metrics.at("m"), 3.5);
  const Response busy = ask(service, "POST", "/api/tell", R"({"id":7,"value":2})");
  EXPECT_EQ(busy.status, 503);
  EXPECT_EQ(busy.headers.at("Retry-After"), "1");
  EXPECT_EQ(Json::parse(ask(service, "POST", "/api/ask", R"({"count":2})").body).size(), 2U);
  EXPECT_EQ(ask(service, "POST", "/api/ask", R"({"count":1.5})").status, 400);
  EXPECT_EQ(ask(service, "POST", "/api/tell", R"({"id":1,"value":1e999})").status, 400);
}

TEST(UnsentBytes, CountsATextOnceHoweverManySendIt) {
  UnsentBytes unsent;
  const auto text = std::make_shared<const std::string>(100, 'x');
  const auto other = std::make_shared<const std::string>(10, 'x');
  unsent.add(text);
  unsent.add(text);
  unsent.add(other);
  EXPECT_EQ(unsent.total(), 110U);
  unsent.remove(text);
  EXPECT_EQ(unsent.total(), 110U);
  unsent.remove(text);
  EXPECT_EQ(unsent.total(), 10U);
}

TEST(Telling, TakesWhatTheCommandLineTakes) {
  StudyRecord record;
  record.objectives = {{"error"}, {"speed", Goal::maximize}};
  record.space = Space::make({Parameter::real("x", 0, 1)}, {}, {{"heat", 3.0, {}}}).value();
  const Telling telling =
      telling_from(
          R"({"id": 7, "values": {"speed": 2, "error": 1}, "sem": {"speed": 0.2, "error": 0},
                       "metrics": {"heat": 1}, "actual": {"x": 0.25}, "replace": "why"})",
          record)
          .value();
  EXPECT_EQ(telling.outcome.id, 7);
  EXPECT_EQ(telling.outcome.values, (std::vector{1.0, 2.0}));
  EXPECT_EQ(telling.outcome.standard_error, (std::vector{0.0, 0.2}));
  EXPECT_EQ(telling.actual, std::vector<std::string>{"x=0.25"});
  EXPECT_EQ(telling.replace, "why");
  const auto wrong = [&](const std::string& body) {
    return telling_from(body, record).error().message;
  };
  using ::testing::HasSubstr;
  EXPECT_THAT(wrong(R"({"id": 7, "value": 1})"), HasSubstr("\"value\" is unknown"));
  EXPECT_THAT(wrong(R"({"id": 7, "values": {"error": 1, "speed": 1}})"), HasSubstr("heat"));
  EXPECT_THAT(wrong(R"({"id": 7, "values": {"error": 1}, "metrics": {"heat": 1}})"),
              HasSubstr("no \"speed\""));
  EXPECT_THAT(wrong(R"({"id": 7, "at": {"x": 1}, "error": "no"})"), HasSubstr("\"id\""));
  EXPECT_THAT(wrong(R"({"at": {"x": 1}, "error": "no", "replace": "why"})"), HasSubstr("replace"));
  EXPECT_THAT(wrong(R"({"id": 7, "error": "no", "actual": {"x": []}})"), HasSubstr("actual.x"));
}

}  // namespace
}  // namespace vbo::web
