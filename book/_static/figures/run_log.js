/** Reads a run log: JSON lines, a header first, then warmup, ask and tell events. */

/**
 * @param {string} text a whole log
 * @returns {{header: object, warmup: object[], proposals: object[]}} warmup points as {params,
 *   value}; proposals as {iteration, params, value, reply, best}, where best is the highest value
 *   of the proposals so far
 */
export function readLog(text) {
  const [header, ...events] = text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line));
  const replies = new Map();
  const proposals = [];
  let best = -Infinity;
  for (const event of events) {
    if (event.event === "ask") replies.set(event.iteration, event.reply);
    if (event.event !== "tell") continue;
    const { iteration, params, value } = event;
    best = Math.max(best, value);
    proposals.push({ iteration, params, value, reply: replies.get(iteration) ?? "", best });
  }
  const warmup = events.filter((event) => event.event === "warmup");
  return { header, warmup, proposals };
}

/** What readers call the recordings of this book. */
const TITLES = {
  "mountaincar-props": "MountainCar, plain",
  "mountaincar-props-plus": "MountainCar, described",
  "mountaincar-props-wide": "MountainCar, plain, box of ±10",
  "mountaincar-disguised": "MountainCar in disguise",
  "swimmer-props": "Swimmer, plain",
  "swimmer-props-plus": "Swimmer, described",
  "swimmer-disguised": "Swimmer in disguise",
};
export const title = (name) => TITLES[name] ?? name;

/** A recording of this book, which is served beside the figures. */
export async function fetchLog(name) {
  const answer = await fetch(new URL(`../${name}.jsonl`, import.meta.url));
  if (!answer.ok) throw new Error(`The recording ${name} was not found: ${answer.status}.`);
  return readLog(await answer.text());
}
