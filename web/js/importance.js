// SPDX-License-Identifier: MIT
// Importance in nats with intervals, and pairs that matter only together.
import { csvLine, formatNumber } from "./format.js";
import { seriesColor } from "./colors.js";
import { element } from "./dom.js";
import { Surface, axisLabel, groupOf } from "./surface.js";

const ROW = 24, BAR = 9;  // of one row, and of a bar where several objectives share a row
const ALL = "all";

// Rows to draw: parameters from the strongest, then the pairs whose excess is surely above zero.
export function importanceRows(importance, mostPairs = 5) {
  if (!importance) return [];
  const single = [...importance.parameters].sort((a, b) => b.nats - a.nats)
    .map((entry) => ({ name: entry.parameter, nats: entry.nats, low: entry.low, high: entry.high, pair: false }));
  const pairs = importance.pairs.filter((pair) => pair.low > 0).slice(0, mostPairs)
    .map((pair) => ({ name: `${pair.first} × ${pair.second}`, nats: pair.nats, low: pair.low, high: pair.high, pair: true, of: [pair.first, pair.second] }));
  return [...single, ...pairs];
}

// Rows with a bar per objective, the parameter that tells most about any of them first.
export function sharedRows(importances) {
  const rows = new Map();
  importances.forEach((importance, m) => {
    for (const { parameter, nats } of importance.parameters) {
      if (!rows.has(parameter)) rows.set(parameter, { name: parameter, amounts: importances.map(() => 0), pair: false });
      rows.get(parameter).amounts[m] = nats;
    }
  });
  return [...rows.values()].map((row) => ({ ...row, nats: Math.max(...row.amounts) })).sort((a, b) => b.nats - a.nats);
}

// Where it comes from, or why there is no or little evidence: of several objectives in one sentence where it holds for
// all, else of each that it holds for.
export function importanceNote(importances, names) {
  const [first] = importances;
  if (!first) return "Being computed.";
  const sentence = (text) => `${text[0].toUpperCase()}${text.slice(1)}.`;
  if (first.remark && importances.every(({ remark }) => remark === first.remark)) return sentence(first.remark);
  const known = importances.find(({ remark }) => !remark);
  const from = known ? [`From ${known.used} of ${known.results} results, most of them in the region that the search sampled.`] : [];
  return [...from, ...importances.flatMap(({ remark }, m) => (remark ? [`About ${names[m]}: ${remark}.`] : []))].join(" ");
}

export class ImportanceView extends Surface {
  constructor(parent, study, onPair) {
    const choice = element("select", { "aria-label": "Objective", on: { change: () => this.redraw() } },
      element("option", { value: ALL }, "all objectives"), ...study.objectives.map(({ name }, m) => element("option", { value: String(m) }, name)));
    super(parent, {
      id: "importance", title: "What matters", study, margin: { top: 8, right: 24, bottom: study.several ? 60 : 38, left: 130 },
      height: () => Math.max(120, this.rowsNow().length * this.rowHeight() + (study.several ? 70 : 48)), tools: study.several ? [choice] : [],
      hint: "How much each parameter tells about the rank of the outcome, in nats (0 = nothing), with 95 % intervals. Pairs (×) tell more together than each alone; click one to see it.",
      csv: () => this.csv(),
    });
    this.study = study;
    this.onPair = onPair;
    this.choice = choice;
  }

  shared() { return this.study.several && this.choice.value === ALL; }
  // Of the objective that is chosen; null while there is none.
  chosen() { return this.study.several ? this.study.importance?.objectives[this.shared() ? 0 : Number(this.choice.value)] ?? null : this.study.importance; }
  rowHeight() { return this.shared() ? Math.max(ROW, this.study.objectives.length * BAR + 8) : ROW; }
  rowsNow() { return this.shared() ? sharedRows(this.study.importance?.objectives ?? []) : importanceRows(this.chosen()); }

  reselect() {}

  layout() {
    this.rows = this.rowsNow();
    const most = Math.max(0.1, ...this.rows.map((row) => row.high ?? row.nats));
    this.x = globalThis.d3.scaleLinear().domain([0, most]).range([this.margin.left, this.margin.left + this.innerWidth]).nice(4);
  }

