// SPDX-License-Identifier: MIT
// Best so far and every result over evaluations, with rounds and failures.
import { csvLine, formatCount, formatDuration, formatNumber, plural } from "./format.js";
import { rankColors } from "./colors.js";
import { element } from "./dom.js";
import { robustRange } from "./front-order.js";
import { Surface, axisLabel, groupOf, valueTicks } from "./surface.js";
import { nearestPoint, paintFocus, paintPoints, pixelsOf } from "./points.js";
import { COMPLETED, FAILED, STATE_NAMES } from "./study.js";

// Whether a logarithmic axis shows more: all positive, and the good half spans more than two decades.
export function logHelps(sortedFromBest) {
  const n = sortedFromBest.length;
  if (n < 3) return false;
  const a = sortedFromBest[0], b = sortedFromBest[Math.floor(n / 2)];
  return a > 0 && b > 0 && sortedFromBest[n - 1] > 0 && Math.max(a, b) / Math.min(a, b) > 100;
}

// Values from best to worst; of results within all limits, when there are any.
export function valuesFromBest(study) {
  const within = study.limits.length > 0 ? study.byRank.filter((row) => study.isFeasible(row)) : study.byRank;
  const values = Float64Array.from(within.length > 0 ? within : study.byRank, (row) => study.columns.value[row]);
  values.sort();
  return Array.from(study.minimize ? values : values.reverse());
}

const MOST_MARKS = 4000;

// What the marks on the plot mean, as far as there are any.
export function markWords(study) {
  const { state, cause } = study.columns;
  const infeasible = study.causes.indexOf("infeasible");
  let failed = 0, senseless = 0;
  for (const row of study.byEvaluation) {
    if (state[row] !== FAILED) continue;
    if (cause[row] === infeasible) ++senseless;
    else ++failed;
  }
  const outside = study.limits.length > 0 ? study.byRank.reduce((sum, row) => sum + (study.isFeasible(row) ? 0 : 1), 0) : 0;
  return [outside > 0 ? `Crosses: ${plural(outside, "result")} outside a limit.` : "",
    failed > 0 ? `Red ticks at the bottom: ${plural(failed, "failure")}.` : "",
    senseless > 0 ? `Amber ticks: ${plural(senseless, "infeasible input")}.` : ""].filter((text) => text).join(" ");
}

export class Progress extends Surface {
  // `more` replaces options of the card.
  constructor(parent, study, selection, more = {}) {
    const scale = element("select", { "aria-label": "Scale of values", on: { change: () => this.redraw() } },
      ...["auto", "linear", "log"].map((name) => element("option", { value: name }, name === "auto" ? "scale: auto" : name)));
    super(parent, {
      id: "progress", title: "Progress", study, wide: true, height: (width) => Math.min(420, Math.max(240, width * 0.36)),
      hint: "The line is the best single result so far: look for long flat stretches at the end, and for results that stay as widely spread as at the beginning.",
      tools: [scale], csv: () => this.csv(), ...more,
    });
    this.study = study;
    this.selection = selection;
    this.scaleChoice = scale;
    this.plot.addEventListener("click", (event) => this.pick(event));
  }

  layout() {
    const { study } = this;
    const sorted = valuesFromBest(study);
    const allPositive = sorted.length > 0 && study.byRank.every((row) => study.columns.value[row] > 0);
    const choice = this.scaleChoice.value;
    this.logarithmic = allPositive && (choice === "log" || (choice === "auto" && logHelps(sorted)));
    const [best, far] = this.logarithmic ? [sorted[0], sorted[sorted.length - 1]] : robustRange(sorted);
    const d3 = globalThis.d3;
    const domain = best < far ? [best, far] : [far, best];
    this.y = (this.logarithmic ? d3.scaleLog() : d3.scaleLinear()).domain(domain)
      .range([this.margin.top + this.innerHeight, this.margin.top]).nice(5);
    this.y.clamp(true);
    this.valueTicks = valueTicks(this.y, 6);
    this.margin.left = Math.max(56, this.valueTicks.margin);
    this.x = this.evaluationScale();
    const { evaluation, value } = study.columns;
    this.pixels = pixelsOf(study.byRank, (row) => this.x(evaluation[row]), (row) => this.y(value[row]));
    const [low, high] = this.y.domain();
    this.beyond = study.byRank.reduce((sum, row) => sum + (value[row] < low || value[row] > high ? 1 : 0), 0);
  }

