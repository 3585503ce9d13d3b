/** The prompts of the recorded search, and how `LLMBrain` reads a reply to one of them. */

import { DATA } from "./prompt_data.js";
import { readParams } from "./reply.js";

/** How many proposals the search has. */
export const BUDGET = DATA.replies.length;

/** The settings with which a reply is read: size, low, high and decimals. */
export const SETTINGS = DATA.settings;

const NAMES = ["role", "parameters", "answer form", "keep in mind", "history", "iteration"];

/** The lines of the trials that came before proposal k (from 1 to BUDGET). */
const linesBefore = (k) => DATA.lines.slice(0, DATA.warmup + k - 1);

/**
 * The prompt for proposal k in its parts; with an empty line between them it is the prompt.
 * @returns {{name: string, text: string}[]}
 */
export function promptParts(k) {
  const history = [DATA.heading, ...linesBefore(k)].join("\n");
  const texts = [...DATA.fixed, history, DATA.ending.replace("{k}", k)];
  return texts.map((text, i) => ({ name: NAMES[i], text }));
}

/** What the model replied for proposal k. */
export const recordedReply = (k) => DATA.replies[k - 1];

/** A reply to the prompt for proposal k, as `readParams` reads it; a point tried before is refused. */
export function readReply(reply, k) {
  const read = readParams(reply, SETTINGS);
  if (read.params === null) return read;
  const point = read.params.map((number, i) => `params[${i}]: ${number.toFixed(SETTINGS.decimals)}`);
  const trials = linesBefore(k).map((line) => line.split("; f(params): "));
  const before = trials.find(([params]) => params === point.join("; "));
  if (!before) return read;
  const refusal =
    `That point was evaluated before, with f(params) = ${before[1]}. ` +
    "Propose one that is not in the list.";
  return { ...read, params: null, refusal };
}
