// SPDX-License-Identifier: MIT
// One small picture per parameter: where results lie by rank, and where the best few percent gather.
import { clipText, csvLine, formatNumber } from "./format.js";
import { rankColor } from "./colors.js";
import { element } from "./dom.js";
import { Surface, TICK_LETTER, groupOf } from "./surface.js";

const ACROSS = 40, DOWN = 24;

// How many of the chosen results lie in each cell; `cells` and `chosen` are places in study.byRank.
export function countCells(cells, chosen, many) {
  const counts = new Uint32Array(many);
  for (let i = 0; i < chosen.length; ++i) counts[cells[chosen[i]]] += 1;
  return counts;
}

// Share of the chosen in each of `bins` bins.
export function density(bins, chosen, many) {
  return Float32Array.from(countCells(bins, chosen, many), (count) => (chosen.length > 0 ? count / chosen.length : 0));
}

export class Slices extends Surface {
  constructor(parent, study, selection) {
    const share = element("select", { "aria-label": "Share of the best", on: { change: () => this.redraw() } },
      ...[1, 5, 10, 25].map((percent) => element("option", { value: String(percent), selected: percent === 10 }, `best ${percent} %`)));
    super(parent, {
      id: "slices", title: "Slices", study, wide: true, margin: { top: 6, right: 8, bottom: 8, left: 8 },
      height: (width) => Math.ceil(study.space.length / Slices.columns(width, study)) * 168 + 8,
      hint: "One picture per parameter: results by rank, best on top, and below it where the best few percent lie (filled) against all (line). When the best results gather at an edge, consider wider bounds.",
      tools: [share], csv: () => this.csv(),
    });
    Object.assign(this, { study, selection, share });
  }

  static columns(width, study) { return Math.max(1, Math.min(study.space.length, Math.floor(width / 210))); }

  layout() {
    this.across = Slices.columns(this.width, this.study);
    this.cell = this.innerWidth / this.across;
  }

  box(p) {
    return { x: this.margin.left + (p % this.across) * this.cell + 6, y: this.margin.top + Math.floor(p / this.across) * 168 + 20,
      w: this.cell - 30, h: 84 };  // room between the labels at the ends
  }

  overlay(svg) {
    const { study } = this;
    const texts = [];
    study.space.forEach((parameter, p) => {
      const { x, y, w, h } = this.box(p);
      const room = Math.max(6, Math.floor(w / 7));
      texts.push({ x, y: y - 7, text: clipText(parameter.name, room), anchor: "start", name: true, full: parameter.name });
      const ends = parameter.type === "categorical"
        ? [String(parameter.choices[0]), parameter.choices.length > 1 ? String(parameter.choices[parameter.choices.length - 1]) : ""]
        : [formatNumber(parameter.low, 3), formatNumber(parameter.high, 3)];
      const half = Math.max(6, Math.floor(w / 2 / TICK_LETTER) - 1);  // letters, so that the two ends do not touch
      texts.push({ x, y: y + h + 48, text: clipText(ends[0], half), anchor: "start", full: ends[0] });
      texts.push({ x: x + w, y: y + h + 48, text: `${clipText(ends[1], half)}${parameter.log ? " (log)" : ""}`, anchor: "end", full: ends[1] });
    });
    const joined = groupOf(svg, "labels").selectAll("text").data(texts).join("text").attr("x", (d) => d.x).attr("y", (d) => d.y)
      .attr("text-anchor", (d) => d.anchor).attr("class", (d) => (d.name ? "name" : "tick")).attr("fill", "currentColor").text((d) => d.text);
    joined.selectAll("title").data((d) => [d.full]).join("title").text((d) => d);
  }

  bestPlaces() {
    const places = this.selection.places();
    return places.subarray(0, Math.max(1, Math.round(places.length * Number(this.share.value) / 100)));
  }

  // What all results look like does not change while brushing.
  allShares(p, bins) {
    return this.study.remember(`shares/${p}/${bins}`, () => {
      const shares = new Float32Array(bins);
      const places = this.study.binsFor(p, bins);
      for (let k = 0; k < places.length; ++k) shares[places[k]] += 1 / places.length;
      return shares;
    });
  }

  paint(context) {
    const { study, selection, colors } = this;
    const best = this.bestPlaces();
    const shades = Array.from({ length: DOWN }, (_, down) => rankColor(down / (DOWN - 1), colors.dark));
    study.space.forEach((parameter, p) => {
      const { x, y, w, h } = this.box(p);
      const across = parameter.type === "categorical" ? Math.min(ACROSS, parameter.choices.length) : ACROSS;
      const counts = countCells(study.cellsFor("value", DOWN, p, across), selection.places(), DOWN * across);
      let most = 1;
      for (const count of counts) if (count > most) most = count;
      const cw = w / across, ch = h / DOWN;
      for (let cell = 0; cell < counts.length; ++cell) {
        if (counts[cell] === 0) continue;
        const down = Math.floor(cell / across);
        context.globalAlpha = 0.25 + 0.75 * Math.sqrt(counts[cell] / most);
        context.fillStyle = shades[down];
        context.fillRect(x + (cell % across) * cw + 0.5, y + down * ch + 0.5, Math.max(1, cw - 1), Math.max(1, ch - 1));
      }
      context.globalAlpha = 1;
      this.paintDensity(context, p, best, across);
      const { focus } = selection;
      if (focus >= 0) {
        context.strokeStyle = colors.accent;
        context.lineWidth = 2;
        context.beginPath();
        context.moveTo(x + study.unit[p][focus] * w, y);
        context.lineTo(x + study.unit[p][focus] * w, y + h + 34);
        context.stroke();
      }
    });
  }

  paintDensity(context, p, best, across) {
    const { x, y, w, h } = this.box(p);
    const base = y + h + 34, tall = 28;
    const bins = Math.min(across, 20);
    const good = density(this.study.binsFor(p, bins), best, bins), all = this.allShares(p, bins);
    const most = Math.max(0.05, ...good, ...all);
    context.fillStyle = this.colors.accent;
    context.globalAlpha = 0.55;
    good.forEach((share, b) => context.fillRect(x + b * w / bins, base - tall * share / most, w / bins - 0.5, tall * share / most));
    context.globalAlpha = 1;
    context.strokeStyle = this.colors.quiet;
    context.lineWidth = 1;
    context.beginPath();
    all.forEach((share, b) => {
      const top = base - tall * share / most;
      if (b === 0) context.moveTo(x, top);
      else context.lineTo(x + b * w / bins, top);
      context.lineTo(x + (b + 1) * w / bins, top);
    });
    context.stroke();
  }

  describe() { return `Where the best ${this.share.value} percent of results lie, for each of ${this.study.space.length} parameters.`; }

  csv() {
    let text = csvLine(["parameter", "bin", "from", "to", "share_of_best", "share_of_all"]);
    const best = this.bestPlaces();
    this.study.space.forEach((parameter, p) => {
      const bins = parameter.type === "categorical" ? parameter.choices.length : 20;
      const good = density(this.study.binsFor(p, bins), best, bins), all = this.allShares(p, bins);
      good.forEach((value, b) => {
        text += csvLine([parameter.name, b + 1, b / bins, (b + 1) / bins, value, all[b]]);
      });
    });
    return text;
  }
}
