// SPDX-License-Identifier: MIT
// What has been told to the method, and in which event: every trial with what people changed
// afterwards. A trial that was never revised is told once. One that was has versions: the first is
// told, each later one puts another in its place from some event on, and a dropped one ends without
// any. What nobody has told the method yet is not in the log. Values as the method sees them.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <vector>

#include "vbo/revision.hpp"
#include "vbo/trial.hpp"

namespace vbo {

class StudyLog {
 public:
  // Trials in the order of ids and revisions in the order they were made, both as
  // Study::Impl::for_optimizer() gives them. A method that began in the event `began` (0: with the
  // study) received everything known by then in that event, as results that it did not suggest; and
  // later the results of earlier suggestions likewise.
  StudyLog(std::vector<Trial> trials, std::vector<Revision> revisions, EventId began = 0);

  // One ask, or one tell, or news about trials told before.
  struct Event {
    EventId id = 0;
    std::vector<std::size_t> asked, told;  // indices of trials, in the order of ids
    std::vector<TrialId> ids;              // of those asked
    bool revises = false;                  // afterwards the method has to be rebuilt: revised()
  };
  std::vector<Event> events_after(EventId after) const;

  const Trial& asked(std::size_t trial) const { return trials_[trial]; }  // for id, point, source
  Point suggestion(std::size_t trial) const;
  Trial told(std::size_t trial) const;  // as it was told for the first time

  // The trials as they stood right after an event, for as long as this lives: moved out of the log
  // and back, not copied, for there may be hundreds of thousands.
  class At {
   public:
    At(StudyLog& log, EventId event);
    ~At();
    At(const At&) = delete;
    At& operator=(const At&) = delete;
    std::span<const Trial> trials() const;

   private:
    struct Later {  // what is set aside of a trial that was told later
      std::size_t trial;
      Trial ended;
    };
    void gather(EventId event);
    void set_aside(std::size_t i, Trial& trial);

    StudyLog& log_;
    std::optional<std::size_t> whole_;  // so many of the log's own; otherwise:
    std::vector<Trial> trials_;
    std::vector<std::optional<std::size_t>> home_;  // where each was moved from; none: a copy
    std::vector<Later> later_;
  };

 private:
  void begin_in(EventId event);
  std::optional<std::size_t> first_asked_after(EventId event) const;

  struct Version {
    EventId from = 0;
    Trial trial;  // told_in is that of the first version
  };
  struct Changes {
    std::vector<Version> versions;  // those told to the method, oldest first
    EventId dropped_in = 0;
  };

  std::vector<Trial> trials_;  // in the order of ids, dropped ones too; those revised are open here
  std::map<std::size_t, Changes> changes_;
};

// The trial as a method sees it that did not suggest it, told in this event.
Trial as_added(Trial trial, EventId told_in);

// The trial as it was before its outcome was known.
Trial as_asked(Trial trial);

}  // namespace vbo
