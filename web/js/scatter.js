// SPDX-License-Identifier: MIT
// Any two things against each other, coloured by rank: parameters, metrics, value, seconds, evaluation.
import { clipText, csvLine } from "./format.js";
import { rankColors } from "./colors.js";
import { element } from "./dom.js";
import { Surface, TICK_LETTER, TICK_REST, axisLabel, groupOf, valueTicks } from "./surface.js";
import { nearestPoint, paintFocus, paintPoints, pixelsOf } from "./points.js";

// What can stand on an axis: {key, name, column, parameter?}
export function axisChoices(study) {
  const choices = study.space.map((parameter, p) => ({ key: `p${p}`, name: parameter.name, parameter, index: p }));
  if (study.several) for (const { key, name } of study.objectives) choices.push({ key, name });
  else choices.push({ key: "value", name: "value" });
  study.metrics.forEach((name, m) => choices.push({ key: `m${m}`, name: `metric ${name}` }));
  choices.push({ key: "evaluation", name: "evaluation" }, { key: "seconds", name: "seconds" });
  return choices;
}

const LONGEST_CHOICE = 14;  // letters on the vertical axis

// The margin that choices need on a vertical axis: at most a third of the width.
export function choicesMargin(choices, width) {
  const longest = Math.max(0, ...choices.map((choice) => String(choice).length));
  return Math.min(width / 3, Math.max(56, TICK_REST + TICK_LETTER * Math.min(LONGEST_CHOICE, longest)));
}

export class Scatter extends Surface {
  constructor(parent, study, selection) {
    const choices = axisChoices(study);
    const select = (label, chosen) => element("select", { "aria-label": label, on: { change: () => this.changedAxes() } },
      ...choices.map((choice, i) => element("option", { value: String(i), selected: i === chosen }, choice.name)));
    const x = select("Horizontal axis", 0), y = select("Vertical axis", Math.min(1, study.space.length > 1 ? 1 : study.space.length));
    super(parent, {
      id: "scatter", title: "Two at a time", study, height: (width) => Math.min(460, Math.max(260, width * 0.75)),
      hint: "Colour is rank, so thousands of points stay readable. Drag a rectangle to select; a diagonal valley means that the best value of one parameter depends on the other.",
      tools: [x, y], csv: () => this.csv(),
    });
    Object.assign(this, { study, selection, choices, xChoice: x, yChoice: y });
    this.plot.addEventListener("click", (event) => this.pick(event));
  }

  axis(which) { return this.choices[Number((which === "x" ? this.xChoice : this.yChoice).value)]; }

  choose(xIndex, yIndex) {
    this.xChoice.value = String(xIndex);
    this.yChoice.value = String(yIndex);
    this.redraw();
  }

  changedAxes() {
    this.brushMoved = null;
    this.redraw();
  }

  scaleFor(choice, range) {
    const d3 = globalThis.d3;
    if (choice.parameter) {
      const p = choice.parameter;
      if (p.type === "categorical") return d3.scaleLinear().domain([-0.5, p.choices.length - 0.5]).range(range);
      const low = p.low === p.high ? p.low - 0.5 : p.low, high = p.low === p.high ? p.high + 0.5 : p.high;
      return (p.log ? d3.scaleLog() : d3.scaleLinear()).domain([low, high]).range(range);
    }
    const column = this.study.columns[choice.key];
    let low = Infinity, high = -Infinity;
    for (const row of this.study.byRank) {
      const v = column[row];
      if (v < low) low = v;
      if (v > high) high = v;
    }
    if (!(low < high)) [low, high] = Number.isFinite(low) ? [low - 0.5, low + 0.5] : [0, 1];
    const log = low > 0 && high / low > 1000;
    return (log ? d3.scaleLog() : d3.scaleLinear()).domain([low, high]).range(range).nice(5);
  }

  layout() {
    const bottom = this.margin.top + this.innerHeight;
    const xAxis = this.axis("x"), yAxis = this.axis("y");
    this.y = this.scaleFor(yAxis, [bottom, this.margin.top]);
    this.margin.left = yAxis.parameter?.type === "categorical" ? choicesMargin(yAxis.parameter.choices, this.width)
      : Math.max(56, valueTicks(this.y, 5).margin);
    this.x = this.scaleFor(xAxis, [this.margin.left, this.margin.left + this.innerWidth]);
    const xs = this.study.columns[xAxis.key], ys = this.study.columns[yAxis.key];
    // Categories and whole numbers would lie on each other: a little shift by the trial's number.
    const shift = (choice, row, scale) => (choice.parameter?.type === "categorical"
      ? (((row * 0.618034) % 1) - 0.5) * 0.7 * Math.abs(scale(1) - scale(0)) : 0);
    this.xOf = (row) => this.x(xs[row]) + shift(xAxis, row, this.x);
    this.yOf = (row) => this.y(ys[row]) + shift(yAxis, row * 7, this.y);
    this.pixels = pixelsOf(this.study.byRank, this.xOf, this.yOf);
  }

