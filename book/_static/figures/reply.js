/**
 * Reads the parameters that a reply proposes: propslib/brain/reply.py in JavaScript, function by
 * function and with the same sentences. Reading is kind to form and strict about content; nothing
 * is guessed. `tests/test_figures.py` gives both the same replies and compares.
 */

import { general, rounded } from "./python_numbers.js";
import { answerText, tokensOf } from "./reply_tokens.js";

/** @typedef {import("./reply_tokens.js").Token} Token */

/**
 * @typedef {{index: number, value: number|null, text: string, start: number, end: number,
 *   after: number}} Assignment
 *   value: null if what was written is not one plain finite number; start and end: its characters
 *   in the source, name included; after: place of the first token after it
 */

const ASIDE = 80; // characters; a longer comment or parenthesis is prose, and prose ends a block
const NUMBER_ROW = /^[ \t|*`]{0,40}[-+]?\.?[0-9][^|]{0,40}\|/u;
// After a number: not a plain one.
const GOES_ON = new Set([..."%/^±+×·~<>°:=→", ":=", "->", "=>", "percent"]);
// Between two numbers: these belong together.
const JOINS = new Set(",|—".split("").concat("and or to x e by is plus minus times".split(" ")));
const DECORATION = ["space", "mark", "bracket"];
const LIGHT = ["space", "mark"];
// Ideographs that are numbers: for Unicode they are letters, for Python's isnumeric() they count.
const NUMERALS = new Set(
  "㐅㒃㠪㭍一七万三九二五亖亿什仟仨伍佰億兆兩八六十千卄卅卌叁参參叄四壱壹幺廾廿弌弍弎弐拾捌柒漆玖百肆萬貮貳贰阡陆陌陸零\uf96b\uf973\uf978\uf9b2\uf9d1\uf9d3\uf9fd𠀁𠁤𠃢𠄡𠤪𠦃𠦌𠦜𠫪𠫽𠬙𢎐𢦘𣬛𦉭\u{2f890}",
);
const isNumeric = (letter) => /\p{N}/u.test(letter) || NUMERALS.has(letter);

/** The place of the first token from k on that is of none of these kinds. */
function skip(tokens, k, kinds = LIGHT) {
  while (kinds.includes(tokens[k].kind)) k += 1;
  return k;
}

/** The place after `mark` in the next ASIDE characters, or 0; `past` is added to where it begins. */
function findNear(source, mark, start, past) {
  // Characters, of which some take two places in a JavaScript string.
  const near = [...source.slice(start, start + 2 * ASIDE)].slice(0, ASIDE).join("");
  const found = near.indexOf(mark);
  return found < 0 ? 0 : start + found + past;
}

/** v + 1 if number v stands alone; a later place if it goes on: 1/2, 5%, 0,5, 1 000, 2*x. */
function valueEnd(tokens, v) {
  const n = skip(tokens, v + 1);
  const after = tokens[n];
  const between = tokens.slice(v + 1, n).map(({ kind }) => kind);
  const glued = !between.includes("space");
  const m = after.kind === "end" ? n : skip(tokens, n + 1);
  const joins =
    JOINS.has(after.text.toLowerCase()) ||
    (after.kind === "other" && (after.text !== "(" || glued));
  if (tokens[m].kind === "number" && joins) return m + 1;
  if (
    after.kind === "number" ||
    after.kind === "odd" ||
    GOES_ON.has(after.text.toLowerCase()) ||
    (after.kind === "word" && (glued || isNumeric([...after.text][0]))) ||
    (after.kind === "name" && glued) ||
    (after.text === "." && tokens[m].text === ".") ||
    (between.join() === "space,mark,space" && tokens[v + 2].text.includes("*"))
  ) {
    return (tokens[m].kind === "number" ? m : n) + 1;
  }
  return v + 1;
}

/** A plain finite number, or null: NaN, None ... and 007, half of a 1,007. */
function valueOf(text) {
  const digits = text.replaceAll(" ", "").replace(/^[+-]+/, "");
  if (!/^[.0-9]/.test(digits) || /^0[0-9]/.test(digits)) return null;
  const value = Number(digits) * (text[0] === "-" ? -1 : 1);
  return Number.isFinite(value) ? value : null;
}

/**
 * The assignment whose name is token k, if there is one.
 * @returns {Assignment|null}
 */
function assignmentAt(source, tokens, k) {
  if (tokens[k].kind !== "name") return null;
  const o = skip(tokens, k + 1);
  if (tokens[o].kind !== "operator" && tokens[o].text !== "|") return null;
  const v = skip(tokens, o + 1);
  if (tokens[v].kind !== "number" && tokens[v].kind !== "odd") return null;
  const after = valueEnd(tokens, v);
  const end = tokens[after - 1].end;
  const text = source.slice(tokens[v].start, end);
  const value = after === v + 1 ? valueOf(text) : null;
  return { index: tokens[k].index, value, text, start: tokens[k].start, end, after };
}

/** Whether a sentence goes on at token k: "params[1]: 5 was slow" begins a reason, not a row. */
function inProse(tokens, k) {
  while (LIGHT.includes(tokens[k].kind) || [",", ";", "and"].includes(tokens[k].text)) k += 1;
  return tokens[k].kind === "word" || tokens[k].text === "is";
}

/**
 * The place of the next name in the block, and what lies before it: "" (separators only), "aside"
 * (a comment or a parenthesis), "line" (a line break) or null (prose: the block ends).
 * @returns {[number, string|null]}
 */
function follow(source, tokens, k, listed) {
  let crossed = "";
  let separated = false;
  while (tokens[k].kind !== "name") {
    const { kind, text, start } = tokens[k];
    let stop = tokens[k].end;
    const following = ["|", "-", "."].includes(text) ? tokens[skip(tokens, k + 1)].kind : kind;
    if ((kind === "comment" && following !== "name") || (text === "|" && following === "word")) {
      crossed = crossed || "aside";
      stop = findNear(source, "\n", start, 0);
    } else if (text === "(") {
      crossed = crossed || "aside";
      stop = findNear(source, ")", start, 1);
    } else if (kind === "newline") {
      // A line of prose that ends in an assignment ("... with params[2]: 5") starts no list.
      crossed = "line";
      if (!listed && !separated) stop = 0;
    } else if (kind === "separator" || kind === "comment") {
      separated = true;
    } else if (text === ".") {
      // "1." is a number; "5. Then" ends a sentence.
      const ends = ["newline", "separator", ...(listed ? ["comment", "other"] : [])];
      if (!ends.includes(following)) stop = 0;
    } else if (!DECORATION.includes(kind)) {
      stop = 0;
    }
    if (stop <= start) return [k, null];
    while (tokens[k].start < stop) k += 1;
  }
  return [k, crossed];
}

/** The place of a list's first value: past a bracket, past "params =" or JSON's "params":. */
function listStart(tokens, k, quoted) {
  let i = skip(tokens, quoted ? k : k + 1);
  if (tokens[i].text === "{") i = skip(tokens, i + 1);
  if (tokens[i].text.toLowerCase() === "params") {
    i = skip(tokens, i + 1);
    if (tokens[i].kind !== "operator") return -1;
    i = skip(tokens, i + 1);
  }
  return i;
}

/** Whether the lines around tokens k to i begin with a number in a table's cell. */
function besideNumbers(source, tokens, k, i) {
  const above = source.slice(
    tokens[k].start > 0 ? source.lastIndexOf("\n", tokens[k].start - 1) + 1 : 0,
    tokens[k].start,
  );
  const below = source.slice(tokens[i].start + 1, source.indexOf("\n", tokens[i].start + 1));
  return NUMBER_ROW.test(above) || NUMBER_ROW.test(below);
}

/**
 * The values of a list that fills the line begun by token k, or of JSON's "params": [...].
 * @returns {Token[]}
 */
function listAt(source, tokens, k) {
  const quoted = tokens[k].text.toLowerCase() === "params" && tokens[k + 1].text.includes('"');
  if (!quoted && tokens[k].kind !== "newline") return [];
  let i = listStart(tokens, k, quoted);
  if (i < 0) return [];
  const enclosed = ["[", "("].includes(tokens[i].text);
  const blank = enclosed ? [...LIGHT, "newline"] : LIGHT;
  i = skip(tokens, enclosed || tokens[i].text === "|" ? i + 1 : i, blank);
  const values = [];
  const separators = new Set();
  while (["number", "odd"].includes(tokens[i].kind)) {
    values.push(tokens[i]);
    i = skip(tokens, tokens[i + 1].text === "." ? i + 2 : i + 1, blank);
    if (tokens[i].kind !== "separator") break;
    separators.add(tokens[i].text);
    i = skip(tokens, i + 1, blank);
  }
  const bullet = values.length > 0 && !enclosed && values[0].text[1] === " "; // or is "- 1" a minus?
  if (bullet || separators.size > 1) return [];
  if (enclosed && !["]", ")"].includes(tokens[i].text)) return [];
  i = skip(tokens, tokens[i].text === ")" ? i + 1 : i, DECORATION);
  // Beside other rows of numbers it is part of a larger table.
  if (separators.has("|") && besideNumbers(source, tokens, k, i)) return [];
  return quoted || ["newline", "end"].includes(tokens[i].kind) ? values : [];
}

/**
 * Groups of assignments in the order of the text, each read until it names all of them.
 * @returns {Generator<Assignment[]>}
 */
function* blocksOf(source, size) {
  const tokens = tokensOf(source);
  let k = 0;
  let listed = false; // nothing but decoration since the line began
  while (tokens[k].kind !== "end") {
    const values = listAt(source, tokens, k);
    if (values.length === size) {
      yield values.map(({ text, start, end }, index) => {
        return { index, value: valueOf(text), text, start, end, after: k };
      });
    }
    let found = assignmentAt(source, tokens, k);
    if (!found) {
      const { kind } = tokens[k];
      listed = kind === "newline" || (listed && DECORATION.includes(kind));
      k += 1;
      continue;
    }
    const block = [];
    const named = new Set();
    let crossed = "";
    while (found && !(crossed && named.size === size)) {
      block.push(found);
      if (found.index < size) named.add(found.index);
      [k, crossed] = follow(source, tokens, found.after, listed);
      listed = listed || crossed === "line";
      found = crossed === null ? null : assignmentAt(source, tokens, k);
      if (found && crossed === "line" && inProse(tokens, found.after)) found = null;
    }
    yield block;
    k = block.at(-1).after;
    listed = false;
  }
}

/** The block that is meant as the proposal: the first whole one, else the one that names most. */
function proposal(source, size, sparse) {
  let best = [];
  let most = 0;
  for (const block of blocksOf(source, size)) {
    const indices = block.map(({ index }) => index).filter((index) => index < size);
    const named = new Set(indices).size;
    if (named > most || best.length === 0) [best, most] = [block, named];
    // As many assignments as parameters: meant as a proposal, even if one is doubled or outside.
    if (sparse || named === size || block.length >= size) return block;
  }
  return best;
}

const shorten = (text) => ([...text].length <= 24 ? text : `${[...text].slice(0, 20).join("")}...`);

const firstTen = (items, joint) =>
  [...items.slice(0, 10), ...(items.length > 10 ? [`and ${items.length - 10} more`] : [])].join(
    joint,
  );

function names(fault, indices) {
  const sorted = [...new Set(indices)].sort((a, b) => a - b);
  const list = sorted.map((index) => `params[${index}]`);
  return list.length > 0 ? `${fault}: ${firstTen(list, ", ")}` : "";
}

/** What to send, as a refusal ends. */
function cureFor({ size, low, high, missing }) {
  const count = Math.min(size, 2);
  const example = Array.from({ length: count }, (_, i) => `params[${i}]: <number>`).join(", ");
  let amount = size > 1 ? `all ${size} numbers` : "one number";
  if (missing !== null) amount = `the numbers that are not ${general(missing)}`;
  const dots = size > 2 ? ", ..." : ".";
  return `Send ${amount}, each once and from ${general(low)} to ${general(high)}, as ${example}${dots}`;
}

/** What is wrong with a block's assignments, and the numbers that they name. */
function check(block, { size, low, high, missing }) {
  const numbers = new Map();
  const faults = [];
  const doubled = [];
  const good = [];
  for (const { index, value, text } of block) {
    const before = faults.length + doubled.length;
    if (index >= size) {
      faults.push(`params[${index}] does not exist, the last one is params[${size - 1}]`);
    } else if (numbers.has(index)) {
      doubled.push(index);
    } else if (value === null) {
      faults.push(`params[${index}] is '${shorten(text)}', not one plain finite number`);
    } else if (!(low <= value && value <= high)) {
      faults.push(
        `params[${index}] is ${shorten(text)}, outside ${general(low)} to ${general(high)}`,
      );
    }
    good.push(faults.length + doubled.length === before);
    if (index < size && !numbers.has(index)) numbers.set(index, value);
  }
  const all = Array.from({ length: size }, (_, i) => i);
  const absent = missing === null ? all.filter((i) => !numbers.has(i)) : [];
  const wrong = [
    firstTen(faults, "; "),
    names("given twice", doubled),
    names("missing", absent),
  ].filter((fault) => fault !== "");
  return { numbers, good, wrong };
}

/**
 * The first complete proposal in a reply, or why there is none.
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
    throw new RangeError(
      `need size >= 1 and low <= high, got size=${size}, low=${low}, high=${high}`,
    );
  }
  const settings = { size, low, high, missing };
  const refuse = (why, taken = []) => {
    return { params: null, refusal: `${why} ${cureFor(settings)}`, taken };
  };
  const { problem, text: source, places } = answerText(reply);
  if (problem) return refuse(problem);
  const block = proposal(source, size, missing !== null);
  if (block.length === 0) return refuse("The reply holds no proposal that can be read.");
  const { numbers, good, wrong } = check(block, settings);
  const taken = block.map(({ index, value, text, start, end }, i) => {
    const place = { start: places[start], end: places[end - 1] + 1 };
    return { index, text, value, ...place, good: good[i] };
  });
  if (wrong.length > 0) return refuse(`${wrong.join("; ")}.`, taken);
  const written = Array.from({ length: size }, (_, i) => numbers.get(i) ?? missing);
  const params = written.map((value) => (decimals === null ? value : rounded(value, decimals)) + 0);
  return { params, refusal: null, taken };
}
