// SPDX-License-Identifier: MIT
// Puts the page together: reads the studies inside it, or follows the one behind it.
import { bytesFromBase64, decodePayload, inflateBytes } from "./payload.js";
import { formatCount, formatNumber, plural } from "./format.js";
import { element } from "./dom.js";
import { Study } from "./study.js";
import { Selection } from "./selection.js";
import { Progress, paceText } from "./progress.js";
import { Parallel } from "./parallel.js";
import { Scatter, axisChoices } from "./scatter.js";
import { Slices } from "./slices.js";
import { ImportanceView } from "./importance.js";
import { InformationView, SourcesView, hasInformation } from "./information.js";
import { WorkersView, hasTimes } from "./workers.js";
import { AnswerView, DetailsView, FailuresView, FilterView, MetricsView, ResultsView } from "./texts.js";
import { ConstraintsView, panelsOf } from "./constraints.js";
import { CompareView } from "./compare.js";
import { FrontView, HypervolumeView } from "./front.js";
import { FrontAnswerView, TradeOffsView } from "./trade-offs.js";
import { Live } from "./live.js";

const page = { studies: [], views: [], study: null, selection: null, live: null };
const byId = (id) => document.getElementById(id);

function tile(label, value, small) {
  return element("div", { class: "tile" }, element("span", { class: "label" }, label), element("strong", {}, value),
    small ? element("span", { class: "quiet" }, small) : null);
}

function allFail({ status }) { return status.state === "every evaluation fails"; }

function frontTiles({ front }) {
  return [tile("on the front", formatCount(front?.size ?? 0), plural(page.study.objectives.length, "objective")),
    tile("hypervolume", formatNumber(front?.hypervolume ?? NaN, 5), front?.exact === false ? "estimated" : "")];
}

function bestTile({ best, recommendation }) {
  if (!best) return tile("best", "–", "nothing has succeeded yet");
  if (recommendation) return tile("best by its estimate", formatNumber(recommendation.mean, 6), `trial ${best.id}`);
  return tile("best", formatNumber(best.value, 6), `trial ${best.id}${best.feasible === false ? ", infeasible" : ""}`);
}

function outlookTile({ next_batch: next }) {
  if (!next) return [];
  const gain = next.gain > 0 ? `then by about ${formatNumber(next.gain, 2)}` : "";
  return [tile(`better in the next ${formatCount(next.batch)}`, `${Math.round(100 * next.chance)} %`, gain)];
}

function drawHead() {
  const { status } = page.study;
  document.title = `${status.study} – vbo`;
  byId("study-name").textContent = status.study;
  const goals = page.study.several ? page.study.objectives.map(({ name, goal }) => `${goal} ${name}`).join(", ") : status.goal;
  byId("study-about").textContent = `${goals}, method ${status.method}, batch ${status.batch}, seed ${status.seed}, ${status.storage}`;
  const done = status.completed + status.failed;
  const share = status.budget > 0 ? `${Math.round(100 * done / status.budget)} % of ${formatCount(status.budget)}` : "";
  byId("tiles").replaceChildren(
    ...(page.study.several ? frontTiles(status) : [bestTile(status)]),
    tile("evaluated", formatCount(done), share),
    ...(status.state && status.state !== "too early to say" ? [tile("state", status.state, "")] : []),
    ...outlookTile(status),
    ...(typeof status.feasible === "number" ? [tile("within limits", formatCount(status.feasible), status.completed > 0 ? `${Math.round(100 * status.feasible / status.completed)} % of the results` : "")] : []),
    tile("running", formatCount(status.running), `${formatCount(status.waiting)} waiting`),
    tile("failed", formatCount(status.failed), done > 0 ? `${Math.round(100 * status.failed / done)} %` : ""));
  byId("pace").textContent = allFail(page.study) ? "" : paceText(status);
  byId("method-message").textContent = status.message ? `Method: ${status.message}` : "";
}