  overlay(svg) {
    const d3 = globalThis.d3;
    const bottom = this.margin.top + this.innerHeight;
    // `room` for one choice, in pixels.
    const draw = (group, axis, { parameter }, count, room) => {
      if (parameter?.type !== "categorical") {
        group.call(axis.ticks(count).tickFormat(valueTicks(axis.scale(), count).format));
        return;
      }
      const letters = Math.max(2, Math.floor(room / TICK_LETTER));
      group.call(axis.tickValues([...parameter.choices.keys()]).tickFormat((i) => clipText(parameter.choices[i], letters)));
      group.selectAll(".tick text").selectAll("title").data((i) => [String(parameter.choices[i])]).join("title").text((d) => d);
    };
    const xAxis = this.axis("x"), yAxis = this.axis("y");
    draw(groupOf(svg, "x-axis", `translate(0,${bottom})`), d3.axisBottom(this.x), xAxis, Math.max(2, this.width / 110), this.innerWidth / (xAxis.parameter?.choices?.length || 1));
    draw(groupOf(svg, "y-axis", `translate(${this.margin.left},0)`), d3.axisLeft(this.y), yAxis, 5, this.margin.left - TICK_REST);
    axisLabel(svg, "x-title", xAxis.name, this.margin.left + this.innerWidth / 2, this.height - 6, false, this.innerWidth);
    axisLabel(svg, "y-title", yAxis.name, 13, this.margin.top + this.innerHeight / 2, true, this.innerHeight);
    const brush = d3.brush().extent([[this.margin.left, this.margin.top], [this.margin.left + this.innerWidth, bottom]])
      .on("brush end", () => { if (d3.event.sourceEvent) this.brushed(d3.event.selection, d3.event.type === "brush"); });
    const group = groupOf(svg, "brush");
    group.call(brush);
    brush.move(group, this.rectangle());
  }

  // The rectangle that the shared filters mean here, or null.
  rectangle() {
    const { filters } = this.selection;
    const ends = (choice, scale) => {
      const range = choice.parameter ? filters.get(choice.index) : undefined;
      if (!range) return null;
      const [from, to] = scale.range();
      return [from + (to - from) * range[0], from + (to - from) * range[1]].sort((a, b) => a - b);
    };
    const xs = ends(this.axis("x"), this.x), ys = ends(this.axis("y"), this.y);
    if (!xs || !ys || this.axis("x").index === this.axis("y").index) return null;
    return [[xs[0], ys[0]], [xs[1], ys[1]]];
  }

  brushed(rectangle, hasty) {
    const pairs = [];
    const add = (choice, scale, ends) => {
      if (!choice.parameter) return;
      const [from, to] = scale.range();
      pairs.push([choice.index, ends === null ? null
        : ends.map((pixel) => (pixel - from) / (to - from)).sort((a, b) => a - b)]);
    };
    add(this.axis("x"), this.x, rectangle && [rectangle[0][0], rectangle[1][0]]);
    add(this.axis("y"), this.y, rectangle && [rectangle[0][1], rectangle[1][1]]);
    this.selection.setFilters(pairs, hasty);
  }

  paint(context) {
    const { study, colors } = this;
    paintPoints(context, {
      selection: this.selection, rows: study.byRank, pixels: this.pixels, colors, palette: rankColors(colors.dark),
      size: study.byRank.length > 20000 ? 1.8 : study.byRank.length > 2000 ? 3 : 6,
    });
    const { focus } = this.selection;
    if (focus >= 0 && study.columns.state[focus] === 2) paintFocus(context, this.xOf(focus), this.yOf(focus), colors);
  }

  pick(event) {
    const row = nearestPoint(this.study.byRank, this.xOf, this.yOf, ...this.placeOf(event));
    if (row >= 0) this.selection.setFocus(row);
  }

  describe() {
    return `${this.axis("y").name} over ${this.axis("x").name} for ${this.study.byRank.length} results, coloured by rank.`;
  }

  csv() {
    const xs = this.study.columns[this.axis("x").key], ys = this.study.columns[this.axis("y").key];
    let text = csvLine(["trial", this.axis("x").name, this.axis("y").name, "value", "rank"]);
    this.study.byRank.forEach((row, k) => {
      text += csvLine([this.study.columns.id[row], xs[row], ys[row], this.study.columns.value[row], k + 1]);
    });
    return text;
  }
}
