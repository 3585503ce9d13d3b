/**
 * What a search costs: tokens from the sizes of its prompts, dollars from a price.
 * No drawing here; tests/test_figures.py compares with propslib.brain.cost.
 */

/**
 * Tokens of all calls of a search. Where a prompt shows all trials, each prompt is longer than the
 * one before by the same, so their sum grows with the square of the budget.
 * @param {{first: number, trial: number, fresh: number}} sizes tokens of the first prompt, of each
 *   trial more, and of what is new in each prompt
 * @param {number} budget proposals
 * @param {number} reply tokens of a reply, hidden reasoning included
 * @returns {{tokensIn: number, tokensOut: number, tokensCached: number}} tokensCached: those at the
 *   beginning of a prompt that equal the prompt before, which is the most that can be cached
 */
export function usage({ first, trial, fresh }, budget, reply) {
  const tokensIn = budget * first + (trial * budget * (budget - 1)) / 2;
  return {
    tokensIn: Math.round(tokensIn),
    tokensOut: budget * reply,
    tokensCached: Math.max(0, Math.round(tokensIn - first - (budget - 1) * fresh)),
  };
}

/**
 * US dollars for tokens, as `propslib.cost.Price.usd`.
 * @param {{input: number, output: number, cached: ?number, written: ?number}} price dollars per
 *   million tokens; null for cached and written where they cost as much as input
 */
export function usd(price, { tokensIn, tokensOut, tokensCached = 0 }) {
  const cached = Math.min(tokensCached, tokensIn);
  const atCached = price.cached ?? price.input;
  const atNew = price.written ?? price.input;
  return ((tokensIn - cached) * atNew + cached * atCached + tokensOut * price.output) / 1e6;
}
