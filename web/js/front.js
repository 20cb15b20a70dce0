// SPDX-License-Identifier: MIT
// A study with several objectives: its front in the plane of any two of them, and how it grew.
import { csvLine, formatCount, formatNumber, plural } from "./format.js";
import { rankColors } from "./colors.js";
import { element } from "./dom.js";
import { planeFront } from "./front-order.js";
import { Surface, axisLabel, groupOf, valueTicks } from "./surface.js";
import { nearestPoint, paintFocus, paintPoints, pixelsOf } from "./points.js";
import { Progress } from "./progress.js";
import { COMPLETED } from "./study.js";

const MOST_BEHIND = 20000;  // dominated results that are drawn; of the front all are

// [{row, name}]: what a person looks for first on a front.
export function namedTrials(study) {
  const { knee, extremes } = study.status.front ?? {};
  const named = study.objectives.map(({ name }) => ({ id: extremes?.[name], name: `best ${name}` }));
  if (knee) named.push({ id: knee, name: "knee" });
  const found = new Map();
  for (const { id, name } of named) {
    const row = study.byId.get(id);
    if (row === undefined) continue;
    found.set(row, found.has(row) ? `${found.get(row)}, ${name}` : name);
  }
  return [...found].map(([row, name]) => ({ row, name }));
}

// The dominated results to draw, the nearest to the front first: all of few, evenly many of many.
export function sampleBehind(study, most = MOST_BEHIND) {
  const behind = study.byRank.filter((row) => study.gap[row] > 0);
  const step = Math.max(1, behind.length / most);
  return Int32Array.from({ length: Math.min(behind.length, most) }, (_, i) => behind[Math.floor(i * step)]);
}

// The ends of an axis: the front with some room, and of the dominated results as far as its range once more, best first.
export function frontRange(costs, front, behind) {
  let best = Infinity, worst = -Infinity;
  for (const row of front.length > 0 ? front : behind) {
    best = Math.min(best, costs[row]);
    worst = Math.max(worst, costs[row]);
  }
  if (!(best <= worst)) return [0, 1];
  const range = worst - best || Math.abs(worst) || 1;
  let far = worst;
  for (const row of behind) if (costs[row] <= worst + range) far = Math.max(far, costs[row]);
  return [best - 0.05 * range, far + 0.05 * range];
}

export class FrontView extends Surface {
  constructor(parent, study, selection) {
    const select = (label, chosen) => element("select", { "aria-label": label, on: { change: () => this.redraw() } },
      ...study.objectives.map(({ name }, m) => element("option", { value: String(m), selected: m === chosen }, name)));
    const x = select("Horizontal objective", 0), y = select("Vertical objective", 1);
    super(parent, {
      id: "front", title: "Front", study, wide: true, height: (width) => Math.min(560, Math.max(280, width * 0.5)), margin: { top: 22, right: 24, bottom: 40, left: 64 },
      hint: "Results that no other dominates are large; the line is the front of these two objectives alone, and results behind it are pale. Look for the knee, where a little more of one begins to cost much of the other. Drag a rectangle to select.",
      tools: [x, y], csv: () => this.csv(),
    });
    Object.assign(this, { study, selection, xChoice: x, yChoice: y });
    this.plot.addEventListener("click", (event) => this.pick(event));
  }

  chosen() { return [this.xChoice, this.yChoice].map((choice) => this.study.objectives[Number(choice.value)]); }