  // As far as the budget goes, where that is near.
  evaluationScale() {
    const last = Math.max(this.study.byEvaluation.length, 1);
    const { budget } = this.study.status;
    return globalThis.d3.scaleLinear().domain([0, budget > 0 && budget < 3 * last ? Math.max(budget, last) : last * 1.02])
      .range([this.margin.left, this.margin.left + this.innerWidth]);
  }

  words() { return markWords(this.study); }

  overlay(svg) {
    const d3 = globalThis.d3;
    const bottom = this.margin.top + this.innerHeight;
    groupOf(svg, "x-axis", `translate(0,${bottom})`).call(d3.axisBottom(this.x).ticks(Math.max(3, this.width / 110)));
    groupOf(svg, "y-axis", `translate(${this.margin.left},0)`).call(d3.axisLeft(this.y).ticks(6).tickFormat(this.valueTicks.format));
    axisLabel(svg, "x-title", "evaluations", this.margin.left + this.innerWidth / 2, this.height - 6);
    axisLabel(svg, "y-title", `value (${this.study.status.goal})`, 13, this.margin.top + this.innerHeight / 2, true);
    this.note.textContent = [this.beyond > 0 ? `${plural(this.beyond, "result")} beyond the edge, drawn on it.` : "", this.words()].join(" ").trim();
  }

  place(row) { return [this.x(this.study.columns.evaluation[row]), this.y(this.study.columns.value[row])]; }

  paint(context) {
    const { study, colors } = this;
    const bottom = this.margin.top + this.innerHeight;
    this.paintRounds(context, bottom);
    this.paintBudget(context, bottom);
    const x = this.x, y = this.y;
    paintPoints(context, {
      selection: this.selection, rows: study.byRank, pixels: this.pixels, colors, palette: rankColors(colors.dark),
      size: study.byRank.length > 20000 ? 1.6 : study.byRank.length > 2000 ? 2.5 : 5,
    });
    this.paintOutside(context);
    this.paintFailures(context, bottom);
    context.strokeStyle = colors.accent;
    context.lineWidth = 2.2;
    context.beginPath();
    let previous = null;
    for (const [at, best] of study.curve()) {
      if (previous === null) context.moveTo(x(at), y(best));
      else {
        context.lineTo(x(at), y(previous));
        context.lineTo(x(at), y(best));
      }
      previous = best;
    }
    context.stroke();
    const { focus } = this.selection;
    if (focus >= 0 && study.columns.state[focus] === COMPLETED) paintFocus(context, ...this.place(focus), colors);
  }

  paintBudget(context, bottom) {
    const { budget } = this.study.status;
    if (!(budget > 0 && budget <= this.x.domain()[1])) return;
    context.strokeStyle = this.colors.quiet;
    context.lineWidth = 1;
    context.setLineDash([3, 4]);
    context.beginPath();
    context.moveTo(this.x(budget), this.margin.top);
    context.lineTo(this.x(budget), bottom);
    context.stroke();
    context.setLineDash([]);
  }

  // Results outside a limit: crossed out.
  paintOutside(context) {
    const { study } = this;
    if (study.limits.length === 0) return;
    const size = study.byRank.length > 2000 ? 2 : 4;
    const outside = Array.from(study.byRank.keys()).filter((k) => !study.isFeasible(study.byRank[k]));
    const step = Math.ceil(outside.length / MOST_MARKS) || 1;
    context.strokeStyle = this.colors.bad;
    context.lineWidth = 1;
    context.globalAlpha = 0.7;
    context.beginPath();
    for (let i = 0; i < outside.length; i += step) {
      const x = this.pixels.xs[outside[i]], y = this.pixels.ys[outside[i]];
      context.moveTo(x - size, y - size);
      context.lineTo(x + size, y + size);
      context.moveTo(x - size, y + size);
      context.lineTo(x + size, y - size);
    }
    context.stroke();
    context.globalAlpha = 1;
  }

