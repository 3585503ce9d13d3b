/**
 * The figure "Watch the search": a recorded search, proposal by proposal, out of its own run log.
 * `data-recording` names one recording or several, with spaces between.
 */

import { landscape } from "./car_map.js";
import { hillPanel } from "./car_scene.js";
import { NAMES, STARTS, episode } from "./car_world.js";
import { HEIGHT, WIDTH, numbersBeside, plot, scale, text } from "./chart.js";
import { button, choice, controls, el, panel, playback, playing, region, set, shown } from "./dom.js";
import { slider, svg, verdict } from "./dom.js";
import { fetchLog, title } from "./run_log.js";
import { valuePanel } from "./value_panel.js";

const SPEEDS = { slow: 0.5, fast: 3 }; // proposals a second
const STEPS_A_SECOND = 240;
const START = 2; // an easy one, of twenty

/** The parameters as bars, pale where nothing changed since the proposal before; a few have numbers. */
function paramsPanel({ header, proposals }) {
  const { size, low, high } = header.config;
  const left = (i) => 36 + (i / size) * (WIDTH - 48);
  const up = scale(low, high, HEIGHT - 40, 20);
  const width = Math.min(30, 0.7 * ((WIDTH - 48) / size));
  const inset = ((WIDTH - 48) / size - width) / 2;
  const bars = Array.from({ length: size }, () => svg("rect", { width, fill: "var(--blue)" }));
  const numbers = bars.slice(0, size > 6 ? 0 : size).map((_, i) => text(left(i + 0.5), 0, "middle"));
  const every = size > 20 ? 6 : size > 6 ? 3 : 1;
  const words = header.config.env_id.startsWith("MountainCar") && !header.config.disguise;
  const node = plot(
    "",
    svg("path", { class: "axis", d: `M36,20 V${HEIGHT - 40} M36,${up(0)} H${WIDTH - 12}` }),
    ...numbersBeside([low, 0, high], up, 32),
    ...bars,
    ...numbers,
    ...bars.flatMap((_, i) =>
      i % every ? [] : [text(left(i + 0.5), HEIGHT - 24, "middle", words ? NAMES[i] : i)],
    ),
    text(WIDTH - 12, HEIGHT - 6, "end", `${words ? "" : "number of the parameter; "}pale: not changed`),
  );
  const show = (k) => {
    const now = k ? proposals[k - 1].params : Array(size).fill(0);
    const before = k > 1 ? proposals[k - 2].params : Array(size).fill(0);
    bars.forEach((bar, i) => {
      const [from, to] = [up(Math.max(now[i], 0)), up(Math.min(now[i], 0))];
      const opacity = now[i] === before[i] ? 0.35 : 1;
      set(bar, { x: left(i) + inset, y: from, height: Math.max(to - from, 1), opacity });
    });
    numbers.forEach((number, i) => {
      set(number, { y: up(Math.max(now[i], 0)) - 4 });
      number.textContent = shown(now[i], 1);
    });
    const list = now.map((number) => shown(number, 1)).join(", ");
    set(node, { "aria-label": k ? `Parameters: ${list}` : "No proposal yet" });
  };
  return { node: panel("The proposed parameters", node), show };
}

/** Whether the book's map of the landscape is a map of this search. */
const hasMap = ({ config }) =>
  config.env_id === "MountainCarContinuous-v0" && config.high === 6 && !config.disguise;

/** The car, driven by a proposal, always from the same start; before the first it rests. */
function drivePanel({ proposals }) {
  const hill = hillPanel(`This proposal drives from start ${START}`);
  let seen;
  const drive = playback({
    label: "Step",
    rate: STEPS_A_SECOND,
    last: () => seen.xs.length - 1,
    show: (time) => hill.show(seen, Math.floor(time)),
  });
  const show = (k) => {
    seen = episode(k ? proposals[k - 1].params : [0, 0, 0], STARTS[START]);
    drive.restart(k > 0);
  };
  return { node: hill.node, show };
}