  layout() {
    const d3 = globalThis.d3;
    const { study } = this;
    const bottom = this.margin.top + this.innerHeight, right = this.margin.left + this.innerWidth;
    const [a, b] = this.chosen();
    this.behind = study.remember("behind", () => sampleBehind(study));
    const scaleOf = ({ key, sign }, from, to) => {
      const cost = study.means(key).map((value) => sign * value);
      const ends = frontRange(cost, study.front, this.behind).map((end) => sign * end);
      return { cost, scale: d3.scaleLinear().domain([Math.min(...ends), Math.max(...ends)]).range([from, to]).nice(5) };
    };
    const across = scaleOf(a, this.margin.left, right), up = scaleOf(b, bottom, this.margin.top);
    this.x = across.scale;
    this.y = up.scale;
    this.line = planeFront(across.cost, up.cost, study.front);
    const xs = study.means(a.key), ys = study.means(b.key);
    this.xOf = (row) => this.x(xs[row]);
    this.yOf = (row) => this.y(ys[row]);
    const inside = (row) => this.xOf(row) >= this.margin.left && this.xOf(row) <= right && this.yOf(row) >= this.margin.top && this.yOf(row) <= bottom;
    this.shown = this.behind.filter(inside);
    this.beyond = this.behind.length - this.shown.length;
    this.pixels = pixelsOf(this.shown, this.xOf, this.yOf);
  }

  overlay(svg) {
    const d3 = globalThis.d3;
    const { study, margin } = this;
    const bottom = margin.top + this.innerHeight, right = margin.left + this.innerWidth;
    const across = Math.max(2, this.width / 110);
    groupOf(svg, "x-axis", `translate(0,${bottom})`).call(d3.axisBottom(this.x).ticks(across).tickFormat(valueTicks(this.x, across).format));
    groupOf(svg, "y-axis", `translate(${margin.left},0)`).call(d3.axisLeft(this.y).ticks(6).tickFormat(valueTicks(this.y, 6).format));
    const [a, b] = this.chosen();
    axisLabel(svg, "x-title", `${a.name} (${a.goal})`, margin.left + this.innerWidth / 2, this.height - 6, false, this.innerWidth);
    axisLabel(svg, "y-title", `${b.name} (${b.goal})`, 13, margin.top + this.innerHeight / 2, true, this.innerHeight);
    const brush = d3.brush().extent([[margin.left, margin.top], [right, bottom]])
      .on("brush end", () => { if (d3.event.sourceEvent) this.brushed(d3.event.selection, d3.event.type === "brush"); });
    const group = groupOf(svg, "brush");
    group.call(brush);
    brush.move(group, this.rectangle());
    // Names beside their points, away from the edge.
    const names = namedTrials(study).map(({ row, name }) => {
      const x = this.xOf(row), y = this.yOf(row), left = x > margin.left + 0.6 * this.innerWidth;
      return { row, name, x: x + (left ? -9 : 9), y: Math.max(margin.top + 10, y - 9), anchor: left ? "end" : "start" };
    });
    names.sort((p, q) => p.y - q.y);
    names.forEach((name, i) => { if (i > 0 && name.y - names[i - 1].y < 13 && Math.abs(name.x - names[i - 1].x) < 140) name.y = names[i - 1].y + 13; });
    const texts = groupOf(svg, "names").attr("pointer-events", "none").selectAll("text").data(names, (d) => d.row).join("text");
    texts.attr("class", "name").attr("fill", "currentColor").attr("text-anchor", (d) => d.anchor).attr("x", (d) => d.x).attr("y", (d) => d.y)
      .text((d) => d.name);
    this.note.textContent = this.noteText();
  }

  noteText() {
    const { study } = this;
    const behind = study.byRank.length - study.front.length;
    const many = study.objectives.length > 2 ? ` of all ${study.objectives.length} objectives` : "";
    return [`${plural(study.front.length, "result")} on the front${many}, ${formatCount(behind)} behind it or outside a limit.`,
      this.behind.length < behind ? `${formatCount(this.behind.length)} of these are drawn.` : "",
      this.beyond > 0 ? `${formatCount(this.beyond)} are beyond the edge.` : ""].filter((text) => text).join(" ");
  }

  // What the shared filters mean here, or null; ends of an axis that are filtered to are those of all results.
  rectangle() {
    const [a, b] = this.chosen();
    if (a === b) return null;
    const ends = ({ key }, scale) => {
      const range = this.selection.filters.get(key);
      if (!range) return null;
      const [from, to] = [...scale.range()].sort((p, q) => p - q);
      return range.map((unit) => Math.min(to, Math.max(from, scale(this.study.objectiveAt(Number(key.slice(1)), unit))))).sort((p, q) => p - q);
    };
    const xs = ends(a, this.x), ys = ends(b, this.y);
    return xs && ys ? [[xs[0], ys[0]], [xs[1], ys[1]]] : null;
  }

