// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "cli/commands.hpp"
#include "cli/target.hpp"
#include "vbo/report.hpp"
#ifdef VBO_HAVE_PAGE
#include "web/page.hpp"
#include "web/payload.hpp"
#endif

namespace vbo::cli {
namespace {

struct ReportArguments {
  std::vector<std::string> studies;
  std::string output = "report.html";
  bool places = false;
};

#ifdef VBO_HAVE_PAGE

Result<std::string> payload_of_study(const std::string& argument, bool places) {
  Result<OpenedStudy> study = open_to_read(argument);
  if (!study) return study.error();
  Result<StudyReport> report = make_report(*study->storage);
  if (!report) return report.error();
  add_estimate(*report);
  const std::vector<Importance> found = importances(report->record, report->trials);
  web::PayloadParts parts;
  parts.url = study->url;
  parts.places = places;
  parts.importances = &found;
  parts.ledger = &ledger_of(report->record.space, report->record.method_options());
  parts.outputs = web::outputs_worth_showing(*study->storage, *report);
  parts.sentences = web::sentences_worth_showing(*report);
  parts.histories = web::histories_worth_showing(*study->storage, *report);
  return web::payload_of(*report, parts);
}

// Beside the file first, then under its name: nobody sees half a report. Under a name that nobody
// can guess and that is ours alone, so that nothing that lies there is written through.
Result<void> write_file(const std::string& name, const std::string& text) {
  std::string fresh = name + ".XXXXXX";
  const int fd = mkostemp(fresh.data(), O_CLOEXEC);
  bool written = fd >= 0;
  for (std::size_t done = 0; written && done < text.size();) {
    const ssize_t size = write(fd, text.data() + done, text.size() - done);
    if (size < 0 && errno == EINTR) continue;
    written = size > 0;
    done += static_cast<std::size_t>(std::max<ssize_t>(size, 0));
  }
  const mode_t mask = umask(0);
  umask(mask);
  written = written && fchmod(fd, 0666 & ~mask) == 0;
  std::string why = written ? "" : std::strerror(errno);
  if (fd >= 0 && close(fd) != 0 && written) {
    written = false;
    why = std::strerror(errno);
  }
  if (written && std::rename(fresh.c_str(), name.c_str()) == 0) return {};
  if (written) why = std::strerror(errno);
  if (fd >= 0) unlink(fresh.c_str());
  return Error{ErrorKind::io, "cannot write " + name + ": " + why};
}

int write_report(const ReportArguments& options, const Console& console) {
  std::vector<std::string> payloads;
  for (const std::string& study : options.studies) {
    Result<std::string> payload = payload_of_study(study, options.places);
    if (!payload) return fail(payload.error());
    payloads.push_back(std::move(*payload));
  }
  const Result<void> written = write_file(options.output, web::report_page(payloads));
  if (!written) return fail(written.error());
  if (!console.quiet) print_out("wrote " + one_line(options.output) + "\n");
  return kDone;
}

#else

int write_report(const ReportArguments&, const Console&) {
  return fail(kWrongUsage, "this build has no page: it was made without zlib or D3");
}

#endif

}  // namespace

Action define_report(CLI::App& app, const Console& console) {
  auto options = std::make_shared<ReportArguments>();
  Arguments arguments(app);
  arguments.positional("STUDY", options->studies, "Storages (.db) or study files (.toml)");
  arguments.option("-o,--output", options->output, "FILE",
                   "Where to write; report.html if not given");
  arguments.flag("--places", options->places,
                 "Also the storage's folder or server and the machines of workers");
  return [options, &console] { return write_report(*options, console); };
}

}  // namespace vbo::cli
