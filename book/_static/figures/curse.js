/**
 * The figure "The winner's curse": one driver, a = 6 v, played from 20 fresh starts again and again.
 * Each mean is a ball; the flag marks the best of them, and the dashed line what is true.
 */

import { episodeReturn } from "./car_world.js";
import { mean, numbersBelow, text } from "./chart.js";
import { button, calm, controls, drawing, el, player, set, shown, svg, verdict } from "./dom.js";
import { random } from "./random.js";

export const DRIVER = [0, 6, 0];
/** The mean return over all starts from -0.6 to -0.4; tests/test_figures.py computes it again. */
export const TRUTH = 89.24;

const HEIGHT = 250;
const GROUND = HEIGHT - 42;
const LOW = 55; // means below are next to impossible, and drawn here
const FALL = 0.45; // seconds
const MANY = 50;

const ends = (n) => (Math.floor(n / 10) % 10 === 1 ? 0 : n % 10);
const nth = (n) => `${n}${["th", "st", "nd", "rd"][ends(n)] ?? "th"}`;

/** A machine that gives the mean return of 20 episodes from fresh random starts. */
export function means(seed) {
  const draw = random(seed);
  return () => {
    const starts = Array.from({ length: 20 }, () => -0.6 + 0.2 * draw());
    return mean(starts.map((start) => episodeReturn(DRIVER, start)));
  };
}

/** The histogram, so many units wide: a column of balls for each number of arrivals. */
function histogram(width) {
  const left = (value) => 30 + ((Math.max(value, LOW) - LOW) / (102 - LOW)) * (width - 60);
  const balls = svg("g");
  const flag = svg("path", { class: "flag", visibility: "hidden" });
  const name = text(0, 14, "end");
  const node = drawing(
    width,
    HEIGHT,
    "",
    svg("path", { class: "axis", d: `M20,${GROUND} H${width - 20}` }),
    ...numbersBelow([60, 70, 80, 90, 100], left, GROUND + 18),
    text(width - 20, HEIGHT - 6, "end", "mean return of 20 episodes"),
    text(left(TRUTH) - 6, 38, "end", `true mean ${shown(TRUTH, 0)}`),
    svg("path", { class: "truth", d: `M${left(TRUTH)},26 V${GROUND}` }),
    flag,
    balls,
    name,
  );
  const dropped = [];
  const column = (value) => Math.round((20 * value) / 99.5);
  let size = 9;
  const settle = (ball) => {
    const y = GROUND - size - 2 * size * ball.row;
    set(ball.node, { cx: left(ball.value), cy: y - (1 - ball.down) * (y - 8), r: size - 1 });
  };
  const add = (value, falls) => {
    const row = dropped.filter((one) => column(one.value) === column(value)).length;
    const ball = { value, row, down: falls ? 0 : 1, node: svg("circle", { class: "ball" }) };
    dropped.push(ball);
    balls.append(ball.node);
    const room = (GROUND - 50) / (2 * (1 + Math.max(...dropped.map((one) => one.row))));
    if (room < size) {
      size = room;
      dropped.forEach(settle);
    } else settle(ball);
    const best = Math.max(...dropped.map((one) => one.value));
    dropped.forEach((one) => set(one.node, { class: one.value === best ? "ball best" : "ball" }));
    const x = left(best);
    set(flag, { d: `M${x},${GROUND} V20 l-16,6 l16,6`, visibility: "visible" });
    set(name, { x: Math.min(x - 22, width - 30) });
    name.textContent = `best of ${dropped.length}: ${shown(best, 1)}`;
    const label = `Means of one driver: ${dropped.length} balls, the best at ${shown(best, 1)}`;
    set(node, { "aria-label": `${label}; the true mean is ${shown(TRUTH, 0)}.` });
    return best;
  };
  const clear = () => {
    dropped.length = 0;
    size = 9;
    balls.replaceChildren();
    name.textContent = "";
    set(flag, { visibility: "hidden" });
    set(node, { "aria-label": `No mean yet; the true mean is ${shown(TRUTH, 0)}.` });
  };
  /** Let those that are in the air fall on; whether any is left. */
  const fall = (seconds) => {
    const flying = dropped.filter((one) => one.down < 1);
    for (const ball of flying) {
      ball.down = Math.min(1, ball.down + (seconds / FALL) * (0.4 + 1.6 * ball.down));
      settle(ball);
    }
    return flying.length > 0;
  };
  clear();
  return { node, add, clear, fall, count: () => dropped.length };
}

/** Puts the figure into its place. */
export async function mount(place) {
  const result = verdict();
  const picture = histogram(place.clientWidth < 500 ? 340 : 680);
  let seed = 1;
  let next = means(seed);
  let waiting = 0;

  const drop = (falls) => {
    const value = next();
    const best = picture.add(value, falls);
    const count = picture.count();
    const more = best - TRUTH;
    const words = more > 0.5 ? `${shown(more, 0)} more than is true` : "no more than is true";
    result.tell(
      `The ${nth(count)} mean: ${shown(value, 1)}. Whoever reports the best of ${count} ` +
        `reports ${shown(best, 1)}: ${words}. The driver is always the same.`,
    );
  };
  let since = 0;
  const clock = player((seconds) => {
    since += seconds;
    if (waiting && since > 0.06) {
      since = 0;
      waiting--;
      drop(true);
    }
    return picture.fall(seconds) || waiting > 0;
  });
  const drops = (count) => {
    for (let i = 0; i < count; i++) drop(false);
  };
  const play = (count) => {
    if (!calm()) {
      waiting += count;
      clock.start();
    } else drops(count);
  };
  const clear = () => {
    waiting = 0;
    next = means(++seed);
    picture.clear();
    result.tell("The driver pushes with a = 6 v. How good is he? Let 20 starts tell.");
  };
  drops(MANY);
  place.replaceChildren(
    el("p", { class: "figure-title" }, "The winner’s curse"),
    controls(
      button("Play 20 starts", () => play(1), { class: "main" }),
      button(`Do that ${MANY} times`, () => play(MANY)),
      button("Start again", clear),
    ),
    el("div", { class: "wide" }, picture.node),
    result.node,
    result.voice,
  );
}
