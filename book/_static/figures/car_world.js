/**
 * MountainCarContinuous-v0 with a linear policy, computed as Gymnasium 1.4.0 computes it.
 * No drawing here; tests/test_figures.py compares the returns with Gymnasium's.
 */

import { STARTS } from "./car_starts.js";

export { STARTS };

/** The constants of the environment, of its step limit and of the book's box of parameters. */
export const CAR = {
  low: -1.2,
  high: 0.6,
  goal: 0.45,
  topSpeed: 0.07,
  power: 0.0015,
  slope: 0.0025,
  steps: 999,
  box: 6,
};

export const NAMES = ["position gain", "velocity gain", "bias"];

// The state is kept in float32, and the limits are compared with it in float32.
const single = Math.fround;
const LOW = single(CAR.low);
const HIGH = single(CAR.high);
const GOAL = single(CAR.goal);
const TOP_SPEED = single(CAR.topSpeed);

const clip = (number, low, high) => Math.min(Math.max(number, low), high);

/**
 * The action of a linear policy, which is not clipped.
 * @param {number[]} params position gain, velocity gain, bias
 * @param {{x: number, v: number}} state
 */
export function act([positionGain, velocityGain, bias], { x, v }) {
  return positionGain * single(x) + velocityGain * single(v) + bias;
}

/**
 * One step. Its precision follows from the types of Gymnasium's numbers: a force within its bounds
 * makes the step one of float64; a force or a velocity that was cut to its limit makes it one of
 * float32. The first step starts from a float64 state.
 * @param {{x: number, v: number}} state
 * @param {number} action
 * @param {boolean} first whether this is the first step of an episode
 * @returns {{x: number, v: number, reward: number, ended: boolean}}
 */
export function step(state, action, first) {
  const free = first || Math.abs(action) <= 1;
  const angle = first ? 3 * state.x : single(3 * state.x);
  const pull = clip(action, -1, 1) * CAR.power - CAR.slope * Math.cos(angle);
  let v = state.v + (free ? pull : single(pull));
  const double = free && Math.abs(v) <= CAR.topSpeed;
  const kept = clip(single(v), -TOP_SPEED, TOP_SPEED);
  if (!double) v = kept;
  const sum = state.x + v;
  const position = double ? sum : single(sum);
  const next = { x: clip(single(position), LOW, HIGH), v: kept, reward: 0, ended: false };
  // The wall and the goal are compared before the state is rounded to float32.
  if (next.x === LOW && (!double || position <= CAR.low)) next.v = Math.max(next.v, 0);
  next.ended = next.x >= GOAL && v >= 0 && (!double || position >= CAR.goal);
  next.reward = (next.ended ? 100 : 0) - action * action * 0.1;
  return next;
}

/**
 * The return of one episode, without keeping its steps.
 * @param {number[]} params
 * @param {number} start position; the velocity is 0
 */
export function episodeReturn(params, start) {
  let state = { x: start, v: 0 };
  let total = 0;
  for (let t = 0; t < CAR.steps; t++) {
    state = step(state, act(params, state), t === 0);
    total += state.reward;
    if (state.ended) break;
  }
  return total;
}

/**
 * One episode with all its steps.
 * @param {number[]} params
 * @param {number} start position
 * @returns {{xs: number[], vs: number[], actions: number[], totals: number[], reached: boolean}}
 *   positions and velocities (T + 1), actions (T), and the sum of rewards after 0, 1, ... T steps
 */
export function episode(params, start) {
  let state = { x: start, v: 0 };
  const seen = { xs: [single(start)], vs: [0], actions: [], totals: [0], reached: false };
  for (let t = 0; t < CAR.steps && !seen.reached; t++) {
    const action = act(params, state);
    state = step(state, action, t === 0);
    seen.xs.push(state.x);
    seen.vs.push(state.v);
    seen.actions.push(action);
    seen.totals.push(seen.totals[t] + state.reward);
    seen.reached = state.ended;
  }
  return seen;
}

/** The returns from the starts of evaluation seeds 0 to 19; their mean is what the book calls the value. */
export const returns = (params) => STARTS.map((start) => episodeReturn(params, start));

const height = (x) => (CAR.slope / 3) * Math.sin(3 * x);
const VALLEY = height(-Math.PI / 6);

/** The car's energy, 0 at rest in the valley; with 1, and to the right, it rolls to the goal by itself. */
export const energy = (x, v) => (height(x) + v ** 2 / 2 - VALLEY) / (height(CAR.goal) - VALLEY);

/**
 * A position on the colour scale of the book's maps, 0 to 1: even within -100 to 100, by the
 * logarithm beyond (Matplotlib's SymLogNorm with linthresh=100).
 */
export function shade(value, low = -2500, high = 100) {
  const bend = (y) => {
    const inner = 1 / 0.9;
    if (Math.abs(y) <= 100) return inner * y;
    return Math.sign(y) * 100 * (inner + Math.log10(Math.abs(y) / 100));
  };
  return clip((bend(value) - bend(low)) / (bend(high) - bend(low)), 0, 1);
}