function drawAll() {
  drawHead();
  for (const view of page.views) view.redraw();
}

// At once for small studies; large ones, which arrive in pieces, twice a second.
function drawSoon() {
  if (page.drawing) return;
  const wait = page.study.rows < 20000 ? 0 : 500;
  page.drawing = setTimeout(() => {
    page.drawing = null;
    drawAll();
  }, wait);
}

function stepByKeys(event) {
  if (/^(INPUT|SELECT|TEXTAREA|BUTTON)$/.test(event.target.tagName) || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "ArrowRight" || event.key === "ArrowLeft") {
    page.selection.stepFocus(event.key === "ArrowRight" ? 1 : -1);
    event.preventDefault();
  } else if (event.key === "Escape") {
    page.selection.clear();
    page.selection.setFocus(-1);
  }
}

function show(study) {
  const main = byId("cards");
  main.replaceChildren();
  const selection = new Selection(study);
  selection.apply();
  Object.assign(page, { study, selection, views: [] });
  const add = (view) => {
    page.views.push(view);
    return view;
  };
  if (page.studies.length > 1) add(new CompareView(main, page.studies));
  const fetchTrial = page.live ? async (id) => (await page.live.get(`/api/trials/${id}`)).json() : null;
  if (allFail(study)) {  // plots of results would be empty frames
    add(new AnswerView(main, study, selection));
    add(new FailuresView(main, study, selection));
    add(new DetailsView(main, study, selection, fetchTrial));
    finishShow(study, selection);
    return;
  }
  if (study.several) {
    add(new FrontView(main, study, selection));
    add(new FrontAnswerView(main, study, selection));
    add(new TradeOffsView(main, study, selection));
    add(new HypervolumeView(main, study, selection));
  } else {
    add(new Progress(main, study, selection));
    add(new AnswerView(main, study, selection));
  }
  const choices = axisChoices(study);
  const showPair = ([first, second]) => {
    const at = (name) => choices.findIndex((choice) => choice.parameter?.name === name);
    scatter.choose(at(first), at(second));
    scatter.section.scrollIntoView({ behavior: "smooth", block: "center" });
  };
  add(new ImportanceView(main, study, showPair));
  add(new FilterView(main, study, selection));
  add(new Parallel(main, study, selection));
  const scatter = add(new Scatter(main, study, selection));
  add(new DetailsView(main, study, selection, fetchTrial));
  add(new Slices(main, study, selection));
  add(new ResultsView(main, study, selection));
  if (hasInformation(study)) add(new InformationView(main, study));
  add(new SourcesView(main, study));
  if (hasTimes(study)) add(new WorkersView(main, study, selection));
  add(new FailuresView(main, study, selection));
  if (panelsOf(study).length > 0) add(new ConstraintsView(main, study, selection));
  add(new MetricsView(main, study));
  finishShow(study, selection);
}

function finishShow(study, selection) {
  selection.onChange((what) => {
    for (const view of page.views) {
      if (what !== "mask") view.redraw();
      else view.reselect?.();
    }
  });
  page.shape = shapeOf(study);
  selection.focus = study.best;
  drawAll();
}

// What decides which cards there are: when it changes, the page is built anew.
function shapeOf(study) {
  return JSON.stringify([allFail(study), study.space, study.objectives, (study.status.front?.trade_offs ?? []).length, study.constraints, study.limits, study.metrics, panelsOf(study).length > 0, hasInformation(study), hasTimes(study)]);
}

function drawTabs() {
  const tabs = byId("tabs");
  tabs.hidden = page.studies.length < 2;
  tabs.replaceChildren(...page.studies.map((study) => element("button", {
    type: "button", "aria-pressed": String(study === page.study),
    on: { click: () => { show(study); drawTabs(); } },
  }, study.name)));
}

