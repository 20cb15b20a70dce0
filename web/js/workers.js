// SPDX-License-Identifier: MIT
// Timeline of evaluations per worker: gaps are idle time.
import { csvLine, formatDuration, plural } from "./format.js";
import { rankColors } from "./colors.js";
import { Surface, axisLabel, groupOf } from "./surface.js";
import { nearestPoint } from "./points.js";
import { FAILED, RUNNING } from "./study.js";

const MOST_LANES = 64;

export function hasTimes(study) {
  const { started_at: started } = study.columns;
  for (let i = 0; i < study.rows; ++i) if (started[i] >= 0) return true;
  return false;
}

const knownLanes = new WeakMap();  // study -> {stamp, lanes}

function cachedLanes(study) {
  const known = knownLanes.get(study);
  if (known?.stamp === study.stamp) return known.lanes;
  const lanes = lanesOf(study);
  knownLanes.set(study, { stamp: study.stamp, lanes });
  return lanes;
}

// Lanes of rows that do not overlap: one per worker where workers are known, else as few as hold them all.
export function lanesOf(study) {
  const { started_at: started, finished_at: finished, state } = study.columns;
  const rows = [];
  for (let i = 0; i < study.rows; ++i) if (started[i] >= 0) rows.push(i);
  rows.sort((a, b) => started[a] - started[b]);
  const end = (row) => (finished[row] >= 0 ? finished[row] : Infinity);
  const lanes = new Map();
  for (const row of rows) {
    if (!(finished[row] >= 0) && state[row] !== RUNNING) continue;
    const name = study.workerName(row);
    for (let copy = 1; ; ++copy) {
      const key = copy === 1 ? name : `${name} (${copy})`;
      const lane = lanes.get(key);
      if (!lane) {
        if (lanes.size < MOST_LANES) lanes.set(key, [row]);
        break;
      }
      if (end(lane[lane.length - 1]) <= started[row] + 1e-3) {
        lane.push(row);
        break;
      }
      if (copy > MOST_LANES) break;
    }
  }
  return [...lanes].map(([name, list]) => ({ name: name || "worker", rows: list })).sort((a, b) => a.name.localeCompare(b.name, undefined, { numeric: true }));
}

export class WorkersView extends Surface {
  constructor(parent, study, selection) {
    super(parent, {
      id: "workers", title: "Workers", study, wide: true, margin: { top: 8, right: 16, bottom: 38, left: 120 },
      height: () => Math.max(120, Math.min(560, cachedLanes(study).length * 18 + 50)),
      hint: "One bar per evaluation in the colour of its rank, failures red. White gaps are idle time: few suggestions ready, or a worker that was lost.",
      csv: () => this.csv(),
    });
    Object.assign(this, { study, selection });
    this.plot.addEventListener("click", (event) => this.pick(event));
  }

  layout() {
    this.lanes = cachedLanes(this.study);
    const { started_at: started, finished_at: finished } = this.study.columns;
    let last = 0;
    for (const { rows } of this.lanes) for (const row of rows) last = Math.max(last, finished[row] >= 0 ? finished[row] : started[row]);
    const d3 = globalThis.d3;
    this.last = last;
    this.x = d3.scaleLinear().domain([0, Math.max(1e-3, last)]).range([this.margin.left, this.margin.left + this.innerWidth]);
    this.y = d3.scaleBand().domain(this.lanes.map((_, i) => String(i))).range([this.margin.top, this.margin.top + this.innerHeight]).padding(0.2);
  }

