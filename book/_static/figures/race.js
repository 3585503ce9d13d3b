/**
 * The figure "Race of brains": two searches of MountainCar on one clock, each with its trail on the
 * map: the recorded model, random search, CMA-ES or the reader. `data-task` is plain or disguised.
 */

import { landscape } from "./car_map.js";
import { returns } from "./car_world.js";
import { mean } from "./chart.js";
import { announcer, button, choice, controls, el, playback, set, shown, slider, tick } from "./dom.js";
import { DATA } from "./race_data.js";
import { fetchLog } from "./run_log.js";

const [MODEL, YOU] = ["model, recorded", "you"];
const NAMES = [MODEL, ...Object.keys(DATA.plain.others), YOU];
const A_SECOND = 2; // proposals
const HEIGHT = 300; // of a map, which is nearly square

/** What the car's policy gets for a point: in the disguise Q (p - c), else the point. */
export function trueParams({ turn, centre }, point) {
  if (!turn) return point;
  return turn.map((row) => row.reduce((sum, q, i) => sum + q * (point[i] - centre[i]), 0));
}

/** The warm-up points of a task, and by name the proposals of its searches, with true values. */
async function searchesOf({ recording, others, scale = 1, shift = 0 }) {
  const log = await fetchLog(recording);
  const shownAs = (one) => ({ ...one, value: (one.value - shift) / scale });
  const by = { [MODEL]: log.proposals.map(shownAs), [YOU]: [] };
  for (const [name, rows] of Object.entries(others)) {
    by[name] = rows.map((row) => ({ params: row.slice(0, 3), value: row[3], reply: "" }));
  }
  return { warmup: log.warmup.map(shownAs), by };
}

/** One of the two: who it is, the map, and the best value so far. */
function lane(label, value, onchange, put) {
  const who = choice(label, NAMES.map((name) => [name, name]), value, onchange);
  const ground = el("div");
  const best = el("p", { class: "result" });
  let map;
  const open = (task, slice) => {
    const names = task.turn && ["first number", "second number"];
    map = landscape({ put, names, box: task.box, height: HEIGHT, slice, play: (point) => trueParams(task, point) });
    ground.replaceChildren(map.node);
  };
  const show = ({ warmup, by }, k) => {
    const seen = by[who.get()].slice(0, k);
    const now = seen.at(-1);
    const top = Math.max(...[...warmup, ...seen].map(({ value }) => value));
    const kind = who.get().split(",")[0].toLowerCase().replace("-", ""); // as the colours are named
    map.walk(warmup, seen, `var(--${kind})`);
    const news = now ? `Proposal ${seen.length}: ${shown(now.value)}.` : "On the line.";
    best.textContent = `${news} Best so far, warm-up included: ${shown(top)}.`;
    return `${who.get()} ${shown(top)}`;
  };
  return { node: el("div", {}, who.node, ground, best), who, open, show };
}

/** Puts the figure into its place. */
export async function mount(place) {
  const voice = announcer();
  const key = () => (disguise.get() ? "disguised" : "plain");
  let searches;
  let drawn;
  const disguise = tick("disguise", place.dataset.task === "disguised", () => open());
  const sliders = [0, 1, 2].map((i) => slider(`your params[${i}]`, [-10, 10, 0.1], 0));
  const propose = () => {
    const params = sliders.map((one) => one.get());
    searches.by[YOU].push({ params, reply: "", value: mean(returns(trueParams(DATA[key()], params))) });
    changed();
  };
  const yours = el("div", {}, ...sliders.map(({ node }) => node), button("Propose", propose, { class: "main" }));
  /** Who races is new, or a proposal of the reader's: shown is how it ends, which Play runs again. */
  const changed = () => {
    yours.hidden = lanes.every(({ who }) => who.get() !== YOU);
    drawn = undefined;
    clock.jump(Infinity);
  };
  /** A click on a map: the reader joins in; at first the third number is the map's. */
  const put = (gains) => {
    gains.forEach((gain, i) => sliders[i].put(gain));
    if (!yours.hidden) return;
    lanes[1].who.select.value = YOU;
    changed();
  };
  const sides = Object.entries({ left: MODEL, right: "CMA-ES, seed 0" });
  const words = el("p", { class: "subtitle" });
  const maps = el("p", { class: "small" });
  const lanes = sides.map(([side, who]) => lane(side, who, () => changed(), put));
  const clock = playback({
    label: "Proposals made",
    rate: A_SECOND,
    last: () => (yours.hidden ? DATA[key()].budget : searches.by[YOU].length),
    show: (time) => {
      const k = Math.floor(time);
      if (k === drawn) return;
      drawn = k;
      words.hidden = lanes.every(({ who }) => who.get() !== MODEL);
      const reason = searches.by[MODEL][k - 1]?.reply.split("\n").slice(1).join(" ");
      const signed = reason?.replace(/(^|[\s(=,])-(?=[\d.])/g, "$1−");
      words.textContent = reason ? `The model’s reason for proposal ${k}: “${signed}”` : "";
      voice.say(`After ${k} proposals: ${lanes.map((one) => one.show(searches, k)).join(", ")}.`);
    },
  });
  const open = async () => {
    clock.stop();
    const task = DATA[key()];
    searches = await searchesOf(task);
    const best = searches.by[MODEL].reduce((a, b) => (b.value > a.value ? b : a));
    for (const one of lanes) one.open(task, best.params[2]);
    for (const input of yours.querySelectorAll("input")) set(input, { min: -task.box, max: task.box });
    sliders[2].put(best.params[2]);
    const third = shown(best.params[2], 1);
    maps.textContent =
      `The maps: yellow is high, crosses are the warm-up. Their third number is ${third}, as at the model’s best ` +
      "point. Click on one to race there yourself.";
    changed();
  };

  await open();
  place.replaceChildren(
    el("p", { class: "figure-title" }, "Race of brains"),
    controls(clock.play, clock.moment, disguise.node),
    yours,
    maps,
    el("div", { class: "panels" }, ...lanes.map(({ node }) => node)),
    words,
    voice.node,
  );
}
