/**
 * The first steps of reading a reply, as in propslib/brain/reply.py: drop what is reasoning, put
 * plain characters for their look-alikes, and cut the rest into names, numbers, separators, words.
 * Each character keeps its place in the reply, so that a page can show what was read.
 */

// Python finds these, too, where it ignores case.
const KIN = { i: "iIıİ", s: "sSſ", k: "kK\u212a" };
const LETTER = "[A-Za-zıİſ\u212a]";

/** A pattern for a word in capitals, small letters or both. */
const any = (word) =>
  [...word].map((letter) => `[${KIN[letter] ?? letter + letter.toUpperCase()}]`).join("");

const WORD = "[\\p{L}\\p{N}]"; // Python's \w is this or an underscore
const WORD_ENDS = "(?![\\p{L}\\p{N}_])";
const PARAM = `${any("param")}${any("s")}?`;
const BLANK = /^[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]*$/;
const THINK = new RegExp(`<(/?)${any("think")}(?:${any("ing")})?>`, "gu");
const ESCAPED = /\\([()])|\\(?=[[\]_{}*])/gu;

// Minus signs, hyphens, full-width marks and wide spaces, and their plain kin; the last are dropped.
const ODD = "\u2212\u2010\u2011\u2012\u2013\ufe63\uff0d\uff0b\uff1a\uff0c\u3001\uff1b\uff1d\xa0\u2007\u2009\u202f";
const PLAIN = "-------+:,,;=    ";
const DROPPED = "\u200b\u2060\ufeff\r";
const ALIKE = new Map([
  ...[...ODD].map((mark, i) => [mark, PLAIN[i]]),
  ...[...DROPPED].map((mark) => [mark, ""]),
]);

// The kinds in the order in which they are tried.
const KINDS = {
  newline:
    "\\n(?:[ \\t>|]{0,40}(?:[-+*•] {1,8})?(?:\\(?[0-9]{1,4}[.):][ \\t]{1,8})?" +
    `(?=[ \\t{"'\`*_$]{0,40}${PARAM} ?[[(_]))?`, // with bullet or number
  name:
    `${PARAM}(?: ?\\[ ?(?=[0-9]+ ?\\])|\\((?=[0-9]+\\))|_\\{?)` +
    "(?<index>[0-9]{1,9})(?![0-9]) ?[\\])}]?",
  number:
    "(?:[+-] {0,2})?(?:[0-9]+(?:\\.[0-9]+|\\.(?=[eE][+-]?[0-9]))?|\\.[0-9]+)(?:[eE][+-]?[0-9]+)?",
  odd:
    `[+-]?(?:${any("nan")}|${any("inf")}(?:${any("inity")})?|${any("none")}|${any("null")}|∞)` +
    WORD_ENDS,
  operator: `:=|=>|->|→|=|:|${any("is")}${WORD_ENDS}`,
  separator: `[,;|&•]|${any("and")}${WORD_ENDS}`,
  space: `[ \\t]+|</?${LETTER}(?:${LETTER}|[0-9]){0,20} ?/?>`, // a tag counts as space
  mark: "[*_`\"'$’“”\\\\]+",
  bracket: "[\\][{})]",
  comment: "#|//(?! ?[0-9])|-(?! ?[0-9.])|—",
  word: `${WORD}+`,
  other: ".",
};
const NAMES = Object.keys(KINDS);
const TOKEN = new RegExp(NAMES.map((kind) => `(?<${kind}>${KINDS[kind]})`).join("|"), "gsu");

/** Whether nothing but white space stands in a text. */
const isBlank = (text) => BLANK.test(text);

/** The stretches [start, end] of a reply that are no reasoning. */
function answers(reply) {
  let kept = [];
  let start = 0;
  let thinking = false;
  for (const tag of reply.matchAll(THINK)) {
    const closes = tag[1] === "/";
    if (closes && !thinking) {
      kept = []; // some servers swallow the opening tag: all so far was reasoning
    } else if (!thinking) {
      kept.push([start, tag.index]);
    }
    thinking = !closes;
    start = tag.index + tag[0].length;
  }
  return thinking ? kept : [...kept, [start, reply.length]];
}

/**
 * The reply without reasoning, look-alikes replaced, a line break before each stretch of it.
 * @returns {{text: string, places: number[]} | {problem: string}} places[i] is the place in the
 *   reply of the text's character i
 */
export function answerText(reply) {
  if (isBlank(reply)) return { problem: "The reply was empty." };
  const stretches = answers(reply);
  if (stretches.every(([start, end]) => isBlank(reply.slice(start, end)))) {
    return { problem: "The reply holds only reasoning and no answer." };
  }
  const letters = [];
  const origins = [];
  for (const [start, end] of stretches) {
    letters.push("\n");
    origins.push(start);
    for (let i = start; i < end; i++) {
      const letter = ALIKE.get(reply[i]) ?? reply[i];
      if (letter === "") continue;
      letters.push(letter);
      origins.push(i);
    }
  }
  return unescaped(letters.join(""), origins);
}

/** Markdown's backslashes before brackets and marks, dropped. */
function unescaped(text, origins) {
  let plain = "";
  const places = [];
  const keep = (from, to) => {
    plain += text.slice(from, to);
    for (let i = from; i < to; i++) places.push(origins[i]);
  };
  let done = 0;
  for (const found of text.matchAll(ESCAPED)) {
    keep(done, found.index);
    if (found[1]) {
      plain += " ";
      places.push(origins[found.index]);
    }
    done = found.index + found[0].length;
  }
  keep(done, text.length);
  return { text: plain, places };
}

/**
 * @typedef {{kind: string, text: string, start: number, end: number, index: number}} Token
 *   index: 12 for the name params[12], else -1
 */

/**
 * "so params[1]: 2" -> word, space, name (index 1), operator, space, number, end.
 * @returns {Token[]}
 */
export function tokensOf(source) {
  const tokens = [];
  for (const found of source.matchAll(TOKEN)) {
    const kind = NAMES.find((name) => found.groups[name] !== undefined);
    const end = found.index + found[0].length;
    const index = Number(found.groups.index ?? -1);
    tokens.push({ kind, text: found[0], start: found.index, end, index });
  }
  tokens.push({ kind: "end", text: "", start: source.length, end: source.length, index: -1 });
  return tokens;
}
