// SPDX-License-Identifier: MIT
// The page's modules without a browser: node --test tests/web/modules.test.mjs
import assert from "node:assert/strict";
import { test } from "node:test";
import { bytesFromBase64, decodePayload, inflateBytes } from "../../web/js/payload.js";
import { clipText, csvLine, distinctFormat, formatCount, formatDuration, formatNumber } from "../../web/js/format.js";
import { Study, neighboursOf, unitOf, valueAtUnit } from "../../web/js/study.js";
import { Selection } from "../../web/js/selection.js";
import { bundle, filterText, nameAt } from "../../web/js/parallel.js";
import { countCells, density } from "../../web/js/slices.js";
import { logHelps, markWords, paceText, valuesFromBest } from "../../web/js/progress.js";
import { gapsBehind, planeFront, robustRange } from "../../web/js/front-order.js";
import { panelRange, panelsOf } from "../../web/js/constraints.js";
import { importanceNote, importanceRows, sharedRows } from "../../web/js/importance.js";
import { frontRange, namedTrials, sampleBehind } from "../../web/js/front.js";
import { naturalUnit, priceText } from "../../web/js/trade-offs.js";
import { historyLines, momentText, pointText } from "../../web/js/history.js";
import { choicesMargin } from "../../web/js/scatter.js";
import { lanesOf } from "../../web/js/workers.js";
import { answersOf } from "../../web/js/compare.js";
import { valueTicks, wholeTicks } from "../../web/js/surface.js";
import { termsOf, whyText } from "../../web/js/texts.js";
import { EventSplitter, Live } from "../../web/js/live.js";
import { SvgContext } from "../../web/js/svg-context.js";
import { rankColor } from "../../web/js/colors.js";

const TYPES = { u8: Uint8Array, u16: Uint16Array, i32: Int32Array, f32: Float32Array, f64: Float64Array };

// The format of web/payload.hpp, written a second time.
function encode(header, columns) {
  const full = { format: 1, rows: columns[0][2].length, ...header, columns: columns.map(([name, type]) => ({ name, type })) };
  const text = new TextEncoder().encode(JSON.stringify(full));
  const parts = [new Uint8Array(new Uint32Array([text.length]).buffer), text];
  for (const [, type, values] of columns) {
    const plain = new Uint8Array(TYPES[type].from(values).buffer);
    const width = TYPES[type].BYTES_PER_ELEMENT;
    const mixed = new Uint8Array(plain.length);
    for (let i = 0; i < values.length; ++i) for (let b = 0; b < width; ++b) mixed[b * values.length + i] = plain[i * width + b];
    parts.push(mixed);
  }
  return new Uint8Array(Buffer.concat(parts));
}

const SPACE = [{ name: "x", type: "float", low: 0, high: 10, log: false }, { name: "c", type: "categorical", choices: ["a", "b"] }];

function payload(rows, status = {}) {
  const column = (key, otherwise) => rows.map((row) => row[key] ?? otherwise);
  const texts = (key) => [...new Set(rows.map((row) => row[key] ?? ""))];
  const sources = texts("source"), workers = texts("worker"), messages = texts("message");
  return encode({
    time_base: 100, space: SPACE, importance: null, sources, workers, messages, causes: ["timeout"], metrics: [], outputs: {},
    terms: [{ name: "exploitation", note: false }, { name: "nats", note: true }],
    status: { study: "s", goal: "minimize", metrics: [], curve: [], rounds: [], workers: [], budget: 10, completed: 0, failed: 0, pace: {}, ...status },
  }, [
    ["id", "i32", column("id", 0)], ["state", "u8", column("state", 2)], ["value", "f64", column("value", NaN)],
    ["evaluation", "i32", column("evaluation", 0)], ["asked_in", "i32", column("asked", 1)], ["seconds", "f32", column("seconds", 0)],
    ["attempts", "u8", column("attempts", 1)], ["source", "u16", rows.map((row) => sources.indexOf(row.source ?? ""))],
    ["worker", "u16", rows.map((row) => workers.indexOf(row.worker ?? ""))], ["cause", "u8", column("cause", 255)],
    ["message", "i32", rows.map((row) => (row.message ? messages.indexOf(row.message) : -1))],
    ["asked_at", "f32", column("asked_at", NaN)], ["started_at", "f32", column("started", NaN)], ["finished_at", "f32", column("finished", NaN)],
    ["p0", "f32", column("x", 0)], ["p1", "u16", column("c", 0)],
    ["acquisition", "f32", column("acquisition", 0)], ["t0", "f32", column("t0", NaN)], ["t1", "f32", column("t1", NaN)],
  ]);
}

