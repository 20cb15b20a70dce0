// SPDX-License-Identifier: MIT
// A study in the page: growable columns, one row per trial in the order of ids, filled from payloads, and what
// follows from them: ranks, order of results, best so far, positions on a unit scale. With several objectives a
// result's rank is by how far it is behind the front.
import { formatNumber } from "./format.js";
import { gapsBehind, robustRange } from "./front-order.js";

export const WAITING = 0, RUNNING = 1, COMPLETED = 2, FAILED = 3;
export const STATE_NAMES = ["waiting", "running", "completed", "failed"];
const TABLES = { source: "sources", worker: "workers", message: "messages" };

// Position of a value of a parameter in [0, 1]; NaN stays NaN.
export function unitOf(parameter, value) {
  if (parameter.type === "categorical") return (value + 0.5) / parameter.choices.length;
  const { low, high } = parameter;
  if (high === low) return 0.5;
  if (parameter.log) return (Math.log(value) - Math.log(low)) / (Math.log(high) - Math.log(low));
  return (value - low) / (high - low);
}

export function valueAtUnit(parameter, unit) {
  if (parameter.type === "categorical") {
    const count = parameter.choices.length;
    return Math.min(count - 1, Math.max(0, Math.floor(unit * count)));
  }
  const { low, high } = parameter;
  if (parameter.log) return Math.exp(Math.log(low) + unit * (Math.log(high) - Math.log(low)));
  return low + unit * (high - low);
}

export class Study {
  constructor(payload) {
    this.rows = 0;
    this.columns = {};
    this.tables = { sources: [], workers: [], messages: [] };
    this.codes = { sources: new Map(), workers: new Map(), messages: new Map() };
    this.terms = [];  // [{name, note}], as columns t0, t1, ...
    this.outputs = {};
    this.sentences = {};  // why, of the trials a report has them for
    this.histories = {};  // what people changed, likewise
    this.importance = null;  // of several objectives: {objectives: [one per objective]}
    this.front = new Int32Array(0);  // rows
    this.merge(payload);
  }

  get name() { return this.status.study; }
  get minimize() { return this.status.goal === "minimize"; }
  get parameters() { return this.space; }
  get metrics() { return this.status.metrics; }
  get several() { return this.objectives.length > 1; }

  // Adds new trials and overwrites known ones.
  merge({ header, columns }) {
    this.status = header.status;
    const objectives = header.status.objectives ?? [];  // of a study with several; the values are columns o0, o1, ...
    this.objectives = objectives.map((objective, m) => ({ ...objective, key: `o${m}`, sign: objective.goal === "minimize" ? 1 : -1 }));
    this.space = header.space;
    this.constraints = header.constraints ?? [];  // known beforehand; the room left is column c0, c1, ...
    this.limits = header.limits ?? [];  // of metrics: {metric, at_most?, at_least?}
    this.causes = header.causes;
    this.thinned = Math.max(this.thinned ?? 1, header.thinned ?? 1);  // above 1: numbers are rounded, one in so many has its ledger
    this.timeBase = header.time_base;
    if (header.importance) this.importance = header.importance;
    Object.assign(this.outputs, header.outputs);
    Object.assign(this.sentences, header.sentences);
    Object.assign(this.histories, header.histories);
    const termOf = header.terms.map((term) => this.termIndex(term));
    const rowOf = new Int32Array(header.rows);
    for (let i = 0; i < header.rows; ++i) rowOf[i] = this.rowFor(columns.id[i]);
    for (const { name } of header.columns) {
      const kind = /^t\d+$/.test(name) ? `t${termOf[Number(name.slice(1))]}` : name;
      const source = columns[name];
      const target = this.column(kind, source);
      const table = TABLES[name];
      if (!table) {
        for (let i = 0; i < header.rows; ++i) target[rowOf[i]] = source[i];
      } else {
        const translated = header[table].map((text) => this.textCode(table, text));
        const none = name === "message" ? -1 : 0xffff;
        for (let i = 0; i < header.rows; ++i) target[rowOf[i]] = translated[source[i]] ?? none;
      }
    }
    this.derive();
  }

