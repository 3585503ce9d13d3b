/**
 * The figure "Draw a policy for the lake": an arrow for each tile, the exact chance to arrive, and
 * episodes of a walker.
 */

import { button, calm, controls, el, playback, set, shown, slider, svg, tick, verdict } from "./dom.js";
import { ACTIONS, ICE, MAP, SIDE, bestOf, episode, evaluate } from "./lake_world.js";

const NAIVE = [1, 2, 1, 0, 1, 0, 1, 0, 2, 1, 1, 0, 0, 2, 2, 0]; // the book's first table
const HELP =
  "Click the side of a tile to which its arrow shall point, or move to it with the tab key and press " +
  "an arrow key. Below each arrow: the chance to arrive from there; the higher, the yellower.";
const KEYS = { ArrowLeft: 0, ArrowDown: 1, ArrowRight: 2, ArrowUp: 3 };
const STEPS_A_SECOND = 4;
const MANY = 1000;
const percent = (share) => `${shown(100 * share)} %`;

/** The direction of the side on which a tile was clicked. */
function clicked(event, tile) {
  const box = tile.getBoundingClientRect();
  const x = (event.clientX - box.left) / box.width - 0.5;
  const y = (event.clientY - box.top) / box.height - 0.5;
  if (Math.abs(x) > Math.abs(y)) return x < 0 ? 0 : 2;
  return y < 0 ? 3 : 1;
}

/** The sixteen tiles; those of ice are buttons. */
function board(choose) {
  const tiles = new Map();
  const all = [...MAP].map((letter, state) => {
    const name = el("span", { class: "name" }, state, letter === "F" ? "" : ` ${letter}`);
    if (!ICE.includes(state)) {
      const label = `State ${state}, ${letter === "H" ? "a hole" : "the goal"}`;
      return el("div", { class: `tile ${letter}`, role: "img", "aria-label": label }, name);
    }
    const arrow = svg("path", { d: "M-8,-2 H2 V-7 L10,0 L2,7 V2 H-8 z" });
    const number = el("span", { class: "number" });
    const words = el("span", { class: "spoken" });
    const picture = svg("svg", { viewBox: "-12 -12 24 24", "aria-hidden": "true" }, arrow);
    const tile = el("button", { type: "button", class: "tile" }, name, words, picture, number);
    tile.addEventListener("click", (event) => {
      // A click by the keyboard has no place: it turns the arrow.
      choose(state, event.detail === 0 ? null : clicked(event, tile));
    });
    tile.addEventListener("keydown", (event) => {
      if (!(event.key in KEYS)) return;
      event.preventDefault();
      choose(state, KEYS[event.key]);
    });
    tiles.set(state, { tile, arrow, number, words });
    return tile;
  });
  const walker = el("span", { class: "walker", "aria-hidden": "true" });
  const trail = svg("polyline");
  const walked = svg("svg", { class: "walked", viewBox: "0 0 4 4", "aria-hidden": "true" }, trail);
  const parts = [...all, walked, walker];
  const node = el("div", { class: "lake", role: "group", "aria-label": "Map" }, ...parts);
  const draw = (table, values) => {
    for (const [state, { tile, arrow, number, words }] of tiles) {
      set(arrow, { transform: `rotate(${[180, 90, 0, -90][table[state]]})` });
      words.textContent = `is a tile that points ${ACTIONS[table[state]]}; chance to arrive:`;
      number.textContent = values[state].toFixed(2);
      tile.style.setProperty("--chance", `${100 * values[state]}%`);
    }
  };
  const place = (state) => [(state % SIDE) + 0.82, Math.floor(state / SIDE) + 0.2];
  /** The walker where it is, and behind it its trail; a way gone twice is drawn side by side. */
  const walk = (states) => {
    const [left, top] = place(states.at(-1));
    walker.style.left = `${left * (100 / SIDE)}%`;
    walker.style.top = `${top * (100 / SIDE)}%`;
    const aside = (number, t) => (number - 0.04 * (t % 4)).toFixed(2);
    set(trail, { points: states.map((state, t) => place(state).map((one) => aside(one, t))).join(" ") });
  };
  return { node, draw, walk };
}

/** Puts the figure into its place. */
export async function mount(place) {
  let table = [...NAIVE];
  let walked;
  let seen; // the step that is shown
  const result = verdict();
  const story = el("p", { class: "result" });

  const choose = (state, action) => {
    table[state] = action ?? (table[state] + 1) % 4;
    update();
  };
  const map = board(choose);
  const use = (other) => {
    table = [...other];
    update();
  };
  const slippery = tick("slippery ice", true, () => update());
  const seed = slider("seed", [0, 100, 1], 0, () => replay());

  const show = (t) => {
    seen = t;
    map.walk(walked.states.slice(0, t + 1));
    if (t === 0) {
      story.textContent = "The walker stands at the start.";
      return;
    }
    const [wanted, moved] = [table[walked.states[t - 1]], walked.moves[t - 1]];
    const how = wanted === moved ? `went ${ACTIONS[moved]}` : `slipped ${ACTIONS[moved]}`;
    const over = t === walked.moves.length;
    const fell = MAP[walked.states[t]] === "H" ? "In a hole: return 0." : "Time is up: return 0.";
    const end = !over ? "" : walked.arrived ? " At the goal: return 1." : ` ${fell}`;
    story.textContent = `Step ${t}: wanted ${ACTIONS[wanted]}, ${how}.${end}`;
    if (over) result.say(story.textContent);
  };
  const clock = playback({
    label: "Step of the walker",
    rate: STEPS_A_SECOND,
    last: () => walked.moves.length,
    show: (time) => show(Math.floor(time)),
  });
  const step = button("Step", () => {
    clock.stop();
    clock.jump(seen === walked.moves.length ? 0 : seen + 1);
  });
  const replay = () => {
    clock.stop();
    walked = episode(table, slippery.get(), seed.get());
    clock.jump(0);
  };
  const sample = () => {
    let arrived = 0;
    for (let k = 0; k < MANY; k++) arrived += episode(table, slippery.get(), k).arrived;
    result.tell(`${MANY.toLocaleString("en")} episodes, seeds 0 to ${MANY - 1}: ${arrived} arrived. ${success()}`);
  };
  const answer = () => {
    const best = bestOf(slippery.get());
    use(best.table);
    const most = `Nothing arrives more often than in ${percent(best.value)} of its episodes.`;
    result.tell(`${most} These are the best actions with 100 steps to go. ${success()}`);
  };

  let values;
  const success = () => `This table: ${percent(values[0])}, exactly.`;
  const update = () => {
    values = evaluate(table, slippery.get());
    map.draw(table, values);
    replay();
    result.tell(`${success()} That is its chance to reach the goal within 100 steps.`);
  };

  update();
  place.classList.toggle("still", calm());
  place.replaceChildren(
    el("p", { class: "figure-title" }, "Draw a policy for the lake"),
    el("p", { class: "small" }, HELP),
    el(
      "div",
      { class: "lake-row" },
      el("div", { class: "lake-frame" }, map.node),
      el(
        "div",
        { class: "lake-side" },
        result.node,
        controls(
          slippery.node,
          button(`Play ${MANY.toLocaleString("en")} episodes`, sample),
          button("The naive table", () => use(NAIVE)),
          button("Value iteration’s answer", answer),
        ),
      ),
    ),
    controls(clock.play, step, clock.moment),
    seed.node,
    story,
    result.voice,
  );
}
