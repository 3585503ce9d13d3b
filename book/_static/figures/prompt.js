/**
 * The figure "Prompt and reply": a prompt of the recorded search with its parts lit, and a field
 * for a reply, which is read or refused as the library does it.
 */

import { announcer, button, el, shown, slider } from "./dom.js";
import { DATA } from "./prompt_data.js";
import { BUDGET, SETTINGS, promptParts, readReply, recordedReply } from "./prompt_model.js";

const FIRST_SHOWN = 13; // the proposal whose reply the chapter prints
const LONGEST = 5000; // characters of a reply
const ABOUT = {
  role: "The task: an unknown function to maximise, and the budget. No car, no policy, no episode.",
  parameters: "How many numbers, in which range, with how many decimals.",
  "answer form": "What to answer: the numbers first, for a program to read, then a reason.",
  "keep in mind": "Rules. The highest value, about 100, is leaked knowledge.",
  history: "One line a trial, the oldest first. This is the only place where the world speaks.",
  iteration: "Where the search stands, and the request. It comes last because it changes each time.",
};
const GROUPS = { kind: "Unusual forms:", strict: "Bad content:" };

/** The prompt as text whose parts can be lit, and a button for each part. */
function promptPanel(say) {
  const names = Object.keys(ABOUT);
  const about = el("p", { class: "result" });
  const box = el("div", { class: "prompt", tabindex: 0, role: "region", "aria-label": "The prompt" });
  let parts = new Map();
  let lit = "history";

  const light = (name, scroll) => {
    lit = name;
    about.textContent = ABOUT[name];
    for (const [other, node] of parts) node.classList.toggle("lit", other === name);
    for (const [other, node] of legend) node.setAttribute("aria-pressed", other === name);
    if (scroll) box.scrollTop = parts.get(name).offsetTop - 8;
  };
  const choose = (name) => {
    light(name, true);
    say(ABOUT[name]);
  };
  const legend = new Map(
    names.map((name) => {
      const node = button(name, () => choose(name), { class: "part" });
      node.addEventListener("focus", () => choose(name));
      node.addEventListener("pointerenter", () => light(name, true));
      return [name, node];
    }),
  );
  const show = (k) => {
    parts = new Map(
      promptParts(k).map(({ name, text }) => {
        const over = () => light(name, false);
        return [name, el("div", { onpointerenter: over, onclick: over }, text)];
      }),
    );
    box.replaceChildren(...parts.values());
    light(lit, false);
  };
  const buttons = el("div", { class: "controls", role: "group", "aria-label": "Parts of the prompt" });
  buttons.append(...legend.values());
  return { nodes: [buttons, about, box], show, light };
}

/** The reply with the assignments marked that were taken for the proposal. */
function marked(reply, taken) {
  const pieces = [];
  let done = 0;
  for (const { start, end, index, good } of taken) {
    const sign = el("sub", {}, good ? index : `${index} ✗`);
    pieces.push(reply.slice(done, start));
    pieces.push(el("mark", { class: good ? "" : "bad" }, reply.slice(start, end), sign));
    done = end;
  }
  return [...pieces, reply.slice(done)];
}

/** One row for each assignment: the parameter, its characters, what it became. */
function rowsOf(reply, taken, params) {
  return taken.slice(0, 20).map(({ index, start, end, good, value }) => {
    const number = params?.[index];
    const note = number === value ? "" : ", rounded";
    const became = params ? `${shown(number, SETTINGS.decimals)}${note}` : good ? "fine" : "a fault";
    return el(
      "tr",
      {},
      el("th", { scope: "row" }, `params[${index}]`),
      el("td", {}, el("code", {}, reply.slice(start, end))),
      el("td", {}, became),
    );
  });
}

/** Puts the figure into its place. */
export async function mount(place) {
  const voice = announcer();
  const prompt = promptPanel(voice.say);
  const verdict = el("p", { class: "result verdict" });
  const seen = el("div", { class: "reply", tabindex: 0, role: "region", "aria-label": "As read" });
  const rows = el("tbody");
  const id = `${place.id || "props"}-own-reply`;
  const field = el("textarea", { id, rows: 4, maxlength: LONGEST, spellcheck: "false" });

  const read = () => {
    const { params, refusal, taken } = readReply(field.value, proposal.get());
    const point = params?.map((number) => shown(number, SETTINGS.decimals)).join(", ");
    verdict.textContent = params ? `Read: (${point}).` : `Refused. The model is told: ${refusal}`;
    verdict.classList.toggle("refused", !params);
    seen.replaceChildren(...marked(field.value, taken));
    rows.replaceChildren(...rowsOf(field.value, taken, params));
    voice.say(verdict.textContent);
  };
  const write = (reply) => {
    field.value = reply;
    read();
  };
  field.addEventListener("input", read);
  const proposal = slider({
    label: "proposal",
    min: 1,
    max: BUDGET,
    step: 1,
    value: FIRST_SHOWN,
    oninput: () => open(),
  });
  const open = () => {
    prompt.show(proposal.get());
    write(recordedReply(proposal.get()));
  };
  const groups = Object.entries(GROUPS).map(([group, words]) =>
    el(
      "div",
      { class: "controls", role: "group", "aria-label": words.replace(":", "") },
      el("span", { class: "small" }, words),
      ...Object.entries(DATA.examples[group]).map(([label, reply]) =>
        button(label, () => write(reply)),
      ),
    ),
  );

  open();
  place.replaceChildren(
    el("p", { class: "figure-title" }, "Prompt and reply"),
    proposal.node,
    el("p", { class: "panel-title" }, "The prompt: point to a part, or choose it here"),
    ...prompt.nodes,
    el("label", { class: "panel-title", for: id }, "The reply: the model’s, until you write your own"),
    field,
    el(
      "div",
      { class: "controls" },
      button("The model’s reply", () => write(recordedReply(proposal.get())), { class: "main" }),
    ),
    ...groups,
    verdict,
    el(
      "div",
      { class: "panels" },
      el("div", {}, el("p", { class: "panel-title" }, "What the reader took"), seen),
      el(
        "div",
        { class: "scroll", tabindex: 0, role: "region", "aria-label": "Characters and parameters" },
        el(
          "table",
          {},
          el(
            "thead",
            {},
            el(
              "tr",
              {},
              ...["parameter", "characters", "became"].map((name) =>
                el("th", { scope: "col" }, name),
              ),
            ),
          ),
          rows,
        ),
      ),
    ),
    voice.node,
  );
  prompt.light("history", true);
}
