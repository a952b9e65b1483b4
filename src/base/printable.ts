/**
 * Text from outside, made fit to be printed: names of symbols, files and tests, what a guest wrote. Always: nothing in it
 * moves the cursor, rings, hides, reverses or begins a line of its own; what would is shown as an escape.
 */

/** C0 and C1 controls; line and paragraph separators; what changes the direction of writing (Unicode TR 9) or has no width. */
const unprintable = "\\u0000-\\u001f\\u007f-\\u009f\\u061c\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u2069\\ufeff";
const anyUnprintable = new RegExp(`[${unprintable}]`, "g");
/** All of them but tabs and line ends. */
const unprintableInLines = new RegExp(`(?![\\t\\n])[${unprintable}]`, "g");
/** The same, and colours stay: they are ours where names were made printable before. */
const unprintableInColour = new RegExp(`\\u001b\\[[\\d;]*m|(?![\\t\\n])[${unprintable}]`, "g");

const short: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

function escaped(character: string): string {
  const code = character.charCodeAt(0);
  return short[character] ?? (code < 256 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u${code.toString(16)}`);
}

/** A name or a remark that is to stay within its line. */
export const printable = (text: string): string => text.replace(anyUnprintable, escaped);

/** A text of several lines. */
export const printableLines = (text: string): string =>
  text.replaceAll("\r\n", "\n").replace(unprintableInLines, escaped);

/** What goes to a terminal at last: lines, and our own colours. */
export const printableOutput = (text: string): string =>
  text.replace(unprintableInColour, (found) => (found.length > 1 ? found : escaped(found)));