const three = (status = {}) => new Study(decodePayload(payload([
  { id: 1, value: 5, evaluation: 1, x: 1, source: "design", t0: 1.5, t1: 0.25, acquisition: 1.5 },
  { id: 2, value: 2, evaluation: 2, x: 4, c: 1, source: "local" },
  { id: 3, state: 1, x: 9.5, source: "local" },
], status)));

test("a payload is read back as it was written", () => {
  const { header, columns } = decodePayload(payload([{ id: 7, value: -1.25e-300, x: 0.5 }, { id: 1000000, value: 3 }]));
  assert.equal(header.rows, 2);
  assert.deepEqual([...columns.id], [7, 1000000]);
  assert.equal(columns.value[0], -1.25e-300);
  assert.equal(columns.p0[0], 0.5);
  assert.ok(columns.started_at instanceof Float32Array && Number.isNaN(columns.started_at[0]));
});

test("a broken payload is an error that says what is wrong", () => {
  const whole = payload([{ id: 1 }]);
  assert.throws(() => decodePayload(whole.subarray(0, 2)), /less than 4 bytes/);
  assert.throws(() => decodePayload(whole.subarray(0, 40)), /shorter than its header/);
  assert.throws(() => decodePayload(whole.subarray(0, whole.length - 1)), /ends inside column/);
  assert.throws(() => decodePayload(encode({ format: 2 }, [["id", "i32", [1]]])), /format 2/);
});

test("base64 and deflate", async () => {
  assert.deepEqual([...bytesFromBase64(" AAH/ \n")], [0, 1, 255]);
  const { deflateSync } = await import("node:zlib");
  assert.deepEqual(await inflateBytes(new Uint8Array(deflateSync(Buffer.from("hello")))), new Uint8Array(Buffer.from("hello")));
});

test("ranks, order of results and units", () => {
  const study = three();
  assert.deepEqual([...study.byRank], [1, 0]);
  assert.deepEqual([...study.rank.slice(0, 2)], [1, 0]);
  assert.ok(Number.isNaN(study.rank[2]));
  assert.deepEqual([...study.byEvaluation], [0, 1]);
  assert.ok(Math.abs(study.unit[0][1] - 0.4) < 1e-6);
  assert.equal(study.unit[1][1], 0.75);
  assert.equal(study.parameterText(1, 1), "b");
});

test("an update changes known trials and adds new ones", () => {
  const study = three();
  study.merge(decodePayload(payload([
    { id: 3, value: 1, evaluation: 3, x: 9, source: "new source", worker: "w" },
    ...Array.from({ length: 200 }, (_, i) => ({ id: 4 + i, value: 10 + i, evaluation: 4 + i, x: 5, source: "local" })),
  ])));
  assert.equal(study.rows, 203);
  assert.equal(study.best, 2);
  assert.equal(study.sourceName(2), "new source");
  assert.equal(study.sourceName(0), "design");
  assert.equal(study.workerName(2), "w");
  assert.equal(study.columns.value[0], 5);
  assert.ok(Number.isNaN(study.columns.t0[100]), "a term that a new trial does not have is not there");
});

test("filters of all axes are one selection", () => {
  const selection = new Selection(three());
  const seen = [];
  selection.onChange((what) => seen.push(what));
  selection.setFilter(0, [0.3, 1]);
  assert.deepEqual([...selection.mask], [0, 1, 1]);
  selection.setFilter("value", [0, 0.5]);
  assert.deepEqual([...selection.mask], [0, 1, 0]);
  assert.equal(selection.count, 1);
  selection.clear();
  assert.equal(selection.mask, null);
  selection.stepFocus(1);
  assert.equal(selection.focus, 0);
  selection.stepFocus(1);
  assert.equal(selection.focus, 1);
  selection.stepFocus(1);
  assert.equal(selection.focus, 1);
  assert.deepEqual(seen, ["mask", "mask", "clear", "focus", "focus"]);
});

