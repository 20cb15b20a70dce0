// SPDX-License-Identifier: MIT
// Numbers, durations and counts as a person writes them. Everything returned is plain text.

export function formatNumber(value, digits = 4) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-4) return value.toExponential(digits - 1).replace("e+", "e").replace("-", "−");
  const text = String(Number(value.toPrecision(digits)));
  return text.replace("-", "−");
}

// For the ticks of an axis: with as many digits as it takes to tell them apart.
export function distinctFormat(values, digits = 3) {
  while (digits < 15 && new Set(values.map((v) => formatNumber(v, digits))).size < new Set(values).size) digits += 1;
  return (v) => formatNumber(v, digits);
}

export function formatCount(count) {
  return String(count).replace(/\B(?=(\d{3})+(?!\d))/g, "\u202f");
}

export function formatDuration(seconds) {
  if (!Number.isFinite(seconds)) return "–";
  if (seconds < 0.001) return `${formatNumber(seconds * 1e6, 2)} µs`;
  if (seconds < 1) return `${formatNumber(seconds * 1e3, 2)} ms`;
  if (seconds < 60) return `${formatNumber(seconds, 2)} s`;
  const whole = Math.round(seconds);
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${String(whole % 60).padStart(2, "0")} s`;
  if (whole < 86400) return `${Math.floor(whole / 3600)} h ${String(Math.floor(whole / 60) % 60).padStart(2, "0")} min`;
  return `${Math.floor(whole / 86400)} d ${String(Math.floor(whole / 3600) % 24).padStart(2, "0")} h`;
}

// At most so many letters, the last of them an ellipsis where some are left out.
export function clipText(text, room) {
  const whole = String(text);
  return whole.length > room ? `${whole.slice(0, Math.max(1, room - 1))}…` : whole;
}

export function plural(count, word, words = `${word}s`) {
  return `${formatCount(count)} ${count === 1 ? word : words}`;
}

// One line of CSV, quoted where needed (RFC 4180). A text that a spreadsheet would take for a formula gets a
// quote in front.
export function csvLine(cells) {
  return cells.map((cell) => {
    if (cell === null || cell === undefined || (typeof cell === "number" && Number.isNaN(cell))) return "";
    let text = String(cell);
    if (typeof cell === "string" && /^[=+\-@\t\r]/.test(text)) text = `'${text}`;
    return /[",\r\n]/.test(text) ? `"${text.replaceAll("\"", "\"\"")}"` : text;
  }).join(",") + "\r\n";
}
