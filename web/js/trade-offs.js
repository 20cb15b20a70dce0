// SPDX-License-Identifier: MIT
// The answer of a study with several objectives: what is best at what, and what moving along the front costs.
import { formatNumber, plural } from "./format.js";
import { element, tableOf } from "./dom.js";
import { namedTrials } from "./front.js";
import { makeCard } from "./texts.js";

// The power of ten that a person would count a difference in: at most a third of it.
export function naturalUnit(difference) {
  const size = Math.abs(difference);
  return size > 0 && Number.isFinite(size) ? 10 ** Math.floor(Math.log10(size / 3)) : 1;
}

// "0.01 of error buys 2.3 of latency_ms", from one stop to the next.
export function priceText(first, second, stop, next) {
  if (stop.buys === null || stop.buys === undefined || !next) return "";
  const unit = naturalUnit(next.first - stop.first);
  return `${formatNumber(unit, 1)} of ${first} buys ${formatNumber(stop.buys * unit, 3)} of ${second}`;
}

export class TradeOffsView {
  constructor(parent, study, selection) {
    Object.assign(this, { study, selection });
    const { section, body } = makeCard("trade-offs", "What it costs", "Results along the front of two objectives, from the best in the first to the best in the second, and how much of the second is gained by giving up some of the first on the way to the next. The knee is where this gain becomes small.");
    const pairs = study.status.front?.trade_offs ?? [];
    this.choice = element("select", { "aria-label": "Two objectives", on: { change: () => this.redraw() } },
      ...pairs.map(({ first, second }, i) => element("option", { value: String(i) }, `${first} and ${second}`)));
    if (study.objectives.length > 2) section.querySelector("header").append(element("div", { class: "tools" }, this.choice));
    this.section = section;
    this.body = body;
    parent.append(section);
  }

  redraw() {
    const { study, selection } = this;
    const pair = (study.status.front?.trade_offs ?? [])[Number(this.choice.value || 0)];
    if (!pair || pair.stops.length < 2) {
      this.body.replaceChildren(element("p", {}, pair ? "One result is the best in both." : "No result is within all limits yet."));
      return;
    }
    const names = new Map(namedTrials(study).map(({ row, name }) => [study.columns.id[row], name]));
    const rows = pair.stops.map((stop, i) => element("tr", { class: "click", on: { click: () => selection.setFocus(study.byId.get(stop.id) ?? -1) } },
      element("th", { scope: "row" }, element("button", { type: "button", class: "link" }, `trial ${stop.id}`), names.has(stop.id) ? ` (${names.get(stop.id)})` : ""),
      element("td", { class: "number" }, formatNumber(stop.first, 5)), element("td", { class: "number" }, formatNumber(stop.second, 5)),
      element("td", {}, priceText(pair.first, pair.second, stop, pair.stops[i + 1]))));
    this.body.replaceChildren(element("div", { class: "scroll" }, tableOf(["result", pair.first, pair.second, "on the way to the next"], rows)));
  }
}

export class FrontAnswerView {
  constructor(parent, study, selection) {
    Object.assign(this, { study, selection });
    const { section, body } = makeCard("answer", "Answer", "The knee, where a little more of one objective begins to cost much of another, and the best result in each objective. Every result on the front is a possible answer; the choice is yours.");
    this.section = section;
    this.body = body;
    parent.append(section);
  }

  redraw() {
    const { study, selection } = this;
    const named = namedTrials(study);
    if (named.length === 0) {
      this.body.replaceChildren(element("p", {}, study.byRank.length > 0 ? "No result is within all limits yet." : "Nothing has succeeded yet."));
      return;
    }
    const open = ({ row, name }) => element("button", { type: "button", class: "link", on: { click: () => selection.setFocus(row) } }, `${name}, trial ${study.columns.id[row]}`);
    const line = (name, cells, kind) => element("tr", { class: kind }, element("th", { scope: "row" }, name), ...cells.map((cell) => element("td", { class: "number" }, cell)));
    const values = study.objectives.map(({ name, key }) => line(name, named.map(({ row }) => formatNumber(study.meanOf(key, row), 6)), "sum"));
    const points = study.space.map((parameter, p) => line(parameter.name, named.map(({ row }) => study.parameterText(p, row)), ""));
    const table = tableOf([""], [...values, ...points]);
    table.querySelector("thead tr").append(...named.map((entry) => element("th", { scope: "col" }, open(entry))));
    this.body.replaceChildren(
      element("p", { class: "lead" }, element("strong", {}, plural(study.front.length, "result")), " on the front, hypervolume ",
        element("strong", {}, formatNumber(study.status.front?.hypervolume ?? NaN, 6)), "."),
      element("div", { class: "scroll" }, table));
  }
}