test("units of logarithmic and categorical parameters", () => {
  const log = { type: "float", low: 1, high: 100, log: true };
  assert.ok(Math.abs(unitOf(log, 10) - 0.5) < 1e-12);
  assert.ok(Math.abs(valueAtUnit(log, 0.5) - 10) < 1e-9);
  assert.equal(valueAtUnit(SPACE[1], 0.99), 1);
  assert.equal(unitOf({ type: "int", low: 3, high: 3 }, 3), 0.5);
});

test("bundles and grids count every selected trial once", () => {
  const { counts, first } = bundle(Uint16Array.from([0, 10, 15, 15]), [0, 2, 3], 16);
  assert.equal(counts.reduce((a, b) => a + b), 3);
  assert.equal(counts[15], 2);
  assert.equal(first[15], 2, "the best of them");
  assert.deepEqual([...countCells(Uint16Array.from([0, 3, 3, 1]), [0, 1, 2], 4)], [1, 0, 0, 2]);
  assert.deepEqual([...density(Uint8Array.from([0, 1, 1, 1]), [0, 1, 2, 3], 2)], [0.25, 0.75]);
  assert.deepEqual([...density(Uint8Array.from([0]), [], 2)], [0, 0]);
  const study = three();
  assert.deepEqual([...study.byRank], [1, 0]);
  assert.deepEqual([...study.binsFor(0, 10)], [4, 1], "in the order of rank");
  assert.deepEqual([...study.binsFor("value", 4)], [0, 3]);
  assert.deepEqual([...study.cellsFor("value", 4, 0, 10)], [4, 31]);
});

test("while the hand moves a part of many results stands for all", async () => {
  const study = new Study(decodePayload(payload(Array.from({ length: 50000 }, (_, i) => ({ id: i + 1, value: i, evaluation: i + 1, x: (i % 10) + 0.5 })))));
  const selection = new Selection(study);
  const seen = [];
  selection.onChange(() => seen.push(selection.places().length));
  selection.setFilter(0, [0, 0.92], true);
  assert.equal(selection.count, 45000, "what is said is exact");
  assert.ok(seen[0] > 10000 && seen[0] <= 20000, `${seen[0]} are drawn`);
  assert.equal(selection.places()[0], 0, "the best among them");
  await new Promise((resolve) => { setTimeout(resolve, 400); });
  assert.deepEqual(seen.slice(1), [45000], "all when it rests");
  selection.setFilter(0, null);
  assert.equal(selection.places().length, 50000);
});

test("results within limits come before better ones outside", () => {
  const bytes = encode({
    time_base: 100, space: SPACE, importance: null, sources: [""], workers: [""], messages: [""], causes: ["timeout", "infeasible"], outputs: {}, terms: [],
    constraints: ["x <= 9", "c == 'a'"], limits: [{ metric: "stress", at_most: 10 }],
    status: { study: "s", goal: "minimize", metrics: ["mass", "stress"], curve: [], rounds: [], workers: [], budget: 10, pace: {} },
  }, [
    ["id", "i32", [1, 2, 3, 4, 5]], ["state", "u8", [2, 2, 2, 2, 3]], ["value", "f64", [3, 1, 2, 0, NaN]], ["evaluation", "i32", [1, 2, 3, 4, 5]],
    ["cause", "u8", [255, 255, 255, 255, 1]], ["p0", "f32", [1, 2, 3, 4, 5]], ["p1", "u16", [0, 0, 0, 0, 0]],
    ["m0", "f32", [1, 1, 1, 1, NaN]], ["m1", "f32", [9, 10, 20, 11, NaN]], ["c0", "f32", [8, 7, 6, 5, 4]], ["c1", "f32", [NaN, NaN, NaN, NaN, NaN]],
  ]);
  const study = new Study(decodePayload(bytes));
  assert.deepEqual([...study.byRank], [1, 0, 3, 2], "within the limit, then the least outside");
  assert.equal(study.best, 1);
  assert.deepEqual([0, 1, 2, 3].map((row) => study.isFeasible(row)), [true, true, false, false]);
  assert.deepEqual(valuesFromBest(study), [1, 3]);
  assert.equal(markWords(study), "Crosses: 2 results outside a limit. Amber ticks: 1 infeasible input.");
  assert.deepEqual(panelsOf(study).map(({ title, column }) => [title, column]), [["stress, at most 10", "m1"], ["slack of x <= 9", "c0"]]);
  const between = Object.create(study, { limits: { value: [{ metric: "stress", at_least: 2, at_most: 10 }] } });
  assert.equal(panelsOf(between)[0].title, "stress in [2, 10]");
  assert.deepEqual(panelRange([1, 5, NaN], [{ value: 6, above: true }]), [1, 6.4]);
  study.columns.violation = Float32Array.from([0, 0.5, 0, 2, NaN]);  // what the library says counts
  study.derive();
  assert.deepEqual([...study.byRank], [2, 0, 1, 3]);
  assert.equal(study.isFeasible(1), false);
  assert.equal(three().isFeasible(0), true, "without limits everything is");
});

