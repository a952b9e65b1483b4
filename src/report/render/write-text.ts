/** What was written, in words: the variable and its new value, or the range and what it holds. */
import { numberWords } from "../../base/index.ts";
import type { Write } from "../document/index.ts";
import { baseName } from "../document/index.ts";

const shownLetters = 40;
const shownBytes = 8;

export const quoted = (text: string, letters = shownLetters): string =>
  `"${text.length > letters ? `${text.slice(0, letters)}…` : text}"`;

/** `"message number 0"`, `1`, `0x197da57eb572fca3`; undefined where the bytes say nothing at a glance. */
function valueText({ size, bytes = "", text, signed }: Write): string | undefined {
  if (text !== undefined) return quoted(text.trimEnd());
  if (bytes.length !== 2 * size || size > shownBytes) return undefined;
  const value = BigInt(`0x${bytes.match(/../g)!.reverse().join("") || "0"}`);
  return numberWords(signed ? BigInt.asIntN(8 * size, value) : value);
}

const bytesText = (size: number): string => (size === 1 ? "1 byte" : `${size} bytes`);

/** "17 bytes at 0x48 of pool". */
export const rangeText = ({ size, offset = 0, file }: Write): string =>
  `${bytesText(size)} at 0x${offset.toString(16)} of ${baseName(file ?? "")}`;

/** `log->len = 1`, `log->rec[0].text = "message"`, `entry->value, 100 bytes`, `8 bytes at 0x40 of pool: 1`. */
export function writeText(write: Write): string {
  const value = valueText(write);
  if (write.name === undefined) return value === undefined ? rangeText(write) : `${rangeText(write)}: ${value}`;
  return value === undefined ? `${write.name}, ${bytesText(write.size)}` : `${write.name} = ${value}`;
}

/** `log->rec[0].text` as `log`, `->`, `rec`, `[0]`, `.`, `text`. */
const partsOf = (name: string): readonly string[] => name.match(/->|\.|\[[^\]]*\]|[^.[\]>-]+|./g) ?? [];

/** What several names have in common: `log->rec[0]` of its text and its sum. Undefined where one has no name. */
export function commonName(names: readonly (string | undefined)[]): string | undefined {
  const [first, ...others] = names.map((name) => (name === undefined ? undefined : partsOf(name)));
  if (first === undefined || others.some((each) => each === undefined)) return undefined;
  const apart = first.findIndex((part, at) => others.some((other) => other![at] !== part));
  const shared = apart < 0 ? [...first] : first.slice(0, apart);
  while (/^(->|\.)$/.test(shared.at(-1) ?? "")) shared.pop();
  return shared.join("") || undefined;
}

/** What several names have in common, if that tells a reader something: "this" does not. */
export function objectName(names: readonly (string | undefined)[]): string | undefined {
  const name = commonName(names);
  return name === "this" ? undefined : name;
}
