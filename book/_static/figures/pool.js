/**
 * The figure "The swimmer pool": a pad of two antisymmetric pairs of weights over runs that MuJoCo
 * made beforehand, the body that they move, its metres, and the loop of its two joints.
 */

import { HEIGHT, WIDTH, cividis, marker, numbersBelow, numbersBeside, plot, scale, text } from "./chart.js";
import { button, controls, drawing, el, panel, panels, placeIn, playback, set, shown, slider } from "./dom.js";
import { svg, tick, verdict } from "./dom.js";
import { DATA } from "./pool_data.js";

const [LOW, HIGH] = [-210, 360]; // of the pad's colours
const METRE = 44;
const SIDE = 40; // of a square of the pad
const LEFT = 40; // of the pad
const MOST = Math.max(...DATA.gains);
const degrees = (angle) => (angle * 180) / Math.PI;
const onGrid = (gain) => Math.max(-MOST, Math.min(MOST, 2 * Math.round(gain / 2)));

/** Where the body is, frame by frame: x and y in metres, heading and two joint angles in radians. */
export function motionOf({ motion }) {
  const [place, frames] = [[0, 0, 0, 0, 0], []];
  for (let i = 0; i < motion.length; i++) {
    place[i % 5] += motion.charCodeAt(i) - DATA.middle;
    if (i % 5 === 4) frames.push(place.map((units, k) => units * DATA.units[k]));
  }
  return frames;
}

/** The front tip, the two joints and the rear tip, in metres. */
export function bodyOf([x, y, heading, first, second]) {
  const points = [[x + 1.5 * Math.cos(heading), y + 1.5 * Math.sin(heading)]];
  for (const angle of [heading, heading + first, heading + first + second]) {
    const [from, to] = points.at(-1);
    points.push([from - Math.cos(angle), to - Math.sin(angle)]);
  }
  return points;
}

/** The run of two gains, without (0) or with (1) the third pair. */
export function runOf(own, other, rate) {
  const [column, row] = [own, other].map((gain) => DATA.gains.indexOf(gain));
  return DATA.grid[(rate * DATA.gains.length + row) * DATA.gains.length + column];
}

/** Where the pairs of a proposal lie on the pad. */
const pairsOf = ({ params }) => [(params[2] - params[5]) / 2, (params[3] - params[4]) / 2];

/** The colour of a value on the pad. */
const tint = (value) => `rgb(${cividis(scale(LOW, HIGH, 0, 1)(value)).map(Math.round)})`;

