/** A chart of a search: each value as a point, the best so far as a line. */

import { HEIGHT, WIDTH, numbersBelow, numbersBeside, plot, scale, stairs, text } from "./chart.js";
import { panel, set, shown, svg } from "./dom.js";

const FLOOR = -150; // lower values are drawn here, as in the book's plots

/** show: so many proposals; race: all, and the best values so far of the reader's own as a line. */
export function valuePanel({ warmup, proposals }, title) {
  const most = Math.max(...proposals.map(({ value }) => value), 0);
  const step = most > 150 ? 100 : 50;
  const top = Math.max(step, Math.ceil(most / step) * step);
  const left = (k) => 44 + ((k + 0.5) / (proposals.length + 1)) * (WIDTH - 56);
  const height = scale(FLOOR, top, HEIGHT - 40, 12);
  const up = (value) => height(Math.max(value, FLOOR));
  const points = proposals.map(({ iteration, value }) =>
    value < FLOOR // a triangle on the floor
      ? svg("path", { d: `M${left(iteration)},${up(value)} l-5,-8 h10 z`, fill: "var(--model)" })
      : svg("circle", { cx: left(iteration), cy: up(value), r: 3, fill: "var(--model)" }),
  );
  const line = svg("path", { class: "curve theirs" });
  const mine = svg("path", { class: "curve mine", "stroke-width": 3 });
  const ring = svg("circle", { r: 7, fill: "none", stroke: "var(--ink)", "stroke-width": 2 });
  const low = proposals.some(({ value }) => value < FLOOR) ? ` (▼: below ${shown(FLOOR, 0)})` : "";
  const ticks = [];
  for (let value = Math.ceil(FLOOR / step) * step; value <= top; value += step) ticks.push(value);
  const start = Math.max(...warmup.map(({ value }) => value));
  const node = plot(
    "",
    svg("path", { class: "axis", d: `M44,12 V${HEIGHT - 40} H${WIDTH - 12}` }),
    ...numbersBeside(ticks, up, 40),
    ...numbersBelow([1, Math.round(0.5 * proposals.length), proposals.length], left, HEIGHT - 24),
    text(WIDTH - 12, HEIGHT - 6, "end", `proposal${low}`),
    line,
    mine,
    ...points,
    ring,
  );
  const show = (k) => {
    points.forEach((point, i) => set(point, { "fill-opacity": i < k ? 1 : 0.25 }));
    const bests = [start, ...proposals.slice(0, k).map(({ best }) => Math.max(best, start))];
    set(line, { d: stairs(bests, left, up, 0) });
    const value = k ? proposals[k - 1].value : start;
    set(ring, { cx: left(k), cy: up(value) });
    const label = `Values of ${k} proposals. Best so far, warm-up included: ${shown(bests.at(-1))}.`;
    set(node, { "aria-label": label });
  };
  const race = (bests) => {
    set(mine, { d: stairs(bests.slice(0, proposals.length), left, up, 1) });
    show(proposals.length);
    set(ring, { visibility: "hidden" });
    const yours = bests.length ? ` Your best is ${shown(bests.at(-1))}.` : "";
    set(node, { "aria-label": node.getAttribute("aria-label") + yours });
  };
  return { node: panel(title, node), show, race };
}
