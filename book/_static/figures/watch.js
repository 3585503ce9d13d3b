/**
 * The figure "Watch the search": a recorded search, proposal by proposal, out of its own run log.
 * `data-recording` names one recording or several, with spaces between.
 */

import { landscape } from "./car_map.js";
import { hillPanel } from "./car_scene.js";
import { STARTS, episode } from "./car_world.js";
import { HEIGHT, WIDTH, numbersBelow, numbersBeside, scale, stairs, text } from "./chart.js";
import { announcer, button, calm, choice, drawing, el, panel, player, playing, region } from "./dom.js";
import { set, shown, slider, svg } from "./dom.js";
import { fetchLog, title } from "./run_log.js";

const SPEEDS = { slow: 0.5, fast: 3 }; // proposals a second
const STEPS_A_SECOND = 240;
const FLOOR = -150; // lower values are drawn here, as in the book's plots

/** Each value as a point, the best so far as a line; those to come are left out. */
function valuePanel({ warmup, proposals }) {
  const most = Math.max(...proposals.map(({ value }) => value), 0);
  const step = most > 150 ? 100 : 50;
  const top = Math.max(step, Math.ceil(most / step) * step);
  const left = (k) => 44 + ((k + 0.5) / (proposals.length + 1)) * (WIDTH - 56);
  const height = scale(FLOOR, top, HEIGHT - 40, 12);
  const up = (value) => height(Math.max(value, FLOOR));
  const points = proposals.map(({ iteration, value }) =>
    svg("circle", { cx: left(iteration), cy: up(value), r: 3, fill: "var(--model)" }),
  );
  const line = svg("path", { class: "curve theirs" });
  const ring = svg("circle", { r: 7, fill: "none", stroke: "var(--ink)", "stroke-width": 2 });
  const ticks = [];
  for (let value = Math.ceil(FLOOR / step) * step; value <= top; value += step) ticks.push(value);
  const start = Math.max(...warmup.map(({ value }) => value));
  const node = drawing(
    WIDTH,
    HEIGHT,
    "",
    svg("path", { class: "axis", d: `M44,12 V${HEIGHT - 40} H${WIDTH - 12}` }),
    ...numbersBeside(ticks, up, 40),
    ...numbersBelow([1, Math.round(0.5 * proposals.length), proposals.length], left, HEIGHT - 24),
    text(WIDTH - 12, HEIGHT - 6, "end", `proposal (below ${shown(FLOOR, 0)}: on the floor)`),
    line,
    ...points,
    ring,
  );
  const show = (k) => {
    points.forEach((point, i) => set(point, { visibility: i < k ? "visible" : "hidden" }));
    const bests = [start, ...proposals.slice(0, k).map(({ best }) => Math.max(best, start))];
    set(line, { d: stairs(bests, left, up, 0) });
    const value = k ? proposals[k - 1].value : start;
    set(ring, { cx: left(k), cy: up(value) });
    const label = `Values of ${k} proposals. Best so far, warm-up included: ${shown(bests.at(-1))}.`;
    set(node, { "aria-label": label });
  };
  return { node: panel("Value: points; best so far: line", node), show };
}

const NAMES = ["position gain", "velocity gain", "bias"];

/** The parameters as bars; those that changed since the proposal before are orange. */
function paramsPanel({ header, proposals }) {
  const { size, low, high } = header.config;
  const left = (i) => 36 + (i / size) * (WIDTH - 48);
  const up = scale(low, high, HEIGHT - 40, 12);
  const width = Math.min(30, 0.7 * ((WIDTH - 48) / size));
  const inset = ((WIDTH - 48) / size - width) / 2;
  const bars = Array.from({ length: size }, () => svg("rect", { width }));
  const every = size > 20 ? 6 : size > 6 ? 3 : 1;
  const words = header.config.env_id.startsWith("MountainCar") && !header.config.disguise;
  const node = drawing(
    WIDTH,
    HEIGHT,
    "",
    svg("path", { class: "axis", d: `M36,12 V${HEIGHT - 40} M36,${up(0)} H${WIDTH - 12}` }),
    ...numbersBeside([low, 0, high], up, 32),
    ...bars,
    ...bars.flatMap((_, i) =>
      i % every ? [] : [text(left(i + 0.5), HEIGHT - 24, "middle", words ? NAMES[i] : i)],
    ),
    text(WIDTH - 12, HEIGHT - 6, "end", `${words ? "" : "number of the parameter; "}orange: changed`),
  );
  const show = (k) => {
    const now = k ? proposals[k - 1].params : Array(size).fill(0);
    const before = k > 1 ? proposals[k - 2].params : now;
    bars.forEach((bar, i) => {
      const [from, to] = [up(Math.max(now[i], 0)), up(Math.min(now[i], 0))];
      const fill = now[i] === before[i] ? "var(--blue)" : "var(--orange)";
      set(bar, { x: left(i) + inset, y: from, height: Math.max(to - from, 1), fill });
    });
    const list = now.map((number) => shown(number, 1)).join(", ");
    set(node, { "aria-label": k ? `Parameters: ${list}` : "No proposal yet" });
  };
  return { node: panel("The proposed parameters", node), show };
}

