// SPDX-License-Identifier: MIT
// How results lie against what limits them: one small plot per limit of a metric, and per inequality that every
// point has to satisfy, over evaluations.
import { csvLine, formatNumber } from "./format.js";
import { rankColors } from "./colors.js";
import { Surface, groupOf, valueTicks } from "./surface.js";
import { nearestPoint, paintFocus } from "./points.js";
import { COMPLETED } from "./study.js";

const TALL = 190;
const MOST_DOTS = 4000;  // in one of the plots

function limitText(least, most) {
  if (least !== undefined && most !== undefined) return ` in [${formatNumber(least, 5)}, ${formatNumber(most, 5)}]`;
  return most !== undefined ? `, at most ${formatNumber(most, 5)}` : `, at least ${formatNumber(least, 5)}`;
}

// [{title, column, bounds: [{value, above}]}]: `above` says on which side of the bound is forbidden ground.
export function panelsOf(study) {
  const limits = study.limits.map(({ metric, at_most: most, at_least: least }) => ({
    title: `${metric}${limitText(least, most)}`,
    column: `m${study.metrics.indexOf(metric)}`,
    bounds: [most !== undefined ? { value: most, above: true } : null, least !== undefined ? { value: least, above: false } : null].filter((bound) => bound),
  }));
  const rules = study.constraints.map((rule, c) => ({ title: `slack of ${rule}`, column: `c${c}`, bounds: [{ value: 0, above: false }] }));
  return [...limits, ...rules].filter(({ column }) => {
    const values = study.columns[column];
    return values !== undefined && study.byRank.some((row) => !Number.isNaN(values[row]));
  });
}

// From the 2nd to the 98th percent of the values, and the bounds with a little of the ground beyond them.
export function panelRange(values, bounds) {
  const sorted = Float64Array.from(values).filter((v) => !Number.isNaN(v)).sort();
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
  const ends = [at(0.02), at(0.98), ...bounds.map((bound) => bound.value)];
  const low = Math.min(...ends), high = Math.max(...ends);
  if (low === high) return [low - 0.5, high + 0.5];
  const beyond = 0.08 * (high - low);
  const seen = bounds.flatMap(({ value, above }) => [value + (above ? beyond : -beyond)]);
  return [Math.min(low, ...seen), Math.max(high, ...seen)];
}

export class ConstraintsView extends Surface {
  constructor(parent, study, selection) {
    super(parent, {
      id: "constraints", title: "Constraints", study, wide: true, margin: { top: 6, right: 8, bottom: 8, left: 8 },
      height: (width) => Math.ceil(this.panels.length / this.across(width)) * TALL + 8,
      hint: "Over evaluations; good outcomes are dark (bright in dark mode), the region outside the constraint is shaded. Good results that gather at the edge mean that a looser constraint would give better outcomes.",
      csv: () => this.csv(),
    });
    Object.assign(this, { study, selection, panels: panelsOf(study) });
    this.plot.addEventListener("click", (event) => this.pick(event));
  }

  across(width) { return Math.max(1, Math.min(this.panels.length, Math.floor(width / 300))); }

  layout() {
    const d3 = globalThis.d3;
    const { study } = this;
    this.panels = panelsOf(study);
    const across = this.across(this.width), wide = this.innerWidth / across;
    const step = Math.ceil(study.byRank.length / MOST_DOTS) || 1;
    this.shown = study.byRank.filter((_, k) => k % step === 0);
    this.panels.forEach((panel, i) => {
      const left = this.margin.left + (i % across) * wide + 46, top = this.margin.top + Math.floor(i / across) * TALL + 28;
      panel.box = { left, top, right: this.margin.left + (i % across + 1) * wide - 12, bottom: top + TALL - 72 };
      panel.x = d3.scaleLinear().domain([0, Math.max(1, study.byEvaluation.length)]).range([panel.box.left, panel.box.right]);
      const column = study.columns[panel.column];
      panel.y = d3.scaleLinear().domain(panelRange(Array.from(study.byRank, (row) => column[row]), panel.bounds))
        .range([panel.box.bottom, top]).clamp(true);
      panel.xOf = (row) => panel.x(study.columns.evaluation[row]);
      panel.yOf = (row) => panel.y(column[row]);
    });
  }

