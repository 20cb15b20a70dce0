// SPDX-License-Identifier: MIT
// The cards made of words and tables: the answer, one trial and why, failures, metrics, the best results.
import { formatCount, formatDuration, formatNumber, plural } from "./format.js";
import { element, tableOf } from "./dom.js";
import { COMPLETED, FAILED, STATE_NAMES, neighboursOf } from "./study.js";
import { filterText } from "./parallel.js";
import { historyLines, pointText } from "./history.js";

export function makeCard(id, title, hint, wide = false) {
  const body = element("div", { class: "body" });
  const section = element("section", { class: wide ? "card wide" : "card", id, "aria-labelledby": `${id}-title` },
    element("header", {}, element("h2", { id: `${id}-title` }, title)), element("p", { class: "hint" }, hint), body);
  return { section, body };
}

function parameterCell(study, params, name) {
  const value = params[name];
  return typeof value === "number" ? String(Number(value.toPrecision(7))) : String(value ?? "–");
}

// A small bar that shows where in the bounds a range lies.
function rangeBar(parameter, range) {
  if (parameter.type === "categorical") return element("span", {}, range.join(", "));
  const log = (v) => (parameter.log ? Math.log(v) : v);
  const span = log(parameter.high) - log(parameter.low) || 1;
  const from = 100 * (log(range[0]) - log(parameter.low)) / span, to = 100 * (log(range[1]) - log(parameter.low)) / span;
  const bar = element("span", { class: "range", "aria-hidden": "true" }, element("i"));
  bar.firstChild.style.left = `${from}%`;
  bar.firstChild.style.width = `${Math.max(2, to - from)}%`;
  return element("span", { class: "range-cell" }, bar, `${formatNumber(range[0], 4)} to ${formatNumber(range[1], 4)}`);
}

export class AnswerView {
  constructor(parent, study, selection) {
    Object.assign(this, { study, selection });
    const { section, body } = makeCard("answer", "Answer", "The best result, under noise the point to use by its estimate, and the neighbourhood that is as good: where it is wide, the parameter hardly matters.");
    this.section = section;
    this.body = body;
    parent.append(section);
  }

  redraw() {
    const { study } = this;
    const { best, luckiest, recommendation, noise, as_good: asGood } = study.status;
    if (!best) {
      const [most] = study.status.failures;
      this.body.replaceChildren(...(most && study.status.completed === 0 ? failureHeadline(study, most) : [element("p", {}, "Nothing has succeeded yet.")]));
      return;
    }
    const head = ["parameter", "best", ...(asGood ? ["as good"] : [])];
    const rows = study.space.map((parameter) => element("tr", {},
      element("th", { scope: "row" }, parameter.name),
      element("td", { class: "number" }, parameterCell(study, best.params, parameter.name)),
      asGood ? element("td", {}, rangeBar(parameter, asGood.ranges[parameter.name])) : null));
    const open = (id, text) => element("button", { type: "button", class: "link", on: { click: () => this.selection.setFocus(study.byId.get(id) ?? -1) } }, text);
    this.body.replaceChildren(
      study.isFeasible(study.byId.get(best.id) ?? study.best) ? "" : element("p", {}, "No result is within all limits yet; this one is the least outside."),
      element("p", { class: "lead" }, recommendation ? "Best by its estimate " : "Best ",
        element("strong", {}, formatNumber(recommendation?.mean ?? best.value, recommendation ? 6 : 8)), ", ", open(best.id, `trial ${best.id}`), "."),
      recommendation ? element("p", {}, estimateText(recommendation, noise)) : "",
      luckiest ? element("p", { class: "note" }, "The best single result is ", formatNumber(luckiest.value, 6), ", of ", open(luckiest.id, `trial ${luckiest.id}`), ".") : "",
      noise?.verdict === "none" ? element("p", { class: "note" }, "No noise detected.") : "",
      element("div", { class: "scroll" }, tableOf(head, rows)),
      asGood ? element("p", { class: "note" }, `As good: ${plural(asGood.count, "result")} at ${study.minimize ? "most" : "least"} ${formatNumber(asGood.threshold, 5)}, ${asGood.reason}.`) : "");
  }
}

