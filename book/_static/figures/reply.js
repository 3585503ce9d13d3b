/**
 * Reads the parameters that a reply proposes: propslib/brain/reply.py in JavaScript, function by
 * function, with the same sentences and, from reply.toml, the same expressions. Each character
 * keeps its place, so that a page can show what was read. `tests/test_figures.py` gives both the
 * same replies and compares.
 */

import { DATA } from "./prompt_data.js";
import { general, rounded } from "./python_numbers.js";

/**
 * @typedef {{index: number, value: number|null, text: string, start: number, end: number,
 *   from: number}} Assignment
 *   value: null if what was written is not one plain finite number; start and end: its characters
 *   in the text, name included; from: where its value begins
 */

const LONGEST = 200_000; // characters
const compiled = new Map();

/** One of the expressions: "all" its places, "at" a place, the "whole" text, or "find" it. */
function pattern(name, use) {
  const key = `${use} ${name}`;
  if (!compiled.has(key)) {
    const text = DATA.patterns[name].replaceAll("(?P<", "(?<").replaceAll("\\Z", "$");
    const flags = { all: "giu", at: "iuy" }[use] ?? "iu";
    compiled.set(key, new RegExp(use === "whole" ? `^(?:${text})$` : text, flags));
  }
  return compiled.get(key);
}
const all = (name, text) => [...text.matchAll(pattern(name, "all"))];
const whole = (name, text) => pattern(name, "whole").exec(text);
const find = (name, text) => pattern(name, "find").exec(text);
function at(name, text, place) {
  const sticky = pattern(name, "at");
  sticky.lastIndex = place;
  return sticky.exec(text);
}

const [ODD, PLAIN] = DATA.alike.map((signs) => [...signs]);
const ALIKE = new Map(ODD.map((sign, i) => [sign, PLAIN[i]]));
const isBlank = (text) => !/[^ \t\n]/u.test(text);
const blanks = (count) => " ".repeat(count);

/**
 * The reply without reasoning, in plain signs, behind a line break: place i is place i - 1 in it.
 * @returns {{text: string} | {problem: string}}
 */
function answerText(reply) {
  const length = reply.length > LONGEST ? [...reply].length : 0;
  if (length > LONGEST) {
    return { problem: `The reply has ${length} characters; at most ${LONGEST} are read.` };
  }
  const lines = reply.replace(/\p{Surrogate}/gu, "\ufffd").replaceAll("\r\n", " \n");
  const text = Array.from(lines, (sign) => ALIKE.get(sign) ?? sign).join("");
  if (isBlank(text)) return { problem: "The reply was empty." };
  let answer = "";
  let opened = "";
  for (const tag of all("reasoning", text)) {
    const closes = Boolean(tag[1] || tag[2]);
    if (closes) answer = `${opened ? answer : ""}\n`.padEnd(tag.index + tag[0].length);
    else if (!opened) answer += text.slice(answer.length, tag.index);
    opened = closes ? "" : tag[0];
  }
  if (["", "["].includes(opened.slice(0, 1))) answer += text.slice(answer.length);
  if (isBlank(answer)) return { problem: "The reply holds only reasoning and no answer." };
  return { text: `\n${answer.replace(pattern("escaped", "all"), (mark) => blanks(mark.length))}` };
}

/** The text without bold, quotes and comments, and its comments alone, each in its place. */
function layersOf(answer) {
  const blank = (found) => found.replace(/[^()\n]/g, " ");
  let text = answer.replace(pattern("fence", "all"), blank);
  for (const name of DATA.pairs) {
    text = text.replace(
      pattern(name, "all"),
      (_, mark, inner) => blanks(mark.length) + inner + blanks(mark.length),
    );
  }
  const main = text.replace(pattern("aside", "all"), blank);
  const aside = text.split("").map((sign, i) => (sign !== main[i] || sign === "\n" ? sign : " "));
  return [main, aside.join("")];
}

/** The number that a text is, or null: NaN, 1e999 and 007, half of a 1,007. */
function numberOf(text) {
  const value = whole("number", text.replace(/\.$/, "")) ? Number(text.replace(/[ \t]/g, "")) : NaN;
  return Number.isFinite(value) ? value : null;
}

/**
 * Names with an operator and what may be a value.
 * @returns {Assignment[]}
 */