  overlay(svg) {
    const d3 = globalThis.d3;
    this.section.hidden = this.panels.length === 0;
    const groups = groupOf(svg, "panels").selectAll("g.panel").data(this.panels).join((enter) => enter.append("g").attr("class", "panel"));
    groups.each(function drawPanel(panel) {
      const group = d3.select(this);
      const { left, top, right, bottom } = panel.box;
      const room = Math.max(8, Math.floor((right - left + 40) / 7));
      groupOf(group, "x-axis", `translate(0,${bottom})`).call(d3.axisBottom(panel.x).ticks(4));
      groupOf(group, "y-axis", `translate(${left},0)`).call(d3.axisLeft(panel.y).ticks(4).tickFormat(valueTicks(panel.y, 4).format));
      const name = group.selectAll("text.name").data([panel.title]).join("text").attr("class", "name").attr("fill", "currentColor")
        .attr("x", left - 40).attr("y", top - 12).text((d) => (d.length > room ? `${d.slice(0, room - 1)}…` : d));
      name.selectAll("title").data((d) => [d]).join("title").text((d) => d);
      group.selectAll("text.axis-title").data(["evaluations"]).join("text").attr("class", "axis-title").attr("fill", "currentColor")
        .attr("text-anchor", "middle").attr("x", (left + right) / 2).attr("y", bottom + 34).text((d) => d);
    });
  }

  paint(context) {
    const { study, selection, colors } = this;
    const palette = rankColors(colors.dark);
    for (const { box, bounds, y, xOf, yOf } of this.panels) {
      for (const { value, above } of bounds) {
        context.globalAlpha = 0.12;
        context.fillStyle = colors.bad;
        context.fillRect(box.left, above ? box.top : y(value), box.right - box.left, above ? y(value) - box.top : box.bottom - y(value));
        context.globalAlpha = 1;
        context.strokeStyle = colors.bad;
        context.lineWidth = 1;
        context.beginPath();
        context.moveTo(box.left, y(value));
        context.lineTo(box.right, y(value));
        context.stroke();
      }
      const size = this.shown.length > 1000 ? 1.4 : 2.4;
      for (let k = this.shown.length - 1; k >= 0; --k) {
        const row = this.shown[k];
        const at = yOf(row);
        if (Number.isNaN(at)) continue;
        context.globalAlpha = selection.has(row) ? 0.85 : 0.12;
        context.fillStyle = selection.has(row) ? palette[Math.min(palette.length - 1, Math.floor(k / this.shown.length * palette.length))] : colors.quiet;
        context.fillRect(xOf(row) - size, at - size, 2 * size, 2 * size);
      }
      context.globalAlpha = 1;
      const { focus } = selection;
      if (focus >= 0 && study.columns.state[focus] === COMPLETED && !Number.isNaN(yOf(focus))) paintFocus(context, xOf(focus), yOf(focus), colors);
    }
    this.note.textContent = this.shown.length < study.byRank.length ? `${this.shown.length} of ${study.byRank.length} results are drawn.` : "";
  }

  pick(event) {
    const [x, y] = this.placeOf(event);
    for (const { xOf, yOf } of this.panels) {
      const row = nearestPoint(this.shown, xOf, yOf, x, y);
      if (row >= 0) this.selection.setFocus(row);
    }
  }

  describe() { return `Results against ${this.panels.map((panel) => panel.title).join("; ")}, over evaluations.`; }

  csv() {
    const { columns, byRank } = this.study;
    let text = csvLine(["trial", "evaluation", "value", "within_limits", ...this.panels.map((panel) => panel.title)]);
    for (const row of byRank) {
      text += csvLine([columns.id[row], columns.evaluation[row], columns.value[row], Number(this.study.isFeasible(row)),
        ...this.panels.map((panel) => columns[panel.column][row])]);
    }
    return text;
  }
}
