/** The figure "What will it cost?": model, chapter, budget and form of the history. */

import { DATA } from "./cost_data.js";
import { usage, usd } from "./cost_model.js";
import { choice, controls, el, region, row, set, slider, table, tick, verdict } from "./dom.js";

const FREE = "free: recorded, you, local or ollama";
const OTHER = "another model: enter its price";
const whole = (number) => Math.round(number).toLocaleString("en");

const LONG = { dateStyle: "long", timeZone: "UTC" };
const inWords = (date) => new Date(date).toLocaleDateString("en-GB", LONG);

/** In cents; what costs less than one says so. */
const dollars = (sum) => (sum > 0 && sum < 0.005 ? "under $0.01" : `$${sum.toFixed(2)}`);

/** Puts the figure into its place. */
export async function mount(place) {
  const result = verdict();
  const source = el("p", { class: "small" });
  const rows = el("tbody");
  const update = () => draw();

  const models = [...Object.keys(DATA.prices), OTHER, FREE].map((name) => [name, name]);
  const model = choice("model", models, "openai:gpt-6.1-sol", update);
  const tasks = Object.entries(DATA.tasks).map(([key, { label }]) => [key, label]);
  const task = choice("chapter", tasks, "mountaincar", () => {
    budget.put(DATA.tasks[task.get()].budget);
    draw();
  });
  const form = choice("the prompt shows", Object.entries(DATA.forms), "all", update);
  const budget = slider("proposals", [1, 400, 1], DATA.tasks.mountaincar.budget, update);
  const reply = slider("tokens a reply", [50, 10000, 50], 100, update);
  const cached = tick("count what the provider’s cache can save at best", false, update);
  const own = ["input", "cached", "output"].map((part) => {
    const start = { input: 2, cached: 0.5, output: 8 }[part];
    const field = el("input", { type: "number", min: 0, step: "any", value: start });
    field.addEventListener("input", update);
    return { part, field, node: el("label", { class: "tick" }, `${part} `, field) };
  });
  const ownPrices = controls(...own.map((one) => one.node));
  ownPrices.append(el("span", { class: "small" }, "dollars per million tokens"));

  const price = () => {
    if (model.get() === FREE) return { input: 0, output: 0, cached: null, written: null };
    if (model.get() !== OTHER) return DATA.prices[model.get()];
    const parts = own.map(({ part, field }) => [part, Math.max(0, Number(field.value) || 0)]);
    return { written: null, ...Object.fromEntries(parts) };
  };
  const cost = (key) => {
    const used = usage(DATA.tasks[task.get()].sizes[key], budget.get(), reply.get());
    if (!cached.get()) used.tokensCached = 0;
    return { ...used, sum: usd(price(), used) };
  };
  const draw = () => {
    const all = Object.keys(DATA.forms).map((key) => ({ key, ...cost(key) }));
    const most = Math.max(...all.map(({ sum }) => sum)) || 1;
    rows.replaceChildren(
      ...all.map(({ key, tokensIn, tokensOut, sum }) => {
        const bar = el("span", { class: "bar" });
        bar.style.width = `calc((100% - 3rem) * ${sum / most})`;
        const line = row(DATA.forms[key], dollars(sum), whole(tokensIn), whole(tokensOut), bar);
        line.lastChild.className = "bars";
        line.lastChild.append(` ${Math.round((100 * sum) / most)}\u00a0%`);
        return key === form.get() ? set(line, { class: "chosen" }) : line;
      }),
    );
    const { tokensIn, tokensOut, tokensCached, sum } = all.find(({ key }) => key === form.get());
    const calls = budget.get() === 1 ? "1 call" : `${budget.get()} calls`;
    const known = tokensCached ? ` (${whole(tokensCached)} cached)` : "";
    const used = `${whole(tokensIn)} tokens in${known}, ${whole(tokensOut)} out`;
    result.tell(`About ${calls}; ${used}; ${dollars(sum)}.`);
    ownPrices.hidden = model.get() !== OTHER;
    const dated = DATA.prices[model.get()]?.date;
    source.textContent =
      (dated ? `List price seen on ${inWords(dated)}. ` : "") +
      "Tokens as OpenAI’s models count them; other models count otherwise.";
  };

  draw();
  place.replaceChildren(
    el("p", { class: "figure-title" }, "What will it cost?"),
    el("div", { class: "choices" }, model.node, task.node, form.node),
    ownPrices,
    budget.node,
    reply.node,
    controls(cached.node),
    result.node,
    region(
      "Cost by form of the prompt",
      { class: "wide" },
      table(["the prompt shows", "cost", "tokens in", "tokens out", "cost, compared"], rows),
    ),
    source,
    result.voice,
  );
}
