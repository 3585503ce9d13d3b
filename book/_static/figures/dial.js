/**
 * The figure "Comparison dial": what the searches of chapter 11 found, run by run, as they saw it
 * and as fresh starts judge it; and what becomes of the ranking when three runs of each are drawn.
 */

import { colour, mean, numbersBelow, scale, text } from "./chart.js";
import { DATA } from "./dial_data.js";
import { button, calm, choice, controls, drawing, el, player, region, row, set } from "./dom.js";
import { shown, svg, table, tick, verdict } from "./dom.js";
import { random } from "./random.js";

const ROW = 48; // the height of a brain's row
const BELOW = 17; // from the dots to their interval
const FALL = 0.9; // seconds
const STEPS = [0.2, 20, 100]; // of the axis
const FEW = 3;
const PLACES = ["1st", "2nd", "3rd", "4th", "5th", "6th", "7th"];
const WORDS = { best: "seen by the search", held_out: "on fresh starts" };

/** The interquartile mean, as propslib.utils.stats.iqm: a quarter is left out at either end. */
export function iqm(numbers) {
  const cut = Math.floor(numbers.length / 4);
  return mean(numbers.toSorted((a, b) => a - b).slice(cut, numbers.length - cut));
}

/**
 * The brains with runs enough for it, the highest interquartile mean first, as [brain, mean].
 * @param {{brain: string, runs: object, drawn: number[]}[]} rows drawn: which runs count
 */
export const ranking = (rows, kind) =>
  rows
    .filter(({ runs }) => runs.mean_best)
    .map(({ brain, runs, drawn }) => [brain, iqm(drawn.map((k) => runs[kind][k]))])
    .sort((one, other) => other[1] - one[1]);

/** A row of dots for each brain, with the interquartile mean and its interval as a bar. */
function chart(width) {
  const inside = svg("g");
  const node = drawing(width, 6 * ROW, "", inside);
  let parts = [];
  let left;
  const build = ({ low, high, digits, value }, rows) => {
    const beside = width > 500; // names in a gutter, or above the dots
    const gutter = beside ? 180 : 24;
    const each = beside ? ROW : ROW + 12;
    const across = scale(low, high, gutter, width - 20);
    const ground = rows.length * each + 8;
    set(node, { viewBox: `0 0 ${width} ${ground + 40}` });
    left = (number) => across(Math.max(number, low));
    const step = STEPS.find((one) => (high - low) / one <= 6);
    const first = Math.ceil(low / step);
    const ticks = Array.from({ length: Math.floor(high / step) - first + 1 }, (_, k) => (first + k) * step);
    const line = (number) => `M${left(number)},4V${ground}`;
    const floor = low < 0 ? ` (below ${shown(low, 0)}: at the edge)` : "";
    parts = rows.map((one, i) => {
      const y = i * each + (beside ? 20 : 33);
      const paint = { fill: colour(one.brain), stroke: colour(one.brain) };
      const dots = one.runs.best.map((_, k) => {
        const kind = one.drawn.includes(k) ? "run" : "run left-out";
        return svg("circle", { class: kind, cy: y + (((5 * k) % 9) - 4) * 2.25, r: 3.5, ...paint });
      });
      const [falls, bar] = ["falls", "interval"].map((kind) => svg("path", { class: kind, ...paint }));
      return { ...one, y, dots, falls, bar, place: text(8, y + (beside ? 8 : -15), "start") };
    });
    inside.replaceChildren(
      svg("path", { class: "grid", d: ticks.map(line).join("") }),
      svg("path", { class: "grid rows", d: rows.map((_, i) => `M8,${i * each + 4}H${width - 8}`).join("") }),
      svg("path", { class: "nought", d: line(0) }),
      ...numbersBelow(ticks, left, ground + 16, digits),
      text(across((low + high) / 2), ground + 34, "middle", value + floor),
      ...parts.flatMap(({ falls, dots, bar, place }) => [falls, bar, ...dots, place]),
    );
  };
  /** At share 0 what was seen, at 1 what it is worth, and between them the way. */
  const show = (share, order) => {
    for (const { brain, runs, drawn, y, dots, falls, bar, place } of parts) {
      const between = (seen, judged) => left(seen + share * (judged - seen));
      const at = runs.best.map((seen, k) => between(seen, runs.held_out[k]));
      dots.forEach((dot, k) => set(dot, { cx: at[k] }));
      const way = (k) => `M${left(runs.best[k])},${dots[k].getAttribute("cy")}H${at[k]}`;
      set(falls, { d: drawn.map(way).join("") });
      const [seen, judged] = Object.keys(WORDS).map((kind) => iqm(drawn.map((k) => runs[kind][k])));
      const end = (i) => between(runs.mean_best[i], runs.mean_held_out[i]);
      const whole = runs.mean_best && drawn.length === runs.best.length;
      const reach = whole ? `M${end(1)},${y + BELOW - 2}H${end(2)}v4H${end(1)}z` : "";
      set(bar, { d: `${reach}M${between(seen, judged) - 1.5},${y + BELOW - 6}h3v12h-3z` });
      const number = order.findIndex(([name]) => name === brain);
      place.textContent = `${brain}, ${PLACES[number] ?? "too few runs"}`;
      place.classList.toggle("first", number === 0);
    }
  };
  return { node, build, show };
}