  termIndex(term) {
    const found = this.terms.findIndex((known) => known.name === term.name && known.note === term.note);
    if (found >= 0) return found;
    this.terms.push(term);
    return this.terms.length - 1;
  }

  textCode(table, text) {
    const codes = this.codes[table];
    if (!codes.has(text)) {
      codes.set(text, this.tables[table].length);
      this.tables[table].push(text);
    }
    return codes.get(text);
  }

  // Ids are nearly always 1, 2, 3, ...; the rest of the time a map knows.
  rowFor(id) {
    this.byId ??= new Map();
    const known = this.byId.get(id);
    if (known !== undefined) return known;
    this.byId.set(id, this.rows);
    return this.rows++;
  }

  column(name, like) {
    const old = this.columns[name];
    if (old && old.length >= this.rows) return old;
    const grown = new like.constructor(Math.max(64, this.rows + (this.rows >> 1)));
    if (like instanceof Float32Array || like instanceof Float64Array) grown.fill(NaN);
    if (old) grown.set(old);
    this.columns[name] = grown;
    return grown;
  }

  derive() {
    this.binned = new Map();
    const { state, value, evaluation } = this.columns;
    const n = this.rows;
    for (const [name, column] of Object.entries(this.columns)) this.column(name, column);
    this.sameRows = this.rowsByPoint();
    // Completed rows from best to worst: feasible ones by value, then the others by violation.
    const done = [];
    for (let i = 0; i < n; ++i) if (state[i] === COMPLETED) done.push(i);
    this.byRank = Int32Array.from(done);
    const sign = this.minimize ? 1 : -1;
    if (this.several) this.sortBehindFront();
    else if (this.limits.length === 0) this.byRank.sort((a, b) => sign * (value[a] - value[b]) || a - b);
    else this.sortWithinLimits(sign);
    this.rank = new Float32Array(n).fill(NaN);  // 0 = best, 1 = worst
    const last = Math.max(1, this.byRank.length - 1);
    for (let k = 0; k < this.byRank.length; ++k) this.rank[this.byRank[k]] = k / last;
    for (const row of this.front) this.rank[row] = 0;
    // Ended rows in the order of telling.
    const ended = [];
    for (let i = 0; i < n; ++i) if (evaluation[i] > 0) ended.push(i);
    this.byEvaluation = Int32Array.from(ended).sort((a, b) => evaluation[a] - evaluation[b]);
    this.unit = this.space.map((parameter, p) => {
      const from = this.columns[`p${p}`];
      const unit = new Float32Array(n);
      for (let i = 0; i < n; ++i) unit[i] = unitOf(parameter, from[i]);
      return unit;
    });
    this.best = this.several ? this.balanced() : this.byId?.get(this.status.recommendation?.id) ?? this.byRank[0] ?? -1;
    this.stamp = (this.stamp ?? 0) + 1;  // changes whenever anything above does
  }

  // The completed rows of each point that was evaluated several times, by each of these rows.
  rowsByPoint() {
    const { repeat_of: first, id, state } = this.columns;
    const points = new Map();
    if (first === undefined) return points;
    for (let row = 0; row < this.rows; ++row) {
      if (state[row] !== COMPLETED) continue;
      const point = first[row] > 0 ? first[row] : id[row];
      if (!points.has(point)) points.set(point, []);
      points.get(point).push(row);
    }
    return new Map([...points.values()].filter((rows) => rows.length > 1).flatMap((rows) => rows.map((row) => [row, rows])));
  }

  // The mean of the results at a row's point, of a single result that itself.
  meanOf(key, row) {
    const values = this.columns[key], rows = this.sameRows.get(row);
    if (rows === undefined || rows.every((other) => values[other] === values[row])) return values[row];
    return rows.reduce((sum, other) => sum + values[other], 0) / rows.length;
  }

  // A column of values, where results of a repeated point are their mean.
  means(key) {
    const values = this.columns[key];
    if (this.sameRows.size === 0) return values;
    return this.remember(`means/${key}`, () => Float64Array.from(values, (_, row) => this.meanOf(key, row)));
  }

