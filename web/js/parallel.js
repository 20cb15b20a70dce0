// SPDX-License-Identifier: MIT
// Parallel coordinates: one axis per parameter and one for the rank of the outcome, or per objective. Up to a few thousand trials
// are lines; more are bundles between bins of neighbouring axes, which costs the same however many there are.
import { clipText, csvLine, formatNumber, plural } from "./format.js";
import { BUCKETS, rankColors } from "./colors.js";
import { Surface, groupOf } from "./surface.js";
import { nearestPoint } from "./points.js";
import { COMPLETED, valueAtUnit } from "./study.js";

const MOST_LINES = 2500;
const BINS = 32;
const LETTER = 7;  // width of one in the name of an axis

// How many of the chosen results go from bin a of one axis to bin b of the next, and the first, so the best, of
// them; cells and chosen are places in study.byRank.
export function bundle(cells, chosen, many = BINS * BINS) {
  const counts = new Uint32Array(many);
  const first = new Uint32Array(many);
  for (let i = 0; i < chosen.length; ++i) {
    const cell = cells[chosen[i]];
    if (counts[cell] === 0) first[cell] = chosen[i];
    counts[cell] += 1;
  }
  return { counts, first };
}

// Where the name of axis `index` of `many` stands, and as much of it as there is room for: over its axis, unless it is
// the first or the last one and would stick out at the side. Axes closer than 90 have their names in two rows.
export function nameAt(name, index, many, step, margin) {
  const near = step < 90 ? step : step / 2;
  const left = index === 0 ? margin.left - 2 : near, right = index === many - 1 ? margin.right - 2 : near;
  const half = name.length * LETTER / 2;
  if (half > left && index === 0) return { x: -left, anchor: "start", text: clipText(name, Math.floor((left + right) / LETTER)) };
  if (half > right && index === many - 1) return { x: right, anchor: "end", text: clipText(name, Math.floor((left + right) / LETTER)) };
  return { x: 0, anchor: "middle", text: clipText(name, Math.max(3, Math.floor(2 * Math.min(left, right) / LETTER))) };
}

export class Parallel extends Surface {
  constructor(parent, study, selection) {
    super(parent, {
      id: "space", title: "Space", study, wide: true, height: 340, margin: { top: 44, right: 40, bottom: 26, left: 40 },
      hint: "Each line is a trial, dark (bright in dark mode) for good outcomes. Drag along an axis to select the trials that pass there, in all views; look for axes where good lines meet.",
      csv: () => this.csv(),
    });
    this.study = study;
    this.selection = selection;
    this.axes = [...study.space.keys(), ...(study.several ? study.objectives.map(({ key }) => key) : ["value"])];
    this.plot.addEventListener("click", (event) => this.pick(event));
  }

  unitColumn(axis) { return this.study.unitOn(axis); }
  axisName(axis) { return axis === "value" ? "outcome" : typeof axis === "string" ? this.study.objectives[axis.slice(1)].name : this.study.space[axis].name; }

  layout() {
    const d3 = globalThis.d3;
    this.x = d3.scalePoint().domain(this.axes.map(String)).range([this.margin.left, this.margin.left + this.innerWidth]);
    this.y = d3.scaleLinear().domain([0, 1]).range([this.margin.top + this.innerHeight, this.margin.top]);
    // The best outcome is on top.
    this.yOf = (axis, unit) => this.y(typeof axis === "string" ? 1 - unit : unit);
  }

  tickTexts(axis) {
    const { study } = this;
    if (axis === "value") {
      const n = study.byRank.length;
      if (n === 0) return [];
      return [[0, "best"], [1, "worst"]];
    }
    if (typeof axis === "string") {
      if (study.byRank.length === 0) return [];
      const m = Number(axis.slice(1));
      return [[0, formatNumber(study.objectiveAt(m, 0), 3)], [1, formatNumber(study.objectiveAt(m, 1), 3)]];
    }
    const parameter = study.space[axis];
    if (parameter.type === "categorical") {
      return parameter.choices.slice(0, 12).map((choice, i) => [(i + 0.5) / parameter.choices.length, String(choice)]);
    }
    return [[0, formatNumber(parameter.low, 3)], [1, formatNumber(parameter.high, 3)]];
  }

