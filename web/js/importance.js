// SPDX-License-Identifier: MIT
// Importance in nats with intervals, and pairs that matter only together.
import { csvLine, formatNumber } from "./format.js";
import { Surface, axisLabel, groupOf } from "./surface.js";

const ROW = 24;

// Rows to draw: parameters from the strongest, then the pairs whose excess is surely above zero.
export function importanceRows(importance, mostPairs = 5) {
  if (!importance) return [];
  const single = [...importance.parameters].sort((a, b) => b.nats - a.nats)
    .map((entry) => ({ name: entry.parameter, nats: entry.nats, low: entry.low, high: entry.high, pair: false }));
  const pairs = importance.pairs.filter((pair) => pair.low > 0).slice(0, mostPairs)
    .map((pair) => ({ name: `${pair.first} × ${pair.second}`, nats: pair.nats, low: pair.low, high: pair.high, pair: true, of: [pair.first, pair.second] }));
  return [...single, ...pairs];
}

export class ImportanceView extends Surface {
  constructor(parent, study, onPair) {
    super(parent, {
      id: "importance", title: "What matters", study, margin: { top: 8, right: 24, bottom: 38, left: 130 },
      height: () => Math.max(120, importanceRows(study.importance).length * ROW + 48),
      hint: "How much each parameter tells about the rank of the outcome, in nats (0 = nothing), with 95 % intervals. Pairs (×) tell more together than each alone; click one to see it.",
      csv: () => this.csv(),
    });
    this.study = study;
    this.onPair = onPair;
  }

  reselect() {}

  layout() {
    this.rows = importanceRows(this.study.importance);
    const most = Math.max(0.1, ...this.rows.map((row) => row.high));
    this.x = globalThis.d3.scaleLinear().domain([0, most]).range([this.margin.left, this.margin.left + this.innerWidth]).nice(4);
  }

  overlay(svg) {
    const d3 = globalThis.d3;
    const { colors } = this;
    const y = (i) => this.margin.top + i * ROW;
    const groups = groupOf(svg, "bars").selectAll("g.bar").data(this.rows, (d) => d.name)
      .join((enter) => enter.append("g").attr("class", "bar"));
    groups.attr("transform", (d, i) => `translate(0,${y(i)})`).attr("cursor", (d) => (d.pair ? "pointer" : null))
      .on("click", (d) => { if (d.pair) this.onPair(d.of); });
    const part = (tag, name) => groups.selectAll(`${tag}.${name}`).data((d) => [d]).join(tag).attr("class", name);
    const room = Math.floor((this.margin.left - 12) / 6.8);
    part("text", "name").attr("x", this.margin.left - 8).attr("y", ROW / 2).attr("dy", "0.32em").attr("text-anchor", "end")
      .attr("fill", "currentColor").text((d) => (d.name.length > room ? `${d.name.slice(0, room - 1)}…` : d.name))
      .selectAll("title").data((d) => [d.name]).join("title").text((d) => d);
    part("rect", "amount").attr("x", this.margin.left).attr("y", 5).attr("height", ROW - 10).attr("rx", 2)
      .attr("width", (d) => Math.max(0, this.x(d.nats) - this.margin.left))
      .attr("fill", (d) => (d.pair ? "#d9822b" : colors.accent)).attr("fill-opacity", 0.75);
    part("path", "interval").attr("fill", "none").attr("stroke", "currentColor").attr("stroke-width", 1.3)
      .attr("d", (d) => `M${this.x(Math.max(0, d.low))},${ROW / 2 - 4}v8m0,-4H${this.x(d.high)}m0,-4v8`);
    groupOf(svg, "x-axis", `translate(0,${this.margin.top + this.innerHeight})`).call(d3.axisBottom(this.x).ticks(5));
    axisLabel(svg, "x-title", "nats", this.margin.left + this.innerWidth / 2, this.height - 6);
    const { importance } = this.study;
    if (!importance) this.note.textContent = "Being computed.";
    else if (importance.remark) this.note.textContent = `${importance.remark[0].toUpperCase()}${importance.remark.slice(1)}.`;
    else this.note.textContent = `From ${importance.used} of ${importance.results} results, which lie where the search looked.`;
  }

  describe() {
    if (!this.rows || this.rows.length === 0) return "Importance: nothing can be said yet.";
    return `Importance in nats: ${this.rows.slice(0, 6).map((row) => `${row.name} ${formatNumber(row.nats, 2)}`).join(", ")}.`;
  }

  csv() {
    let text = csvLine(["parameter", "with", "nats", "low", "high"]);
    const { importance } = this.study;
    if (!importance) return text;
    for (const entry of importance.parameters) text += csvLine([entry.parameter, "", entry.nats, entry.low, entry.high]);
    for (const pair of importance.pairs) text += csvLine([pair.first, pair.second, pair.nats, pair.low, pair.high]);
    return text;
  }
}
