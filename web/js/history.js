// SPDX-License-Identifier: MIT
// What people changed of a trial after its result was told, in words.

// "2024-05-17 08:30:00 UTC"; "" for 0, which is "not known".
export function momentText(seconds) {
  return seconds > 0 ? `${new Date(seconds * 1000).toISOString().slice(0, 19).replace("T", " ")} UTC` : "";
}

// "x 0.5, kind plain": the parameters of `point` that differ from those of `other`; all without another.
export function pointText(point, other = {}) {
  return Object.keys(point).filter((name) => point[name] !== other[name]).map((name) => `${name} ${point[name]}`).join(", ");
}

// "completed 1.25", "failed: no license", and where it was when that was another point.
function partText({ state, value, values, error, params }, other) {
  const outcome = values ? Object.entries(values).map(([name, number]) => `${name} ${number}`).join(", ") : value ?? "";
  const moved = other ? pointText(params, other.params) : "";
  return `${state}${outcome === "" ? "" : ` ${outcome}`}${error ? `: ${error}` : ""}${moved ? ` at ${moved}` : ""}`;
}

// A line per change, the oldest first; as the history of vbo explain, with the part of the points that differs.
export function historyLines(history) {
  return history.map(({ kind, at, reason, event, before, after }) => {
    const moment = momentText(at);
    const became = after && kind === "replaced" ? `, became ${partText(after, before)}` : "";
    return `${moment}${moment ? ": " : ""}${kind}${reason ? ` (${reason})` : ""}: was ${partText(before, after)}${became}; ` +
      (event === null ? "not yet told to the method" : `told to the method in event ${event}`);
  });
}
