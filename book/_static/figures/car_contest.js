/**
 * "Beat the model": the reader's proposals beside those of a recorded search, on the same twenty
 * starts, and a map of the landscape for those who ask for it.
 */

import { CAR, STARTS, episodeReturn, mean, shade } from "./car_world.js";
import { button, drawing, el, panel, set, shown, svg, tick } from "./dom.js";
import { fetchLog } from "./run_log.js";

const WIDTH = 340;
const HEIGHT = 210;
const GRID = 31;
const MAP_STARTS = STARTS.slice(0, 5); // as the book's map
// Matplotlib's cividis at 0, 1/8, ... 1.
const CIVIDIS = "00224e 1a386f 434e6c 61656f 7d7c78 9b9476 bcae6c dec958 fee838"
  .split(" ")
  .map((hex) => [0, 2, 4].map((i) => parseInt(hex.slice(i, i + 2), 16)));

function colour(value) {
  const place = shade(value) * (CIVIDIS.length - 1);
  const i = Math.min(Math.floor(place), CIVIDIS.length - 2);
  return CIVIDIS[i].map((from, k) => from + (place - i) * (CIVIDIS[i + 1][k] - from));
}

/** Best so far against the number of proposals. Values below -100 are drawn at -100. */
function chart(theirs) {
  const budget = theirs.length;
  const left = (k) => 38 + (k / budget) * (WIDTH - 50);
  const up = (value) => 14 + ((100 - Math.max(value, -100)) / 200) * (HEIGHT - 52);
  const stairs = (bests) =>
    bests.map((best, i) => `${i ? "L" : "M"}${left(i + 1)},${up(best)}H${left(i + 2)}`).join("");
  const mine = svg("path", { class: "curve mine", "stroke-width": 3 });
  const node = drawing(
    WIDTH,
    HEIGHT,
    "",
    svg("path", { class: "axis", d: `M38,14 V${HEIGHT - 38} H${WIDTH - 12}` }),
    ...[-100, -50, 0, 50, 100].map((value) =>
      svg("text", { x: 34, y: up(value) + 4, "text-anchor": "end" }, shown(value, 0)),
    ),
    ...[1, 20, 40, 60]
      .filter((k) => k <= budget)
      .map((k) => svg("text", { x: left(k), y: HEIGHT - 23, "text-anchor": "middle" }, k)),
    svg("text", { x: WIDTH - 12, y: HEIGHT - 6, "text-anchor": "end" }, "number of proposals"),
    svg("path", {
      class: "curve theirs",
      "stroke-dasharray": "6 3",
      d: stairs(theirs.map((proposal) => proposal.best)),
    }),
    mine,
  );
  const draw = (proposals) => {
    set(mine, { d: stairs(proposals.slice(0, budget).map((proposal) => proposal.best)) });
    const yours = proposals.length ? `Yours is ${shown(proposals.at(-1).best)}.` : "";
    const model = `The model’s best rises from ${shown(theirs[0].best)} to`;
    const label = `Best value so far by number of proposals. ${model}`;
    set(node, { "aria-label": `${label} ${shown(theirs.at(-1).best)} in ${budget}. ${yours}` });
  };
  return { node: panel("Best value so far: you solid, the model dashed", node), draw };
}

/** The value over position gain and velocity gain, at the bias of the slider. */
function landscape(put) {
  const size = { x: 42, y: 12, width: WIDTH - 54, height: HEIGHT - 50 };
  const left = (gain) => size.x + ((gain + CAR.box) / (2 * CAR.box)) * size.width;
  const up = (gain) => size.y + ((CAR.box - gain) / (2 * CAR.box)) * size.height;
  const image = svg("image", { ...size, preserveAspectRatio: "none" });
  image.style.imageRendering = "pixelated";
  const here = svg("g", { fill: "none", "stroke-width": 2 });
  here.append(
    svg("circle", { r: 7, stroke: "black", "stroke-width": 4 }),
    svg("circle", { r: 7, stroke: "white" }),
  );
  const text = (x, y, anchor, ...words) => svg("text", { x, y, "text-anchor": anchor }, ...words);
  const drawn = drawing(
    WIDTH,
    HEIGHT,
    "Map of the value",
    image,
    ...[-6, -3, 0, 3, 6].flatMap((gain) => [
      text(left(gain), HEIGHT - 24, "middle", shown(gain, 0)),
      text(size.x - 5, up(gain) + 4, "end", shown(gain, 0)),
    ]),
    text(WIDTH - 12, HEIGHT - 6, "end", "position gain (across), velocity gain (up)"),
    here,
  );
  drawn.addEventListener("click", (event) => {
    const box = drawn.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * WIDTH;
    const y = ((event.clientY - box.top) / box.height) * HEIGHT;
    const gain = (share) => Math.max(-CAR.box, Math.min(CAR.box, (2 * share - 1) * CAR.box));
    put([gain((x - size.x) / size.width), gain(1 - (y - size.y) / size.height)]);
  });

  const canvas = el("canvas", { width: GRID, height: GRID });
  const context = canvas.getContext("2d");
  let shownBias = null;
  let timer;
  /** Row by row, so that the page stays quick; a new bias starts again. */
  const paint = (bias) => {
    if (bias === shownBias) return;
    shownBias = bias;
    clearTimeout(timer);
    const pixels = context.createImageData(GRID, GRID);
    const gain = (i) => -CAR.box + (2 * CAR.box * i) / (GRID - 1);
    const row = (i) => {
      for (let j = 0; j < GRID; j++) {
        const params = [gain(j), gain(GRID - 1 - i), bias];
        const value = mean(MAP_STARTS.map((start) => episodeReturn(params, start)));
        pixels.data.set([...colour(value), 255], 4 * (i * GRID + j));
      }
      if (i + 1 < GRID) {
        timer = setTimeout(row, 0, i + 1);
        return;
      }
      context.putImageData(pixels, 0, 0);
      set(image, { href: canvas.toDataURL() });
    };
    timer = setTimeout(row, 150, 0);
  };
  const show = ([positionGain, velocityGain, bias]) => {
    const place = { cx: left(positionGain), cy: up(velocityGain) };
    for (const ring of here.children) set(ring, place);
    const point = `${shown(positionGain, 1)} and ${shown(velocityGain, 1)}`;
    set(drawn, { "aria-label": `Map of the value at bias ${shown(bias, 1)}; you are at ${point}.` });
    paint(bias);
  };
  const title = "The landscape: yellow is high, blue low (5 starts)";
  const note = "Click to go there. It changes with the bias.";
  return { node: panel(title, drawn, el("p", { class: "small" }, note)), show };
}