test("a few wild values do not stretch the scale", () => {
  const calm = Array.from({ length: 99 }, (_, i) => i);
  assert.deepEqual(robustRange(calm), [0, 98]);
  const [best, far] = robustRange([...calm, 1e12]);
  assert.equal(best, 0);
  assert.ok(far < 1000);
  assert.deepEqual(robustRange([3, 3]), [2.5, 3.5]);
  assert.ok(logHelps([1e-6, 1e-3, 1, 5]));
  assert.ok(!logHelps([1, 2, 3]));
  assert.ok(!logHelps([-1, 0, 100]));
});

test("numbers, durations and CSV for people", () => {
  assert.equal(formatNumber(0.00001234), "1.234e−5");
  assert.equal(formatNumber(-12.3456), "−12.35");
  assert.equal(formatNumber(NaN), "–");
  assert.equal(formatCount(1234567), "1\u202f234\u202f567");
  assert.equal(formatDuration(3725), "1 h 02 min");
  assert.equal(csvLine(["a,b", "say \"x\"", 1.5, NaN, "=1+1", -2]), "\"a,b\",\"say \"\"x\"\"\",1.5,,'=1+1,-2\r\n");
});

test("what is left", () => {
  const pace = { seconds_per_result: 2, seconds_left: 20, last_finished: 1000 };
  assert.match(paceText({ completed: 10, failed: 0, budget: 20, pace }, 1001), /10 of 20 left, one result every 2 s: about 20 s more/);
  assert.match(paceText({ completed: 10, failed: 0, budget: 20, pace }, 5000), /the last result came 1 h 06 min ago/);
  assert.equal(paceText({ completed: 18, failed: 2, budget: 20, pace }), "The budget is spent.");
});

test("importance from the strongest, then sure pairs", () => {
  const rows = importanceRows({
    parameters: [{ parameter: "a", nats: 0.1, low: 0, high: 0.2 }, { parameter: "b", nats: 0.5, low: 0.4, high: 0.6 }],
    pairs: [{ first: "a", second: "b", nats: 0.3, low: 0.2, high: 0.4 }, { first: "a", second: "c", nats: 0.1, low: -0.1, high: 0.2 }],
  });
  assert.deepEqual(rows.map((row) => row.name), ["b", "a", "a × b"]);
  assert.deepEqual(importanceRows(null), []);
});

test("evaluations that overlap get lanes of their own", () => {
  const study = new Study(decodePayload(payload([
    { id: 1, value: 1, evaluation: 1, started: 0, finished: 2, worker: "w" }, { id: 2, value: 1, evaluation: 2, started: 1, finished: 3, worker: "w" },
    { id: 3, value: 1, evaluation: 3, started: 2.5, finished: 4, worker: "w" }, { id: 4, value: 1, evaluation: 4, started: 0, finished: 4, worker: "v" },
  ])));
  assert.deepEqual(lanesOf(study).map((lane) => [lane.name, lane.rows]), [["v", [3]], ["w", [0, 2]], ["w (2)", [1]]]);
});