  brushed(rectangle, hasty) {
    const [a, b] = this.chosen();
    const pairOf = ({ key, sign }, scale, ends) => {
      if (ends === null) return [key, null];
      const [best, worst] = this.study.objectiveRange[Number(key.slice(1))];
      return [key, ends.map((pixel) => (sign * scale.invert(pixel) - best) / (worst - best)).sort((p, q) => p - q)];
    };
    const pairs = [pairOf(a, this.x, rectangle && [rectangle[0][0], rectangle[1][0]])];
    if (a !== b) pairs.push(pairOf(b, this.y, rectangle && [rectangle[0][1], rectangle[1][1]]));
    this.selection.setFilters(pairs, hasty);
  }

  paint(context) {
    const { study, colors, selection } = this;
    context.globalAlpha = 1;
    paintPoints(context, {
      selection, rows: this.shown, pixels: this.pixels, colors, palette: rankColors(colors.dark).map(() => colors.quiet), size: this.shown.length > 5000 ? 2 : 4,
    });
    this.paintLine(context);
    const size = study.front.length > 2000 ? 2 : study.front.length > 300 ? 3 : 4.5;
    for (const within of [false, true]) {
      context.globalAlpha = within ? 1 : 0.2;
      context.fillStyle = colors.accent;
      context.beginPath();
      for (const row of study.front) {
        if (selection.has(row) !== within) continue;
        context.moveTo(this.xOf(row) + size, this.yOf(row));
        context.arc(this.xOf(row), this.yOf(row), size, 0, 2 * Math.PI);
      }
      context.fill();
    }
    context.globalAlpha = 1;
    context.strokeStyle = colors.text;
    context.lineWidth = 1.6;
    context.beginPath();
    for (const { row } of namedTrials(study)) {
      context.moveTo(this.xOf(row) + size + 2, this.yOf(row));
      context.arc(this.xOf(row), this.yOf(row), size + 2, 0, 2 * Math.PI);
    }
    context.stroke();
    const { focus } = selection;
    if (focus >= 0 && study.columns.state[focus] === COMPLETED) paintFocus(context, this.xOf(focus), this.yOf(focus), colors);
  }

  // What is reached: steps, because between two results nothing has been reached.
  paintLine(context) {
    if (this.line.length < 2) return;
    context.strokeStyle = this.colors.accent;
    context.lineWidth = 1.4;
    context.beginPath();
    this.line.forEach((row, i) => {
      if (i === 0) context.moveTo(this.xOf(row), this.yOf(row));
      else {
        context.lineTo(this.xOf(row), this.yOf(this.line[i - 1]));
        context.lineTo(this.xOf(row), this.yOf(row));
      }
    });
    context.stroke();
  }

  pick(event) {
    const place = this.placeOf(event);
    const near = nearestPoint(this.study.front, this.xOf, this.yOf, ...place);
    const row = near >= 0 ? near : nearestPoint(this.shown, this.xOf, this.yOf, ...place);
    if (row >= 0) this.selection.setFocus(row);
  }

  describe() {
    const { study } = this;
    const [a, b] = this.chosen();
    const names = namedTrials(study).map(({ row, name }) => `${name}: ${study.valueText(row, 3)}`);
    return `Front of ${b.name} over ${a.name}: ${plural(study.front.length, "result")}. ${names.join("; ")}.`;
  }

  csv() {
    const { study } = this;
    let text = csvLine(["trial", ...study.objectives.map(({ name }) => name), "on_front", "within_limits"]);
    for (const row of study.byRank) {
      text += csvLine([study.columns.id[row], ...study.objectives.map(({ key }) => study.columns[key][row]),
        Number(study.gap[row] === 0), Number(study.isFeasible(row))]);
    }
    return text;
  }
}

