/**
 * The figure "Paint the table": the 324 actions of a table for CartPole as nine small maps, painted
 * with a finger, the pointer or the keyboard; the cart above drives by them.
 */

import { POLE, STARTS, STATES, TABLES, episodeReturn, mirrored } from "./cartpole_world.js";
import { over, parsed, stateOf, step, wordsOf } from "./cartpole_world.js";
import { plot, text } from "./chart.js";
import { calm, choice, controls, drawing, el, panel, placeIn, playing, region, row, set, shown } from "./dom.js";
import { slider, svg, table as rowsTable, tick, verdict } from "./dom.js";

const SIZE = 18; // of a cell
const GAP = 12; // between maps
const MAP = 6 * SIZE;
const SIDE = 3 * MAP + 2 * GAP;
const LEFT = 2;
const RIGHT = 18; // for the names of the rows
const TOP = 20;
const STEPS_A_SECOND = 50; // as fast as it is
const WORDS = ["push left", "push right"];
const SPEEDS = ["moving left", "slow", "moving right"];
const PLACES = ["cart left", "middle", "cart right"];
const MAPS = PLACES.flatMap((cart) => SPEEDS.map((speed) => `${cart}, ${speed}`));
const MARKS = ["M3,-4 L-4,0 L3,4 z", "M-3,-4 L4,0 L-3,4 z"];

/** The upper left corner of a state's cell, in the drawing. */
function corner(state) {
  const [map, cell] = [Math.floor(state / 36), state % 36];
  const x = (map % 3) * (MAP + GAP) + (cell % 6) * SIZE;
  const y = Math.floor(map / 3) * (MAP + GAP) + Math.floor(cell / 6) * SIZE;
  return [LEFT + x, TOP + y];
}

/** The state whose cell is at a place of the drawing, or null between the maps. */
export function stateAt(x, y) {
  const [column, row] = [x - LEFT, y - TOP];
  if (Math.min(column, row) < 0 || Math.max(column, row) >= SIDE) return null;
  const [inX, inY] = [column % (MAP + GAP), row % (MAP + GAP)];
  if (Math.max(inX, inY) >= MAP) return null;
  const map = 3 * Math.floor(row / (MAP + GAP)) + Math.floor(column / (MAP + GAP));
  return 36 * map + 6 * Math.floor(inY / SIZE) + Math.floor(inX / SIZE);
}

/** The state next to one, on the page, for an arrow key. */
export function beside(state, key) {
  const [x, y] = corner(state);
  const far = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[key];
  const middle = [x + SIZE / 2, y + SIZE / 2];
  for (const reach of [SIZE, SIZE + GAP]) {
    const found = stateAt(middle[0] + far[0] * reach, middle[1] + far[1] * reach);
    if (found !== null) return found;
  }
  return state;
}