  overlay(svg) {
    const d3 = globalThis.d3;
    const { colors } = this;
    const tall = this.rowHeight();
    const y = (i) => this.margin.top + i * tall;
    const groups = groupOf(svg, "bars").selectAll("g.bar").data(this.rows, (d) => d.name)
      .join((enter) => enter.append("g").attr("class", "bar"));
    groups.attr("transform", (d, i) => `translate(0,${y(i)})`).attr("cursor", (d) => (d.pair ? "pointer" : null))
      .on("click", (d) => { if (d.pair) this.onPair(d.of); });
    const part = (tag, name) => groups.selectAll(`${tag}.${name}`).data((d) => [d]).join(tag).attr("class", name);
    const room = Math.floor((this.margin.left - 12) / 6.8);
    part("text", "name").attr("x", this.margin.left - 8).attr("y", tall / 2).attr("dy", "0.32em").attr("text-anchor", "end")
      .attr("fill", "currentColor").text((d) => (d.name.length > room ? `${d.name.slice(0, room - 1)}…` : d.name))
      .selectAll("title").data((d) => [d.name]).join("title").text((d) => d);
    const shared = this.shared();
    const barsOf = (d) => (d.amounts ?? [d.nats]).map((nats, m) => ({ nats, color: shared ? seriesColor(m) : d.pair ? "#d9822b" : colors.accent, m }));
    groups.selectAll("rect.amount").data(barsOf).join("rect").attr("class", "amount").attr("x", this.margin.left).attr("rx", 2)
      .attr("y", (d) => (shared ? 4 + d.m * BAR : 5)).attr("height", shared ? BAR - 2 : ROW - 10)
      .attr("width", (d) => Math.max(0, this.x(d.nats) - this.margin.left)).attr("fill", (d) => d.color).attr("fill-opacity", 0.75);
    groups.selectAll("path.interval").data((d) => (shared ? [] : [d])).join("path").attr("class", "interval").attr("fill", "none").attr("stroke", "currentColor").attr("stroke-width", 1.3)
      .attr("d", (d) => `M${this.x(Math.max(0, d.low))},${ROW / 2 - 4}v8m0,-4H${this.x(d.high)}m0,-4v8`);
    this.drawKeys(svg, shared);
    groupOf(svg, "x-axis", `translate(0,${this.margin.top + this.innerHeight})`).call(d3.axisBottom(this.x).ticks(5));
    axisLabel(svg, "x-title", "nats", this.margin.left + this.innerWidth / 2, this.height - 6);
    const importance = this.chosen();
    const noted = shared ? this.study.importance?.objectives ?? [] : importance ? [importance] : [];
    this.note.textContent = importanceNote(noted, this.study.objectives.map(({ name }) => name));
  }

  // Which colour is which objective, in one line under the axis' numbers.
  drawKeys(svg, shared) {
    const keys = groupOf(svg, "keys").selectAll("g.key").data(shared ? this.study.objectives : []).join((enter) => enter.append("g").attr("class", "key"));
    const wide = this.innerWidth / this.study.objectives.length;
    keys.attr("transform", (d, m) => `translate(${this.margin.left + m * wide},${this.height - 34})`);
    keys.selectAll("rect").data((d, m) => [m]).join("rect").attr("width", 10).attr("height", 10).attr("rx", 2).attr("fill", (m) => seriesColor(m)).attr("fill-opacity", 0.75);
    const room = Math.max(2, Math.floor((wide - 18) / 7));
    const texts = keys.selectAll("text").data((d) => [d.name]).join("text").attr("x", 14).attr("y", 9).attr("fill", "currentColor")
      .text((name) => (name.length > room ? `${name.slice(0, room - 1)}…` : name));
    texts.selectAll("title").data((name) => [name]).join("title").text((name) => name);
  }

  describe() {
    if (!this.rows || this.rows.length === 0) return "Importance: nothing can be said yet.";
    return `Importance in nats: ${this.rows.slice(0, 6).map((row) => `${row.name} ${formatNumber(row.nats, 2)}`).join(", ")}.`;
  }

  csv() {
    const { several, importance, objectives } = this.study;
    let text = csvLine([...(several ? ["objective"] : []), "parameter", "with", "nats", "low", "high"]);
    if (!importance) return text;
    const all = several ? importance.objectives : [importance];
    all.forEach(({ parameters, pairs }, m) => {
      const name = several ? [objectives[m].name] : [];
      for (const entry of parameters) text += csvLine([...name, entry.parameter, "", entry.nats, entry.low, entry.high]);
      for (const pair of pairs) text += csvLine([...name, pair.first, pair.second, pair.nats, pair.low, pair.high]);
    });
    return text;
  }
}
