/** What the figures' charts share: their size, words, scales and stairs. */

import { drawing, set, shown, svg } from "./dom.js";

export const WIDTH = 340;
export const HEIGHT = 210;

/** A drawing of the usual size. */
export const plot = (label, ...children) => drawing(WIDTH, HEIGHT, label, ...children);

/** Words in a drawing. */
export const text = (x, y, anchor, ...words) => svg("text", { x, y, "text-anchor": anchor }, ...words);

/** The dot of a moment. */
export function marker() {
  const node = svg("circle", { r: 5, fill: "var(--orange)", stroke: "var(--ink)" });
  return { node, put: (cx, cy) => set(node, { cx, cy }) };
}

/** The numbers of an axis, below it or at its left. */
export const numbersBelow = (numbers, left, y, digits = 0) =>
  numbers.map((number) => text(left(number), y, "middle", shown(number, digits)));
export const numbersBeside = (numbers, up, x, digits = 0) =>
  numbers.map((number) => text(x, up(number) + 4, "end", shown(number, digits)));

/** Linear map from [low, high] to [from, to]. */
export const scale = (low, high, from, to) => (number) =>
  from + ((number - low) / (high - low)) * (to - from);

/** A path that holds each value for one step: from left(first) to left(first + 1), and so on. */
export const stairs = (values, left, up, first) =>
  values.map((value, i) => `${i ? "L" : "M"}${left(first + i)},${up(value)}H${left(first + i + 1)}`).join("");

/** The mean of some numbers. */
export const mean = (numbers) => numbers.reduce((sum, number) => sum + number, 0) / numbers.length;

/** The colour of a brain, as propslib/utils/style.py has it: see figures.css. */
export const colour = (brain) =>
  `var(--${brain.split(",")[0].replace(/[^a-z]/gi, "").toLowerCase()}, var(--ink))`;

// Matplotlib's cividis at 0, 1/8, ... 1.
const CIVIDIS = "00224e 1a386f 434e6c 61656f 7d7c78 9b9476 bcae6c dec958 fee838"
  .split(" ")
  .map((hex) => [0, 2, 4].map((i) => parseInt(hex.slice(i, i + 2), 16)));

/** Red, green and blue of a place from 0 to 1 on that scale. */
export function cividis(share) {
  const place = share * (CIVIDIS.length - 1);
  const i = Math.min(Math.floor(place), CIVIDIS.length - 2);
  return CIVIDIS[i].map((from, k) => from + (place - i) * (CIVIDIS[i + 1][k] - from));
}
