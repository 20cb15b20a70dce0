// SPDX-License-Identifier: MIT
#include "cli/commands.hpp"

namespace vbo::cli {

const std::vector<Command>& commands() {
  static const std::vector<Command> all = {
      {"init",
       "Write a commented study file to start from",
       {"vbo init study.toml"},
       "Writes FILE and, beside it, a small example program that the study evaluates, so that "
       "`vbo check` and `vbo run` work at once. Nothing that exists is overwritten.",
       "",
       define_init},
      {"check",
       "Check a study file and evaluate one point",
       {"vbo check study.toml"},
       "Reads the study file, evaluates one random point exactly as `vbo run` would, and shows the "
       "command, the value found and the time it took. Stores nothing. Of a study without "
       "[evaluate], for `vbo ask` and `vbo tell`, it only shows the point; command and value are "
       "null then.",
       R"({"study", "command", "id", "params", "value", "seconds", "error", "stderr"}; with several objectives "values": {NAME: number, ...} instead of "value")",
       define_check},
      {"run",
       "Run a study, or resume it where it stopped",
       {"vbo run study.toml"},
       "Evaluates suggestions until the budget is spent, `evaluate.workers` at a time. Every "
       "suggestion is stored before it runs and every result before it is used: stop it in any "
       "way, "
       "start it again, and it continues with the suggestions of an uninterrupted run. The first "
       "Ctrl-C finishes the "
       "running evaluations, the second stops at once. Raise study.budget to continue a finished "
       "study. Other workers may join with `vbo work`; with --workers 0 all evaluations are "
       "theirs. It also ends when stop.seconds or --time-limit are over, or when a result is as "
       "good as stop.value; running evaluations are finished. It pauses when the program cannot be "
       "found, when the first 5 evaluations fail all in the same way, and after "
       "stop.failures_in_a_row.",
       R"({"study", "end", "completed", "failed", "budget", "seconds", "best": {"id", "params", "value"} or null, "estimate" and "noise" as `vbo best --json` says}; with several objectives "front", as `vbo front --json` says, instead of these)",
       define_run},
      {"ask",
       "Get suggestions to evaluate yourself",
       {"vbo ask study.toml -n 8", "vbo ask study.db -n 8 --json"},
       "For people and robots in the loop: each suggestion has an id under which `vbo tell` takes "
       "its result. Given a study file, the study is created when it does not exist yet. "
       "Suggestions stay open until told; --pending lists them again. Works from many processes at "
       "once, and while `vbo run` runs, whose workers do not get these suggestions. More "
       "than the budget has room for need --over-budget. `vbo drop` cancels open suggestions.",
       R"([{"id", "params": {...}}, ...])",
       define_ask},
      {"tell",
       "Tell the result of a suggestion",
       {"vbo tell study.db 7 1.25", "vbo tell study.db 7 1.25 --metric stress=240",
        "vbo tell study.db 7 --value error=0.07 --value latency_ms=12.1",
        "vbo tell study.db 8 --fail \"sample broke\"",
        "vbo tell study.db 7 1.25 --actual temperature=36.2",
        "vbo tell study.db 7 12.5 --replace \"decimal point was wrong\"",
        "vbo tell study.db --at x=36.2 --at n=3 1.25"},
       "VALUE is in the sign of the study's goal; of several objectives each has its --value. nan "
       "and inf count as failures. The result is "
       "stored at once, from many processes at the same time and while `vbo run` runs; the "
       "result is included in the next suggestion. Telling the same result again changes nothing; "
       "another one is refused without --replace, which keeps the old one in the log. --actual "
       "records "
       "what "
       "was really set: any value of the parameter's range, steps and constraints aside. --at "
       "tells "
       "a point that was not suggested, under a new id; it counts as an evaluation.",
       R"({"id", "state", "value", "error"}; with several objectives "values": {NAME: number, ...} instead of "value")",
       define_tell},
      {"import",
       "Bring in past results",
       {"vbo import study.toml past.csv", "vbo import study.db other.db --skip-bad",
        "vbo import study.toml optuna.db --study tuning"},
       "FILE is a CSV table with a column per parameter and one named value, or one per objective "
       "where there are several, as `vbo trials` writes it, the storage of another study with the "
       "same goal, or the SQLite file of an Optuna study "
       "(RDBStorage; pruned trials have no value and are left out). Columns state, error, seconds "
       "and metrics.NAME are read when they are there. Rows that cannot be used are listed, and "
       "nothing is imported unless --skip-bad leaves them out. What is in the study already is not "
       "imported again. Imported results count as evaluations; the method learns from them like "
       "from its own. While `vbo run` runs, it includes them.",
       R"({"imported", "known", "skipped", "pruned", "first_id": id or null})",
       define_import},
      {"drop",
       "Cancel suggestions that are not being evaluated yet",
       {"vbo drop study.db 7 8", "vbo drop study.db 7 --reason \"out of material\""},
       "For suggestions that will not be evaluated. They are no longer pending, their ids are not "
       "used again, and they stay in the log. One that is being evaluated or has ended is refused. "
       "Works while `vbo run` runs.",
       R"({"dropped": [id, ...]})",
       define_drop},
      {"retry",
       "Evaluate failed trials again",
       {"vbo retry study.db --failed", "vbo retry study.db 7 8 --reason \"the power was off\""},
       "They wait again under their ids: `vbo run` and `vbo work` evaluate them, or `vbo tell` "
       "tells "
       "their results. The failure stays in the log, and the evaluation counts once. Works while "
       "`vbo run` runs.",
       R"({"waiting": [id, ...]})",
       define_retry},
      {"work",
       "Evaluate trials of a study that another process coordinates",
       {"vbo work study.toml", "vbo work study.toml --workers 8 --idle 600"},
       "Claims waiting trials, evaluates them as the study file says and stores the results, until "
       "the study ends or no trial was waiting for --idle seconds. Start as many as you like, "
       "wherever the "
       "storage can be reached; `vbo run study.toml --workers 0` only coordinates. A worker that "
       "dies loses its claims after --lease seconds, and others take over. SIGTERM finishes what "
       "runs within --grace seconds and gives the rest back.",
       R"({"end", "completed", "failed", "late"})",
       define_work},
      {"workers",
       "Show who evaluates what",
       {"vbo workers study.db"},
       "Works while the study runs. A worker that gave no sign of life for as long as a lease "
       "lasts is shown as lost.",
       R"([{"name", "host", "alive", "slots", "running": [id, ...], "completed", "started_at", "seen_at", "silent_seconds"}, ...])",
       define_workers},
      {"status",
       "Show how far a study is",
       {"vbo status study.db"},
       "Works while the study runs. STUDY is its storage or its study file.",
       R"({"study", "method", "goal", "completed", "failed", "running", "waiting", "budget", "seed", "batch", )"
       R"("storage", "best": {"id", "params", "value"} or null, "luckiest": under noise the best single result, where that is another, "message", "information": {"nats", "observed", "ceiling", "trend"} or null, )"
       R"("state", "next_batch": {"batch", "chance", "gain", "expected_gain", "share_of_spread"} or null, "recommendation": {"id", "params", "evaluations", "observed", "mean", "low", "high", "chance"} or null, "noise": {"verdict", "deviation", "share"}, "as_good": {"threshold", "reason", "count", "ranges": {...}} or null, )"
       R"("curve": [{"evaluation", "id", "value"}, ...], "rounds": [{"round", "event", "suggested", "completed", "failed", "first_trial", "last_trial", "best", "predicted", "observed", "ceiling", "message"}, ...], )"
       R"("sources": [{"name", "suggested", "completed", "failed", "improvements", "best"}, ...], "failures": [{"cause", "message", "count", "examples", "last_line"}, ...], )"
       R"("workers": [{"name", "evaluations", "failed", "lost", "running", "busy_seconds", "idle_seconds", "first_start", "last_end"}, ...], )"
       R"("metrics": [names], "pace": {"first_asked", "last_finished", "seconds_per_result", "seconds_left"}}; "objectives": [{"name", "goal", "reference"}, ...]; with measured constraints also "feasible", the number of feasible results; with several objectives "goal" and "best" are null and there is "front": as `vbo front --json` says, with "steps": [{"evaluation", "id", "size", "hypervolume"}, ...])",
       define_status},
      {"studies",
       "List the studies of a database or folder",
       {"vbo studies", "vbo studies postgresql://user@host/database"},
       "Without DATABASE, of the current folder.",
       R"([{"study", "method", "completed", "failed", "running", "waiting", "budget", "storage"}, ...], or {"storage", "error"})",
       define_studies},
      {"best",
       "Show the best point so far",
       {"vbo best study.db", "vbo best study.db --json",
        "vbo best study.db --weights error=1,latency_ms=0.01"},
       "Of several objectives the trial of the front with the lowest sum of weight times value, "
       "where values that are maximized count negatively; without weights see `vbo front`. "
       "Works while the study runs. Exit code 3 when nothing has succeeded yet, or when no result "
       "satisfies the measured constraints: then the least violating one is shown.",
       R"({"id", "params": {...}, "value", "metrics": {...}}; with several objectives "values": {NAME: number, ...} instead of "value"; with measured constraints also "feasible" and "violation")",
       define_best},
      {"front",
       "Show the best trade-offs of several objectives",
       {"vbo front study.db", "vbo front study.db --json"},
       "The feasible results that no feasible one is better than in one objective and at least as "
       "good as in all others, and the hypervolume between them and the reference: per objective "
       "what its table in the study file says, or else the worst value of all feasible results and "
       "10% of their range beyond it. Works while the study runs. Exit code 3 when nothing is "
       "feasible yet.",
       R"({"objectives": [{"name", "goal", "reference"}, ...], "size", "hypervolume", "exact", "reference": {NAME: number, ...}, "trials": [{"id", "params", "values": {...}, "metrics": {...}}, ...], "extremes": {NAME: id of the best in it, ...}, "knee": id or null, "trade_offs": [{"first", "second", "stops": [{"id", "first", "second", "buys"}, ...]}, ...]}; "buys" is what one unit of the first objective given up buys of the second on the way to the next stop; with measured constraints trials have "feasible" and "violation")",
       define_front},
      {"verify",
       "Check that everything a study holds agrees",
       {"vbo verify study.db", "vbo verify study.db --no-replay"},
       "Reads all of it: rows with their checksums, indexes and counters against the rows, and the "
       "log, which is replayed from its beginning and compared with the suggestions and the state "
       "that were stored. That takes as long as the method took to suggest them; --no-replay "
       "leaves it out. Changes nothing and works while the study runs. Exit code 5 when something "
       "does not agree.",
       R"({"study", "trials", "results", "corrections", "replayed", "problems": [...], "notes": [...]})",
       define_verify},
      {"upgrade",
       "Bring the storage of an older vbo up to date",
       {"vbo upgrade study.db"},
       "Commands that only read leave a storage as it is and refuse one that an older vbo has "
       "made; "
       "commands that write bring it up to date first. An older vbo cannot read it afterwards: "
       "keep "
       "a copy if you may want to go back.",
       "",
       define_upgrade},
      {"trials",
       "List all trials as CSV or JSON",
       {"vbo trials study.db > trials.csv", "vbo trials study.db --json --state failed"},
       "Columns: id, state, value, or one per objective where there are several, one per "
       "parameter, seconds, attempts, error, metrics.NAME, "
       "asked_at, started_at, finished_at (UTC; seconds since 1970 in JSON), worker, and feasible "
       "with measured "
       "constraints. A "
       "parameter or objective "
       "with the name of another column is written params.NAME or values.NAME. Where something "
       "else was set than "
       "suggested, the parameters are what was set, and suggested.NAME what was suggested. Values "
       "are in the user's own sign and empty "
       "unless the trial is completed.",
       R"([{"id", "state", "params": {...}, "value", "seconds", "error", "cause", "attempts", "stderr", "metrics", "asked_at", "started_at", "finished_at", "worker", "suggested": {...} or null}, ...]; with several objectives "values": {NAME: number, ...} instead of "value")",
       define_trials},
      {"export",
       "Write a study as files of other programs",
       {"vbo export study.db --mlflow mlruns",
        "vbo export study.db --csv trials.csv --optuna optuna.db"},
       "Every trial, with parameters, values, metrics, steps and times, as far as the other "
       "program "
       "has a place for them. What exists already is left alone. --mlflow writes a run per trial, "
       "--tensorboard a run per trial and one for the whole study, --optuna what vbo import and "
       "from_optuna read back.",
       "",
       define_export},
      {"explain",
       "Show why a point was suggested",
       {"vbo explain study.db 7"},
       "The ledger of one suggestion: where it came from, the terms that add up to its score (its "
       "acquisition), and other values of the method, each with its unit and meaning. Values of "
       "the "
       "objective are in the user's own sign. A point that was not compared with others has no "
       "score: acquisition and sum are null then.",
       R"({"id", "params", "state", "value" (or "values": {NAME: number, ...}), "source", "acquisition", "unit", "terms": [{"name", "value", "unit", "meaning"}, ...], "sum", "notes": [...]})",
       define_explain},
      {"importance",
       "Show which parameters matter, in nats",
       {"vbo importance study.db", "vbo importance study.db --json"},
       "How much each parameter tells about the rank of the outcome, from the study's own results: "
       "0 for a parameter that tells nothing. Dependence that comes only from the drift of the "
       "search over time is subtracted. Most results are in the region that the search sampled, "
       "so this is importance there, not over the whole space. At least 20 results are needed, and "
       "at most 2000, chosen at random, are used.",
       R"([{"parameter", "nats", "low", "high", "together": [{"with", "nats", "low", "high"}, ...]}, ...];
with several objectives each entry has its "objective")",
       define_importance},
      {"plot",
       "Draw progress and importance in the terminal",
       {"vbo plot study.db", "vbo plot study.db --objectives error,latency_ms"},
       "Best so far over evaluations, and how much each parameter matters, in characters: for a "
       "look through ssh. With several objectives the front of two of them, and what moving along "
       "it costs.",
       "",
       define_plot},
      {"report",
       "Write everything about a study as one HTML file",
       {"vbo report study.db -o report.html", "vbo report a.db b.db -o compare.html"},
       "The file needs no network and no server: open it in a browser, mail it, print it. Several "
       "studies are shown one by one and against each other.",
       "",
       define_report},
      {"serve",
       "Show a study in the browser while it runs",
       {"vbo serve study.db", "vbo serve study.toml --port 8080 --allow-tell",
        "vbo serve study.db --host 0.0.0.0 --token-file token"},
       "The page follows the study; see docs/reference/http.md for its interface. Only this "
       "machine is "
       "answered, unless --host is given, which needs --token-file: a file with the token "
       "that clients send as Authorization: Bearer. Reads only, unless --allow-tell, which also "
       "answers POST /api/ask, /api/tell and /api/drop. Ctrl-C ends it.",
       "",
       define_serve},
      {"methods",
       "List the optimization methods and their options",
       {"vbo methods", "vbo methods random"},
       "Options are set in the [optimizer] table of the study file. Terms are what vbo explain "
       "shows of the method's suggestions; those that are \"beside\" are not part of the score.",
       R"([{"name", "summary", "options": [{"name", "default", "range", "summary"}, ...], "terms": [{"name", "unit", "role": "adds up" | "beside", "meaning"}, ...]}, ...])",
       define_methods},
      {"tasks",
       "List, evaluate and draw the built-in test problems",
       {"vbo tasks", "vbo tasks lunar-lander", "vbo tasks eval branin --set x1=2.5 --set x2=7.5",
        "vbo tasks eval \"ackley?dim=20&shift=3\" --at random --seed 7 --json",
        "vbo tasks show lunar-lander --seed 3 -o landing.svg"},
       "A task can replace the program of a study: task = \"hartmann6\" in its [evaluate] table. "
       "Options follow its name: \"ackley?dim=20&shift=3\", in quotes because of the shell.",
       R"([{"name", "summary", "goal", "source", "noise", "optimum", "proven", "built", "options": [{"name", "default", "range", "summary"}, ...]}, ...])",
       define_tasks},
      {"bench",
       "Compare methods on tasks",
       {"vbo bench run --task branin --method random --rounds 5 --out results"},
       "",
       "",
       define_bench},
      {"mi",
       "Estimate the mutual information between columns of a table",
       {"vbo mi --samples data.csv --x temperature,pressure --y yield",
        "vbo mi --samples data.csv --x dose --y response --estimator smile --json"},
       "How much X tells about Y, in nats: 0 for independent columns, whatever the shape of the "
       "dependence. A critic is trained on all folds but one and evaluated on the one it has not "
       "seen. Columns of text, and numbers with few different values, are treated as categories.",
       R"({"mi", "low", "high", "ceiling" (null: none), "estimator", "samples", "folds": [...], "raw", "gaussian", "x", "y"})",
       define_mi},
      {"completion",
       "Print the completion script of a shell",
       {"vbo completion bash > ~/.local/share/bash-completion/completions/vbo",
        "vbo completion zsh > ~/.zfunc/_vbo",
        "vbo completion fish > ~/.config/fish/completions/vbo.fish"},
       "For zsh the folder has to be in fpath before compinit.",
       "",
       define_completion},
      {"man", "Print the manual page", {"vbo man > vbo.1"}, "", "", define_man, true},
      {"reference",
       "Print docs/reference/command-line.md",
       {"vbo reference > docs/reference/command-line.md"},
       "",
       "",
       define_reference,
       true},
  };
  return all;
}

}  // namespace vbo::cli