test("ticks for what is counted are whole numbers, each once", () => {
  const scale = { ticks: () => [1, 1.2, 1.4, 1.6, 1.8, 2] };
  assert.deepEqual(wholeTicks(scale, 5), [1, 2]);
});

test("ticks of values far from 0 differ, and get the room they need", () => {
  assert.deepEqual([1000.2, 1000.4, 1000.6].map(distinctFormat([1000.2, 1000.4, 1000.6])), ["1000.2", "1000.4", "1000.6"]);
  assert.deepEqual([0, 5, 10].map(distinctFormat([0, 5, 10])), ["0", "5", "10"]);
  assert.deepEqual([7, 7].map(distinctFormat([7, 7])), ["7", "7"]);
  const near = valueTicks({ ticks: () => [1, 2] }, 2), far = valueTicks({ ticks: () => [1.00002, 1.00003] }, 2);
  assert.ok(far.margin > near.margin + 20);
});

test("answers of several studies side by side", () => {
  const [one, two] = [three(), three()];
  one.status.best = { params: { x: 1 } };
  two.status.state = "converged";
  const rows = answersOf([one, two]);
  assert.ok(rows.every((row) => row.length === 3));
  assert.deepEqual(rows.find(([head]) => head === "state"), ["state", "–", "converged"]);
  assert.deepEqual(rows.find(([head]) => head === one.space[0].name).slice(2), ["–"]);
});

test("a ledger in words, and neighbours", () => {
  const study = three();
  study.sentences[1] = "Tried because of this.";
  assert.equal(whyText(study, 0, null), "Tried because of this.");
  assert.equal(whyText(study, 0, { why: "The server says." }), "The server says.");
  assert.match(whyText(study, 1, null), /source “.*”\. vbo explain 2 has more/);
  assert.ok(termsOf(study, 0).some((term) => term.name === "exploitation"));
  assert.ok(termsOf(study, 0).every((term) => term.value !== 0), "no number without effect");
  assert.deepEqual(neighboursOf(study, 2, 5).map((near) => near.row), [0, 1]);
  assert.equal(filterText(study, 0, [0.1, 0.5]), "x from 1 to 5");
  assert.equal(filterText(study, 1, [0.5, 1]), "c: b");
});

test("events are split wherever the network cuts them", () => {
  const splitter = new EventSplitter();
  const text = ": alive\n\nevent: hello\ndata: {\"a\":1}\n\nevent: change\ndata: x\ndata: y\n\n";
  const events = [...text].flatMap((letter) => splitter.push(letter));
  assert.deepEqual(events, [{ event: "hello", data: "{\"a\":1}" }, { event: "change", data: "x\ny" }]);
});

test("a missed change loads everything again", () => {
  const changes = [];
  const live = new Live({ change: (message) => changes.push(message.version), state: () => {}, importance: () => {} });
  live.version = "i 4";
  assert.equal(live.take("hello", { instance: "i", version: 4 }), true);
  assert.equal(live.take("change", { instance: "i", version: 5, payload: "" }), true);
  assert.equal(live.take("change", { instance: "i", version: 5, payload: "" }), true, "known already");
  assert.equal(live.take("change", { instance: "i", version: 6 }), false, "too large for an event");
  assert.equal(live.take("change", { instance: "i", version: 7 }), false, "6 was missed");
  assert.equal(live.take("hello", { instance: "another", version: 5 }), false, "the server has restarted");
  assert.deepEqual(changes, [5]);
});

test("what is saved as SVG is escaped", () => {
  const context = new SvgContext();
  context.fillText("<img onerror=\"x\">&", 1, 2);
  assert.match(String(context), /&lt;img onerror=&quot;x&quot;&gt;&amp;/);
  assert.doesNotMatch(String(context), /<img/);
  context.beginPath();
  context.rect(0, 0, 1, 2);
  context.fill();
  assert.match(String(context), /<path d="M0 0h1v2h-1Z"/);
});

test("colours of ranks run from one end to the other", () => {
  assert.equal(rankColor(0, false), "rgb(44,17,96)");
  assert.notEqual(rankColor(1, false), rankColor(0, false));
  assert.notEqual(rankColor(0, true), rankColor(0, false));
  assert.equal(rankColor(NaN, false), "#9aa0aa");
});