/** Puts the figure into its place. */
export async function mount(place) {
  const result = verdict("result tall");
  const body = el("tbody");
  const picture = chart(place.clientWidth < 500 ? 340 : 680);
  const draw = random(1);
  let kind = "best";
  let share = 0; // of the way from what was seen to what it is worth
  let draws = 0;
  let others; // by kind: draws in which another brain came first than among all runs
  let rows;

  const names = Object.entries(DATA.tasks).map(([key, { name }]) => [key, name]);
  const budgets = DATA.budgets.map((count) => [String(count), `${count} proposals`]);
  const task = choice("task", names, "mountaincar", () => fresh());
  const budget = choice("budget", budgets, "100", () => fresh());
  const brains = new Set(Object.values(DATA.tasks).flatMap((one) => Object.keys(one.brains)));
  const ticks = [...brains].map((label) => tick(label, true, () => fresh()));

  const all = ({ runs }) => [...runs.best.keys()];
  const whole = () => rows.map((one) => ({ ...one, drawn: all(one) }));
  const firstOf = (some, of) => ranking(some, of)[0]?.[0];
  const show = () => picture.show(share * share * (3 - 2 * share), ranking(rows, kind));
  const clock = player((seconds) => {
    const step = kind === "best" ? -seconds / FALL : seconds / FALL;
    share = Math.max(0, Math.min(1, share + step));
    show();
    return share > 0 && share < 1;
  });
  const turn = () => {
    kind = kind === "best" ? "held_out" : "best";
    if (calm()) share = kind === "best" ? 0 : 1;
    else clock.start();
    tell();
  };
  const judge = button("", turn);
  const tell = () => {
    const { digits } = DATA.tasks[task.get()];
    const order = ranking(rows, kind).map(([brain, height]) => `${brain} ${shown(height, digits)}`);
    const which = draws ? `Draw ${draws}, ${FEW} runs of each` : "All runs";
    const flips = draws
      ? `In ${others[kind]} of ${draws} draws another than ${firstOf(whole(), kind)} came first.`
      : "Draw three runs of each: does another come first?";
    result.tell(`${which} after ${budget.get()} proposals, ${WORDS[kind]}: ${order.join(", ")}. ${flips}`);
    judge.textContent = kind === "best" ? "Judge them on fresh starts" : "Back to what was seen";
    picture.build(DATA.tasks[task.get()], rows);
    set(picture.node, { "aria-label": result.node.textContent });
    show();
  };
  /** Another task, budget or choice of brains, with all runs. */
  const fresh = () => {
    const { brains: found, digits } = DATA.tasks[task.get()];
    [draws, others] = [0, { best: 0, held_out: 0 }];
    rows = [...brains].flatMap((brain, i) => {
      const runs = found[brain]?.[budget.get()];
      ticks[i].node.hidden = !runs;
      return runs && ticks[i].get() ? [{ brain, runs, drawn: [...runs.best.keys()] }] : [];
    });
    const cell = (runs, of) => {
      const [middle, ...ends] = (runs[`mean_${of}`] ?? []).map((number) => shown(number, digits));
      return middle ? `${middle} [${ends.join(", ")}]` : runs[of].map((one) => shown(one, digits)).join(", ");
    };
    const line = ({ brain, runs }) =>
      row(brain, runs.best.length, ...Object.keys(WORDS).map((of) => cell(runs, of)));
    body.replaceChildren(...rows.map(line));
    tell();
  };
  /** Some runs of each brain, by chance. */
  const few = () => {
    for (const one of rows.filter(({ runs }) => runs.best.length > FEW)) {
      const left = all(one);
      one.drawn = Array.from({ length: FEW }, () => left.splice(draw() * left.length, 1)[0]);
    }
    draws++;
    for (const of in WORDS) others[of] += Number(firstOf(rows, of) !== firstOf(whole(), of));
    tell();
  };

  fresh();
  place.replaceChildren(
    el("p", { class: "figure-title" }, "Comparison dial"),
    el("div", { class: "choices" }, task.node, budget.node),
    controls(...ticks.map(({ node }) => node)),
    controls(judge, button("Draw 3 runs of each", few), button("All runs", fresh)),
    picture.node,
    el("p", { class: "small" }, "A dot is a run. Below the dots: the interquartile mean (upright) and its 95 % interval (bar)."),
    result.node,
    region("Interquartile means", { class: "wide" }, table(["brain", "runs", "seen", "fresh starts"], body)),
    result.voice,
  );
}
