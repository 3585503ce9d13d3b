/** The reader at the wheel: an episode whose pushes come from two buttons or from the arrow keys. */

import { CAR, step } from "./car_world.js";
import { button, controls, el, player, shown } from "./dom.js";

const STEPS_A_SECOND = 60;
const KEYS = { ArrowLeft: -1, ArrowRight: 1 };

/**
 * @param {object} parts
 * @param {function(): number} parts.start where the car sets off
 * @param {function(object, number)} parts.show told the episode so far and its last step
 * @param {function(string)} parts.tell told how it stands
 * @returns {{node: HTMLElement, stop: function()}}
 */
export function wheel({ start, show, tell }) {
  let [push, time] = [0, 0];
  let driven;

  const begin = () => {
    time = 0;
    driven = { xs: [start()], vs: [0], actions: [], totals: [0], reached: false };
  };
  const turn = () => {
    const { xs, vs, actions, totals } = driven;
    const next = step({ x: xs.at(-1), v: vs.at(-1) }, push, actions.length === 0);
    actions.push(push);
    xs.push(next.x);
    vs.push(next.v);
    totals.push(totals.at(-1) + next.reward);
    driven.reached = next.ended;
  };
  const over = () => driven.reached || driven.actions.length === CAR.steps;
  const clock = player((seconds) => {
    for (time += seconds * STEPS_A_SECOND; time >= 1 && !over(); time--) turn();
    const steps = driven.actions.length;
    show(driven, steps);
    const where = driven.reached ? `at the goal after ${steps} steps` : `${steps} of ${CAR.steps} steps`;
    tell(`You: ${where}; return ${shown(driven.totals.at(-1))}.`);
    return !over();
  });
  const hold = (side) => {
    push = side;
    if (side === 0 || clock.running()) return;
    begin();
    clock.start();
  };

  const pedal = (text, side) =>
    button(text, undefined, {
      class: "pedal",
      onpointerdown: () => hold(side),
      onpointerup: () => hold(0),
      onpointerleave: () => hold(0),
    });
  const key = (event, held) => {
    if (!(event.key in KEYS)) return;
    event.preventDefault();
    if (!event.repeat) hold(held ? KEYS[event.key] : 0);
  };
  const words = "Or drive yourself: hold a button, or choose one and hold the arrow keys.";
  const node = controls(
    el("span", { class: "small line" }, words),
    pedal("← push left", -1),
    pedal("push right →", 1),
  );
  node.addEventListener("keydown", (event) => key(event, true));
  node.addEventListener("keyup", (event) => key(event, false));
  return { node, stop: clock.stop };
}