// Two objectives, the second maximized: 1, 2 and 3 are on the front, 4 and 5 behind it, 6 is outside a limit.
function several(limits = []) {
  const rows = [[1, 10, 100], [2, 0, 0], [3, 2, 80], [4, 5, 5], [5, 4, 78], [6, 0, 200]];
  const bytes = encode({
    time_base: 100, space: SPACE, importance: null, sources: [""], workers: [""], messages: [""], causes: ["timeout"], outputs: {}, terms: [], limits,
    status: {
      study: "s", goal: null, metrics: ["stress"], curve: [], rounds: [], workers: [], budget: 10, pace: {},
      objectives: [{ name: "cost", goal: "minimize" }, { name: "gain", goal: "maximize" }],
      front: {
        ids: [1, 2, 3], size: 3, hypervolume: 7, steps: [{ evaluation: 1, id: 1, size: 1, hypervolume: 2 }, { evaluation: 3, id: 3, size: 3, hypervolume: 7 }],
        extremes: { cost: 2, gain: 1 }, knee: 3, reference: { cost: 11, gain: -10 }, exact: true,
        trade_offs: [{ first: "cost", second: "gain", stops: [{ id: 2, first: 0, second: 0, buys: 40 }, { id: 3, first: 2, second: 80, buys: 2.5 }, { id: 1, first: 10, second: 100 }] }],
      },
    },
  }, [
    ["id", "i32", rows.map((row) => row[0])], ["state", "u8", rows.map(() => 2)], ["value", "f64", rows.map((row) => row[1])],
    ["o0", "f64", rows.map((row) => row[1])], ["o1", "f64", rows.map((row) => row[2])], ["evaluation", "i32", rows.map((row) => row[0])],
    ["p0", "f32", rows.map((row) => row[0])], ["p1", "u16", rows.map(() => 0)], ["m0", "f32", [1, 1, 1, 1, 1, 20]],
  ]);
  return new Study(decodePayload(bytes));
}

test("with several objectives the front comes first, then what is nearest behind it", () => {
  const study = several([{ metric: "stress", at_most: 10 }]);
  assert.equal(study.several, true);
  assert.deepEqual([...study.front], [0, 1, 2]);
  assert.deepEqual([...study.byRank], [0, 1, 2, 4, 3, 5], "the last is outside the limit");
  assert.deepEqual([...study.rank.slice(0, 3)], [0, 0, 0]);
  assert.ok(Math.abs(study.gap[4] - 0.2) < 1e-12, "2 of 10 dearer than trial 3, and 2 of 100 less");
  assert.equal(study.best, 2, "the knee");
  assert.equal(study.valueText(2), "cost 2, gain 80");
  assert.deepEqual(study.curve(), [[1, 2], [3, 7], [6, 7]]);
  assert.equal(study.reached, 7);
  assert.equal(three().several, false);
  assert.equal(three().valueText(0), "5");
});

test("of a repeated point the mean counts", () => {
  const rows = [[1, 0, 10, 0], [2, 4, 10, 1], [3, 1, 8, 0], [4, 9, 0, 0]];
  const study = new Study(decodePayload(encode({
    time_base: 0, space: SPACE, limits: [], importance: null, sources: [""], workers: [""], messages: [], causes: [], metrics: [], outputs: {}, terms: [],
    status: {
      study: "s", goal: null, metrics: [], curve: [], rounds: [], workers: [], budget: 6, completed: 4, failed: 0, pace: {},
      objectives: [{ name: "cost", goal: "minimize" }, { name: "gain", goal: "maximize" }], front: { ids: [1, 3], size: 2 },
    },
  }, [
    ["id", "i32", rows.map((row) => row[0])], ["state", "u8", rows.map(() => 2)], ["value", "f64", rows.map((row) => row[1])],
    ["o0", "f64", rows.map((row) => row[1])], ["o1", "f64", rows.map((row) => row[2])], ["evaluation", "i32", rows.map((row) => row[0])],
    ["p0", "f32", rows.map((row) => row[0])], ["p1", "u16", rows.map(() => 0)], ["repeat_of", "i32", rows.map((row) => row[3])],
    ["sem0", "f32", [0.5, NaN, NaN, NaN]], ["sem1", "f32", [0.25, NaN, NaN, NaN]],
  ])));
  assert.deepEqual([...study.means("o0").slice(0, 4)], [2, 2, 1, 9]);
  assert.deepEqual([...study.means("o1").slice(0, 4)], [10, 10, 8, 0]);
  assert.deepEqual(study.repeatText(0), ["standard error cost 0.5, gain 0.25",
    "mean of 2 evaluations of this point: cost 2 (standard error 2), gain 10"]);
  assert.deepEqual(study.repeatText(3), []);
});

