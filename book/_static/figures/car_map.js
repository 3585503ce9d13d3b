/** A map of the landscape: the value over position gain and velocity gain, at a bias. */

import { CAR, STARTS, episodeReturn, mean, shade } from "./car_world.js";
import { drawing, el, panel, set, shown, svg } from "./dom.js";

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

/**
 * @param {?function(number[])} put told the two gains where the reader clicked; none: no clicks
 * @returns {{node: HTMLElement, show: function(number[]), walk: function(object[], object[])}}
 */
export function landscape(put = null) {
  const size = { x: 42, y: 12, width: WIDTH - 54, height: HEIGHT - 50 };
  const left = (gain) => size.x + ((gain + CAR.box) / (2 * CAR.box)) * size.width;
  const up = (gain) => size.y + ((CAR.box - gain) / (2 * CAR.box)) * size.height;
  const image = svg("image", { ...size, preserveAspectRatio: "none" });
  image.style.imageRendering = "pixelated";
  const here = svg("g", { fill: "none", "stroke-width": 2, visibility: "hidden" });
  const trail = svg("path", { class: "trail" });
  const crosses = svg("path", { class: "crosses" });
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
    crosses,
    trail,
    here,
  );
  const click = (event) => {
    const box = drawn.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * WIDTH;
    const y = ((event.clientY - box.top) / box.height) * HEIGHT;
    const gain = (share) => Math.max(-CAR.box, Math.min(CAR.box, (2 * share - 1) * CAR.box));
    put([gain((x - size.x) / size.width), gain(1 - (y - size.y) / size.height)]);
  };
  if (put) drawn.addEventListener("click", click);

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
    set(here, { visibility: "visible" });
    const point = `${shown(positionGain, 1)} and ${shown(velocityGain, 1)}`;
    set(drawn, { "aria-label": `Map of the value at bias ${shown(bias, 1)}; the ring is at ${point}.` });
    paint(bias);
  };
  /** The points of a search: crosses for those before it, a line through its proposals. */
  const walk = (before, proposals) => {
    const at = ({ params }) => `${left(params[0])},${up(params[1])}`;
    set(crosses, { d: before.map((point) => `M${at(point)}m-3,-3l6,6m0,-6l-6,6`).join("") });
    set(trail, { d: proposals.length ? `M${proposals.map(at).join("L")}` : "" });
    if (proposals.length) return show(proposals.at(-1).params);
    set(here, { visibility: "hidden" });
    paint(0);
  };
  const title = "The landscape: yellow is high, blue low (5 starts)";
  const note = `${put ? "Click to go there. " : ""}It changes with the bias.`;
  return { node: panel(title, drawn, el("p", { class: "small" }, note)), show, walk };
}
