/**
 * CartPole-v1 with a table of 324 actions, computed as Gymnasium 1.4.0 computes it.
 * No drawing here; tests/test_figures.py compares the returns with Gymnasium's.
 */

import { DATA } from "./cartpole_data.js";

export const { starts: STARTS, tables: TABLES } = DATA;
export const STATES = 324;

/** The constants of the environment and of its step limit. */
export const POLE = { track: 2.4, fallen: (12 * 2 * Math.PI) / 360, half: 0.5, steps: 500 };

const GRAVITY = 9.8;
const MASS = 0.1; // of the pole
const TOTAL = 1 + MASS;
const FORCE = 10;
const SECONDS = 0.02;
const SIZES = DATA.edges.map((edges) => edges.length + 1);

/** The number of the bin of a quantity: an edge belongs to the bin above it. */
function bin(value, edges) {
  let number = 0;
  while (number < edges.length && value >= edges[number]) number++;
  return number;
}

/** The state number of [x, velocity, angle, angular velocity], which are seen in float32. */
export function stateOf(seen) {
  let state = 0;
  for (let i = 0; i < 4; i++) state = state * SIZES[i] + bin(Math.fround(seen[i]), DATA.edges[i]);
  return state;
}

/** What a state is called. */
export function wordsOf(state) {
  const bins = SIZES.map((size, i) => {
    const rest = SIZES.slice(i + 1).reduce((product, one) => product * one, 1);
    return Math.floor(state / rest) % size;
  });
  return bins.map((one, i) => DATA.words[i][one]).join(", ");
}

/** The state that mirrors a state: every bin counted from the other end. */
export const mirrored = (state) => STATES - 1 - state;

/**
 * One step.
 * @param {number[]} seen position, velocity, angle (rad, to the right), angular velocity
 * @param {number} action 0 pushes left, 1 right
 * @param {number} half half the length of the pole, in metres
 */
export function step([x, speed, angle, turning], action, half = POLE.half) {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const weight = MASS * half;
  const push = (action === 1 ? FORCE : -FORCE) + weight * (turning * turning) * sin;
  const pull = push / TOTAL;
  const bend = (GRAVITY * sin - cos * pull) / (half * (4.0 / 3.0 - (MASS * (cos * cos)) / TOTAL));
  const gain = pull - (weight * bend * cos) / TOTAL;
  return [x + SECONDS * speed, speed + SECONDS * gain, angle + SECONDS * turning, turning + SECONDS * bend];
}

/** Whether the episode is over: off the track, or the pole has fallen. */
export const over = ([x, , angle]) => Math.abs(x) > POLE.track || Math.abs(angle) > POLE.fallen;

/**
 * The return of one episode: its number of steps.
 * @param {number[]} table an action for each state
 * @param {number[]} start
 * @param {?function(number)} met told each state
 */
export function episodeReturn(table, start, half = POLE.half, met = null) {
  let seen = start;
  for (let t = 1; t <= POLE.steps; t++) {
    const state = stateOf(seen);
    met?.(state);
    seen = step(seen, table[state], half);
    if (over(seen)) return t;
  }
  return POLE.steps;
}

/** A table out of its digits. */
export const parsed = (digits) => [...digits].map(Number);
