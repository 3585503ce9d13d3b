/**
 * The figure "Comparison dial": what the searches of chapter 11 found, run by run, as they saw it
 * and as fresh starts judge it; and what becomes of the ranking when three runs of each are drawn.
 */

import { WIDTH, mean, scale, text } from "./chart.js";
import { DATA } from "./dial_data.js";
import { announcer, button, calm, choice, drawing, el, player, region, set } from "./dom.js";
import { shown, svg, table as rowsTable, tick } from "./dom.js";
import { random } from "./random.js";

const ROW = 42; // the height of a brain's row
const GROUND = 7 * ROW + 8;
const FALL = 0.9; // seconds
const FEW = 3;
const PLACES = ["1st", "2nd", "3rd", "4th", "5th", "6th", "7th"];
const KINDS = { best: "seen by the search", held_out: "on fresh starts" };
const colour = (brain) => `var(--${brain.replace(/[^a-z]/gi, "").toLowerCase()}, var(--ink))`;

/** The interquartile mean, as propslib.utils.stats.iqm: a quarter is left out at either end. */
export function iqm(numbers) {
  const cut = Math.floor(numbers.length / 4);
  return mean(numbers.toSorted((a, b) => a - b).slice(cut, numbers.length - cut));
}

/**
 * The brains that have runs enough for it, the highest interquartile mean first.
 * @param {{brain: string, runs: object, drawn: number[]}[]} rows drawn: the numbers of its runs
 */
export function ranking(rows, kind) {
  const height = ({ runs, drawn }) => iqm(drawn.map((k) => runs[kind][k]));
  const many = rows.filter(({ runs }) => runs.mean_best);
  return many.toSorted((one, other) => height(other) - height(one)).map(({ brain }) => brain);
}

/** Rows of dots, one for each brain, with the interquartile mean and its interval as a bar. */
function chart() {
  const axis = svg("g");
  const lines = svg("g");
  const node = drawing(WIDTH, GROUND + 40, "", axis, lines);
  let parts = [];
  let left;
  const build = (task, rows) => {
    const across = scale(task.low, task.high, 20, WIDTH - 20);
    left = (value) => across(Math.max(value, task.low));
    const ticks = [0, 0.25, 0.5, 0.75, 1].map((share) => task.low + share * (task.high - task.low));
    const floor = task.low < 0 ? ` (below ${shown(task.low, 0)}: at the edge)` : "";
    axis.replaceChildren(
      svg("path", { class: "axis", d: ticks.map((value) => `M${left(value)},4V${GROUND}`).join("") }),
      ...ticks.map((value) => text(left(value), GROUND + 16, "middle", shown(value, task.digits))),
      text(WIDTH - 8, GROUND + 34, "end", task.value + floor),
    );
    parts = rows.map((row, i) => {
      const y = i * ROW + 29;
      const paint = { fill: colour(row.brain), stroke: colour(row.brain) };
      const dots = row.runs.best.map((_, k) => {
        const kind = row.drawn.includes(k) ? "run" : "run left-out";
        return svg("circle", { class: kind, cy: y + (((7 * k) % 5) - 2) * 3, r: 3.5, ...paint });
      });
      const [falls, bar] = ["falls", "interval"].map((kind) => svg("path", { class: kind, ...paint }));
      return { ...row, y, dots, falls, bar, place: text(WIDTH - 8, y - 15, "end") };
    });
    lines.replaceChildren(
      ...parts.flatMap(({ brain, y, dots, falls, bar, place }) => [
        ...[falls, ...dots, bar, place],
        text(8, y - 15, "start", brain),
      ]),
    );
  };
  /** At share 0 what was seen, at 1 what it is worth, and between them the way. */
  const show = (share, places) => {
    for (const { brain, runs, drawn, y, dots, falls, bar, place } of parts) {
      const between = (seen, judged) => left(seen + share * (judged - seen));
      const at = runs.best.map((seen, k) => between(seen, runs.held_out[k]));
      dots.forEach((dot, k) => set(dot, { cx: at[k] }));
      const way = (k) => `M${left(runs.best[k])},${dots[k].getAttribute("cy")}H${at[k]}`;
      set(falls, { d: drawn.map(way).join("") });
      const [seen, judged] = Object.keys(KINDS).map((kind) => iqm(drawn.map((k) => runs[kind][k])));
      const end = (i) => between(runs.mean_best[i], runs.mean_held_out[i]);
      const whole = runs.mean_best && drawn.length === runs.best.length;
      const reach = whole ? `M${end(1)},${y - 2}H${end(2)}v4H${end(1)}z` : "";
      set(bar, { d: `${reach}M${between(seen, judged) - 1.5},${y - 11}h3v22h-3z` });
      const count = runs.best.length;
      place.textContent = PLACES[places.indexOf(brain)] ?? (count > 1 ? `${count} runs` : "1 run");
    }
  };
  return { node, build, show };
}

