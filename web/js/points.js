// SPDX-License-Identifier: MIT
// Many points on a canvas, in the colour of their rank.
import { SvgContext } from "./svg-context.js";

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

// Straight into pixels: a hundred thousand points cost a few milliseconds. What does not depend on the selection,
// all points in their colours and all points pale, is drawn once for a layout (`pixels`) and kept.
function paintManyPoints(context, { selection, rows, pixels, colors, palette, size }) {
  const { width, height } = context.canvas;
  const scale = context.getTransform().a;
  const show = (layer) => context.drawImage(layer, 0, 0, width / scale, height / scale);
  if (pixels.width !== width || pixels.height !== height) Object.assign(pixels, { width, height, image: null, kept: {} });
  const layer = (name, paint) => {
    pixels.image ??= new ImageData(width, height);
    const buffer = new Uint32Array(pixels.image.data.buffer);
    buffer.fill(0);
    paint(dotPainter(buffer, width, height, pixels, Math.max(1, Math.round(size * scale)), scale));
    const canvas = pixels.kept[name] ?? new OffscreenCanvas(width, height);
    canvas.getContext("2d").putImageData(pixels.image, 0, 0);
    pixels.kept[name] = canvas;
    return canvas;
  };
  const strong = palette.map((color) => packed(color, 215));
  const colorOf = (k) => strong[Math.min(strong.length - 1, Math.floor(k / rows.length * strong.length))];
  if (selection.mask === null) {
    show(pixels.kept.all ?? layer("all", (dot) => { for (let k = rows.length - 1; k >= 0; --k) dot(k, colorOf(k)); }));
    return;
  }
  const pale = packed(colors.quiet, 40);
  show(pixels.kept.pale ?? layer("pale", (dot) => { for (let k = rows.length - 1; k >= 0; --k) dot(k, pale); }));
  const chosen = selection.places();
  show(layer("chosen", (dot) => { for (let i = chosen.length - 1; i >= 0; --i) dot(chosen[i], colorOf(chosen[i])); }));
}

// A function that sets the square of one point.
function dotPainter(buffer, width, height, { xs, ys }, side, scale) {
  return (k, color) => {
    const left = Math.round(xs[k] * scale - side / 2), top = Math.round(ys[k] * scale - side / 2);
    if (left < 0 || top < 0 || left + side > width || top + side > height) return;
    for (let y = top; y < top + side; ++y) for (let x = left; x < left + side; ++x) buffer[y * width + x] = color;
  };
}

export function paintFocus(context, x, y, colors) {
  context.strokeStyle = colors.accent;
  context.lineWidth = 2;
  context.beginPath();
  context.moveTo(x + 7, y);
  context.arc(x, y, 7, 0, 2 * Math.PI);
  context.stroke();
}
