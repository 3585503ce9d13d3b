/**
 * "Beat the model": the reader's proposals beside those of a recorded search, on the same twenty
 * starts, and the map of the landscape for those who ask for it.
 */

import { landscape } from "./car_map.js";
import { HEIGHT, WIDTH, numbersBelow, numbersBeside, stairs, text } from "./chart.js";
import { button, drawing, el, panel, region, set, shown, svg, table, tick } from "./dom.js";
import { fetchLog } from "./run_log.js";

/** Best so far against the number of proposals. Values below -100 are drawn at -100. */
function chart(theirs) {
  const budget = theirs.length;
  const left = (k) => 38 + (k / budget) * (WIDTH - 50);
  const up = (value) => 14 + ((100 - Math.max(value, -100)) / 200) * (HEIGHT - 52);
  const line = (proposals) => stairs(proposals.map(({ best }) => best), left, up, 1);
  const mine = svg("path", { class: "curve mine", "stroke-width": 3 });
  const node = drawing(
    WIDTH,
    HEIGHT,
    "",
    svg("path", { class: "axis", d: `M38,14 V${HEIGHT - 38} H${WIDTH - 12}` }),
    ...numbersBeside([-100, -50, 0, 50, 100], up, 34),
    ...numbersBelow([1, 20, 40, 60].filter((k) => k <= budget), left, HEIGHT - 23),
    text(WIDTH - 12, HEIGHT - 6, "end", "number of proposals"),
    svg("path", { class: "curve theirs", "stroke-dasharray": "6 3", d: line(theirs) }),
    mine,
  );
  const draw = (proposals) => {
    set(mine, { d: line(proposals.slice(0, budget)) });
    const yours = proposals.length ? `Yours is ${shown(proposals.at(-1).best)}.` : "";
    const model = `The model’s best rises from ${shown(theirs[0].best)} to`;
    const label = `Best value so far by number of proposals. ${model}`;
    set(node, { "aria-label": `${label} ${shown(theirs.at(-1).best)} in ${budget}. ${yours}` });
  };
  return { node: panel("Best value so far: you solid, the model dashed", node), draw };
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
    region(
      "Your proposals",
      { class: "scroll" },
      table(["no.", "w_x", "w_v", "b", "value"], rows),
    ),
  );
  const panels = el("div", { class: "panels" });
  const map = landscape({ put: ([x, v]) => put([x, v, read()[2]]) });
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
