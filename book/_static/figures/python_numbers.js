/** Numbers rounded and written as Python rounds and writes them. */

/**
 * Python's round(value, decimals): halves that are exact go to the even neighbour.
 * JavaScript's toFixed sends them away from zero, so that 0.25 would become 0.3 instead of 0.2.
 */
export function rounded(value, decimals) {
  if (Math.abs(value) >= 1e21) return value; // whole, and beyond what toFixed writes out
  const exact = value.toFixed(100);
  const end = exact.indexOf(".") + 1 + decimals;
  const cut = exact.slice(0, end);
  const half = /^50*$/.test(exact.slice(end));
  return Number(half && /[02468]\.?$/.test(cut) ? cut : value.toFixed(decimals));
}

/** Python's f"{value:g}": at most six digits, without zeros at the end. */
export function general(value) {
  const [digits, exponent] = value.toExponential(5).split("e");
  if (exponent >= -4 && exponent < 6) return String(rounded(value, 5 - exponent));
  const places = String(Math.abs(exponent)).padStart(2, "0");
  return `${Number(digits)}e${exponent < 0 ? "-" : "+"}${places}`;
}
