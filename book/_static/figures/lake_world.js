/**
 * FrozenLake-v1 on its 4 x 4 map, as an exact calculation and as single episodes.
 * No drawing here; tests/test_figures.py compares with propslib.world.planning.
 */

import { random } from "./random.js";

export const MAP = "SFFFFHFHFFFHHFFG";
export const SIDE = 4;
export const STEPS = 100;
/** In the order of their numbers. */
export const ACTIONS = ["left", "down", "right", "up"];
/** Where something is chosen; holes and the goal end the episode. */
export const ICE = [...MAP].flatMap((letter, state) => ("SF".includes(letter) ? [state] : []));

const CLOSE = 1e-12; // values that differ by less differ by rounding only

/** The state after a move in a direction; off the edge it stays. */
export function neighbour(state, direction) {
  const [row, column] = [Math.floor(state / SIDE), state % SIDE];
  if (direction === 0) return column > 0 ? state - 1 : state;
  if (direction === 1) return row < SIDE - 1 ? state + SIDE : state;
  if (direction === 2) return column < SIDE - 1 ? state + 1 : state;
  return row > 0 ? state - SIDE : state;
}

/** The equally likely directions of a move: on slippery ice also the two beside the wanted one. */
export const directions = (action, slippery) =>
  slippery ? [(action + 3) % 4, action, (action + 1) % 4] : [action];

/** The chance to arrive by an action, where values are the chances one step later. */
function chance(state, action, slippery, values) {
  const all = directions(action, slippery).map((direction) => {
    const after = neighbour(state, direction);
    if (MAP[after] === "G") return 1;
    return MAP[after] === "H" ? 0 : values[after];
  });
  return all.reduce((sum, one) => sum + one / all.length, 0);
}

/**
 * The exact chance to reach the goal within 100 steps, from each state: the first is that from the
 * start. (Sutton and Barto 2018, ch. 4.1.)
 * @param {number[]} table an action for each of the 16 states
 * @param {boolean} slippery
 */
export function evaluate(table, slippery) {
  let values = Array(MAP.length).fill(0);
  for (let t = 0; t < STEPS; t++) {
    const next = Array(MAP.length).fill(0);
    for (const state of ICE) next[state] = chance(state, table[state], slippery, values);
    values = next;
  }
  return values;
}

/**
 * Value iteration (Sutton and Barto 2018, ch. 4.4): the most that anything can reach within 100
 * steps, and the best action of each state with all of them to go. Of equals it takes the one that
 * was best with a step fewer to go, else the lowest.
 * @returns {{value: number, table: number[]}}
 */
export function bestOf(slippery) {
  let values = Array(MAP.length).fill(0);
  const table = Array(MAP.length).fill(0);
  for (let t = 0; t < STEPS; t++) {
    const next = Array(MAP.length).fill(0);
    for (const state of ICE) {
      const chances = ACTIONS.map((_, action) => chance(state, action, slippery, values));
      const most = Math.max(...chances);
      if (chances[table[state]] < most - CLOSE) {
        table[state] = chances.findIndex((one) => one >= most - CLOSE);
      }
      next[state] = chances[table[state]];
    }
    values = next;
  }
  return { value: values[0], table };
}

/**
 * One episode.
 * @returns {{states: number[], moves: number[], arrived: boolean}} T + 1 states, and the T
 *   directions in which the walker really moved
 */
export function episode(table, slippery, seed) {
  const draw = random(seed);
  const states = [0];
  const moves = [];
  while (moves.length < STEPS && "SF".includes(MAP[states.at(-1)])) {
    const possible = directions(table[states.at(-1)], slippery);
    const move = possible[Math.floor(draw() * possible.length)];
    moves.push(move);
    states.push(neighbour(states.at(-1), move));
  }
  return { states, moves, arrived: MAP[states.at(-1)] === "G" };
}