test("what is looked at first is the best by its estimate, not by luck", () => {
  const study = three({ recommendation: { id: three().columns.id[three().byRank[1]], mean: 1.5 } });
  assert.equal(study.best, study.byRank[1]);
  assert.equal(study.reached, 1.5);
  assert.equal(three().best, three().byRank[0]);
});

test("objectives are axes: the best at 0, and filters read in their own units", () => {
  const study = several();
  assert.equal(study.unitOn("o0")[1], 0);
  assert.equal(study.unitOn("o1")[5], 0, "the highest gain");
  assert.equal(study.objectiveAt(1, 0), 200);
  assert.equal(study.objectiveAt(0, 1), 10);
  const selection = new Selection(study);
  selection.setFilter("o0", [0, 0.25]);
  assert.deepEqual([...selection.mask], [0, 1, 1, 0, 0, 1]);
  assert.equal(filterText(study, "o0", [0, 0.25]), "cost from 0 to 2.5");
  assert.equal(filterText(study, "o1", [0, 0.5]), "gain from 100 to 200");
});

test("named results, prices and the sample of dominated results", () => {
  const study = several();
  assert.deepEqual(namedTrials(study), [{ row: 1, name: "best cost" }, { row: 0, name: "best gain" }, { row: 2, name: "knee" }]);
  const [pair] = study.status.front.trade_offs;
  assert.equal(priceText("cost", "gain", pair.stops[0], pair.stops[1]), "0.1 of cost buys 4 of gain");
  assert.equal(priceText("cost", "gain", pair.stops[1], pair.stops[2]), "1 of cost buys 2.5 of gain");
  assert.equal(priceText("cost", "gain", pair.stops[2], undefined), "");
  assert.equal(naturalUnit(0), 1);
  assert.deepEqual([...sampleBehind(study)], [5, 4, 3]);
  assert.equal(sampleBehind(study, 2).length, 2);
  assert.deepEqual(frontRange([0, 1, 50], [0, 1], [2]), [-0.05, 1.05], "what is far behind does not stretch the axis");
  assert.deepEqual(frontRange([0, 1, 1.5], [0, 1], [2]), [-0.05, 1.55]);
  assert.deepEqual(frontRange([], [], []), [0, 1]);
});

test("the front of two costs, and how far a hundred thousand results are behind it", () => {
  assert.deepEqual(planeFront([0, 1, 2, 1], [5, 3, 3, 4], [0, 1, 2, 3]), [0, 1]);
  const many = 100000;
  const a = Float64Array.from({ length: many }, (_, i) => (i % 1000) / 1000);
  const b = Float64Array.from({ length: many }, (_, i) => 1 - a[i] + Math.floor(i / 1000) / 100);
  const rows = Int32Array.from(a.keys());
  const start = performance.now();
  const gaps = gapsBehind([a, b], rows, rows.subarray(0, 1000), many);
  assert.ok(performance.now() - start < 4000);
  assert.equal(gaps[500], 0);
  assert.ok(gaps[1500] > 0 && gaps[1500] < 0.02 && gaps[99500] > 0.4, `${gaps[1500]}, ${gaps[99500]}`);
});

test("importance of several objectives shares rows", () => {
  const of = (x, y) => ({ parameters: [{ parameter: "x", nats: x }, { parameter: "y", nats: y }], pairs: [] });
  assert.deepEqual(sharedRows([of(0.1, 0.2), of(0.05, 0.9)]).map(({ name, amounts }) => [name, amounts]), [["y", [0.2, 0.9]], ["x", [0.1, 0.05]]]);
  assert.deepEqual(sharedRows([]), []);
});

