/** Small helpers with which the figures build what they show. */

const SVG = "http://www.w3.org/2000/svg";
let made = 0;

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value !== undefined) node.setAttribute(name, value);
  }
  node.append(...children);
  return node;
}

/** An HTML element: el("p", {class: "note"}, "text"). A name "onclick" adds a listener. */
export const el = (tag, attributes = {}, ...children) =>
  fill(document.createElement(tag), attributes, children);

/** An SVG element, in the same way. */
export const svg = (tag, attributes = {}, ...children) =>
  fill(document.createElementNS(SVG, tag), attributes, children);

/** Change some attributes of an element. */
export const set = (node, attributes) => fill(node, attributes, []);

/** A drawing of the given size, with a name for those who do not see it. */
export const drawing = (width, height, label, ...children) =>
  svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label }, ...children);

/** Where an event of the pointer is, in the units of a drawing. */
export function placeIn(node, { clientX, clientY }) {
  const { left, top, width } = node.getBoundingClientRect();
  const view = node.viewBox.baseVal;
  const size = view.width / width;
  return [view.x + (clientX - left) * size, view.y + (clientY - top) * size];
}

/** A drawing or another element under a heading. */
export const panel = (title, ...children) =>
  el("div", { class: "panel" }, el("p", { class: "panel-title" }, title), ...children);

/** Panels beside one another, or on a narrow screen below. */
export const panels = (...nodes) => el("div", { class: "panels" }, ...nodes);

/** A part that scrolls on its own: it has a name, and the keyboard reaches it. */
export const region = (name, attributes, ...children) =>
  el("div", { tabindex: 0, role: "region", "aria-label": name, ...attributes }, ...children);

/** A table: its headings, of which one may be empty, over a body of rows. */
export function table(headings, body) {
  const cells = headings.map((name) => (name ? el("th", { scope: "col" }, name) : el("td")));
  return el("table", {}, el("thead", {}, el("tr", {}, ...cells)), body);
}

/** A row of a table: its heading and its cells. */
export const row = (heading, ...cells) =>
  el("tr", {}, el("th", { scope: "row" }, heading), ...cells.map((cell) => el("td", {}, cell)));

export const button = (text, onclick, attributes = {}) =>
  el("button", { type: "button", onclick, ...attributes }, text);

/** A row of controls. */
export const controls = (...nodes) => el("div", { class: "controls" }, ...nodes);

/**
 * A slider with its label and a field for the number.
 * @returns {{node: HTMLElement, get: function(): number, put: function(number)}}
 */
export function slider(label, [min, max, step], value, oninput = () => {}) {
  const id = `props-slider-${++made}`;
  const decimals = String(step).split(".")[1]?.length ?? 0;
  const limits = { min, max, step, value };
  const range = el("input", { type: "range", id, ...limits });
  const field = el("input", { type: "number", "aria-label": `${label}, as a number`, ...limits });
  const put = (number) => {
    range.value = number;
    field.value = Number(range.value).toFixed(decimals);
  };
  range.addEventListener("input", () => {
    put(range.value);
    oninput();
  });
  field.addEventListener("change", () => {
    put(field.value === "" ? value : field.value);
    oninput();
  });
  put(value);
  const node = el("div", { class: "slider" }, el("label", { for: id }, label), range, field);
  return { node, get: () => Number(range.value), put };
}

/**
 * A labelled choice.
 * @param {[string, string][]} options pairs of value and text
 */
export function choice(label, options, value, onchange = () => {}) {
  const id = `props-choice-${++made}`;
  const select = el(
    "select",
    { id, onchange },
    ...options.map(([key, text]) => el("option", { value: key, selected: key === value }, text)),
  );
  const node = el("div", { class: "choice" }, el("label", { for: id }, label), select);
  return { node, select, get: () => select.value };
}

/** A labelled tick box. */
export function tick(label, checked = false, onchange = () => {}) {
  const box = el("input", { type: "checkbox", checked, onchange });
  const node = el("label", { class: "tick" }, box, ` ${label}`);
  return { node, get: () => box.checked, put: (checked) => (box.checked = checked) };
}

/** A line that is read aloud when it has not changed for half a second. */
export function announcer() {
  const node = el("div", { class: "spoken", "aria-live": "polite" });
  let waiting;
  const say = (text) => {
    clearTimeout(waiting);
    waiting = setTimeout(() => (node.textContent = text), 500);
  };
  return { node, say };
}

/** A result: shown at once, and read aloud by its voice. */
export function verdict(kind = "result") {
  const node = el("p", { class: kind });
  const voice = announcer();
  const tell = (words) => {
    node.textContent = words;
    voice.say(words);
  };
  return { node, tell, say: voice.say, voice: voice.node };
}

/** Whether the reader asked for less motion. */
export const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/**
 * Calls advance(seconds) for each picture of the screen while it runs and advance gives true.
 * @param {function(number): boolean} advance
 * @param {function(boolean)} changed told when it starts and stops
 */
export function player(advance, changed = () => {}) {
  let running = false;
  let last;
  const turn = (on) => {
    if (on === running) return;
    running = on;
    last = undefined;
    changed(on);
    if (on) requestAnimationFrame(tick);
  };
  const tick = (now) => {
    if (!running) return;
    const goesOn = advance(Math.min((now - (last ?? now)) / 1000, 0.1));
    last = now;
    if (goesOn) requestAnimationFrame(tick);
    else turn(false);
  };
  return { start: () => turn(true), stop: () => turn(false), toggle: () => turn(!running), running: () => running };
}

/** A player with its button; `rewind` is called before it sets off. */
export function playing(advance, rewind) {
  const clock = player(advance, (running) => (play.textContent = running ? "Pause" : "Play"));
  const play = button("Play", () => {
    if (!clock.running()) rewind();
    clock.toggle();
  });
  return { ...clock, play };
}

/**
 * A button and a slider over the moments from 0 to last().
 * @param {{label: string, rate: number, last: function(): number, show: function(number)}} parts
 *   label: the slider's name; rate: moments a second; show: told the moment, between two as well
 */
export function playback({ label, rate, last, show }) {
  let time = 0;
  const moment = el("input", { type: "range", class: "moment", min: 0, "aria-label": label });
  const go = (to) => {
    time = Math.min(to, last());
    moment.value = Math.floor(time);
    show(time);
    return time < last();
  };
  const clock = playing((seconds) => go(time + seconds * rate), () => time >= last() && go(0));
  moment.addEventListener("input", () => {
    clock.stop();
    go(Number(moment.value));
  });
  /** At a moment, for which the slider may have to grow. */
  const jump = (to) => {
    set(moment, { max: last() });
    go(to);
  };
  /** From the start, and off if it runs; for those who want less motion to the end at once. */
  const restart = (runs) => {
    jump(calm() ? last() : 0);
    if (runs && !calm()) clock.start();
  };
  return { ...clock, moment, jump, restart };
}

/** A number for people: two decimals and a true minus. */
export const shown = (number, decimals = 2) => {
  const text = number.toFixed(decimals);
  return (Number(text) === 0 ? text.replace("-", "") : text).replace("-", "−");
};
