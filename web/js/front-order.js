// SPDX-License-Identifier: MIT
// How results stand to a front, and ranges that a few results far away do not stretch.

// A range of values that a few wild ones do not stretch: from the best to the outer fence of the quartiles.
export function robustRange(sortedFromBest) {
  const n = sortedFromBest.length;
  if (n === 0) return [0, 1];
  const best = sortedFromBest[0], worst = sortedFromBest[n - 1];
  const at = (share) => sortedFromBest[Math.min(n - 1, Math.floor(share * n))];
  const spread = Math.abs(at(0.75) - at(0.25));
  const fence = at(0.75) + Math.sign(worst - best) * 3 * spread;
  const far = Math.abs(worst - best) > Math.abs(fence - best) && spread > 0 ? fence : worst;
  return best === far ? [best - 0.5, best + 0.5] : [best, far];
}

const MOST_TESTS = 2e7;  // results times members of the front
const LEAST = 1e-6;      // of a result that is not on the front

// By how much each result is behind the front: the smallest share of the front's range by which all its objectives
// would have to improve to reach a member; 0 on the front. Of a large front some members stand for all. `costs` are
// minimized, one array per objective; `rows` and `front` are places in them.
export function gapsBehind(costs, rows, front, size) {
  const gaps = new Float64Array(size);
  if (front.length === 0) return gaps;
  const many = costs.length;
  const scale = costs.map((cost) => {
    let low = Infinity, high = -Infinity;
    for (const row of front) {
      low = Math.min(low, cost[row]);
      high = Math.max(high, cost[row]);
    }
    return 1 / (high > low ? high - low : Math.abs(high) || 1);
  });
  const kept = Math.max(16, Math.min(front.length, Math.floor(MOST_TESTS / Math.max(1, rows.length))));
  const step = Math.max(1, front.length / kept);
  const members = [];
  for (let i = 0; i < front.length; i += step) for (let m = 0; m < many; ++m) members.push(costs[m][front[Math.floor(i)]] * scale[m]);
  const place = Float64Array.from(members), own = new Float64Array(many);
  for (const row of rows) {
    for (let m = 0; m < many; ++m) own[m] = costs[m][row] * scale[m];
    let gap = Infinity;
    for (let at = 0; at < place.length; at += many) {
      let worst = -Infinity;
      for (let m = 0; m < many && worst < gap; ++m) worst = Math.max(worst, own[m] - place[at + m]);
      if (worst < gap) gap = worst;
    }
    gaps[row] = Math.max(gap, LEAST);
  }
  for (const row of front) gaps[row] = 0;
  return gaps;
}

// The results that no other one dominates in costs a and b, of those that rows go through; the best in a first.
export function planeFront(a, b, rows) {
  const order = Array.from(rows).sort((i, j) => a[i] - a[j] || b[i] - b[j]);
  const kept = [];
  for (const row of order) if (kept.length === 0 || b[row] < b[kept[kept.length - 1]]) kept.push(row);
  return kept;
}