/** The pad; `choose` is told the two gains of the square that is touched. */
function padPanel(choose) {
  const across = scale(-MOST, MOST, LEFT + SIDE / 2, LEFT + 6.5 * SIDE);
  const up = scale(MOST, -MOST, SIDE / 2, 6.5 * SIDE);
  const pairs = DATA.gains.flatMap((other) => DATA.gains.map((own) => [own, other]));
  const square = ([own, other]) => ({ x: across(own) - SIDE / 2, y: up(other) - SIDE / 2 });
  const size = { width: SIDE - 1, height: SIDE - 1 };
  const squares = pairs.map((pair) => svg("rect", { ...square(pair), ...size }));
  const here = svg("rect", { class: "chosen-square", ...size });
  const marks = DATA.proposals.flatMap((one) => {
    const [cx, cy] = [across(pairsOf(one)[0]), up(pairsOf(one)[1])];
    const side = one === DATA.proposals.at(-1) ? [cx, cy + 18, "middle"] : [cx + 8, cy + 4, "start"];
    return [svg("circle", { cx, cy, r: 5 }), text(...side, one.number)];
  });
  const middle = LEFT + 3.5 * SIDE;
  const values = DATA.grid.map(({ value }) => value);
  const ends = [Math.min(...values), Math.max(...values)];
  const [lowest, highest] = ends.map((value) => shown(value, 0));
  const bar = Array.from({ length: 24 }, (_, i) => {
    const place = { x: middle - 72 + 6 * i, y: 7 * SIDE + 46, width: 6.5, height: 12 };
    return svg("rect", { ...place, fill: tint(scale(0, 23, ...ends)(i)) });
  });
  const zero = scale(...ends, middle - 69, middle + 72)(0);
  const node = drawing(
    WIDTH,
    7 * SIDE + 86,
    "",
    ...squares,
    here,
    svg("g", { class: "marks" }, ...marks),
    ...numbersBelow(DATA.gains, across, 7 * SIDE + 16),
    ...numbersBeside(DATA.gains, up, LEFT - 6),
    text(middle, 7 * SIDE + 34, "middle", "own angle (across), other’s angle (up)"),
    ...bar,
    svg("rect", { x: zero - 0.75, y: 7 * SIDE + 44, width: 1.5, height: 18, fill: "currentColor" }),
    text(zero, 7 * SIDE + 74, "middle", "0"),
    text(middle - 78, 7 * SIDE + 56, "end", lowest),
    text(middle + 78, 7 * SIDE + 56, "start", highest),
  );
  const touch = (event) => {
    if (event.buttons !== 1) return;
    const [x, y] = placeIn(node, event);
    choose(onGrid((2 * (x - LEFT)) / SIDE - 7), onGrid(7 - (2 * y) / SIDE));
  };
  for (const kind of ["pointerdown", "pointermove"]) node.addEventListener(kind, touch);
  set(node, { class: "pad", viewBox: `0 -8 ${WIDTH} ${7 * SIDE + 86}` });
  const show = (own, other, rate, label) => {
    squares.forEach((one, i) => {
      set(one, { fill: tint(runOf(...pairs[i], rate).value) });
    });
    set(here, square([own, other]));
    set(node, { "aria-label": label });
  };
  return { node: panel("Mean return of 20 starts", node), show };
}

/** The swimmer from above, and the water that passes below it. */
function poolPanel() {
  const metres = [-5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5]; // from the middle of the picture
  const at = ([x, y]) => [x * METRE, -y * METRE];
  const water = svg("path", { class: "grid", d: metres.map((k) => `M${k * METRE},0V${HEIGHT}`).join("") });
  const numbers = metres.map((k) => text(k * METRE + 4, HEIGHT - 10, "start"));
  const ground = svg("g", {}, water, ...numbers);
  let middle;
  const wake = svg("path", { class: "wake" });
  const links = ["front", "middle", "rear"].map((name) => svg("path", { class: `link ${name}` }));
  const body = svg("g", {}, wake, ...links);
  const clock = text(8, 16, "start");
  const node = plot("The swimmer from above", ground, body, clock);
  const show = (frames, time) => {
    const k = Math.floor(time);
    const next = frames[k + 1] ?? frames[k];
    const now = frames[k].map((from, i) => from + (time - k) * (next[i] - from));
    clock.textContent = `${shown(time * DATA.seconds, 1)} s: ${shown(now[0] - frames[0][0])} m`;
    const points = bodyOf(now).map(at);
    links.forEach((link, i) => set(link, { d: `M${points[i]}L${points[i + 1]}` }));
    const tails = frames.slice(Math.max(0, k - 30), k + 1).map((frame) => at(bodyOf(frame)[3]));
    set(wake, { d: `M${tails.join("L")}` });
    const [x, y] = [WIDTH / 2 - now[0] * METRE, HEIGHT / 2 + now[1] * METRE];
    set(body, { transform: `translate(${x} ${y})` });
    const off = x + Math.round(now[0]) * METRE;
    set(ground, { transform: `translate(${off} 0)` });
    numbers.forEach((number, i) => {
      const [left, right] = [off + metres[i] * METRE + 4, WIDTH - 24];
      set(number, { visibility: left > 0 && left < right ? "visible" : "hidden" });
    });
    if (Math.round(now[0]) === middle) return;
    middle = Math.round(now[0]);
    numbers.forEach((number, i) => (number.textContent = shown(middle + metres[i], 0)));
  };
  return { node: panel("Seen from above: a line every metre", node), show };
}

