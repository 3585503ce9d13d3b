/**
 * The figure "Prompt and reply": a prompt of the recorded search with its parts lit, and a field
 * for a reply, which is read or refused as the library does it.
 */

import { button, choice, controls, el, panels, region, row, shown, slider, table, verdict } from "./dom.js";
import { DATA } from "./prompt_data.js";
import { BUDGET, SETTINGS, promptParts, readReply, recordedReply } from "./prompt_model.js";

const FIRST_SHOWN = 13; // the first with a high value
const LONGEST = 5000; // characters of a reply
const ABOUT = {
  role: "The task: an unknown function to maximise, and the budget. No car, no policy, no episode.",
  parameters: "How many numbers, in which range, with how many decimals.",
  "answer form": "What to answer: the numbers first, for a program to read, then a reason.",
  "keep in mind": "Rules. The highest value, about 100, is leaked knowledge.",
  history: "One line a trial, the oldest first. This is the only place where the world speaks.",
  iteration: "Where the search stands, and the request. It comes last because it changes each time.",
};

const group = (name, ...children) =>
  el("div", { class: "controls", role: "group", "aria-label": name }, ...children);

/** The prompt as text whose parts can be lit, and a button for each part. */
function promptPanel(say) {
  const about = el("p", { class: "result" });
  const box = region("The prompt", { class: "prompt" });
  const part = (name) => [name, el("div", { onpointerenter: () => light(name) })];
  const parts = new Map(Object.keys(ABOUT).map(part));

  const light = (name) => {
    about.textContent = ABOUT[name];
    for (const [other, node] of parts) node.classList.toggle("lit", other === name);
    for (const [other, node] of legend) node.setAttribute("aria-pressed", other === name);
  };
  const choose = (name) => {
    light(name);
    box.scrollTop = parts.get(name).offsetTop - 8;
    say(ABOUT[name]);
  };
  const legend = new Map(
    Object.keys(ABOUT).map((name) => [name, button(name, () => choose(name), { class: "part" })]),
  );
  box.append(...parts.values());
  light("history");
  /** Lines that stay are left alone: the page need not be laid out anew for them. */
  const write = (node, lines) => {
    lines.forEach((line, i) => {
      const old = node.children[i] ?? node.appendChild(el("span"));
      if (old.textContent !== line) old.textContent = line;
    });
    while (node.children.length > lines.length) node.lastChild.remove();
  };
  const show = (k) => {
    for (const { name, text } of promptParts(k)) {
      write(parts.get(name), text.split("\n").map((line) => `${line}\n`));
    }
    box.scrollTop = box.scrollHeight; // what is new stands at the end
  };
  return { nodes: [group("Parts of the prompt", ...legend.values()), about, box], show };
}

/** The reply with the characters marked that were taken for the proposal. */
function marked(reply, taken) {
  const pieces = [];
  let done = 0;
  for (const { start, end, good } of taken) {
    pieces.push(reply.slice(done, start));
    pieces.push(el("mark", { class: good ? "good" : "bad" }, reply.slice(start, end)));
    done = end;
  }
  return [...pieces, reply.slice(done)];
}

/** What an assignment became: a parameter, rounded or not; if the reply was refused, a verdict. */
function fate({ index, value, good }, params) {
  if (!params) return good ? "fine" : "a fault";
  const note = params[index] === value ? "" : ", rounded";
  return `${shown(params[index], SETTINGS.decimals)}${note}`;
}

const rowOf = (one, reply, params) =>
  row(`params[${one.index}]`, el("code", {}, reply.slice(one.start, one.end)), fate(one, params));

/** Puts the figure into its place. */
export async function mount(place) {
  const prompt = promptPanel((words) => judged.say(words));
  const judged = verdict("result verdict");
  const seen = region("The reply with what was taken", { class: "reply" });
  const rows = el("tbody");
  const columns = ["parameter", "characters", "became"];
  const shape = { rows: 4, maxlength: LONGEST, spellcheck: "false" };
  const field = el("textarea", { id: "props-reply", ...shape });
  let own = false; // whether the reader wrote the reply: the slider leaves it then

  const read = () => {
    const { params, refusal, taken } = readReply(field.value, proposal.get());
    const point = params?.map((number) => shown(number, SETTINGS.decimals)).join(", ");
    judged.tell(params ? `Read: (${point}).` : `Refused. The model is told: ${refusal}`);
    judged.node.classList.toggle("refused", !params);
    seen.replaceChildren(...marked(field.value, taken));
    rows.replaceChildren(...taken.map((one) => rowOf(one, field.value, params)));
  };
  /** Puts a reply into the field; a list that it does not come from goes back to its first line. */
  const write = (reply, chosen) => {
    own = false;
    field.value = reply;
    unchoose(chosen);
    read();
  };
  field.addEventListener("input", () => {
    own = true;
    unchoose();
    read();
  });
  const proposal = slider("proposal", [1, BUDGET, 1], FIRST_SHOWN, () => open());
  const open = () => {
    if (own) read();
    else write(recordedReply(proposal.get()));
    prompt.show(proposal.get()); // it scrolls, so it comes last: one layout for all
  };
  const examples = Object.entries(DATA.examples).map(([name, replies]) => {
    const labels = Object.keys(replies).map((label) => [label, label]);
    const list = choice(name, [["", "choose one"], ...labels], "", () => {
      if (list.get()) write(replies[list.get()], list);
    });
    return list;
  });
  const unchoose = (chosen) => {
    for (const list of examples) if (list !== chosen) list.select.value = "";
  };

  place.replaceChildren(
    el("p", { class: "figure-title" }, "Prompt and reply"),
    proposal.node,
    el("p", { class: "panel-title" }, "The prompt: choose a part here, or point to one"),
    ...prompt.nodes,
    el("label", { class: "panel-title", for: field.id }, "The reply: the model’s, or your own"),
    controls(
      button("The model’s reply", () => write(recordedReply(proposal.get())), { class: "main" }),
      ...examples.map(({ node }) => node),
    ),
    field,
    judged.node,
    panels(
      el("div", {}, el("p", { class: "panel-title" }, "What the reader took"), seen),
      el(
        "div",
        {},
        el("p", { class: "panel-title" }, "What became of it"),
        region("Characters and parameters", { class: "scroll" }, table(columns, rows)),
      ),
    ),
    judged.voice,
  );
  open();
}