  // What is within all limits comes first, from the best; then the rest, from the least outside.
  sortWithinLimits(sign) {
    const { value } = this.columns;
    const outside = new Float64Array(this.rows);
    for (const row of this.byRank) outside[row] = this.outsideBy(row);
    this.byRank.sort((a, b) => outside[a] - outside[b] || sign * (value[a] - value[b]) || a - b);
  }

  // The front first, then what is behind it, the nearest first; at the end what is outside a limit.
  sortBehindFront() {
    const { rows, objectives } = this;
    const found = this.status.front?.ids ?? [];
    this.front = Int32Array.from(found.map((id) => this.byId.get(id)).filter((row) => row !== undefined));
    const means = objectives.map(({ key }) => this.means(key));
    const costs = objectives.map(({ sign }, m) => {
      const cost = new Float64Array(rows);
      for (const row of this.byRank) cost[row] = sign * means[m][row];
      return cost;
    });
    this.gap = gapsBehind(costs, this.byRank, this.front, rows);
    const { gap } = this;
    const outside = new Float64Array(rows);
    if (this.limits.length > 0) for (const row of this.byRank) outside[row] = this.outsideBy(row);
    this.byRank.sort((a, b) => outside[a] - outside[b] || gap[a] - gap[b] || a - b);
    // Positions on the axes of the objectives: 0 = best, 1 = worst; what is far worse is at the end.
    this.objectiveRange = costs.map((cost) => {
      const [best, far] = robustRange(Float64Array.from(this.byRank, (row) => cost[row]).sort());
      return [best, this.front.reduce((end, row) => Math.max(end, cost[row]), far)];
    });
    this.objectiveUnit = costs.map((cost, m) => {
      const [best, worst] = this.objectiveRange[m];
      const unit = new Float32Array(rows).fill(NaN);
      for (const row of this.byRank) unit[row] = Math.min(1, Math.max(0, (cost[row] - best) / (worst - best)));
      return unit;
    });
  }

  // The trial to look at first: the knee of the front, or its first extreme.
  balanced() {
    const { knee, extremes } = this.status.front ?? {};
    return this.byId.get(knee) ?? this.byId.get(Object.values(extremes ?? {})[0]) ?? this.byRank[0] ?? -1;
  }

  // Positions in [0, 1] on an axis: a parameter's number, "value" (the rank) or an objective's key.
  unitOn(axis) {
    if (axis === "value") return this.rank;
    return typeof axis === "string" ? this.objectiveUnit[Number(axis.slice(1))] : this.unit[axis];
  }

  // The value of an objective at a position on its axis.
  objectiveAt(m, unit) {
    const [best, worst] = this.objectiveRange[m];
    return this.objectives[m].sign * (best + unit * (worst - best));
  }

  // By how much a result is outside its limits, each in shares of the limit; 0 when it is within all.
  outsideBy(row) {
    const known = this.columns.violation?.[row];  // what the library says counts, to the last bit
    if (known >= 0) return known;
    let sum = 0;
    for (const { metric, at_most: most = Infinity, at_least: least = -Infinity } of this.limits) {
      const v = this.columns[`m${this.metrics.indexOf(metric)}`]?.[row] ?? NaN;
      if (Number.isNaN(v)) sum += 1;
      else if (v > most) sum += (v - most) / (Math.abs(most) || 1);
      else if (v < least) sum += (least - v) / (Math.abs(least) || 1);
    }
    return sum;
  }

  isFeasible(row) { return this.limits.length === 0 || this.outsideBy(row) === 0; }

  // The bin, of `bins` equal ones, in which each result lies on an axis (see unitOn), in the
  // order of byRank: what is counted in every frame of brushing lies in memory as it is read.
  binsFor(axis, bins) {
    return this.remember(`${axis}/${bins}`, () => {
      const unit = this.unitOn(axis);
      const found = new Uint8Array(this.byRank.length);
      for (let k = 0; k < found.length; ++k) found[k] = Math.min(bins - 1, Math.max(0, Math.floor(unit[this.byRank[k]] * bins)));
      return found;
    });
  }