/** The nine maps. `paint(state, action)` is told each cell that is touched, `done` each stroke. */
function maps(read, paint, done) {
  const cells = Array.from({ length: STATES }, (_, state) => {
    const [x, y] = corner(state);
    const square = svg("rect", { x, y, width: SIZE - 1, height: SIZE - 1, rx: 2 });
    const visits = svg("circle", { cx: x + 8.5, cy: y + 8.5, class: "visits" });
    const place = { transform: `translate(${x + 8.5} ${y + 8.5})`, class: "arrow" };
    return { square, visits, arrow: svg("path", place) };
  });
  const frame = { width: SIZE + 3, height: SIZE + 3, rx: 4, visibility: "hidden" };
  const ring = svg("rect", { ...frame, class: "here" });
  const cursor = svg("rect", { ...frame, class: "cursor" });
  const above = (words, i) => text(LEFT + MAP / 2 + i * (MAP + GAP), 13, "middle", words);
  const aside = (words, i) => {
    const y = TOP + MAP / 2 + i * (MAP + GAP);
    const x = LEFT + SIDE + 5;
    return set(text(x, y, "middle", words), { transform: `rotate(90 ${x} ${y})` });
  };
  const node = drawing(
    LEFT + SIDE + RIGHT,
    TOP + SIDE + 2,
    "Table of 324 actions. Arrow keys move from cell to cell, Space changes one.",
    ...SPEEDS.map(above),
    ...PLACES.map(aside),
    ...cells.flatMap(({ square, visits, arrow }) => [square, visits, arrow]),
    ring,
    cursor,
  );
  set(node, { class: "paintable", tabindex: 0, role: "application" });

  const put = (around, state) => {
    const [x, y] = corner(state);
    set(around, { x: x - 2, y: y - 2, visibility: "visible" });
  };
  let [at, only] = [0, null];
  let brush = null;
  /** One of the nine maps, or all of them (null). */
  const look = (map) => {
    only = map;
    at = 36 * (map ?? 0);
    const [x, y] = corner(at);
    const box = map === null ? [0, 0, LEFT + SIDE + RIGHT, TOP + SIDE + 2] : [x - 3, y - 3, MAP + 5, MAP + 5];
    set(cursor, { visibility: "hidden" });
    set(node, { viewBox: box.join(" ") });
  };
  const touch = (event) => {
    const state = stateAt(...placeIn(node, event));
    if (state === null) return;
    brush ??= 1 - read()[state];
    if (read()[state] !== brush) paint(state, brush);
  };
  node.addEventListener("pointerdown", (event) => {
    node.setPointerCapture(event.pointerId);
    touch(event);
  });
  node.addEventListener("pointermove", (event) => brush !== null && touch(event));
  for (const end of ["pointerup", "pointercancel"]) {
    node.addEventListener(end, () => {
      if (brush !== null) done();
      brush = null;
    });
  }
  node.addEventListener("keydown", (event) => {
    if (event.key.startsWith("Arrow")) {
      const to = beside(at, event.key);
      if (only === null || Math.floor(to / 36) === only) at = to;
    } else if (event.key !== " ") return;
    else {
      paint(at, 1 - read()[at]);
      done();
    }
    event.preventDefault();
    put(cursor, at);
    node.dispatchEvent(new CustomEvent("tell", { detail: at }));
  });
  const draw = (table) =>
    cells.forEach(({ square, arrow }, state) => {
      set(square, { class: `cell action-${table[state]}` });
      set(arrow, { d: MARKS[table[state]] });
    });
  const heat = (counts) => {
    const most = Math.log1p(Math.max(...counts));
    cells.forEach(({ visits }, state) => {
      set(visits, { r: counts[state] ? 2 + (7 * Math.log1p(counts[state])) / most : 0 });
    });
  };
  return { node, draw, heat, look, light: (state) => put(ring, state) };
}

/** The cart on its track, and the pole. */
function track() {
  const [ground, metre] = [180, 66];
  const cart = svg("rect", { width: 44, height: 20, rx: 4, class: "slate" });
  const pole = svg("path", { class: "pole" });
  const node = plot(
    "The cart and its pole",
    svg("path", { class: "axis", d: `M${170 - 2.4 * metre},${ground} H${170 + 2.4 * metre}` }),
    ...[-1, 1].map((side) => {
      const end = 170 + side * POLE.track * metre;
      return svg("path", { class: "goal", d: `M${end},${ground - 30} V${ground + 6}` });
    }),
    cart,
    pole,
  );
  const show = ([x, , angle], half) => {
    const [left, top] = [170 + x * metre, ground - 20];
    set(cart, { x: left - 22, y: top });
    const far = [left + 2 * half * metre * Math.sin(angle), top - 2 * half * metre * Math.cos(angle)];
    set(pole, { d: `M${left},${top} L${far}` });
  };
  return { node, show };
}

