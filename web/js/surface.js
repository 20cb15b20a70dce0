// SPDX-License-Identifier: MIT
// A card with a plot: title, one sentence on what to look for, a canvas for what is many and an SVG over it for
// axes and brushes. Draws once per frame at most; knows how to save itself as SVG and CSV.
import { element, fileName, saveFile } from "./dom.js";
import { SvgContext } from "./svg-context.js";
import { themeColors } from "./colors.js";
import { clipText, distinctFormat, formatNumber } from "./format.js";

// Ticks for what is counted: whole numbers only, each once.
export function wholeTicks(scale, count) { return scale.ticks(count).filter(Number.isInteger); }

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
    this.visible = false;
    new IntersectionObserver((entries) => {
      this.visible = entries[entries.length - 1].isIntersecting;
      if (this.visible && this.stale) this.repaint();
    }, { rootMargin: "50px" }).observe(this.section);
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

  // On a very large screen everything on a plot is drawn larger, not only further apart. A plot's own coordinates
  // (width, height, what events are picked by) are those before enlarging.
  measure() {
    this.zoom = window.innerWidth >= 3000 ? 1.5 : 1;
    this.width = Math.max(200, this.plot.clientWidth / this.zoom);
    this.height = typeof this.options.height === "function" ? this.options.height(this.width) : this.options.height;
  }

  drawNow() {
    this.measure();
    const wide = this.width * this.zoom, tall = this.height * this.zoom;
    const ratio = window.devicePixelRatio || 1;
    this.plot.style.height = `${tall}px`;
    if (this.canvas.width !== Math.round(wide * ratio) || this.canvas.height !== Math.round(tall * ratio)) {
      this.canvas.width = Math.round(wide * ratio);
      this.canvas.height = Math.round(tall * ratio);
      this.canvas.style.width = `${wide}px`;
      this.canvas.style.height = `${tall}px`;
    }
    this.svg.setAttribute("viewBox", `0 0 ${this.width} ${this.height}`);
    this.svg.setAttribute("width", wide);
    this.svg.setAttribute("height", tall);
    this.colors = themeColors();
    this.layout();
    this.overlay(globalThis.d3.select(this.svg));
    this.paintAll();
    this.plot.setAttribute("aria-label", this.describe());
  }

  // Only the canvas: while brushing.
  repaint() {
    if (!this.colors || this.repainting) return;
    this.repainting = true;
    this.stale = false;
    requestAnimationFrame(() => {
      this.repainting = false;
      this.paintAll();
    });
  }

  paintAll() {
    const scale = this.canvas.width / this.width;
    const context = this.canvas.getContext("2d");
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, this.width, this.height);
    this.paint(context);
  }

  // Where on the plot, in its own coordinates, a mouse is.
  placeOf(event) {
    const box = this.plot.getBoundingClientRect();
    return [(event.clientX - box.left) / this.zoom, (event.clientY - box.top) / this.zoom];
  }

  // When the selection has changed: at once where it is seen, else when the hand rests.
  reselect() {
    if (this.visible) {
      this.repaint();
      return;
    }
    this.stale = true;
    clearTimeout(this.rest);
    this.rest = setTimeout(() => { if (this.stale) this.repaint(); }, 250);
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

// Width of a letter at a tick, and of what is beside the letters: the title and the tick's own line.
export const TICK_LETTER = 6.6, TICK_REST = 30;

// How the values of a scale are written at its ticks, and the margin that they need beside a title.
export function valueTicks(scale, count) {
  const values = scale.ticks(count);
  const format = scale.base ? scale.tickFormat(count, (v) => formatNumber(v, 3)) : distinctFormat(values);
  return { format, margin: TICK_REST + TICK_LETTER * Math.max(...values.map((v) => format(v).length), 0) };
}

// Axis title, as text; `room` is the length of the axis, where the title may be longer.
export function axisLabel(svg, name, text, x, y, rotate = false, room = Infinity) {
  const label = groupOf(svg, name, `translate(${x},${y})${rotate ? " rotate(-90)" : ""}`);
  const shown = clipText(text, Math.floor(room / 7));
  const texts = label.selectAll("text").data([shown]).join("text").attr("text-anchor", "middle").attr("class", "axis-title")
    .attr("fill", "currentColor").text((d) => d);
  texts.selectAll("title").data(shown === text ? [] : [text]).join("title").text((d) => d);
}