  // The cell of a grid of two axes, first axis * secondBins + second axis, in the order of byRank.
  cellsFor(first, firstBins, second, secondBins) {
    return this.remember(`${first}/${firstBins}/${second}/${secondBins}`, () => {
      const a = this.binsFor(first, firstBins), b = this.binsFor(second, secondBins);
      const cells = new Uint16Array(a.length);
      for (let k = 0; k < a.length; ++k) cells[k] = a[k] * secondBins + b[k];
      return cells;
    });
  }

  remember(key, make) {
    if (!this.binned.has(key)) this.binned.set(key, make());
    return this.binned.get(key);
  }

  // [[evaluation, best value or hypervolume], ...] at every improvement, ending at the last evaluation.
  curve() {
    const steps = this.several ? (this.status.front?.steps ?? []).map((step) => [step.evaluation, step.hypervolume])
      : this.status.curve.map((step) => [step.evaluation, step.value]);
    if (steps.length > 0) steps.push([this.byEvaluation.length, steps[steps.length - 1][1]]);
    return steps;
  }

  // The best value, by its estimate under noise, or the hypervolume; NaN while there is none.
  get reached() { return (this.several ? this.status.front?.hypervolume : this.status.recommendation?.mean ?? this.status.best?.value) ?? NaN; }

  parameterText(p, row) {
    const parameter = this.space[p];
    const raw = this.columns[`p${p}`][row];
    if (parameter.type === "categorical") return String(parameter.choices[raw] ?? "–");
    return String(Number(raw.toPrecision(parameter.type === "int" ? 15 : 7)));
  }

  // [{name, key}]: what results came to, and in which columns.
  outcomes() { return this.several ? this.objectives : [{ name: "value", key: "value" }]; }

  // "error 0.07, latency_ms 12.1", or the value of the only objective.
  valueText(row, digits = 5) {
    if (!this.several) return formatNumber(this.columns.value[row], digits);
    return this.objectives.map(({ name, key }) => `${name} ${formatNumber(this.columns[key][row], digits)}`).join(", ");
  }

  // What is known of a result beyond itself: its standard error, and the mean of all at its point.
  repeatText(row) {
    const error = (m) => (this.several ? this.columns[`sem${m}`] : this.columns.sem)?.[row];
    const parts = this.outcomes().flatMap(({ name }, m) => (error(m) >= 0 ? [`${this.several ? `${name} ` : ""}${formatNumber(error(m), 3)}`] : []));
    const found = parts.length > 0 ? [`standard error ${parts.join(", ")}`] : [];
    const rows = this.sameRows.get(row);
    if (rows === undefined) return found;
    const mean = this.outcomes().map(({ name, key }) => {
      const average = this.meanOf(key, row);
      const squares = rows.reduce((sum, other) => sum + (this.columns[key][other] - average) ** 2, 0);
      const deviation = Math.sqrt(squares / (rows.length - 1) / rows.length);
      return `${this.several ? `${name} ` : ""}${formatNumber(average, 6)}${deviation > 0 ? ` (standard error ${formatNumber(deviation, 3)})` : ""}`;
    });
    return [...found, `mean of ${rows.length} evaluations of this point: ${mean.join(", ")}`];
  }

  sourceName(row) { return this.tables.sources[this.columns.source[row]] || "unknown"; }
  workerName(row) { return this.tables.workers[this.columns.worker[row]] || ""; }
  failureText(row) { return this.tables.messages[this.columns.message[row]] ?? ""; }
}

// The nearest completed trials in the unit cube: categories differ by 1.
export function neighboursOf(study, row, count) {
  const found = [];
  for (const other of study.byRank) {
    if (other === row) continue;
    let sum = 0;
    for (let p = 0; p < study.space.length; ++p) {
      const categorical = study.space[p].type === "categorical";
      const difference = study.unit[p][row] - study.unit[p][other];
      sum += categorical ? (difference === 0 ? 0 : 1) : difference * difference;
    }
    if (found.length < count || sum < found[found.length - 1].sum) {
      found.push({ row: other, sum });
      found.sort((a, b) => a.sum - b.sum);
      if (found.length > count) found.pop();
    }
  }
  return found.map(({ row: other, sum }) => ({ row: other, distance: Math.sqrt(sum / study.space.length) }));
}
