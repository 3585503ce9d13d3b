/**
 * "Beat the model": the reader's proposals beside those of a recorded search, on the same twenty
 * starts, and the map of the landscape for those who ask for it.
 */

import { landscape } from "./car_map.js";
import { button, controls, el, region, row, shown, table, tick, verdict } from "./dom.js";
import { fetchLog } from "./run_log.js";
import { valuePanel } from "./value_panel.js";

/**
 * @param {object} parts
 * @param {string} parts.recording name of the recorded search
 * @param {function(number[]): {value: number, above: number}} parts.evaluate
 * @param {function(): number[]} parts.read the sliders
 * @param {function(number[])} parts.put moves the sliders
 * @returns {{node: HTMLElement, ready: Promise, moved: function(number[])}}
 */
export function contest({ recording, evaluate, read, put }) {
  const proposals = [];
  const result = verdict();
  const rows = el("tbody");
  const columns = ["no.", "w_x", "w_v", "b", "value"];
  const inner = region("Your proposals", { class: "scroll" }, table(columns, rows));
  const list = el("details", {}, el("summary", {}, "Your proposals as a table"), inner);
  const map = landscape({ put: ([x, v]) => put([x, v, read()[2]]) });
  const wantsMap = tick("show the map of the landscape (it gives much away)", false, () => {
    if (wantsMap.get()) panels.append(map.node);
    else map.node.remove();
    moved(read());
  });
  let theirs;
  let picture;

  const draw = () => picture.race(proposals.map(({ best }) => best));
  const propose = () => {
    const params = read();
    if (proposals.some((old) => old.params.every((number, i) => number === params[i]))) {
      return result.tell("That point was evaluated before. Move a slider first: the model may not repeat either.");
    }
    const { value, above } = evaluate(params);
    const best = Math.max(value, proposals.at(-1)?.best ?? -Infinity);
    proposals.push({ params, value, best });
    const k = proposals.length;
    rows.append(row(k, ...params.map((number) => shown(number, 1)), shown(value)));
    draw();
    const model = theirs[Math.min(k, theirs.length) - 1].best;
    result.tell(
      `Proposal ${k}: value ${shown(value)}, ${above} of 20 starts earn more than 0. ` +
        `Best of your ${k}: ${shown(best)}; of the model’s first ${Math.min(k, theirs.length)}: ` +
        `${shown(model)}. You are ${best > model ? "ahead" : best === model ? "level" : "behind"}.`,
    );
  };
  const clear = () => {
    proposals.length = 0;
    rows.replaceChildren();
    draw();
    result.tell("Your proposals are cleared.");
  };
  const moved = (params) => wantsMap.get() && map.show(params);
  const start = async () => {
    const log = await fetchLog(recording);
    theirs = log.proposals;
    const shape = { warmup: theirs.slice(0, 1), proposals: theirs };
    picture = valuePanel(shape, "Best value so far: you blue, the model orange, its values as dots");
    draw();
    panels.append(picture.node);
    const { value } = theirs.reduce((one, other) => (other.value > one.value ? other : one));
    const best = `The model’s best of ${theirs.length} proposals has the value ${shown(value)}.`;
    result.tell(`${best} It saw ${log.warmup.length} random points first, and numbers only; you see the hill.`);
  };
  const words = [
    controls(
      button("Propose: play all 20 starts", propose, { class: "main" }),
      button("Clear", clear),
      wantsMap.node,
    ),
    result.node,
    list,
  ];
  const panels = el("div", { class: "panels" }, el("div", {}, ...words));
  const node = el(
    "div",
    {},
    el("p", { class: "figure-title" }, "Beat the model"),
    panels,
    result.voice,
  );
  return { node, ready: start(), moved };
}