// The hypervolume over evaluations, and the size of the front.
export class HypervolumeView extends Progress {
  constructor(parent, study, selection) {
    super(parent, study, selection, {
      margin: { top: 12, right: 56, bottom: 38, left: 64 }, tools: [],
      hint: "The hypervolume is the volume between the front and the reference, and grows when a result improves the front: a line that is flat at the end means that more evaluations will probably add little. The thin line is the size of the front.",
    });
  }

  get steps() { return this.study.status.front?.steps ?? []; }

  layout() {
    const d3 = globalThis.d3;
    const { study, steps } = this;
    this.x = this.evaluationScale();
    const range = [this.margin.top + this.innerHeight, this.margin.top];
    const largest = Math.max(...steps.map((step) => step.hypervolume), 0) || 1;
    this.y = d3.scaleLinear().domain([0, largest]).range(range).nice(5);
    this.sizes = d3.scaleLinear().domain([0, Math.max(1, ...steps.map((step) => step.size))]).range(range).nice(4);
    this.last = study.byEvaluation.length;
  }

  overlay(svg) {
    const d3 = globalThis.d3;
    const { study } = this;
    const bottom = this.margin.top + this.innerHeight, middle = this.margin.top + this.innerHeight / 2;
    groupOf(svg, "x-axis", `translate(0,${bottom})`).call(d3.axisBottom(this.x).ticks(Math.max(3, this.width / 110)));
    groupOf(svg, "y-axis", `translate(${this.margin.left},0)`).call(d3.axisLeft(this.y).ticks(6).tickFormat(valueTicks(this.y, 6).format));
    groupOf(svg, "size-axis", `translate(${this.margin.left + this.innerWidth},0)`).call(d3.axisRight(this.sizes).ticks(4));
    axisLabel(svg, "x-title", "evaluations", this.margin.left + this.innerWidth / 2, this.height - 6);
    axisLabel(svg, "y-title", "hypervolume", 13, middle, true);
    axisLabel(svg, "size-title", "results on the front", this.width - 8, middle, true);
    const { reference, exact } = study.status.front ?? {};
    const against = study.objectives.map(({ name }) => `${name} ${formatNumber(reference?.[name] ?? NaN, 4)}`).join(", ");
    this.note.textContent = [this.steps.length > 0 ? `Measured against ${against}${exact === false ? ", estimated by sampling" : ""}.` : "No result is within all limits yet.",
      this.words()].join(" ").trim();
  }

  paint(context) {
    const bottom = this.margin.top + this.innerHeight;
    this.paintRounds(context, bottom);
    this.paintBudget(context, bottom);
    this.paintFailures(context, bottom);
    const draw = (color, width, scale, of) => {
      context.strokeStyle = color;
      context.lineWidth = width;
      context.beginPath();
      let previous = null;
      for (const step of [...this.steps, { ...this.steps.at(-1), evaluation: this.last }]) {
        const x = this.x(step.evaluation), y = scale(of(step));
        if (previous === null) context.moveTo(x, y);
        else {
          context.lineTo(x, previous);
          context.lineTo(x, y);
        }
        previous = y;
      }
      context.stroke();
    };
    if (this.steps.length === 0) return;
    draw(this.colors.quiet, 1, this.sizes, (step) => step.size);
    draw(this.colors.accent, 2.2, this.y, (step) => step.hypervolume);
  }

  pick(event) {
    const at = this.x.invert(this.placeOf(event)[0]);
    const step = this.steps.filter(({ evaluation }) => evaluation <= at).at(-1);
    if (step) this.selection.setFocus(this.study.byId.get(step.id) ?? -1);
  }

  describe() {
    const last = this.steps.at(-1);
    const reached = last ? `hypervolume ${formatNumber(last.hypervolume, 5)}, ${plural(last.size, "result")} on the front` : "nothing has succeeded yet";
    return `Progress: ${plural(this.study.byEvaluation.length, "evaluation")}, ${reached}. Left and right arrow keys step through the results.`;
  }

  csv() {
    let text = csvLine(["evaluation", "trial", "front_size", "hypervolume"]);
    for (const step of this.steps) text += csvLine([step.evaluation, step.id, step.size, step.hypervolume]);
    return text;
  }
}
