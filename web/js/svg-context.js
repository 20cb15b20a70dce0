// SPDX-License-Identifier: MIT
// The few drawing calls our views make on a canvas, recorded as SVG: what is seen is what is saved.

function escapeXml(text) {
  return String(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll("\"", "&quot;");
}

const short = (number) => String(Math.round(number * 100) / 100);

export class SvgContext {
  constructor() {
    this.parts = [];
    this.path = [];
    this.fillStyle = "#000";
    this.strokeStyle = "#000";
    this.lineWidth = 1;
    this.globalAlpha = 1;
    this.font = "12px sans-serif";
    this.textAlign = "left";
    this.dash = [];
  }

  beginPath() { this.path = []; }
  moveTo(x, y) { this.path.push(`M${short(x)} ${short(y)}`); }
  lineTo(x, y) { this.path.push(`L${short(x)} ${short(y)}`); }
  closePath() { this.path.push("Z"); }
  rect(x, y, w, h) { this.path.push(`M${short(x)} ${short(y)}h${short(w)}v${short(h)}h${short(-w)}Z`); }
  arc(x, y, r) {
    this.path.push(`M${short(x - r)} ${short(y)}a${short(r)} ${short(r)} 0 1 0 ${short(2 * r)} 0`,
      `a${short(r)} ${short(r)} 0 1 0 ${short(-2 * r)} 0`);
  }
  setLineDash(dash) { this.dash = dash; }
  opacity() { return this.globalAlpha < 1 ? ` opacity="${short(this.globalAlpha)}"` : ""; }
  stroke() {
    const dash = this.dash.length > 0 ? ` stroke-dasharray="${this.dash.join(" ")}"` : "";
    this.parts.push(`<path d="${this.path.join("")}" fill="none" stroke="${escapeXml(this.strokeStyle)}" `
      + `stroke-width="${short(this.lineWidth)}"${dash}${this.opacity()}/>`);
  }
  fill() { this.parts.push(`<path d="${this.path.join("")}" fill="${escapeXml(this.fillStyle)}"${this.opacity()}/>`); }
  fillRect(x, y, w, h) {
    this.parts.push(`<rect x="${short(x)}" y="${short(y)}" width="${short(w)}" height="${short(h)}" `
      + `fill="${escapeXml(this.fillStyle)}"${this.opacity()}/>`);
  }
  fillText(text, x, y) {
    const anchor = { center: "middle", right: "end" }[this.textAlign] ?? "start";
    this.parts.push(`<text x="${short(x)}" y="${short(y)}" text-anchor="${anchor}" font-size="12" `
      + `font-family="sans-serif" fill="${escapeXml(this.fillStyle)}"${this.opacity()}>${escapeXml(text)}</text>`);
  }
  toString() { return this.parts.join("\n"); }
}