// When every evaluation fails: the most frequent reason, and what the program said last.
function failureHeadline(study, most) {
  return [element("p", { class: "lead" }, element("strong", {}, "Every evaluation fails"), `: ${formatCount(most.count)} of ${formatCount(study.status.failed)} with “${most.message}”.`),
    most.last_line ? element("pre", { tabindex: "0" }, most.last_line) : "",
    element("p", { class: "note" }, "To evaluate one point and see its output: vbo check STUDY.toml. After the repair: vbo retry STUDY.toml --failed.")];
}

function estimateText({ mean, low, high, chance, observed, evaluations }, noise) {
  const times = evaluations > 1 ? ` in ${evaluations} evaluations` : "";
  const percent = (share) => share > 0 && share < 0.01 ? "less than 1%" : `${Math.round(100 * share)}%`;
  return `Estimated ${formatNumber(mean, 6)}, 90% interval ${formatNumber(low, 6)} to ${formatNumber(high, 6)}; ` +
    `${percent(chance)} likely the best of those tried. Observed ${formatNumber(observed, 6)}${times}; the noise of one result is ` +
    `${formatNumber(noise.deviation, 3)}, ${percent(noise.share)} of the variance around here.`;
}

// The numbers behind a suggestion, without those that have no effect.
export function termsOf(study, row) {
  return study.terms.map((term, t) => ({ ...term, value: study.columns[`t${t}`]?.[row] })).filter(({ value }) => value !== undefined && !Number.isNaN(value) && value !== 0);
}

// The sentences of vbo explain; where a page of many trials has none, what there is.
export function whyText(study, row, exact) {
  const known = exact?.why ?? study.sentences[study.columns.id[row]];
  if (known) return known;
  return `Suggested by source “${study.sourceName(row)}”. vbo explain ${study.columns.id[row]} has more; with so many trials this page explains the best, the latest and a sample of the others.`;
}

function termRow(term, name, kind = "") {
  return element("tr", { class: kind, title: term.meaning ?? null }, element("th", { scope: "row" }, name),
    element("td", { class: "number" }, `${formatNumber(term.value, 4)}${term.unit && term.unit !== "number" ? ` ${term.unit}` : ""}`));
}

function outcomeText(study, row, exact) {
  if (study.several) {
    const gap = study.gap[row];
    const standing = !study.isFeasible(row) ? "" : gap === 0 ? "; on the front" : `; behind the front by ${formatNumber(100 * gap, 2)} % of its range`;
    return `${study.valueText(row, 7)}${standing}`;
  }
  return `value ${exact?.value ?? String(study.columns.value[row])}, rank ${Math.round(study.rank[row] * Math.max(1, study.byRank.length - 1)) + 1} of ${formatCount(study.byRank.length)}`;
}

export class DetailsView {
  constructor(parent, study, selection, fetchTrial) {
    Object.assign(this, { study, selection, fetchTrial });
    const { section, body } = makeCard("trial", "Why this one", "Click a point, a line or a row anywhere: what was tried, why, the outcome, and the nearest results.");
    this.section = section;
    this.body = body;
    this.spoken = element("p", { class: "spoken", role: "status" });  // for screen readers: only when another trial is chosen
    section.append(this.spoken);
    parent.append(section);
    this.extra = new Map();
  }