/** The angle of joint 2 over that of joint 1. */
function loopPanel() {
  const across = scale(-110, 110, 85, WIDTH - 85);
  const up = scale(110, -110, 6, HEIGHT - 40);
  const curve = svg("path", { class: "curve" });
  const dot = marker();
  const node = plot(
    "The loop of the two joint angles",
    svg("path", { class: "grid", d: `M${across(0)},6V${HEIGHT - 40}M85,${up(0)}H${WIDTH - 85}` }),
    ...numbersBelow([-100, 0, 100], across, HEIGHT - 25),
    ...numbersBeside([-100, 0, 100], up, 78),
    text(WIDTH / 2, HEIGHT - 8, "middle", "joint 1 (across), joint 2 (up), in degrees"),
    curve,
    dot.node,
  );
  const at = (frame) => [across(degrees(frame[3])), up(degrees(frame[4]))];
  const draw = (frames) => set(curve, { d: `M${frames.map(at).join("L")}` });
  const show = (frames, time) => dot.put(...at(frames[Math.floor(time)]));
  return { node: panel("The loop of the joints", node), draw, show };
}

/** Puts the figure into its place. */
export async function mount(place) {
  const result = verdict("result tall");
  const [pool, loop] = [poolPanel(), loopPanel()];
  let frames;

  const pad = padPanel((...gains) => {
    if (sliders.every((one, i) => one.get() === gains[i])) return;
    sliders.forEach((one, i) => one.put(gains[i]));
    changed();
  });
  const sliders = [["own angle", 0], ["other’s angle", 4]].map(([label, value]) =>
    slider(label, [-MOST, MOST, 2], value, () => changed()),
  );
  const rate = tick("with the other’s rate", false, () => changed());
  const clock = playback({
    label: "Moment of the swim",
    rate: 2 / DATA.seconds, // twice as fast as it is
    last: () => frames.length - 1,
    show: (time) => {
      pool.show(frames, time);
      loop.show(frames, time);
    },
  });
  const chosen = () => [...sliders.map((one) => one.get()), Number(rate.get())];
  /** A run, and what makes it: the body sets off. */
  const swim = (run, words) => {
    const start = `From start 0: return ${shown(run.first)}, ${shown(run.metres)} m in 40 s.`;
    result.tell(`${words}: value ${shown(run.value)}, the mean of 20 starts. ${start}`);
    pad.show(...chosen(), `Pad of 49 policies. ${result.node.textContent}`);
    frames = motionOf(run);
    loop.draw(frames);
    clock.restart(true);
  };
  const changed = () => {
    const gains = chosen();
    const pairs = [[2, 5], [3, 4], [13, 14]].flatMap(([i, k], pair) =>
      gains[pair] ? [`params[${i}] = ${shown(gains[pair], 0)}, params[${k}] = ${shown(-gains[pair], 0)}`] : [],
    );
    swim(runOf(...gains), pairs.join(", ") || "All numbers are 0");
  };
  const propose = (one) => () => {
    sliders.forEach((each, i) => each.put(onGrid(pairsOf(one)[i])));
    rate.put(one.params[13] > 0);
    const count = one.params.filter((number) => number).length;
    swim(one, `Proposal ${one.number} of the recorded search, with ${count} numbers that are not 0`);
  };

  changed();
  clock.stop();
  place.replaceChildren(
    el("p", { class: "figure-title" }, "The swimmer pool"),
    el("p", { class: "small" }, "Each motor hears the angle of its own joint and that of the other, the second motor with the opposite sign."),
    ...sliders.map(({ node }) => node),
    controls(rate.node, ...DATA.proposals.map((one) => button(`Proposal ${one.number}`, propose(one)))),
    panels(
      el("div", {}, pad.node, result.node),
      el("div", {}, pool.node, controls(clock.play, clock.moment), loop.node),
    ),
    result.voice,
  );
}