/** Whether the book's map of the landscape is a map of this search. */
const hasMap = ({ config }) =>
  config.env_id === "MountainCarContinuous-v0" && config.high === 6 && !config.disguise;

/** The car, driven by a proposal from the first start; before the first it rests. */
function drivePanel({ proposals }) {
  const hill = hillPanel("The car, driven by this proposal");
  let seen;
  let step = 0;
  const last = () => seen.xs.length - 1;
  const drive = player(
    (seconds) => {
      step = Math.min(step + seconds * STEPS_A_SECOND, last());
      hill.show(seen, Math.floor(step));
      return step < last();
    },
    () => {},
  );
  const show = (k) => {
    seen = episode(k ? proposals[k - 1].params : [0, 0, 0], STARTS[0]);
    step = calm() ? last() : 0;
    hill.show(seen, step);
    if (k && !calm()) drive.start();
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
function stage(log, say) {
  const panels = [valuePanel(log), paramsPanel(log)];
  if (hasMap(log.header)) {
    const map = landscape();
    panels.push({ node: map.node, show: (k) => map.walk(log.warmup, log.proposals.slice(0, k)) });
    panels.push(drivePanel(log));
  }
  const state = el("p", { class: "result" });
  const reply = region("The reply", { class: "reply" });
  const node = el(
    "div",
    {},
    state,
    el("div", { class: "panels" }, ...panels.map((one) => one.node)),
    el("p", { class: "panel-title" }, "What the model wrote"),
    reply,
  );
  const start = Math.max(...log.warmup.map(({ value }) => value));
  const show = (k) => {
    for (const one of panels) one.show(k);
    if (k === 0) {
      state.textContent =
        `Before the first proposal: ${log.warmup.length} random points, ` +
        `the best with the value ${shown(start)}.`;
      reply.textContent = "It is about to read these points, and to write its first proposal.";
    } else {
      const { value, best, reply: words } = log.proposals[k - 1];
      const before = k > 1 ? Math.max(start, log.proposals[k - 2].best) : start;
      const now = Math.max(start, best);
      const news = value > before ? "a new best" : `best so far ${shown(now)}`;
      state.textContent = `Proposal ${k} of ${log.proposals.length}: value ${shown(value)}, ${news}.`;
      reply.textContent = words;
    }
    say(state.textContent);
  };
  return { node, show, last: log.proposals.length, turns: turningPoints(log) };
}

/** Puts the figure into its place. */
export async function mount(place) {
  const names = place.dataset.recording.split(" ");
  const voice = announcer();
  const frame = el("div", {});
  let current = stage(await fetchLog(names[0]), voice.say);
  let time = 0;

  const scrubber = slider({
    label: "proposal",
    min: 0,
    max: current.last,
    step: 1,
    value: 0,
    oninput: () => {
      clock.stop();
      go(scrubber.get());
    },
  });
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
  const walk = (by) => () => {
    clock.stop();
    go(time + by);
  };
  const turn = () => {
    clock.stop();
    go(current.turns.all.find((k) => k > time) ?? current.turns.all[0] ?? 1);
  };
  const speed = choice({
    label: "speed",
    options: Object.keys(SPEEDS).map((name) => [name, name]),
    value: "slow",
    onchange: () => {},
  });
  const open = async () => {
    clock.stop();
    current = stage(await fetchLog(which.get()), voice.say);
    for (const input of scrubber.node.querySelectorAll("input")) input.max = current.last;
    frame.replaceChildren(current.node);
    go(current.turns.largest);
  };
  const which = choice({
    label: "search",
    options: names.map((name) => [name, title(name)]),
    value: names[0],
    onchange: open,
  });

  frame.append(current.node);
  go(current.turns.largest);
  place.replaceChildren(
    el("p", { class: "figure-title" }, "Watch the search"),
    ...(names.length > 1 ? [el("div", { class: "choices" }, which.node)] : []),
    scrubber.node,
    el(
      "div",
      { class: "controls" },
      clock.play,
      button("Step back", walk(-1)),
      button("Step", walk(1)),
      button("Next turning point", turn),
      speed.node,
    ),
    frame,
    voice.node,
  );
}
