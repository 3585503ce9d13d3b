/** The valley with the book's orange car in it, for the figures in which it drives. */

import { CAR, energy } from "./car_world.js";
import { HEIGHT, WIDTH, plot, scale, text } from "./chart.js";
import { panel, set, shown, svg } from "./dom.js";

const CAR_SHAPE = "M-15 -4 V-10 Q-15 -12 -13 -12 H-8 L-5 -19 H6 L11 -12 Q16 -12 16 -8 V-4 z";

const BAR = { x: 120, y: 14, height: 8 };
const ENOUGH = 72; // the length of the bar with which the goal is reached
const MOST = 1.4; // as much of that has room

export const across = scale(CAR.low, CAR.high, 44, WIDTH - 12);

/** The hill with the car, an arrow for the push of its engine, and its energy up to what the goal takes. */
export function hillPanel(title = "The car; the arrow is the engine’s push") {
  const up = scale(-1, 1, HEIGHT - 40, 46);
  const points = Array.from({ length: 91 }, (_, i) => {
    const x = CAR.low + i * 0.02;
    return `${across(x)},${up(Math.sin(3 * x))}`;
  });
  const flag = [across(CAR.goal), up(Math.sin(3 * CAR.goal))];
  const push = svg("path", { fill: "var(--ink)" });
  const body = svg(
    "g",
    {},
    svg("path", { d: CAR_SHAPE, fill: "var(--car)" }),
    svg("circle", { cx: -8, cy: -4, r: 4.5, fill: "var(--ink)" }),
    svg("circle", { cx: 9, cy: -4, r: 4.5, fill: "var(--ink)" }),
  );
  const clock = text(12, HEIGHT - 8, "start");
  const bar = svg("rect", { class: "energy", ...BAR });
  const node = plot(
    "The car on its hill",
    svg("polyline", { points: points.join(" "), class: "curve hill", stroke: "var(--blue)" }),
    svg("path", { class: "goal-flag", d: `M${flag} v-45 l16,6 l-16,6` }),
    text(flag[0] - 34, flag[1] - 36, "start", "goal"),
    body,
    push,
    text(BAR.x - 6, BAR.y + 8, "end", "energy"),
    svg("rect", { class: "axis", ...BAR, width: MOST * ENOUGH }),
    bar,
    svg("path", { class: "goal", d: `M${BAR.x + ENOUGH},${BAR.y - 4} v${BAR.height + 8}` }),
    text(BAR.x + ENOUGH, BAR.y + BAR.height + 18, "middle", "needed"),
    clock,
  );
  const show = (seen, t) => {
    const x = seen.xs[t];
    const [left, top] = [across(x), up(Math.sin(3 * x))];
    const rise = (up(0) - up(1)) * 3 * Math.cos(3 * x);
    const tilt = (-Math.atan2(rise, across(1) - across(0)) * 180) / Math.PI;
    set(body, { transform: `translate(${left} ${top}) rotate(${tilt})` });
    set(bar, { width: ENOUGH * Math.min(energy(x, seen.vs[t]), MOST) });
    const action = seen.actions[t] ?? seen.actions.at(-1) ?? 0; // at the end the last one
    const length = 34 * Math.max(-1, Math.min(1, action));
    const head = Math.sign(length) * Math.min(8, Math.abs(length));
    const y = top - 26; // below the flag, where the car reaches it
    set(push, {
      d: `M${left},${y - 2} h${length - head} v-4 l${head},6 l${-head},6 v-4 h${head - length} z`,
    });
    clock.textContent = `step ${t} of ${seen.xs.length - 1}, action ${shown(action)}`;
  };
  return { node: panel(title, node), show };
}
