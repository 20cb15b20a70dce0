// SPDX-License-Identifier: MIT
// Colours: one ramp for rank (best = strongest), a few for sources, the rest from the page's theme.
// The ramp runs from a deep blue to a pale yellow in even steps of lightness, readable for colour-blind eyes.

const RAMP_LIGHT = ["#2c1160", "#3b3f8c", "#2f6b9a", "#2a8f9c", "#4bb08a", "#8ecb74", "#c9dc7c", "#e6e3ad"];
const RAMP_DARK = ["#fdf6b5", "#d7e374", "#97d06f", "#55b888", "#329a9c", "#3a779c", "#4a5790", "#4b4270"];
const SERIES = ["#3f6fd1", "#d9822b", "#3a9e6e", "#b4508e", "#8a8f98", "#c9a227", "#5aa7c7", "#d1553f"];

export const BUCKETS = 24;

function channel(hex, at) { return Number.parseInt(hex.slice(at, at + 2), 16); }

export function mixHex(a, b, share) {
  const part = (at) => Math.round(channel(a, at) + (channel(b, at) - channel(a, at)) * share);
  return `rgb(${part(1)},${part(3)},${part(5)})`;
}

// The colour of a rank in [0, 1], 0 = best.
export function rankColor(rank, dark) {
  const ramp = dark ? RAMP_DARK : RAMP_LIGHT;
  if (!(rank >= 0)) return dark ? "#666b75" : "#9aa0aa";
  const place = Math.min(rank, 1) * (ramp.length - 1);
  const at = Math.min(ramp.length - 2, Math.floor(place));
  return mixHex(ramp[at], ramp[at + 1], place - at);
}

export function rankColors(dark) {
  return Array.from({ length: BUCKETS }, (_, b) => rankColor(b / (BUCKETS - 1), dark));
}

export function seriesColor(index) { return SERIES[index % SERIES.length]; }

export function themeColors() {
  const style = getComputedStyle(document.documentElement);
  const read = (name) => style.getPropertyValue(name).trim();
  return {
    dark: read("--scheme") === "dark",
    text: read("--text"), quiet: read("--quiet"), line: read("--line"), card: read("--card"),
    accent: read("--accent"), bad: read("--bad"), warn: read("--warn"), good: read("--good"), band: read("--band"),
  };
}
