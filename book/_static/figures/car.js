/**
 * The figure "Tune the car": three sliders, the car on its hill, its phase portrait, and a contest
 * with a recorded search. `data-start` gives the first parameters; with `data-contest="no"` the
 * reader may drive instead of the contest; `data-recording` names the search.
 */

import { contest } from "./car_contest.js";
import { across, hillPanel } from "./car_scene.js";
import { wheel } from "./car_wheel.js";
import { CAR, NAMES, STARTS, episode, returns } from "./car_world.js";
import { HEIGHT, WIDTH, marker, mean, numbersBelow, numbersBeside, plot, scale, text } from "./chart.js";
import { choice, controls, el, panel, playback, set, shown, slider, svg, verdict } from "./dom.js";

const STEPS_A_SECOND = 120;

/** Position across, velocity up, one curve for the episode. */
function phasePanel() {
  const up = scale(-CAR.topSpeed, CAR.topSpeed, HEIGHT - 35, 12);
  const curve = svg("path", { class: "curve mine" });
  const dot = marker();
  const start = svg("circle", { r: 3, fill: "var(--ink)" });
  const node = plot(
    "Phase portrait",
    svg("path", { class: "axis", d: `M44,12 V${HEIGHT - 35} H${WIDTH - 12}` }),
    svg("path", { class: "goal", d: `M${across(CAR.goal)},12 V${HEIGHT - 35}` }),
    ...numbersBelow([-1.2, -0.9, -0.6, -0.3, 0, 0.3, 0.6], across, HEIGHT - 21, 1),
    ...numbersBeside([-0.05, 0, 0.05], up, 40, 2),
    text(WIDTH - 12, HEIGHT - 3, "end", "position x"),
    text(50, 20, "start", "velocity v"),
    text(across(CAR.goal) - 4, 34, "end", "goal"),
    curve,
    start,
    dot.node,
  );
  const at = (seen, t) => `${across(seen.xs[t]).toFixed(1)},${up(seen.vs[t]).toFixed(1)}`;
  const draw = (seen) => {
    set(curve, { d: "M" + seen.xs.map((_, t) => at(seen, t)).join("L") });
    set(start, { cx: across(seen.xs[0]), cy: up(0) });
    const end = seen.reached ? "passes the goal" : "does not reach the goal";
    const far = `positions ${shown(Math.min(...seen.xs))} to ${shown(Math.max(...seen.xs))}`;
    set(node, { "aria-label": `Phase portrait: the curve has ${far} and ${end}.` });
  };
  const show = (seen, t) => dot.put(across(seen.xs[t]), up(seen.vs[t]));
  return { node: panel("Phase portrait of this episode", node), draw, show };
}

/** Puts the figure into its place. */
export async function mount(place) {
  const first = (place.dataset.start ?? "0 0 0").split(" ").map(Number);
  const hill = hillPanel();
  const phase = phasePanel();
  const result = verdict();
  let seen;

  const clock = playback({
    label: "Step shown",
    rate: STEPS_A_SECOND,
    last: () => seen.xs.length - 1,
    show: (time) => {
      hill.show(seen, Math.floor(time));
      phase.show(seen, Math.floor(time));
    },
  });

  /** After each change by the reader: everything at once, and the car sets off. */
  const changed = () => update(true);
  const update = (off) => {
    drive?.stop();
    const params = read();
    seen = episode(params, STARTS[Number(seed.get())]);
    phase.draw(seen);
    clock.restart(off);
    const end = seen.reached ? `at the goal after ${seen.actions.length} steps` : "not at the goal in 999 steps";
    result.tell(`Start ${seed.get()}: ${end}; return ${shown(seen.totals.at(-1))}.`);
    rivals?.moved(params);
  };
  const sliders = NAMES.map((name, i) => slider(name, [-CAR.box, CAR.box, 0.1], first[i], changed));
  const read = () => sliders.map((one) => one.get());
  const put = (params) => {
    params.forEach((number, i) => sliders[i].put(number));
    changed();
  };
  const starts = STARTS.map((start, i) => [String(i), `${i} (x = ${shown(start, 3)})`]);
  const seed = choice("start of evaluation seed", starts, "0", changed);
  const alone = place.dataset.contest === "no";
  const driving = (driven, t) => {
    clock.stop();
    seen = driven;
    phase.draw(seen);
    clock.jump(t);
  };
  const start = () => STARTS[Number(seed.get())];
  const drive = alone ? wheel({ start, show: driving, tell: result.tell }) : null;
  const rivals = alone
    ? null
    : contest({
        recording: place.dataset.recording ?? "mountaincar-props",
        evaluate: (params) => {
          const all = returns(params);
          return { value: mean(all), above: all.filter((one) => one > 0).length };
        },
        read,
        put,
      });

  const whole = el(
    "div",
    {},
    el("p", { class: "figure-title" }, "Tune the car"),
    el("p", { class: "small" }, "action = position gain · x + velocity gain · v + bias"),
    ...sliders.map((one) => one.node),
    controls(clock.play, clock.moment, seed.node),
    el("div", { class: "panels" }, hill.node, phase.node),
    result.node,
    ...(drive ? [drive.node] : []),
    ...(rivals ? [rivals.node] : []),
    result.voice,
  );
  update(false);
  await rivals?.ready;
  place.replaceChildren(whole);
}
