// SPDX-License-Identifier: MIT
// A card with a plot: title, one sentence on what to look for, a canvas for what is many and an SVG over it for
// axes and brushes. Draws once per frame at most; knows how to save itself as SVG and CSV.
import { element, fileName, saveFile } from "./dom.js";
import { SvgContext } from "./svg-context.js";
import { themeColors } from "./colors.js";

export class Surface {
  // options: id, title, hint, height, margin {top,right,bottom,left}, study, wide, tools (nodes), csv() -> text
  constructor(parent, options) {
    this.options = options;
    this.margin = options.margin ?? { top: 12, right: 16, bottom: 38, left: 56 };
    this.svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    this.canvas = element("canvas", { "aria-hidden": "true" });
    this.plot = element("div", { class: "plot", role: "img", tabindex: "0" }, this.canvas, this.svg);
    this.note = element("p", { class: "note" });
    const save = (kind, run) => element("button",
      { type: "button", class: "small", title: `Save as ${kind}`, "aria-label": `Save ${options.title} as ${kind}`, on: { click: run } }, kind);
    this.section = element("section", { class: options.wide ? "card wide" : "card", id: options.id, "aria-labelledby": `${options.id}-title` },
      element("header", {},
        element("h2", { id: `${options.id}-title` }, options.title),
        element("div", { class: "tools" }, ...(options.tools ?? []),
          save("SVG", () => this.saveSvg()),
          options.csv ? save("CSV", () => saveFile(fileName(options.study.name, options.id, "csv"), "text/csv", options.csv())) : null)),
      element("p", { class: "hint" }, options.hint), this.plot, this.note);
    parent.append(this.section);
    this.pending = false;
    new ResizeObserver(() => this.redraw()).observe(this.plot);
  }

  get innerWidth() { return Math.max(10, this.width - this.margin.left - this.margin.right); }
  get innerHeight() { return Math.max(10, this.height - this.margin.top - this.margin.bottom); }

  redraw() {
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(() => {
      this.pending = false;
      this.drawNow();
    });
  }

  measure() {
    this.width = Math.max(200, this.plot.clientWidth);
    this.height = typeof this.options.height === "function" ? this.options.height(this.width) : this.options.height;
  }

  drawNow() {
    this.measure();
    const scale = window.devicePixelRatio || 1;
    this.plot.style.height = `${this.height}px`;
    if (this.canvas.width !== Math.round(this.width * scale) || this.canvas.height !== Math.round(this.height * scale)) {
      this.canvas.width = Math.round(this.width * scale);
      this.canvas.height = Math.round(this.height * scale);
      this.canvas.style.width = `${this.width}px`;
      this.canvas.style.height = `${this.height}px`;
    }
    this.svg.setAttribute("viewBox", `0 0 ${this.width} ${this.height}`);
    this.svg.setAttribute("width", this.width);
    this.svg.setAttribute("height", this.height);
    this.colors = themeColors();
    this.layout();
    this.overlay(globalThis.d3.select(this.svg));
    const context = this.canvas.getContext("2d");
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, this.width, this.height);
    this.paint(context);
    this.plot.setAttribute("aria-label", this.describe());
  }

  // Only the canvas: while brushing.
  repaint() {
    if (!this.colors || this.repainting) return;
    this.repainting = true;
    requestAnimationFrame(() => {
      this.repainting = false;
      const scale = window.devicePixelRatio || 1;
      const context = this.canvas.getContext("2d");
      context.setTransform(scale, 0, 0, scale, 0, 0);
      context.clearRect(0, 0, this.width, this.height);
      this.paint(context);
    });
  }

  layout() {}
  overlay() {}
  paint() {}
  describe() { return this.options.title; }

  saveSvg() {
    const context = new SvgContext();
    this.paint(context);
    const overlay = this.svg.cloneNode(true);
    for (const handle of overlay.querySelectorAll(".brush")) handle.remove();
    for (const text of overlay.querySelectorAll("text")) if (!text.getAttribute("fill")) text.setAttribute("fill", "currentColor");
    const inner = new XMLSerializer().serializeToString(overlay);
    saveFile(fileName(this.options.study.name, this.options.id, "svg"), "image/svg+xml",
      `<svg xmlns="http://www.w3.org/2000/svg" width="${this.width}" height="${this.height}" viewBox="0 0 ${this.width} ${this.height}" `
      + `color="${this.colors.text}" font-family="sans-serif" font-size="12">`
      + `<rect width="100%" height="100%" fill="${this.colors.card}"/>${context}${inner}</svg>`);
  }
}

// A group that is there once, by class.
export function groupOf(svg, name, transform) {
  let group = svg.select(`g.${name}`);
  if (group.empty()) group = svg.append("g").attr("class", name);
  return transform ? group.attr("transform", transform) : group;
}

// Axis title, as text.
export function axisLabel(svg, name, text, x, y, rotate = false) {
  const label = groupOf(svg, name, `translate(${x},${y})${rotate ? " rotate(-90)" : ""}`);
  label.selectAll("text").data([text]).join("text").attr("text-anchor", "middle").attr("class", "axis-title")
    .attr("fill", "currentColor").text((d) => d);
}

// Nearest of many points to a place; -1 when none is within `reach`.
export function nearestPoint(rows, xOf, yOf, x, y, reach = 14) {
  let best = -1;
  let least = reach * reach;
  for (const row of rows) {
    const dx = xOf(row) - x, dy = yOf(row) - y;
    const distance = dx * dx + dy * dy;
    if (distance < least) {
      least = distance;
      best = row;
    }
  }
  return best;
}

// Points in the colour of their rank, worst first so that good ones are on top; unselected ones pale.
export function paintPoints(context, { study, selection, rows, xOf, yOf, colors, palette, size }) {
  const buckets = Array.from({ length: palette.length }, () => []);
  const pale = [];
  for (const row of rows) {
    if (!selection.has(row)) pale.push(row);
    else buckets[Math.min(palette.length - 1, Math.floor((study.rank[row] || 0) * palette.length))].push(row);
  }
  const many = rows.length > 4000;
  const dots = (list, color, alpha) => {
    if (list.length === 0) return;
    context.globalAlpha = alpha;
    context.fillStyle = color;
    if (many) {
      for (const row of list) context.fillRect(xOf(row) - size / 2, yOf(row) - size / 2, size, size);
      return;
    }
    context.beginPath();
    for (const row of list) {
      const x = xOf(row), y = yOf(row);
      context.moveTo(x + size / 2, y);
      context.arc(x, y, size / 2, 0, 2 * Math.PI);
    }
    context.fill();
  };
  dots(pale, colors.quiet, 0.12);
  for (let b = palette.length - 1; b >= 0; --b) dots(buckets[b], palette[b], many ? 0.75 : 0.85);
  context.globalAlpha = 1;
}

export function paintFocus(context, x, y, colors) {
  context.strokeStyle = colors.accent;
  context.lineWidth = 2;
  context.beginPath();
  context.moveTo(x + 7, y);
  context.arc(x, y, 7, 0, 2 * Math.PI);
  context.stroke();
}