function assignmentsIn(text) {
  const names = all("assignment", text);
  return names.flatMap((name, i) => {
    const from = name.index + name[0].length;
    const segment = text.slice(from, names[i + 1]?.index);
    const plain = name[2] ? null : at("value", segment, 0);
    const written = plain ? plain[1] : at("written", segment, 0)[0].replace(/[ \t]+$/, "");
    if (!plain && !find("says", [...written].slice(0, 24).join(""))) return [];
    const [start, end] = [name.index, from + written.length];
    const value = plain ? numberOf(written) : null;
    return [{ index: Number(name[1]), value, text: (name[2] ?? "") + written, start, end, from }];
  });
}

/**
 * Assignments that belong together: on one line, or on lines of their own up to the last.
 * @returns {Assignment[][]}
 */
function blocksIn(text, size) {
  const blocks = [];
  let named = new Set();
  let listed = false;
  let plain = false;
  let end = 0;
  for (const found of assignmentsIn(text)) {
    const gap = text.slice(end, found.start);
    const line = named.size < size && whole("next_line", gap);
    const row = line && (listed || !isBlank(line[1]));
    const sentence = at("sentence", text, found.end - found.text.length);
    // A value that is no number may be a sentence: what follows without a separator is another.
    const same = whole("same_line", gap) && (plain || !isBlank(gap));
    if (blocks.length > 0 && (same || (row && !sentence))) {
      blocks.at(-1).push(found);
    } else {
      const before = text.slice(Math.max(end, found.start - 80), found.start);
      named = new Set();
      listed = Boolean(find("starts_line", before));
      const changed = listed ? null : find("changed", before);
      if (changed) {
        found.text = before.slice(changed.index) + text.slice(found.start, found.end);
        found.value = null;
      }
      blocks.push([found]);
    }
    end = found.end;
    plain = found.value !== null;
    if (found.index < size) named.add(found.index);
  }
  return blocks.flatMap((block) => {
    const step = block.length % size === 0 ? size : block.length;
    return Array.from({ length: block.length / step }, (_, k) => block.slice(k * step, (k + 1) * step),
    );
  });
}

/**
 * Lists of numbers that fill a line or follow a label, as assignments.
 * @returns {Assignment[][]}
 */
function listsIn(text) {
  let columns = [];
  let end = -1;
  return all("list", text).flatMap((found) => {
    const { above, label, open, inside, bare } = found.groups;
    const body = inside ?? bare;
    const items = all("item", body);
    const table = body.includes("|");
    // Other rows of a table have its columns, too.
    if (!table || found.index !== end) columns = table && above ? columnsOf(above) : items.map((_, i) => i);
    end = found.index + found[0].length;
    const separators = [",", ";", "|"].filter((sign) => body.includes(sign));
    const alone = label || open === "[" || items.length > 1;
    if (separators.length > 1 || !alone || columns.length !== items.length) return [];
    // The list is the end of what was found but for what closes it, which holds no number.
    const place = found.index + found[0].lastIndexOf(body);
    return [
      items.map((item, i) => {
        const start = place + item.index;
        const value = numberOf(item[0]);
        return { index: columns[i], value, text: item[0], start, end: start + item[0].length };
      }),
    ];
  });
}

/** The parameters that a table's header names; none if it names something else. */
function columnsOf(header) {
  const other = /[a-z]/i.test(header.replace(pattern("name", "all"), ""));
  return other ? [] : all("name", header).map((name) => Number(name[1]));
}

const valuesOf = (block) => new Map(block.toReversed().map(({ index, value }) => [index, value]));
const range = (size) => Array.from({ length: size }, (_, i) => i);
const shorten = (text) => ([...text].length <= 24 ? text : `${[...text].slice(0, 20).join("")}...`);
const firstTen = (items, joint) =>
  [...items.slice(0, 10), ...(items.length > 10 ? [`and ${items.length - 10} more`] : [])].join(joint);

function names(fault, indices) {
  const sorted = [...new Set(indices)].sort((a, b) => a - b);
  const list = sorted.map((index) => `params[${index}]`);
  return list.length > 0 ? `${fault}: ${firstTen(list, ", ")}` : "";
}

/** What to send, as a refusal ends. */
function cureFor({ size, low, high, missing }) {
  const example = range(Math.min(size, 2)).map((i) => `params[${i}]: <number>`);
  let amount = size > 1 ? `all ${size} numbers` : "one number";
  if (missing !== null) amount = `the numbers that are not ${general(missing)}`;
  const limits = `from ${general(low)} to ${general(high)}`;
  return `Send ${amount}, each once and ${limits}, as ${example.join(", ")}${size > 2 ? ", ..." : "."}`;
}