/**
 * @param {object} parts
 * @param {string} parts.recording name of the recorded search
 * @param {function(number[]): {value: number, above: number}} parts.evaluate
 * @param {function(): number[]} parts.read the sliders
 * @param {function(number[])} parts.put moves the sliders
 * @param {function(string)} parts.say reads a text aloud
 * @returns {{node: HTMLElement, ready: Promise, moved: function(number[])}}
 */
export function contest({ recording, evaluate, read, put, say }) {
  const proposals = [];
  const verdict = el("p", { class: "result" });
  const rows = el("tbody");
  const list = el(
    "details",
    {},
    el("summary", {}, "Your proposals as a table"),
    el(
      "div",
      { class: "scroll", tabindex: 0, role: "region", "aria-label": "Your proposals" },
      el(
        "table",
        {},
        el(
          "thead",
          {},
          el("tr", {}, ...["no.", "w_x", "w_v", "b", "value"].map((name) => el("th", {}, name))),
        ),
        rows,
      ),
    ),
  );
  const panels = el("div", { class: "panels" });
  const map = landscape(([x, v]) => put([x, v, read()[2]]));
  const wantsMap = tick({
    label: "show the map of the landscape (it gives much away)",
    onchange: () => {
      if (wantsMap.get()) panels.append(map.node);
      else map.node.remove();
      moved(read());
    },
  });
  let theirs;
  let picture;

  const tell = (text) => {
    verdict.textContent = text;
    say(text);
  };
  const propose = () => {
    const params = read();
    if (proposals.some((old) => old.params.every((number, i) => number === params[i]))) {
      tell("That point was evaluated before. Move a slider first: the model may not repeat either.");
      return;
    }
    const { value, above } = evaluate(params);
    const best = Math.max(value, proposals.at(-1)?.best ?? -Infinity);
    proposals.push({ params, value, best });
    const k = proposals.length;
    const cells = [k, ...params.map((number) => shown(number, 1)), shown(value)];
    rows.append(el("tr", {}, ...cells.map((cell) => el("td", {}, cell))));
    picture.draw(proposals);
    const model = theirs[Math.min(k, theirs.length) - 1].best;
    tell(
      `Proposal ${k}: value ${shown(value)}, ${above} of 20 starts earn more than 0. ` +
        `Best of your ${k}: ${shown(best)}; of the model’s first ${Math.min(k, theirs.length)}: ` +
        `${shown(model)}. You are ${best > model ? "ahead" : best === model ? "level" : "behind"}.`,
    );
  };
  const clear = () => {
    proposals.length = 0;
    rows.replaceChildren();
    picture.draw(proposals);
    tell("Your proposals are cleared.");
  };
  const moved = (params) => {
    if (wantsMap.get()) map.show(params);
  };
  const start = async () => {
    const log = await fetchLog(recording);
    theirs = log.proposals;
    picture = chart(theirs);
    picture.draw(proposals);
    panels.append(picture.node);
    const { value } = theirs.reduce((one, other) => (other.value > one.value ? other : one));
    verdict.textContent =
      `The model’s best of ${theirs.length} proposals has the value ${shown(value)}. ` +
      `It saw ${log.warmup.length} random points first, and numbers only; you see the hill.`;
  };
  const node = el(
    "div",
    {},
    el("p", { class: "figure-title" }, "Beat the model"),
    el(
      "div",
      { class: "controls" },
      button("Propose: play all 20 starts", propose, { class: "main" }),
      button("Clear", clear),
      wantsMap.node,
    ),
    verdict,
    panels,
    list,
  );
  return { node, ready: start(), moved };
}
