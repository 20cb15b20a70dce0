// SPDX-License-Identifier: MIT
// Several studies against each other: best so far over evaluations.
import { csvLine, formatCount, formatNumber } from "./format.js";
import { element, tableOf } from "./dom.js";
import { seriesColor } from "./colors.js";
import { Surface, axisLabel, groupOf, valueTicks } from "./surface.js";

// One column per study: what it came to, and where.
export function answersOf(studies) {
  const cell = (value) => (typeof value === "number" ? formatNumber(value, 6) : String(value ?? "–"));
  const rows = [
    [studies[0].several ? "hypervolume" : "best", ...studies.map((study) => cell(Number.isNaN(study.reached) ? null : study.reached))],
    ["state", ...studies.map(({ status }) => cell(status.state))],
    ["method", ...studies.map(({ status }) => status.method)],
    ["evaluated", ...studies.map(({ status }) => `${formatCount(status.completed + status.failed)} of ${formatCount(status.budget)}`)],
    ["failed", ...studies.map(({ status }) => formatCount(status.failed))],
  ];
  const names = new Set(studies.flatMap((study) => study.space.map(({ name }) => name)));
  for (const name of names) rows.push([name, ...studies.map(({ status }) => cell((status.recommendation ?? status.best)?.params[name]))]);
  return rows;
}

function answersTable(studies) {
  return tableOf(["", ...studies.map(({ name }) => name)], answersOf(studies).map(([head, ...cells]) => element("tr", {},
    element("th", { scope: "row" }, head), ...cells.map((text) => element("td", { class: "number" }, text)))));
}

export class CompareView extends Surface {
  constructor(parent, studies) {
    super(parent, {
      id: "compare", title: "Studies against each other", study: studies[0], wide: true,
      margin: { top: 14 + 18 * studies.length, right: 16, bottom: 38, left: 56 }, height: 290 + 18 * studies.length,
      hint: "Best so far of each study over evaluations, or its hypervolume. Which is ahead early, and which in the end? Goals, and references of several objectives, should be the same.",
      csv: () => this.csv(),
    });
    this.studies = studies;
    this.answers = element("div", { class: "scroll" });
    this.section.append(this.answers);
  }

  reselect() {}

  layout() {
    const curves = this.studies.map((study) => study.curve());
    const all = curves.flat();
    // From the best to what all have reached after a tenth of their evaluations: the beginning is off the scale.
    const reached = curves.filter((curve) => curve.length > 0).map((curve) => {
      const early = Math.max(1, curve[curve.length - 1][0] / 10);
      return curve.filter(([at]) => at <= early).at(-1)?.[1] ?? curve[0][1];
    });
    const values = [...reached, ...curves.filter((curve) => curve.length > 0).map((curve) => curve.at(-1)[1])];
    const d3 = globalThis.d3;
    const low = Math.min(...values), high = Math.max(...values);
    this.y = d3.scaleLinear().domain(low < high ? [low, high] : [low - 0.5, low + 0.5])
      .range([this.margin.top + this.innerHeight, this.margin.top]).nice(5).clamp(true);
    this.valueTicks = valueTicks(this.y, 6);
    this.margin.left = Math.max(56, this.valueTicks.margin);
    this.x = d3.scaleLinear().domain([0, Math.max(1, ...all.map((step) => step[0]))]).range([this.margin.left, this.margin.left + this.innerWidth]);
    this.curves = curves;
    this.answers.replaceChildren(answersTable(this.studies));
  }

  overlay(svg) {
    const d3 = globalThis.d3;
    groupOf(svg, "x-axis", `translate(0,${this.margin.top + this.innerHeight})`).call(d3.axisBottom(this.x).ticks(Math.max(3, this.width / 110)));
    groupOf(svg, "y-axis", `translate(${this.margin.left},0)`).call(d3.axisLeft(this.y).ticks(6).tickFormat(this.valueTicks.format));
    axisLabel(svg, "x-title", "evaluations", this.margin.left + this.innerWidth / 2, this.height - 6);
    axisLabel(svg, "y-title", this.studies[0].several ? "hypervolume" : "best so far", 13, this.margin.top + this.innerHeight / 2, true);
    const keys = groupOf(svg, "legend", `translate(${this.margin.left},10)`).selectAll("g.key").data(this.studies)
      .join((enter) => enter.append("g").attr("class", "key"));
    keys.attr("transform", (d, i) => `translate(0,${i * 18})`);
    keys.selectAll("line").data((d, i) => [i]).join("line").attr("x2", 18).attr("stroke-width", 2.4).attr("stroke", (i) => seriesColor(i));
    keys.selectAll("text").data((d) => [d]).join("text").attr("x", 24).attr("dy", "0.35em").attr("fill", "currentColor")
      .text((d) => `${d.name} (${d.status.method}): ${formatNumber(d.reached, 5)}`);
  }

  paint(context) {
    this.curves.forEach((curve, index) => {
      context.strokeStyle = seriesColor(index);
      context.lineWidth = 2.2;
      context.beginPath();
      let previous = null;
      for (const [at, best] of curve) {
        if (previous === null) context.moveTo(this.x(at), this.y(best));
        else {
          context.lineTo(this.x(at), this.y(previous));
          context.lineTo(this.x(at), this.y(best));
        }
        previous = best;
      }
      context.stroke();
    });
  }

  describe() { return `Best so far: ${this.studies.map((study) => `${study.name} ${formatNumber(study.reached, 4)}`).join(", ")}.`; }

  csv() {
    let text = csvLine(["study", "evaluation", "best_so_far"]);
    this.studies.forEach((study, i) => { for (const [at, best] of this.curves[i]) text += csvLine([study.name, at, best]); });
    return text;
  }
}
