// SPDX-License-Identifier: MIT
// The one selection that all views share: a range or a set of choices per axis, and one trial in focus.
// Axes are those of Study.unitOn(). While a hand drags, the selection is `hasty`: views then draw a part
// of many trials, and everything when the hand rests.

const MOST_IN_HASTE = 20000;
const REST_MS = 150;

export class Selection {
  constructor(study) {
    this.study = study;
    this.filters = new Map();  // axis -> [low, high] on its unit scale
    this.focus = -1;           // row
    this.mask = null;          // Uint8Array: 1 = selected; null = everything
    this.count = 0;
    this.hasty = false;
    this.listeners = [];
  }

  onChange(listener) { this.listeners.push(listener); }
  notify(what) { for (const listener of this.listeners) listener(what); }

  setFilter(axis, range, hasty = false) { this.setFilters([[axis, range]], hasty); }

  // Several at once, so that views draw once.
  setFilters(pairs, hasty = false) {
    for (const [axis, range] of pairs) {
      if (range === null) this.filters.delete(axis);
      else this.filters.set(axis, range);
    }
    this.hasty = hasty;
    this.apply();
    this.notify("mask");
    clearTimeout(this.rest);
    if (hasty) this.rest = setTimeout(() => this.settle(), REST_MS);
  }

  settle() {
    this.hasty = false;
    this.found = null;
    this.notify("mask");
  }

  clear() {
    this.filters.clear();
    this.hasty = false;
    clearTimeout(this.rest);
    this.apply();
    this.notify("clear");
  }

  setFocus(row) {
    if (row === this.focus) return;
    this.focus = row;
    this.notify("focus");
  }

  // To the previous or next result in the order of telling.
  stepFocus(step) {
    const order = this.study.byEvaluation;
    if (order.length === 0) return;
    const at = this.focus < 0 ? (step > 0 ? -1 : order.length) : order.indexOf(this.focus);
    this.setFocus(order[Math.min(order.length - 1, Math.max(0, at + step))]);
  }

  apply() {
    const n = this.study.rows;
    this.found = null;
    if (this.filters.size === 0) {
      this.mask = null;
      this.count = n;
      return;
    }
    const mask = new Uint8Array(n).fill(1);
    for (const [axis, [low, high]] of this.filters) {
      const unit = this.study.unitOn(axis);
      for (let i = 0; i < n; ++i) {
        const u = unit[i];
        if (!(u >= low && u <= high)) mask[i] = 0;
      }
    }
    let count = 0;
    for (let i = 0; i < n; ++i) count += mask[i];
    this.mask = mask;
    this.count = count;
  }

  // Places in study.byRank of the results that are selected, best first; of many only some while the hand moves.
  places() {
    if (this.found) return this.found;
    const { byRank } = this.study;
    const found = new Int32Array(byRank.length);
    let count = 0;
    for (let k = 0; k < byRank.length; ++k) if (this.mask === null || this.mask[byRank[k]] === 1) found[count++] = k;
    const step = this.hasty ? Math.max(1, Math.ceil(count / MOST_IN_HASTE)) : 1;
    if (step > 1) {
      count = Math.ceil(count / step);
      for (let i = 0; i < count; ++i) found[i] = found[i * step];
    }
    this.found = found.subarray(0, count);
    return this.found;
  }

  has(row) { return this.mask === null || this.mask[row] === 1; }
}