  overlay(svg) {
    const d3 = globalThis.d3;
    const self = this;
    const top = this.margin.top, bottom = this.margin.top + this.innerHeight;
    const step = this.innerWidth / Math.max(1, this.axes.length - 1);
    const room = Math.max(4, Math.floor(step / LETTER));
    const groups = groupOf(svg, "axes").selectAll("g.axis").data(this.axes, String)
      .join((enter) => enter.append("g").attr("class", "axis"));
    groups.attr("transform", (axis) => `translate(${this.x(String(axis))},0)`);
    groups.each(function drawAxis(axis, index) {
      const group = d3.select(this);
      group.selectAll("line.rule").data([0]).join("line").attr("class", "rule").attr("stroke", "currentColor")
        .attr("y1", top).attr("y2", bottom);
      const at = nameAt(self.axisName(axis), index, self.axes.length, step, self.margin);
      const name = group.selectAll("text.name").data([self.axisName(axis)]).join("text").attr("class", "name")
        .attr("x", at.x).attr("text-anchor", at.anchor).attr("fill", "currentColor")
        .attr("y", top - (index % 2 === 1 && step < 90 ? 28 : 14)).text(at.text);
      name.selectAll("title").data((d) => [d]).join("title").text((d) => d);
      group.selectAll("text.tick").data(self.tickTexts(axis)).join("text").attr("class", "tick").attr("fill", "currentColor")
        .attr("text-anchor", "start").attr("x", 5).attr("dy", "0.32em")
        .attr("y", (d) => self.yOf(axis, d[0]) + (d[0] === (typeof axis === "string" ? 1 : 0) ? 12 : 0))
        .text((d) => clipText(d[1], room));
      let brushGroup = group.select("g.brush");
      if (brushGroup.empty()) brushGroup = group.append("g").attr("class", "brush");
      const brush = d3.brushY().extent([[-12, top], [12, bottom]])
        .on("brush end", () => { if (d3.event.sourceEvent) self.brushed(axis, d3.event.selection, d3.event.type === "brush"); });
      brushGroup.call(brush);
      const range = self.selection.filters.get(axis);
      const ends = range ? [self.yOf(axis, range[0]), self.yOf(axis, range[1])].sort((a, b) => a - b) : null;
      brush.move(brushGroup, ends);
    });
    this.note.textContent = this.noteText();
  }

  noteText() {
    const { selection, study } = this;
    const shown = study.byRank.length;
    const many = shown > MOST_LINES ? ` ${plural(shown, "trial")} are drawn as bundles between neighbouring axes.` : "";
    if (selection.mask === null) return many.trim();
    return `${plural(selection.count, "trial")} selected.${many}`;
  }

  brushed(axis, ends, hasty) {
    if (ends === null) {
      this.selection.setFilter(axis, null);
      return;
    }
    const [a, b] = ends.map((pixel) => this.y.invert(pixel));
    const units = typeof axis === "string" ? [1 - a, 1 - b] : [a, b];
    this.selection.setFilter(axis, units.sort((p, q) => p - q), hasty);
  }

  paint(context) {
    if (this.study.byRank.length > MOST_LINES) this.paintBundles(context);
    else this.paintLines(context);
    const { focus } = this.selection;
    if (focus >= 0 && this.study.columns.state[focus] === COMPLETED) {
      context.strokeStyle = this.colors.accent;
      context.lineWidth = 3;
      context.beginPath();
      this.trace(context, focus);
      context.stroke();
    }
    this.note.textContent = this.noteText();
  }

  trace(context, row) {
    for (let k = 0; k < this.axes.length; ++k) {
      const axis = this.axes[k];
      const x = this.x(String(axis)), y = this.yOf(axis, this.unitColumn(axis)[row]);
      if (k === 0) context.moveTo(x, y);
      else context.lineTo(x, y);
    }
  }

  paintLines(context) {
    const { study, selection } = this;
    const palette = rankColors(this.colors.dark);
    const few = study.byRank.length < 300;
    const pale = [];
    const buckets = palette.map(() => []);
    for (const row of study.byRank) {
      if (!selection.has(row)) pale.push(row);
      else buckets[Math.min(BUCKETS - 1, Math.floor(study.rank[row] * BUCKETS))].push(row);
    }
    const strokes = (rows, color, alpha, width) => {
      if (rows.length === 0) return;
      context.globalAlpha = alpha;
      context.strokeStyle = color;
      context.lineWidth = width;
      context.beginPath();
      for (const row of rows) this.trace(context, row);
      context.stroke();
    };
    strokes(pale, this.colors.quiet, 0.06, 1);
    for (let b = BUCKETS - 1; b >= 0; --b) {
      strokes(buckets[b], palette[b], few ? 0.75 : 0.25 + 0.5 * (1 - b / BUCKETS), b < 3 ? 1.5 : 1);
    }
    context.globalAlpha = 1;
  }