  // At the bottom, inputs that make no sense apart from failures.
  paintFailures(context, bottom) {
    const { columns, causes, byEvaluation } = this.study;
    const infeasible = causes.indexOf("infeasible");
    for (const senseless of [false, true]) {
      context.strokeStyle = senseless ? this.colors.warn : this.colors.bad;
      context.lineWidth = 1;
      context.beginPath();
      for (const row of byEvaluation) {
        if (columns.state[row] !== FAILED || (columns.cause[row] === infeasible) !== senseless) continue;
        context.moveTo(this.x(columns.evaluation[row]), bottom);
        context.lineTo(this.x(columns.evaluation[row]), bottom - 7);
      }
      context.stroke();
    }
  }

  paintRounds(context, bottom) {
    const { rounds } = this.study.status;
    if (rounds.length < 2 || rounds.length > this.innerWidth / 4) return;
    const starts = rounds.map((round) => this.study.columns.evaluation[this.study.byId.get(round.first_trial)] || null);
    context.fillStyle = this.colors.band;
    for (let r = 1; r < rounds.length; r += 2) {
      if (!starts[r]) continue;
      const end = starts[r + 1] ?? this.study.byEvaluation.length + 1;
      context.fillRect(this.x(starts[r] - 0.5), this.margin.top, Math.max(0, this.x(end - 0.5) - this.x(starts[r] - 0.5)),
        bottom - this.margin.top);
    }
  }

  pick(event) {
    const row = nearestPoint(this.study.byRank, (r) => this.place(r)[0], (r) => this.place(r)[1], ...this.placeOf(event));
    if (row >= 0) this.selection.setFocus(row);
  }

  describe() {
    const { status } = this.study;
    const estimated = status.recommendation;
    const best = status.best ? `best ${estimated ? `by its estimate ${formatNumber(estimated.mean, 6)}` : formatNumber(status.best.value, 6)} at trial ${status.best.id}` : "nothing has succeeded yet";
    return `Progress: ${plural(this.study.byEvaluation.length, "evaluation")}, ${best}, ${plural(status.failed, "failure")}. `
      + "Left and right arrow keys step through the results.";
  }

  csv() {
    const { columns } = this.study;
    let text = csvLine(["evaluation", "trial", "state", "within_limits", "value", "best_so_far"]);
    let best = null;
    for (const row of this.study.byEvaluation) {
      const v = columns.value[row];
      if (columns.state[row] === COMPLETED && this.study.isFeasible(row) && (best === null || (this.study.minimize ? v < best : v > best))) best = v;
      text += csvLine([columns.evaluation[row], columns.id[row], STATE_NAMES[columns.state[row]],
        columns.state[row] === COMPLETED ? Number(this.study.isFeasible(row)) : "", v, best]);
    }
    return text;
  }
}

// What is left, at which rate, until when.
export function paceText(status, now = Date.now() / 1000) {
  const done = status.completed + status.failed;
  const left = Math.max(0, status.budget - done);
  if (left === 0) return "The budget is spent.";
  const { seconds_per_result: each, seconds_left: rest, last_finished: last } = status.pace;
  const much = `${formatCount(left)} of ${formatCount(status.budget)} left`;
  if (!(each > 0)) return `${much}.`;
  const rate = each < 1 ? `${formatNumber(1 / each, 2)} results a second` : `one result every ${formatDuration(each)}`;
  if (now - last > 20 * each + 60) return `${much}; the last result came ${formatDuration(now - last)} ago.`;
  const end = new Date((last + rest) * 1000);
  return `${much}, ${rate}: about ${formatDuration(rest)} more, until ${end.toLocaleString([], { dateStyle: "medium", timeStyle: "short" })}.`;
}
