// SPDX-License-Identifier: MIT
// Expected and observed nats per round with their ceiling; which source gave suggestions and improvements.
import { csvLine, formatNumber, plural } from "./format.js";
import { seriesColor } from "./colors.js";
import { Surface, axisLabel, groupOf, wholeTicks } from "./surface.js";

const ROUND_SERIES = [
  { key: "predicted", name: "predicted", dash: [] },
  { key: "observed", name: "observed", dash: [] },
  { key: "ceiling", name: "ceiling", dash: [4, 4] },
];

export function hasInformation(study) { return study.status.rounds.some((round) => typeof round.predicted === "number"); }

export class InformationView extends Surface {
  constructor(parent, study) {
    super(parent, {
      id: "information", title: "Information", study, height: 280, margin: { top: 30, right: 16, bottom: 38, left: 58 },
      hint: "Predicted and observed information of each round, in nats. When the prediction stays low, more rounds will add little.",
      csv: () => this.csv(),
    });
    this.study = study;
  }

  reselect() {}

  layout() {
    const { rounds } = this.study.status;
    this.series = ROUND_SERIES.map((series, index) => ({
      ...series, color: [this.colors.accent, seriesColor(1), this.colors.quiet][index],
      points: rounds.filter((round) => typeof round[series.key] === "number").map((round) => [round.round, round[series.key]]),
    })).filter((series) => series.points.length > 0);
    const all = this.series.flatMap((series) => series.points);
    const ys = all.map((point) => point[1]);
    const d3 = globalThis.d3;
    this.x = d3.scaleLinear().domain([Math.min(1, ...all.map((p) => p[0])), Math.max(2, ...all.map((p) => p[0]))])
      .range([this.margin.left, this.margin.left + this.innerWidth]);
    this.y = d3.scaleLinear().domain([Math.min(0, ...ys), Math.max(0.1, ...ys)])
      .range([this.margin.top + this.innerHeight, this.margin.top]).nice(5);
  }

  overlay(svg) {
    const d3 = globalThis.d3;
    groupOf(svg, "x-axis", `translate(0,${this.margin.top + this.innerHeight})`).call(d3.axisBottom(this.x).tickValues(wholeTicks(this.x, Math.max(2, this.width / 120))).tickFormat(d3.format("d")));
    groupOf(svg, "y-axis", `translate(${this.margin.left},0)`).call(d3.axisLeft(this.y).ticks(5));
    axisLabel(svg, "x-title", "round", this.margin.left + this.innerWidth / 2, this.height - 6);
    axisLabel(svg, "y-title", "nats", 13, this.margin.top + this.innerHeight / 2, true);
    const legend = groupOf(svg, "legend", `translate(${this.margin.left},14)`);  // above the curves, never over them
    const items = legend.selectAll("g.key").data(this.series).join((enter) => enter.append("g").attr("class", "key"));
    items.attr("transform", (d, i) => `translate(${i * Math.min(92, (this.innerWidth + 10) / 3)},0)`);
    items.selectAll("line").data((d) => [d]).join("line").attr("x2", 18).attr("stroke", (d) => d.color).attr("stroke-width", 2)
      .attr("stroke-dasharray", (d) => d.dash.join(" ") || null);
    items.selectAll("text").data((d) => [d]).join("text").attr("x", 24).attr("dy", "0.35em").attr("fill", "currentColor").text((d) => d.name);
  }

  paint(context) {
    for (const { points, color, dash } of this.series) {
      context.strokeStyle = color;
      context.lineWidth = 2;
      context.setLineDash(dash);
      context.beginPath();
      points.forEach(([round, nats], i) => (i === 0 ? context.moveTo(this.x(round), this.y(nats)) : context.lineTo(this.x(round), this.y(nats))));
      context.stroke();
    }
    context.setLineDash([]);
  }

  describe() {
    const last = this.series?.[0]?.points.at(-1);
    return last ? `Information per round: ${formatNumber(last[1], 3)} nats predicted in round ${last[0]}.` : "No information is reported.";
  }

  csv() {
    let text = csvLine(["round", "predicted", "observed", "ceiling"]);
    for (const round of this.study.status.rounds) text += csvLine([round.round, round.predicted, round.observed, round.ceiling]);
    return text;
  }
}

export class SourcesView extends Surface {
  constructor(parent, study) {
    super(parent, {
      id: "sources", title: "Where suggestions come from", study, margin: { top: 22, right: 16, bottom: 8, left: 120 },
      height: () => Math.max(80, study.status.sources.length * 34 + 32),
      hint: "Share of the suggestions (pale) and of the improvements (strong) of each source. A source with many suggestions and no improvements is exploration without success so far.",
      csv: () => this.csv(),
    });
    this.study = study;
  }

  reselect() {}

  layout() {
    const { sources } = this.study.status;
    const suggested = sources.reduce((sum, s) => sum + s.suggested, 0) || 1;
    const improved = sources.reduce((sum, s) => sum + s.improvements, 0) || 1;
    this.rows = sources.map((s, index) => ({ ...s, share: s.suggested / suggested, gain: s.improvements / improved, color: seriesColor(index), label: s.name || "unknown" }));
    const most = Math.max(0.01, ...this.rows.flatMap((row) => [row.share, row.gain]));
    this.x = globalThis.d3.scaleLinear().domain([0, most]).range([0, Math.max(10, this.innerWidth - 90)]);
  }

  overlay(svg) {
    const groups = groupOf(svg, "rows").selectAll("g.row").data(this.rows, (d) => d.name).join((enter) => enter.append("g").attr("class", "row"));
    groups.attr("transform", (d, i) => `translate(${this.margin.left},${this.margin.top + i * 34})`);
    const part = (tag, name) => groups.selectAll(`${tag}.${name}`).data((d) => [d]).join(tag).attr("class", name);
    const room = Math.floor((this.margin.left - 12) / 6.8);
    part("text", "name").attr("x", -8).attr("y", 12).attr("text-anchor", "end").attr("dy", "0.32em").attr("fill", "currentColor")
      .text((d) => (d.label.length > room ? `${d.label.slice(0, room - 1)}…` : d.label));
    part("rect", "share").attr("height", 11).attr("rx", 2).attr("width", (d) => this.x(d.share)).attr("fill", (d) => d.color).attr("fill-opacity", 0.35);
    part("rect", "gain").attr("y", 12).attr("height", 11).attr("rx", 2).attr("width", (d) => this.x(d.gain)).attr("fill", (d) => d.color);
    part("text", "count").attr("x", (d) => this.x(d.share) + 6).attr("y", 6).attr("dy", "0.32em").attr("class", "count tick").attr("fill", "currentColor")
      .text((d) => plural(d.suggested, "suggestion"));
    groups.selectAll("text.better").data((d) => [d]).join("text").attr("class", "better tick").attr("x", (d) => this.x(d.gain) + 6).attr("y", 18)
      .attr("dy", "0.32em").attr("fill", "currentColor").text((d) => plural(d.improvements, "improvement"));
  }

  describe() {
    return `Sources: ${this.rows.map((row) => `${row.label} ${row.suggested} suggestions, ${row.improvements} improvements`).join("; ")}.`;
  }

  csv() {
    let text = csvLine(["source", "suggested", "completed", "failed", "improvements", "best"]);
    for (const s of this.study.status.sources) text += csvLine([s.name, s.suggested, s.completed, s.failed, s.improvements, s.best]);
    return text;
  }
}