  paintBundles(context) {
    const { study, selection } = this;
    const palette = rankColors(this.colors.dark);
    for (let k = 0; k + 1 < this.axes.length; ++k) {
      const a = this.axes[k], b = this.axes[k + 1];
      const { counts, first } = bundle(study.cellsFor(a, BINS, b, BINS), selection.places());
      let most = 1;
      for (const count of counts) if (count > most) most = count;
      const x1 = this.x(String(a)), x2 = this.x(String(b));
      // Cells of one colour and one of four strengths are one path, worst colours first.
      const paths = new Map();
      for (let cell = 0; cell < counts.length; ++cell) {
        if (counts[cell] === 0) continue;
        const strength = Math.min(3, Math.floor(4 * Math.sqrt(counts[cell] / most)));
        if (strength === 0 && selection.hasty) continue;  // thousands of faint lines: when the hand rests
        const color = Math.min(BUCKETS - 1, Math.floor(first[cell] / study.byRank.length * BUCKETS));
        const key = (BUCKETS - 1 - color) * 4 + strength;
        if (!paths.has(key)) paths.set(key, []);
        paths.get(key).push(cell);
      }
      for (const key of [...paths.keys()].sort((p, q) => p - q)) {
        const strength = (key % 4) / 3;
        context.globalAlpha = 0.12 + 0.68 * strength;
        context.strokeStyle = palette[BUCKETS - 1 - Math.floor(key / 4)];
        context.lineWidth = key % 4 === 3 ? 2 : 1;  // hairlines are drawn several times faster
        context.beginPath();
        for (const cell of paths.get(key)) {
          context.moveTo(x1, this.yOf(a, (Math.floor(cell / BINS) + 0.5) / BINS));
          context.lineTo(x2, this.yOf(b, ((cell % BINS) + 0.5) / BINS));
        }
        context.stroke();
      }
    }
    context.globalAlpha = 1;
  }

  pick(event) {
    const [x, y] = this.placeOf(event);
    const axis = this.axes.reduce((near, other) => (Math.abs(this.x(String(other)) - x) < Math.abs(this.x(String(near)) - x) ? other : near));
    const rows = this.study.byRank.filter((row) => this.selection.has(row));
    const row = nearestPoint(rows, () => x, (r) => this.yOf(axis, this.unitColumn(axis)[r]), x, y, 20);
    if (row >= 0) this.selection.setFocus(row);
  }

  describe() {
    const outcome = this.study.several ? plural(this.study.objectives.length, "objective") : "the outcome";
    return `Parallel coordinates of ${plural(this.study.space.length, "parameter")} and ${outcome}, `
      + `${plural(this.selection.count, "trial")} selected. The filters below do the same by keyboard.`;
  }

  csv() {
    const { study } = this;
    const outcomes = study.outcomes();
    let text = csvLine(["trial", "selected", ...outcomes.map(({ name }) => name), ...study.space.map((p) => p.name)]);
    for (const row of study.byRank) {
      text += csvLine([study.columns.id[row], this.selection.has(row) ? 1 : 0, ...outcomes.map(({ key }) => study.columns[key][row]),
        ...study.space.map((_, p) => study.parameterText(p, row))]);
    }
    return text;
  }
}

// Text of a filter, in the parameter's own units.
export function filterText(study, axis, [low, high]) {
  if (axis === "value") {
    const n = study.byRank.length;
    return `outcome between rank ${Math.round(low * Math.max(0, n - 1)) + 1} and ${Math.round(high * Math.max(0, n - 1)) + 1} of ${n}`;
  }
  if (typeof axis === "string") {
    const m = Number(axis.slice(1));
    const [from, to] = [low, high].map((unit) => study.objectiveAt(m, Math.min(1, Math.max(0, unit)))).sort((a, b) => a - b);
    return `${study.objectives[m].name} from ${formatNumber(from, 4)} to ${formatNumber(to, 4)}`;
  }
  const parameter = study.space[axis];
  if (parameter.type === "categorical") {
    const kept = parameter.choices.filter((_, i) => (i + 0.5) / parameter.choices.length >= low && (i + 0.5) / parameter.choices.length <= high);
    return `${parameter.name}: ${kept.length > 0 ? kept.join(", ") : "none"}`;
  }
  return `${parameter.name} from ${formatNumber(valueAtUnit(parameter, Math.max(0, low)), 4)} to ${formatNumber(valueAtUnit(parameter, Math.min(1, high)), 4)}`;
}
