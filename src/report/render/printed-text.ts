/** What programs printed, quoted in a line of the report. */
import { quoted } from "./write-text.ts";

const shownLetters = 120;

const oneLine = (text: string): string => text.trim().replaceAll(/\s*\n\s*/g, " / ");
const briefly = (text: string): string => (text === "" ? "nothing" : quoted(oneLine(text), shownLetters));
/** Line ends and all. */
const exactly = (text: string): string =>
  text === "" ? "nothing" : quoted(JSON.stringify(text).slice(1, -1), shownLetters);

/** Each in one line; those that look alike and are not, as where a line is empty, to the letter. */
export function printedTexts(texts: readonly string[]): readonly string[] {
  const isAmbiguous = (text: string): boolean =>
    texts.some((other) => other !== text && briefly(other) === briefly(text)) || oneLine(text) === "";
  return texts.map((text) => (isAmbiguous(text) ? exactly(text) : briefly(text)));
}

/** `"Hello"; after a clean stop it prints nothing or "Hello"`, whatever the second part is. */
export function printedAgainst(
  printed: string,
  expected: readonly string[],
  join: (expected: readonly string[]) => string,
): string {
  const [told, ...right] = printedTexts([printed, ...expected]);
  return `${told}; after a clean stop it prints ${join(right)}`;
}