  redraw() {
    const { study, selection } = this;
    const row = selection.focus;
    if (row < 0 || row >= study.rows) {
      this.body.replaceChildren(element("p", { class: "quiet" }, "No trial is chosen."));
      return;
    }
    const { columns } = study;
    const id = columns.id[row];
    // A result may be replaced: what is known of the trial holds for the one that is seen.
    const key = [id, columns.state[row], ...study.outcomes().map((outcome) => columns[outcome.key][row]), ...study.metrics.map((_, m) => columns[`m${m}`]?.[row])].join("/");
    if (this.fetchTrial && !this.extra.has(key)) {
      this.extra.set(key, null);
      this.fetchTrial(id).then((trial) => {
        this.extra.set(key, trial);
        if (selection.focus === row) this.redraw();
      }, () => {});
    }
    const exact = this.extra.get(key);
    const state = columns.state[row];
    const outcome = state === COMPLETED ? outcomeText(study, row, exact)
      : state === FAILED ? `failed (${study.causes[columns.cause[row]] ?? "unknown"}): ${study.failureText(row)}` : STATE_NAMES[state];
    const words = `Trial ${id}: ${outcome}.`;
    if (this.spokenOf !== id) this.spoken.textContent = words;
    this.spokenOf = id;
    const facts = [];
    if (state === COMPLETED && !study.isFeasible(row)) facts.push("outside a limit");
    if (state === COMPLETED) facts.push(...study.repeatText(row));
    if (columns.attempts[row] > 1) facts.push(plural(columns.attempts[row], "attempt"));
    if (columns.seconds[row] > 0) facts.push(`took ${formatDuration(columns.seconds[row])}`);
    if (study.workerName(row)) facts.push(`on ${study.workerName(row)}`);
    if (study.thinned > 1 && !exact) facts.push("numbers may be rounded to the precision of the plots");
    if (exact?.suggested) facts.push(`suggested was ${pointText(exact.suggested, exact.params)}`);
    if (columns.evaluation[row] > 0) facts.push(`evaluation ${formatCount(columns.evaluation[row])}`);
    const terms = termsOf(study, row);
    const changes = historyLines(exact?.history ?? study.histories[id] ?? []);
    const output = exact?.stderr || study.outputs[id];
    const parameters = study.space.map((parameter, p) => element("tr", {}, element("th", { scope: "row" }, parameter.name),
      element("td", { class: "number" }, exact ? String(exact.params[parameter.name]) : study.parameterText(p, row))));
    const metrics = study.metrics.map((name, m) => [name, columns[`m${m}`]?.[row]]).filter(([, v]) => v !== undefined && !Number.isNaN(v))
      .map(([name, v]) => element("tr", {}, element("th", { scope: "row" }, name), element("td", { class: "number" }, formatNumber(v, 6))));
    const outcomes = study.outcomes();
    const near = neighboursOf(study, row, 4).map(({ row: other, distance }) => element("tr", { tabindex: "0", class: "click",
      on: { click: () => selection.setFocus(other), keydown: (event) => { if (event.key === "Enter") selection.setFocus(other); } } },
    element("td", {}, `trial ${columns.id[other]}`), element("td", { class: "number" }, outcomes.map(({ key }) => formatNumber(columns[key][other], study.several ? 4 : 5)).join(", ")),
    element("td", { class: "number" }, formatNumber(distance, 2))));
    this.body.replaceChildren(...[
      element("p", { class: "lead" }, element("strong", {}, `Trial ${id}`), `: ${outcome}.`),
      facts.length > 0 ? element("p", { class: "quiet" }, `${facts.join(", ")}.`) : null,
      element("div", { class: "columns" },
        element("div", {}, element("h3", {}, "What"), tableOf(["parameter", "value"], parameters), metrics.length > 0 ? tableOf(["metric", "value"], metrics) : null),
        element("div", {}, element("h3", {}, "Why"), element("p", { class: "why" }, this.fetchTrial && !exact ? "" : whyText(study, row, exact)),
          changes.length > 0 ? element("h3", {}, "Changed afterwards") : null, ...changes.map((line) => element("p", { class: "change" }, line)), this.numbers(terms)),
        element("div", {}, element("h3", {}, "Nearest results"), near.length > 0 ? tableOf(["nearest", outcomes.map(({ name }) => name).join(", "), "distance"], near) : element("p", { class: "quiet" }, "No other result."))),
      output ? element("div", {}, element("h3", {}, "End of its standard error"), element("pre", { tabindex: "0" }, output)) : null,
    ].filter((node) => node !== null));
  }