  overlay(svg) {
    const d3 = globalThis.d3;
    groupOf(svg, "x-axis", `translate(0,${this.margin.top + this.innerHeight})`)
      .call(d3.axisBottom(this.x).ticks(Math.max(2, this.width / 140)).tickFormat((v) => (v === 0 ? "0" : formatDuration(v))));
    axisLabel(svg, "x-title", "time since the first suggestion", this.margin.left + this.innerWidth / 2, this.height - 6);
    const shown = this.y.bandwidth() >= 9 ? this.lanes : [];
    groupOf(svg, "names").selectAll("text").data(shown).join("text").attr("x", this.margin.left - 8).attr("text-anchor", "end")
      .attr("dy", "0.32em").attr("class", "tick").attr("fill", "currentColor")
      .attr("y", (d, i) => this.y(String(i)) + this.y.bandwidth() / 2).text((d) => (d.name.length > 17 ? `…${d.name.slice(-16)}` : d.name));
    const lost = this.study.status.workers.reduce((sum, worker) => sum + worker.lost, 0);
    const busy = this.lanes.reduce((sum, lane) => sum + lane.rows.reduce((all, row) => all + Math.max(0, this.endOf(row) - this.startOf(row)), 0), 0);
    // Where workers are known, without the time between their evaluations in which the study paused.
    const known = this.study.status.workers.filter((worker) => worker.name && worker.evaluations > 0);
    const idle = known.reduce((sum, worker) => sum + worker.idle_seconds, 0);
    const possible = known.length > 0 ? busy + idle : this.lanes.length * this.last;
    this.note.textContent = `${plural(this.lanes.length, "lane")}, ${possible > 0 ? Math.round(100 * busy / possible) : 0} % of their time spent evaluating`
      + `${lost > 0 ? `, ${plural(lost, "lease")} lost` : ""}.`;
  }

  startOf(row) { return this.study.columns.started_at[row]; }
  endOf(row) {
    const end = this.study.columns.finished_at[row];
    return end >= 0 ? end : this.last;
  }

  // Bars of one colour that touch are one rectangle: never more than there are pixels, however many evaluations.
  paint(context) {
    const { study, colors } = this;
    const palette = rankColors(colors.dark);
    const height = Math.max(1, this.y.bandwidth());
    const { state } = study.columns;
    const colorOf = (row) => {
      if (state[row] === FAILED) return colors.bad;
      if (state[row] === RUNNING) return colors.quiet;
      return palette[Math.min(palette.length - 1, Math.floor(study.rank[row] * palette.length))];
    };
    this.lanes.forEach(({ rows }, i) => {
      const y = this.y(String(i));
      let from = NaN, to = NaN, color = "", pale = false;
      const flush = () => {
        if (Number.isNaN(from)) return;
        context.globalAlpha = pale ? 0.2 : 0.9;
        context.fillStyle = color;
        context.fillRect(from, y, Math.max(0.7, to - from), height);
      };
      for (const row of rows) {
        const start = this.x(this.startOf(row)), end = this.x(this.endOf(row)) - 0.4;
        if (end <= to) continue;  // narrower than a pixel, and something is there already
        const next = colorOf(row), nextPale = !this.selection.has(row) && state[row] !== FAILED;
        if (next === color && nextPale === pale && end - start < 2 && start <= to + 0.5) {
          to = end;
          continue;
        }
        flush();
        [from, to, color, pale] = [start, Math.max(end, start + 0.7), next, nextPale];
      }
      flush();
    });
    context.globalAlpha = 1;
  }

  pick(event) {
    const [x, y] = this.placeOf(event);
    const lane = this.lanes.findIndex((_, i) => y >= this.y(String(i)) && y <= this.y(String(i)) + this.y.bandwidth());
    if (lane < 0) return;
    const row = nearestPoint(this.lanes[lane].rows, (r) => Math.min(Math.max(x, this.x(this.startOf(r))), this.x(this.endOf(r))), () => y, x, y);
    if (row >= 0) this.selection.setFocus(row);
  }

  describe() { return `Timeline of evaluations in ${plural(this.lanes?.length ?? 0, "lane")}. ${this.note.textContent}`; }

  csv() {
    let text = csvLine(["worker", "trial", "started_seconds", "finished_seconds", "seconds", "state"]);
    for (const { name, rows } of this.lanes) {
      for (const row of rows) {
        text += csvLine([name, this.study.columns.id[row], this.startOf(row), this.study.columns.finished_at[row], this.study.columns.seconds[row],
          this.study.columns.state[row]]);
      }
    }
    return text;
  }
}