test("a remark about one objective is not said of another", () => {
  const known = { remark: "", used: 30, results: 40 }, unknown = { remark: "nothing is known yet" };
  const names = ["error", "speed"];
  assert.equal(importanceNote([], names), "Being computed.");
  assert.equal(importanceNote([known, known], names), "From 30 of 40 results, most of them in the region that the search sampled.");
  assert.equal(importanceNote([unknown, unknown], names), "Nothing is known yet.");
  assert.equal(importanceNote([unknown, known], names),
    "From 30 of 40 results, most of them in the region that the search sampled. About error: nothing is known yet.");
  assert.equal(importanceNote([unknown, { remark: "all are equal" }], names), "About error: nothing is known yet. About speed: all are equal.");
  assert.equal(importanceNote([unknown], ["value"]), "Nothing is known yet.");
});

test("what is cut ends with an ellipsis", () => {
  assert.equal(clipText("abcdef", 6), "abcdef");
  assert.equal(clipText("abcdef", 4), "abc…");
  assert.equal(clipText(12345, 3), "12…");
  assert.equal(clipText("abc", 0), "a…");
  assert.equal(clipText("abc", Infinity), "abc");
});

test("names of the first and the last axis stay inside the plot", () => {
  const margin = { left: 40, right: 40 }, long = "a_parameter_with_a_long_name_that_goes_on";
  assert.deepEqual(nameAt("x1", 0, 4, 300, margin), { x: 0, anchor: "middle", text: "x1" });
  for (const step of [50, 120, 400]) {
    const first = nameAt(long, 0, 4, step, margin), last = nameAt(long, 3, 4, step, margin), between = nameAt(long, 1, 4, step, margin);
    assert.deepEqual([first.anchor, between.anchor, last.anchor], ["start", "middle", "end"]);
    assert.deepEqual([first.x, between.x, last.x], [-38, 0, 38]);
    const near = step < 90 ? step : step / 2;  // half the way to the next name in the same row
    assert.ok(first.text.length * 7 - 38 <= near && last.text.length === first.text.length);
    assert.ok(between.text.length * 7 <= 2 * near);
    assert.ok(long.startsWith(first.text.replace("…", "")));
  }
});

test("choices on a vertical axis get room, but not the whole plot", () => {
  assert.equal(choicesMargin(["a", "b"], 600), 56);
  assert.ok(choicesMargin(["choice_with_a_long_name"], 600) > 110);
  assert.equal(choicesMargin(["choice_with_a_long_name"], 240), 80);
});

test("what people changed of a trial, a line each", () => {
  const part = (state, value, more = {}) => ({ state, value, error: null, params: { x: 0.5, kind: "plain" }, ...more });
  const at = Date.UTC(2024, 4, 17, 8, 30) / 1000;
  assert.deepEqual(historyLines([]), []);
  assert.deepEqual(historyLines([
    { kind: "replaced", at, id: 3, reason: "decimal point", event: null, before: part("completed", 12.5), after: part("completed", 1.25) },
    { kind: "replaced", at: 0, id: 3, reason: "", event: 9, before: part("completed", 1.25), after: part("completed", 1, { params: { x: 0.75, kind: "plain" } }) },
    { kind: "retried", at: 0, id: 3, reason: "", event: 9, before: part("failed", null, { error: "no license" }), after: part("completed", 2) },
  ]), [
    "2024-05-17 08:30:00 UTC: replaced (decimal point): was completed 12.5, became completed 1.25; not yet told to the method",
    "replaced: was completed 1.25 at x 0.5, became completed 1 at x 0.75; told to the method in event 9",
    "retried: was failed: no license; told to the method in event 9",
  ]);
  const several = { state: "completed", values: { error: 0.1, speed: 12 }, error: null, params: {} };
  assert.match(historyLines([{ kind: "replaced", at: 0, reason: "", event: 1, before: several, after: null }])[0], /was completed error 0.1, speed 12; told/);
  assert.equal(momentText(0), "");
  assert.equal(pointText({ x: 1, y: 2 }, { x: 1, y: 3 }), "y 2");
});
