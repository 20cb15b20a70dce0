// SPDX-License-Identifier: MIT
// What a study says about itself: importance, and the page of `vbo report`.
#include <nanobind/stl/string.h>

#include "bindings.hpp"
#include "locked_study.hpp"
#include "report/json.hpp"
#include "vbo/report.hpp"
#ifdef VBO_HAVE_PAGE
#include "web/page.hpp"
#include "web/payload.hpp"
#endif

namespace nb = nanobind;

namespace vbo::python {

// As `vbo importance --json` prints it.
std::string importance_json(LockedStudy& locked, int threads) {
  return locked.with([&](Study& study) -> Result<std::string> {
    const Result<std::vector<Trial>> trials = study.trials();
    if (!trials) return trials.error();
    ImportanceOptions options;
    options.threads = threads;
    const StudyRecord& record = study.record();
    return dump(importances_json(record.objectives, importances(record, *trials, options)));
  });
}

std::string report_html(LockedStudy& locked, const std::string& url) {
#ifdef VBO_HAVE_PAGE
  return locked.with([&](Study& study) -> Result<std::string> {
    const Result<std::unique_ptr<Storage>> storage = study.connect(Access::read);
    if (!storage) return storage.error();
    Result<StudyReport> report = make_report(**storage);
    if (!report) return report.error();
    add_estimate(*report);
    const std::vector<Importance> found = importances(report->record, report->trials);
    web::PayloadParts parts;
    parts.url = url;
    parts.importances = &found;
    parts.ledger = &ledger_of(report->record.space, report->record.method_options());
    parts.outputs = web::outputs_worth_showing(**storage, *report);
    parts.sentences = web::sentences_worth_showing(*report);
    parts.histories = web::histories_worth_showing(**storage, *report);
    return web::report_page({web::payload_of(*report, parts)});
  });
#else
  (void)locked;
  (void)url;
  raise({ErrorKind::unsupported, "this build has no page: it was made without zlib or D3"});
#endif
}

}  // namespace vbo::python