  // Numbers behind a disclosure that stays as it is from trial to trial.
  numbers(terms) {
    if (terms.length === 0) return null;
    const sum = terms.filter((term) => !term.note);
    const details = element("details", { class: "numbers", on: { toggle: () => { this.numbersOpen = details.open; } } }, element("summary", {}, "The numbers behind it"),
      tableOf(["term", "amount"], [
        ...sum.map((term) => termRow(term, term.name)),
        sum.length > 1 ? element("tr", { class: "sum" }, element("th", { scope: "row" }, "sum"), element("td", { class: "number" }, formatNumber(sum.reduce((all, term) => all + term.value, 0), 4))) : "",
        ...terms.filter((term) => term.note).map((term) => termRow(term, `beside it: ${term.name}`, "quiet")),
      ]));
    details.open = this.numbersOpen ?? false;
    return details;
  }
}

const FAILURE_HEAD = ["count", "cause", "message", "last line of standard error", "examples"];

export class FailuresView {
  constructor(parent, study, selection) {
    Object.assign(this, { study, selection });
    const { section, body } = makeCard("failures", "Failures", "Grouped by cause, most frequent first; the buttons lead to examples with their standard error.", true);
    this.section = section;
    this.body = body;
    parent.append(section);
  }

  redraw() {
    const groups = this.study.status.failures;
    this.section.hidden = groups.length === 0;
    // On a narrow screen cells stand below each other and say themselves which column they are.
    const cell = (column, kind, ...content) => element("td", { class: kind, "data-head": FAILURE_HEAD[column] }, ...content);
    const total = groups.reduce((sum, group) => sum + group.count, 0);
    this.body.replaceChildren(element("div", { class: "scroll" }, tableOf(FAILURE_HEAD, groups.map((group) => element("tr", {},
      cell(0, "number", `${formatCount(group.count)} (${Math.round(100 * group.count / total)} %)`),
      cell(1, null, group.cause), cell(2, "message", group.message), cell(3, "message", group.last_line ?? ""),
      cell(4, null, ...group.examples.map((id) => element("button", { type: "button", class: "small",
        on: { click: () => this.selection.setFocus(this.study.byId.get(id) ?? -1) } }, String(id)))))))));
  }
}

export class MetricsView {
  constructor(parent, study) {
    this.study = study;
    const { section, body } = makeCard("metrics", "Metrics and constraints", "Further measurements, and the conditions that every point has to satisfy. Choose a metric as an axis of “Two at a time” to see it against anything.");
    this.section = section;
    this.body = body;
    parent.append(section);
  }

  redraw() {
    const { study } = this;
    this.section.hidden = study.metrics.length === 0 && study.constraints.length === 0 && study.limits.length === 0;
    const limits = study.limits.map(({ metric, at_most: most, at_least: least }) =>
      [metric, least === undefined ? "" : `at least ${least}`, most === undefined ? "" : `at most ${most}`].filter((text) => text).join(", "));
    const rules = [...study.constraints, ...limits].map((rule) => element("li", {}, element("code", {}, rule)));
    const list = rules.length > 0 ? element("ul", {}, ...rules) : "";
    if (study.metrics.length === 0) {
      this.body.replaceChildren(list);
      return;
    }
    this.body.replaceChildren(list, element("div", { class: "scroll" }, tableOf(["metric", "lowest", "median", "highest", study.several ? "at the knee" : "at the best"], study.metrics.map((name, m) => {
      const column = study.columns[`m${m}`];
      const values = column ? Array.from(study.byRank, (row) => column[row]).filter((v) => !Number.isNaN(v)).sort((a, b) => a - b) : [];
      const cells = [values[0], values[Math.floor(values.length / 2)], values.at(-1), study.best >= 0 ? column?.[study.best] : NaN];
      return element("tr", {}, element("th", { scope: "row" }, name), ...cells.map((v) => element("td", { class: "number" }, formatNumber(v ?? NaN, 5))));
    }))));
  }
}

export class ResultsView {
  constructor(parent, study, selection) {
    Object.assign(this, { study, selection });
    const hint = study.several ? "Of the selected results the front, then the nearest behind it." : "The best of the selected results.";
    const { section, body } = makeCard("results", "Best results", `${hint} Rows can be chosen by mouse or keyboard.`, true);
    this.section = section;
    this.body = body;
    parent.append(section);
  }

  // A table is slow to build: when the hand rests.
  reselect() {
    clearTimeout(this.rest);
    this.rest = setTimeout(() => this.redraw(), 120);
  }