/** Puts the figure into its place. */
export async function mount(place) {
  const voice = announcer();
  const result = el("p", { class: "result tall" });
  const body = el("tbody");
  const picture = chart();
  const draw = random(1);
  let kind = "best";
  let share = 0; // of the way from what was seen to what it is worth
  let few = false;
  let tally = { draws: 0, others: 0 };
  let rows = [];

  const task = choice({
    label: "task",
    options: Object.entries(DATA.tasks).map(([key, { name }]) => [key, name]),
    value: "mountaincar",
    onchange: () => fresh(),
  });
  const budget = choice({
    label: "budget",
    options: DATA.budgets.map((count) => [String(count), `${count} proposals`]),
    value: "100",
    onchange: () => fresh(),
  });
  const names = [...new Set(Object.values(DATA.tasks).flatMap(({ brains }) => Object.keys(brains)))];
  const ticks = new Map(
    names.map((label) => [label, tick({ label, checked: true, onchange: () => fresh() })]),
  );

  const clock = player(
    (seconds) => {
      const target = kind === "best" ? 0 : 1;
      const far = seconds / FALL;
      share = target ? Math.min(1, share + far) : Math.max(0, share - far);
      picture.show(share * share * (3 - 2 * share), places());
      return share !== target;
    },
    () => {},
  );
  const places = () => ranking(rows, kind);
  const judge = button("Judge them on fresh starts", () => {
    kind = kind === "best" ? "held_out" : "best";
    tell();
    if (!calm()) return clock.start();
    share = kind === "best" ? 0 : 1;
    picture.show(share, places());
  });
  set(judge, { class: "main" });

  const tell = () => {
    const { digits } = DATA.tasks[task.get()];
    const order = places();
    const one = (brain) => {
      const { runs, drawn } = rows.find((row) => row.brain === brain);
      const height = few ? iqm(drawn.map((k) => runs[kind][k])) : runs[`mean_${kind}`][0];
      return `${brain} ${shown(height, digits)}`;
    };
    const all = ranking(rows.map((row) => ({ ...row, drawn: [...row.runs.best.keys()] })), kind);
    const drawn = few ? `Draw ${tally.draws}, ${FEW} runs of each` : "All runs";
    const after = `after ${budget.get()} proposals, ${KINDS[kind]}`;
    const flips = `${tally.others} of ${tally.draws} draws put another than ${all[0]} first.`;
    result.textContent = `${drawn}, ${after}: ${order.map(one).join(", ")}. ${few ? flips : ""}`;
    set(picture.node, { "aria-label": result.textContent });
    voice.say(result.textContent);
    judge.textContent = kind === "best" ? "Judge them on fresh starts" : "Back to what was seen";
  };
  const paint = () => {
    picture.build(DATA.tasks[task.get()], rows);
    picture.show(share, places());
    tell();
  };
  /** Another task, budget or set of brains, with all its runs. */
  const fresh = () => {
    const { brains, digits } = DATA.tasks[task.get()];
    few = false;
    tally = { draws: 0, others: 0 };
    const wanted = Object.entries(brains).filter(([brain]) => ticks.get(brain).get());
    rows = wanted.flatMap(([brain, budgets]) => {
      const runs = budgets[budget.get()];
      return runs ? [{ brain, runs, drawn: [...runs.best.keys()] }] : [];
    });
    const cell = (runs, of) => {
      if (!runs[`mean_${of}`]) return runs[of].map((value) => shown(value, digits)).join(" and ");
      const [middle, low, high] = runs[`mean_${of}`].map((value) => shown(value, digits));
      return `${middle} [${low}, ${high}]`;
    };
    body.replaceChildren(
      ...rows.map(({ brain, runs }) => {
        const cells = [runs.best.length, ...Object.keys(KINDS).map((of) => cell(runs, of))];
        return el("tr", {}, el("th", { scope: "row" }, brain), ...cells.map((one) => el("td", {}, one)));
      }),
    );
    paint();
  };
  /** Three runs of each brain that has more, by chance. */
  const three = () => {
    const before = ranking(rows.map((row) => ({ ...row, drawn: [...row.runs.best.keys()] })), kind);
    for (const row of rows.filter(({ runs }) => runs.best.length > FEW)) {
      const left = [...row.runs.best.keys()];
      row.drawn = Array.from({ length: FEW }, () => left.splice(Math.floor(draw() * left.length), 1)[0]);
    }
    few = true;
    tally.draws++;
    tally.others += Number(places()[0] !== before[0]);
    paint();
  };

  fresh();
  place.replaceChildren(
    el("p", { class: "figure-title" }, "Comparison dial"),
    el("div", { class: "choices" }, task.node, budget.node),
    el("div", { class: "controls" }, ...[...ticks.values()].map(({ node }) => node)),
    el("div", { class: "controls" }, judge, button("Draw 3 runs of each", three), button("All runs", fresh)),
    el("div", { class: "dial" }, picture.node),
    result,
    region(
      "Interquartile means",
      { class: "wide" },
      rowsTable(["brain", "runs", "seen", "on fresh starts"], body),
    ),
    el("p", { class: "small" }, "A dot is a run; the upright line the interquartile mean, the bar its 95 % interval."),
    voice.node,
  );
}
