/**
 * Text from outside, made fit to be printed: names of symbols, files and tests, what a guest wrote. Always: nothing in it
 * moves the cursor, rings, hides, reverses or begins a line of its own; what would is shown as an escape.
 */

/**
 * Controls; line and paragraph separators; what changes the direction of writing, has no width or shows nothing (Unicode's general
 * categories, and Default_Ignorable_Code_Point: soft hyphens, joiners, fillers, variation selectors, tags); halves of a pair.
 */
const unprintable = "[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}\\p{Cs}\\p{DI}]";
const anyUnprintable = new RegExp(unprintable, "gu");
/** All of them but tabs and line ends. */
const unprintableInLines = new RegExp(`(?![\\t\\n])${unprintable}`, "gu");
/** A link of a terminal (OSC 8) to an address in ASCII, or its end. */
const link = "\\u001b\\]8;;(?:[a-zA-Z][\\w+.-]*:[!-~]*)?\\u001b\\\\";
/** The same, and colours and links stay: they are ours where names were made printable before. */
const unprintableInColour = new RegExp(`\\u001b\\[[\\d;]*m|${link}|(?![\\t\\n])${unprintable}`, "gu");

const short: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

function escaped(character: string): string {
  const code = character.codePointAt(0)!;
  const digits = code.toString(16);
  if (code < 0x100) return short[character] ?? `\\x${digits.padStart(2, "0")}`;
  return code < 0x10000 ? `\\u${digits.padStart(4, "0")}` : `\\u{${digits}}`;
}

/** A name or a remark that is to stay within its line. */
export const printable = (text: string): string => text.replace(anyUnprintable, escaped);

/** A text of several lines. */
export const printableLines = (text: string): string =>
  text.replaceAll("\r\n", "\n").replace(unprintableInLines, escaped);

/** In a document of JSON, where an escape means the same: no reader and no terminal sees it as it is. */
export const printableJson = (json: string): string =>
  json.replace(unprintableInLines, (found) =>
    Array.from({ length: found.length }, (_, at) => `\\u${found.charCodeAt(at).toString(16).padStart(4, "0")}`).join(
      "",
    ),
  );

/** What goes to a terminal at last: lines, and our own colours. */
export const printableOutput = (text: string): string =>
  text.replace(unprintableInColour, (found) =>
    found.length > 1 && found.startsWith("\u001b") ? found : escaped(found),
  );
