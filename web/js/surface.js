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
    this.stale = false;
    requestAnimationFrame(() => {
      this.repainting = false;
      const scale = window.devicePixelRatio || 1;
      const context = this.canvas.getContext("2d");
      context.setTransform(scale, 0, 0, scale, 0, 0);
      context.clearRect(0, 0, this.width, this.height);
      this.paint(context);
    });
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

const MANY_POINTS = 4000;

// Pixels of rows on a plot, once per layout: xs and ys in the plot's own coordinates.
export function pixelsOf(rows, xOf, yOf) {
  const xs = new Float32Array(rows.length), ys = new Float32Array(rows.length);
  for (let k = 0; k < rows.length; ++k) {
    xs[k] = xOf(rows[k]);
    ys[k] = yOf(rows[k]);
  }
  return { xs, ys };
}

// Points in the colour of their rank, worst first so that good ones are on top; unselected ones pale. `rows` go from
// best to worst, as in study.byRank, with their pixels.
export function paintPoints(context, { selection, rows, pixels, colors, palette, size }) {
  if (rows.length > MANY_POINTS && !(context instanceof SvgContext)) {
    paintManyPoints(context, { selection, rows, pixels, colors, palette, size });
    return;
  }
  const { xs, ys } = pixels;
  const buckets = palette.map(() => []);
  const pale = [];
  for (let k = 0; k < rows.length; ++k) {
    if (!selection.has(rows[k])) pale.push(k);
    else buckets[Math.min(palette.length - 1, Math.floor(k / rows.length * palette.length))].push(k);
  }
  const dots = (list, color, alpha) => {
    if (list.length === 0) return;
    context.globalAlpha = alpha;
    context.fillStyle = color;
    context.beginPath();
    for (const k of list) {
      context.moveTo(xs[k] + size / 2, ys[k]);
      context.arc(xs[k], ys[k], size / 2, 0, 2 * Math.PI);
    }
    context.fill();
  };
  dots(pale, colors.quiet, 0.15);
  for (let b = palette.length - 1; b >= 0; --b) dots(buckets[b], palette[b], 0.85);
  context.globalAlpha = 1;
}

function packed(color, alpha) {
  const [r, g, b] = color.startsWith("#") ? [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16)) : color.match(/\d+/g).map(Number);
  return ((alpha << 24) | (b << 16) | (g << 8) | r) >>> 0;
}

// Straight into pixels: a hundred thousand points cost a few milliseconds.
function paintManyPoints(context, { selection, rows, pixels, colors, palette, size }) {
  const { canvas } = context;
  const scale = window.devicePixelRatio || 1;
  const { width, height } = canvas;
  const image = new ImageData(width, height);
  const buffer = new Uint32Array(image.data.buffer);
  const side = Math.max(1, Math.round(size * scale));
  const { xs, ys } = pixels;
  const put = (k, color) => {
    const left = Math.round(xs[k] * scale - side / 2), top = Math.round(ys[k] * scale - side / 2);
    if (left < 0 || top < 0 || left + side > width || top + side > height) return;
    for (let y = top; y < top + side; ++y) for (let x = left; x < left + side; ++x) buffer[y * width + x] = color;
  };
  const { mask } = selection;
  if (mask !== null) {
    const pale = packed(colors.quiet, 40);
    for (let k = rows.length - 1; k >= 0; --k) if (mask[rows[k]] === 0) put(k, pale);
  }
  const strong = palette.map((color) => packed(color, 215));
  for (let k = rows.length - 1; k >= 0; --k) {
    if (mask === null || mask[rows[k]] === 1) put(k, strong[Math.min(palette.length - 1, Math.floor(k / rows.length * palette.length))]);
  }
  const layer = new OffscreenCanvas(width, height);
  layer.getContext("2d").putImageData(image, 0, 0);
  context.drawImage(layer, 0, 0, width / scale, height / scale);
}

export function paintFocus(context, x, y, colors) {
  context.strokeStyle = colors.accent;
  context.lineWidth = 2;
  context.beginPath();
  context.moveTo(x + 7, y);
  context.arc(x, y, 7, 0, 2 * Math.PI);
  context.stroke();
}
