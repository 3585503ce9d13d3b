/** A map of the landscape: the value over position gain and velocity gain, at a bias. */

import { CAR, NAMES, STARTS, episodeReturn, shade } from "./car_world.js";
import { HEIGHT, WIDTH, cividis, mean, numbersBelow, numbersBeside, scale, text } from "./chart.js";
import { drawing, el, panel, set, shown, svg } from "./dom.js";

const GRID = 31;
const SLICE = 4; // milliseconds
const REST = 400; // milliseconds, before a new bias is painted
const MAP_STARTS = STARTS.slice(0, 5); // as the book's map

/**
 * @param {object} parts
 * @param {?function(number[])} parts.put told the two gains where the reader clicked; none: no clicks
 * @param {number} parts.height of the drawing, whose width is that of all figures
 * @param {number} parts.bright how many points, the last of a search, have the bright trail
 * @param {?number} parts.slice the third number of all points shown; none: that of the last point.
 *   With one, the figure itself says what the map shows
 * @param {function(number[]): number[]} parts.play what the car's policy gets for a point
 * @returns {{node: HTMLElement, show: function(number[]), walk: function(object[], object[])}}
 */
export function landscape({
  put = null,
  box = CAR.box,
  height = HEIGHT,
  bright = 10,
  slice = null,
  play = (point) => point,
  names = NAMES,
} = {}) {
  const size = { x: 42, y: 12, width: WIDTH - 54, height: height - 50 };
  const edge = 1.05 * box; // or points of the box's edge would be cut
  const left = scale(-edge, edge, size.x, size.x + size.width);
  const up = scale(edge, -edge, size.y, size.y + size.height);
  const image = svg("image", { ...size, preserveAspectRatio: "none" });
  image.style.imageRendering = "pixelated";
  const here = svg("circle", { class: "spot", r: 7, visibility: "hidden" });
  const trail = svg("path", { class: "trail" });
  const latest = svg("path", { class: "latest" });
  const stops = svg("path", { class: "stops" });
  const crosses = svg("path", { class: "crosses" });
  const drawn = drawing(
    WIDTH,
    height,
    "Map of the value",
    image,
    ...numbersBelow([-box / 2, 0, box / 2, box], left, height - 24),
    ...numbersBeside([-box, -box / 2, 0, box / 2, box], up, size.x - 5),
    text(WIDTH - 12, height - 6, "end", `${names[0]} (across), ${names[1]} (up)`),
    crosses,
    trail,
    latest,
    stops,
    here,
  );
  const click = (event) => {
    const frame = image.getBoundingClientRect();
    const gain = (share) => Math.max(-box, Math.min(box, (2 * share - 1) * edge));
    const across = (event.clientX - frame.left) / frame.width;
    put([gain(across), gain(1 - (event.clientY - frame.top) / frame.height)]);
  };
  if (put) drawn.addEventListener("click", click);

  const canvas = el("canvas", { width: GRID, height: GRID });
  const context = canvas.getContext("2d");
  let shownBias = null;
  let timer;
  /** Slice by slice, so that the page stays quick: the first map as it grows, one of a new bias when it is whole. */
  const paint = (bias) => {
    if (bias === shownBias) return;
    const first = image.getAttribute("href") === null;
    shownBias = bias;
    clearTimeout(timer);
    const pixels = context.createImageData(GRID, GRID);
    const gain = scale(0, GRID - 1, -edge, edge);
    const fill = (cell) => {
      const end = performance.now() + (first ? 3 : 1) * SLICE;
      for (; performance.now() < end && cell < GRID ** 2; cell++) {
        const params = play([gain(cell % GRID), gain(GRID - 1 - Math.floor(cell / GRID)), bias]);
        const value = mean(MAP_STARTS.map((start) => episodeReturn(params, start)));
        pixels.data.set([...cividis(shade(value)), 255], 4 * cell);
      }
      if (cell < GRID ** 2) timer = setTimeout(fill, 0, cell);
      if (first || cell === GRID ** 2) {
        context.putImageData(pixels, 0, 0);
        set(image, { href: canvas.toDataURL() });
      }
    };
    timer = setTimeout(fill, first ? 0 : REST, 0);
  };
  const show = ([positionGain, velocityGain, bias]) => {
    set(here, { cx: left(positionGain), cy: up(velocityGain), visibility: "visible" });
    const point = `${shown(positionGain, 1)} and ${shown(velocityGain, 1)}`;
    const at = slice ?? bias;
    set(drawn, { "aria-label": `Map of the value at bias ${shown(at, 1)}; the ring is at ${point}.` });
    paint(at);
  };
  /** The points of a search: crosses before it, its proposals as dots on a line, older ones pale, and the ring. */
  const walk = (before, proposals, color = "") => {
    node.style.setProperty("--walker", color);
    const at = ({ params }) => `${left(params[0])},${up(params[1])}`;
    set(crosses, { d: before.map((point) => `M${at(point)}m-3,-3l6,6m0,-6l-6,6`).join("") });
    const line = (points) => ({ d: points.length ? `M${points.map(at).join("L")}` : "" });
    set(trail, line(proposals));
    set(latest, line(proposals.slice(-bright)));
    set(stops, { d: proposals.map((point) => `M${at(point)}h0`).join("") });
    if (proposals.length) return show(proposals.at(-1).params);
    set(here, { visibility: "hidden" });
    paint(slice ?? 0);
  };
  const note = `${put ? "Click to go there. " : ""}The landscape changes with the bias.`;
  const alone = () => panel("The landscape: yellow is high", drawn, el("p", { class: "small" }, note));
  const node = slice === null ? alone() : el("div", { class: "panel" }, drawn);
  return { node, show, walk };
}