/** Puts the figure into its place. */
export async function mount(place) {
  const names = Object.keys(TABLES);
  const table = parsed(TABLES[names[0]]);
  const result = verdict();
  const clock = el("p", { class: "small" });
  const cart = track();
  const body = el("tbody");
  const mirror = tick("mirror brush", true);
  const paint = (state, action) => {
    table[state] = action;
    if (mirror.get()) table[mirrored(state)] = 1 - action;
    board.draw(table);
  };
  const board = maps(() => table, paint, () => judge());
  board.node.addEventListener("tell", ({ detail }) =>
    result.say(`${wordsOf(detail)}: ${WORDS[table[detail]]}`),
  );

  let seen = STARTS[0];
  let time = 0;
  let steps = 0;
  const tell = () => {
    cart.show(seen, half());
    board.light(stateOf(seen));
    clock.textContent = `Start 0, step ${steps} of ${POLE.steps}${over(seen) ? ": it is over." : "."}`;
  };
  const advance = () => {
    seen = step(seen, table[stateOf(seen)], half());
    steps++;
    return !over(seen) && steps < POLE.steps;
  };
  const drive = playing(
    (seconds) => {
      time += seconds * STEPS_A_SECOND;
      let goesOn = true;
      while (goesOn && time >= 1) {
        time--;
        goesOn = advance();
      }
      tell();
      return goesOn;
    },
    () => (over(seen) || steps >= POLE.steps) && rest(),
  );
  const rest = () => {
    drive.stop();
    [seen, steps, time] = [STARTS[0], 0, 0];
    tell();
  };
  const mean = (actions, met = null) =>
    STARTS.reduce((sum, start) => sum + episodeReturn(actions, start, half(), met), 0) / 20;
  /** After each stroke: the score of the table, and where it took the cart. */
  const judge = () => {
    const counts = Array(STATES).fill(0);
    const value = mean(table, (state) => counts[state]++);
    board.heat(counts);
    const met = counts.filter(Boolean).length;
    const solved = value >= 475 ? " That counts as solved." : "";
    const words = `Your table: ${shown(value, 1)} of 500 steps, the mean of 20 starts.${solved}`;
    result.tell(`${words} It met ${met} of its ${STATES} states.`);
    rest();
    if (!calm()) drive.start();
  };
  const rivals = () =>
    body.replaceChildren(...names.map((name) => row(name, shown(mean(parsed(TABLES[name])), 1))));
  const load = (digits) => {
    table.splice(0, STATES, ...digits);
    board.draw(table);
    judge();
  };
  const tables = [...names.map((name) => [name, name]), ["left", "push left everywhere"]];
  const from = choice("start from", tables, names[0], () =>
    load(from.get() === "left" ? Array(STATES).fill(0) : parsed(TABLES[from.get()])),
  );
  const all = ["all", "all nine maps"];
  const narrow = matchMedia("(max-width: 600px)").matches;
  const near = choice("show", [all, ...MAPS.map((name, i) => [i, name])], 4, () =>
    board.look(near.get() === "all" ? null : Number(near.get())),
  );
  if (narrow) board.look(4);
  const length = slider("pole (m)", [0.5, 2.5, 0.1], 1, () => {
    rivals();
    judge();
  });
  const half = () => length.get() / 2;

  rivals();
  board.draw(table);
  judge();
  drive.stop();
  rest();
  const driven = el("div", { class: "panel" }, cart.node, clock, result.node, length.node);
  const others = region("Other tables", { class: "wide" }, rowsTable(["", "with this pole"], body));
  driven.append(others);
  place.replaceChildren(
    el("p", { class: "figure-title" }, "Paint the table"),
    el(
      "p",
      { class: "small" },
      "Each cell is a state: the angle goes down, the turning of the pole across. ",
      "Stroke over the cells to change their pushes. Dots show where the cart has been.",
    ),
    controls(drive.play, mirror.node, from.node, ...(narrow ? [near.node] : [])),
    el("div", { class: "panels maps" }, panel("The actions, 6 × 6 on a map", board.node), driven),
    result.voice,
  );
}