  redraw() {
    const { study, selection } = this;
    const rows = [];
    for (const row of study.byRank) {
      if (selection.has(row)) rows.push(row);
      if (rows.length === 12) break;
    }
    const choose = (row) => () => selection.setFocus(row);
    const held = this.body.contains(document.activeElement) ? document.activeElement.dataset.row : null;
    const outcomes = study.outcomes();
    this.body.replaceChildren(element("div", { class: "scroll" }, tableOf(["trial", ...outcomes.map(({ name }) => name), ...study.space.map((p) => p.name), "source"],
      rows.map((row) => element("tr", { tabindex: "0", class: row === selection.focus ? "click chosen" : "click", "data-row": row,
        on: { click: choose(row), keydown: (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); choose(row)(); } } } },
      element("td", { class: "number" }, String(study.columns.id[row])), ...outcomes.map(({ key }) => element("td", { class: "number" }, formatNumber(study.columns[key][row], 7))),
      ...study.space.map((p, i) => element("td", { class: p.type === "categorical" ? "" : "number" },
        p.type === "categorical" ? study.parameterText(i, row) : formatNumber(study.columns[`p${i}`][row], 5))),
      element("td", {}, study.sourceName(row)))))));
    if (held !== null) this.body.querySelector(`[data-row="${Number(held)}"]`)?.focus({ preventScroll: true });
  }
}

// Filters by keyboard, and what is selected now in words.
export class FilterView {
  constructor(parent, study, selection) {
    Object.assign(this, { study, selection });
    this.words = element("p", { class: "selection", "aria-live": "polite" });
    this.inputs = {};  // by axis
    const axes = [...study.space.map(({ name, type }, axis) => ({ name, type, axis })), ...(study.several ? study.objectives.map(({ name, key }) => ({ name, axis: key })) : [])];
    const rows = axes.map((parameter) => {
      const p = parameter.axis;
      if (parameter.type === "categorical") return null;
      const field = (label) => element("input", { type: "number", step: "any", "aria-label": `${parameter.name} ${label}`, placeholder: label, on: { change: () => this.typed(p) } });
      const pair = [field("from"), field("to")];
      this.inputs[p] = pair;
      return element("div", { class: "filter" }, element("span", {}, parameter.name), ...pair);
    });
    parent.append(element("div", { class: "card wide filters" }, this.words,
      element("details", {}, element("summary", {}, "Filter by numbers"), element("div", { class: "filter-grid" }, ...rows.filter((row) => row !== null)))));
  }

  typed(p) {
    const [from, to] = this.inputs[p].map((input) => (input.value === "" ? null : Number(input.value)));
    if (typeof p === "string") {
      const { study } = this;
      const m = Number(p.slice(1)), { sign } = study.objectives[m], [best, worst] = study.objectiveRange[m];
      const place = (v, otherwise) => (v === null || Number.isNaN(v) ? otherwise : (sign * v - best) / (worst - best));
      const ends = [place(from, sign > 0 ? 0 : 1), place(to, sign > 0 ? 1 : 0)].sort((a, b) => a - b);
      this.selection.setFilter(p, from === null && to === null ? null : ends);
      return;
    }
    const parameter = this.study.space[p];
    const log = (v) => (parameter.log ? Math.log(v) : v);
    const unit = (v, otherwise) => (v === null || Number.isNaN(v) ? otherwise : (log(v) - log(parameter.low)) / (log(parameter.high) - log(parameter.low)));
    this.selection.setFilter(p, from === null && to === null ? null : [unit(from, 0), unit(to, 1)]);
  }

  reselect() { this.redraw(); }

  redraw() {
    const { selection, study } = this;
    if (selection.filters.size === 0) {
      const all = "All trials are selected. Drag along an axis or in a plot to select some.";
      if (this.words.textContent !== all) this.words.replaceChildren(all);
      return;
    }
    this.words.replaceChildren(`${plural(selection.count, "trial")} of ${formatCount(study.rows)}: ${[...selection.filters].map(([axis, range]) => filterText(study, axis, range)).join("; ")}. `,
      element("button", { type: "button", class: "small", id: "clear-selection", on: { click: () => selection.clear() } }, "Select all"));
  }
}