/** What is wrong with the assignments of a block, all but what is missing; marks the good ones. */
function faultsOf(block, { size, low, high }) {
  const faults = [];
  const seen = new Set();
  const doubled = [];
  for (const assignment of block) {
    const { index, value, text } = assignment;
    const before = faults.length + doubled.length;
    if (index >= size) {
      faults.push(`params[${index}] does not exist, the last one is params[${size - 1}]`);
    } else if (seen.has(index)) {
      doubled.push(index);
    } else if (value === null) {
      faults.push(`params[${index}] is '${shorten(text)}', not one plain finite number`);
    } else if (!(low <= value && value <= high)) {
      faults.push(`params[${index}] is ${shorten(text)}, outside ${general(low)} to ${general(high)}`);
    }
    assignment.good = faults.length + doubled.length === before;
    seen.add(index);
  }
  return [firstTen(faults, "; "), names("given twice", doubled)];
}

const differs = (block, values) => {
  const own = valuesOf(block);
  return own.size !== values.size || [...own].some(([index, value]) => values.get(index) !== value);
};

/** A block as it was written, as far as another one differs from it. */
function shown(block, other) {
  const same = valuesOf(other);
  const parts = block.filter(({ index, value }) => same.get(index) !== value);
  const texts = parts.map(({ index, text }) => `params[${index}]: ${shorten(text)}`);
  return `'${firstTen(texts, ", ")}'`;
}

/**
 * The one proposal that a reply holds, or why there is none.
 * @param {string} reply
 * @param {{size: number, low: number, high: number, decimals?: number|null,
 *   missing?: number|null}} settings as in Python's read_params
 * @returns {{params: number[]|null, refusal: string|null, taken: {index: number, text: string,
 *   value: number|null, start: number, end: number, good: boolean}[]}} params, or the sentence
 *   that goes back to the model; taken: the assignments that were taken for the proposal, with
 *   their characters' places in the reply
 * @throws {RangeError} if size < 1 or low > high
 */
export function readParams(reply, { size, low, high, decimals = null, missing = null }) {
  if (!(size >= 1 && low <= high)) {
    throw new RangeError(`need size >= 1 and low <= high, got size=${size}, low=${low}, high=${high}`);
  }
  const settings = { size, low, high, missing };
  const cure = cureFor(settings);
  const answer = answerText(reply);
  if (answer.problem) return { params: null, refusal: `${answer.problem} ${cure}`, taken: [] };
  const layers = layersOf(answer.text);
  const blocks = layers.flatMap((layer) => blocksIn(layer, size));
  const lists = listsIn(layers[0]);
  const full = (block) => Math.max(block.length, valuesOf(block).size) >= size;
  const proposals = [
    ...blocks.filter((block) => missing !== null || full(block)),
    ...lists.filter((list) => list.length === size),
  ].sort((a, b) => a[0].start - b[0].start);
  const most = Math.max(0, ...blocks.map((block) => valuesOf(block).size));
  const best = proposals[0] ?? blocks.find((block) => valuesOf(block).size === most) ?? [];
  const values = valuesOf(best);
  const named = new Set(layers.flatMap((layer) => all("name", layer)).map((name) => +name[1]));
  const absent = range(size).filter((i) => !values.has(i) && (missing === null || named.has(i)));
  let faults = [...faultsOf(best, settings), names(missing === null ? "missing" : "named without a number", absent)];
  if (best.length === 0) {
    faults = ["The reply holds no proposal that can be read"];
    if (lists[0]) faults.push(`it has a list of ${lists[0].length}, not of ${size}`);
  }
  for (const other of proposals.filter((block) => differs(block, values))) {
    const both = `${shown(best, other)} and ${shown(other, best)}`;
    faults = [`The reply holds two different proposals, ${both}`];
  }
  const taken = best.map(({ index, text, value, start, end, good }) => {
    return { index, text, value, start: start - 1, end: end - 1, good };
  });
  const wrong = faults.filter((fault) => fault !== "");
  if (wrong.length > 0) return { params: null, refusal: `${wrong.join("; ")}. ${cure}`, taken };
  const written = range(size).map((i) => values.get(i) ?? missing);
  const params = written.map((value) => (decimals === null ? value : rounded(value, decimals)) + 0);
  return { params, refusal: null, taken };
}