/** The proposals that beat all before them, the warm-up included, and the largest of the jumps. */
export function turningPoints({ warmup, proposals }) {
  let best = Math.max(...warmup.map(({ value }) => value));
  const jumps = proposals.flatMap(({ value }, i) => {
    const gain = value - best;
    best = Math.max(best, value);
    return gain > 0 ? [{ k: i + 1, gain }] : [];
  });
  const largest = jumps.reduce((one, other) => (other.gain > one.gain ? other : one), { k: 1, gain: 0 });
  return { all: jumps.map(({ k }) => k), largest: largest.k };
}

/** What one recording needs: its panels and its text. */
function stage(log) {
  const panels = [valuePanel(log, "Values (pale: to come), and best so far"), paramsPanel(log)];
  if (hasMap(log.header)) {
    const map = landscape({ bright: 2 });
    panels.push({ node: map.node, show: (k) => map.walk(log.warmup, log.proposals.slice(0, k)) });
    panels.push(drivePanel(log));
  }
  const state = verdict();
  const reply = region("The reply", { class: "reply" });
  const words = log.proposals.map((one) => one.reply.replace(/^params\[0\].*\n/, "")); // bars show them
  const longest = words.reduce((a, b) => (a.length > b.length ? a : b));
  const node = el(
    "div",
    {},
    state.node,
    state.voice,
    el("div", { class: "panels" }, ...panels.map((one) => one.node)),
    el("p", { class: "panel-title" }, "The reply, without its numbers"),
    el("div", { class: "reply-room" }, reply, el("p", { class: "reply", "aria-hidden": "true" }, longest)),
  );
  const start = Math.max(...log.warmup.map(({ value }) => value));
  const show = (k) => {
    for (const one of panels) one.show(k);
    if (k === 0) {
      const points = `${log.warmup.length} random points, the best with the value ${shown(start)}.`;
      state.tell(`Before the first proposal: ${points}`);
      reply.textContent = "It is about to read these points, and to write its first proposal.";
      return;
    }
    const { value, best } = log.proposals[k - 1];
    const before = Math.max(start, log.proposals[k - 2]?.best ?? start);
    const news = value > before ? "a new best" : `best so far ${shown(Math.max(start, best))}`;
    state.tell(`Proposal ${k} of ${log.proposals.length}: value ${shown(value)}, ${news}.`);
    reply.textContent = words[k - 1];
  };
  return { node, show, last: log.proposals.length, turns: turningPoints(log) };
}

/** Puts the figure into its place. */
export async function mount(place) {
  const names = place.dataset.recording.split(" ");
  const frame = el("div", {});
  let current;
  let time = 0;

  const scrubber = slider("proposal", [0, 1, 1], 0, () => jump(scrubber.get()));
  const go = (k) => {
    time = Math.max(0, Math.min(k, current.last));
    scrubber.put(time);
    current.show(time);
  };
  let waited = 0;
  const clock = playing(
    (seconds) => {
      waited += seconds * SPEEDS[speed.get()];
      if (waited >= 1) {
        waited = 0;
        go(time + 1);
      }
      return time < current.last;
    },
    () => time >= current.last && go(0),
  );
  const jump = (k) => {
    clock.stop();
    go(k);
  };
  const turn = () => jump(current.turns.all.find((k) => k > time) ?? current.turns.all[0] ?? 1);
  const speed = choice("speed", Object.keys(SPEEDS).map((name) => [name, name]), "slow");
  const open = async () => {
    clock.stop();
    current = stage(await fetchLog(which.get()));
    for (const input of scrubber.node.querySelectorAll("input")) input.max = current.last;
    frame.replaceChildren(current.node);
    go(current.turns.largest);
  };
  const which = choice("search", names.map((name) => [name, title(name)]), names[0], open);

  await open();
  place.replaceChildren(
    el("p", { class: "figure-title" }, "Watch the search"),
    ...(names.length > 1 ? [el("div", { class: "choices" }, which.node)] : []),
    scrubber.node,
    controls(
      clock.play,
      button("Step back", () => jump(time - 1)),
      button("Step", () => jump(time + 1)),
      button("Next turning point", turn),
      speed.node,
    ),
    frame,
  );
}