function setScheme(scheme) {
  document.documentElement.dataset.scheme = scheme;
  const dark = scheme === "dark" || (scheme === "auto" && matchMedia("(prefers-color-scheme: dark)").matches);
  byId("scheme").textContent = dark ? "Light" : "Dark";
  for (const view of page.views) view.redraw();
}

// Paper is white and as wide as it is: everything is drawn for it, and for the screen again afterwards.
function preparePrint(starts) {
  const root = document.documentElement;
  if (starts) page.screenScheme = root.dataset.scheme;
  root.dataset.scheme = starts ? "light" : page.screenScheme;
  document.body.classList.toggle("paper", starts);
  for (const view of page.views) (view.drawNow ?? view.redraw).call(view);
}

function tellState(text, ok) {
  const state = byId("live");
  state.hidden = false;
  state.textContent = text;
  state.className = ok ? "live on" : "live off";
}

function askToken() {
  return new Promise((resolve) => {
    const form = byId("token-form");
    form.hidden = false;
    form.onsubmit = (event) => {
      event.preventDefault();
      form.hidden = true;
      sessionStorage.setItem("vbo-token", byId("token").value);
      resolve(byId("token").value);
    };
  });
}

function takePayload(payload) {
  if (page.study && page.live) {
    page.study.merge(payload);
    page.selection.apply();
    if (page.shape !== shapeOf(page.study)) show(page.study);
    else drawSoon();
    return;
  }
  page.studies.push(new Study(payload));
}

function startLive() {
  const given = /^#token=(.+)$/.exec(location.hash);
  if (given) history.replaceState(null, "", location.pathname);
  const token = given ? decodeURIComponent(given[1]) : sessionStorage.getItem("vbo-token");
  page.live = new Live({
    load: async () => {
      const payload = decodePayload(await page.live.fetchPage());
      const focus = page.study && page.selection.focus >= 0 ? page.study.columns.id[page.selection.focus] : null;
      page.studies = [new Study(payload)];
      const filters = page.selection ? [...page.selection.filters] : [];
      show(page.studies[0]);
      if (filters.length > 0) page.selection.setFilters(filters);
      if (focus !== null) page.selection.setFocus(page.study.byId.get(focus) ?? -1);
      document.body.dataset.ready = "yes";
    },
    change: (message) => {
      takePayload(decodePayload(bytesFromBase64(message.payload)));
      document.body.dataset.updates = String(Number(document.body.dataset.updates ?? 0) + 1);
    },
    importance: (message) => {
        const { best, luckiest, recommendation, noise, state, next_batch, ...importance } = message;
        page.study.importance = importance;
        Object.assign(page.study.status, { best, luckiest, recommendation, noise, state, next_batch });
      drawHead();
      for (const view of page.views) if (view instanceof ImportanceView || view instanceof AnswerView) view.redraw();
    },
    state: tellState,
    askToken,
  }, token);
  page.live.run();
}

async function startReport(blocks) {
  for (const block of blocks) takePayload(decodePayload(await inflateBytes(bytesFromBase64(block.textContent))));
  show(page.studies[0]);
  drawTabs();
  document.body.dataset.ready = "yes";
}

async function main() {
  byId("scheme").addEventListener("click", () => {
    const dark = getComputedStyle(document.documentElement).getPropertyValue("--scheme").trim() === "dark";
    setScheme(dark ? "light" : "dark");
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => setScheme(document.documentElement.dataset.scheme ?? "auto"));
  setScheme("auto");
  document.addEventListener("keydown", stepByKeys);
  addEventListener("beforeprint", () => preparePrint(true));
  addEventListener("afterprint", () => preparePrint(false));
  const blocks = [...document.querySelectorAll("script[type='application/x-vbo-study']")];
  try {
    if (blocks.length > 0) await startReport(blocks);
    else startLive();
  } catch (error) {
    byId("problem").hidden = false;
    byId("problem").textContent = `This page cannot be shown: ${error.message}`;
  }
}

main();
