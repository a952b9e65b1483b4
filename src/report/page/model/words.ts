/** Facts as a reader reads them. */

import type * as document from "../../document/index.ts";
import { eventWord } from "../../document/index.ts";

export const plural = (count: number, word: string, many = `${word}s`): string =>
  `${count.toLocaleString("en")} ${count === 1 ? word : many}`;

export const baseName = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

/** "libpmemobj" for /usr/lib/x86_64-linux-gnu/libpmemobj.so.1.0.0. */
export const moduleName = (path: string): string => baseName(path).replace(/\.so(\.\d+)*$/, "");

/** "log.c:22", or what else tells where a frame is. */
export function lineText({ file, line, module, offset, address }: document.Frame): string {
  if (file !== undefined) return line === undefined ? baseName(file) : `${baseName(file)}:${line}`;
  return module === undefined ? address : `${moduleName(module)}+${offset ?? address}`;
}

/** "24 bytes at 0x80 of pool". */
export function rangeText({
  size,
  offset,
  address,
  file,
}: document.Write | (document.ReadBytes & { address?: string })): string {
  const at = offset === undefined ? address : `0x${offset.toString(16)}`;
  const where = at === undefined ? "" : ` at ${at}`;
  return `${plural(size, "byte")}${where}${file === undefined ? "" : ` of ${baseName(file)}`}`;
}

/** Pairs of digits with spaces, eight bytes a group; long ones end in an ellipsis. */
export function bytesText(bytes: string, most = 32): string {
  const pairs = bytes.match(/../g) ?? [];
  const groups = pairs.slice(0, most).map((pair, at) => (at > 0 && at % 8 === 0 ? ` ${pair}` : pair));
  return `${groups.join(" ")}${pairs.length > most ? " …" : ""}`;
}

/** The number that up to eight bytes are, lowest first. */
export function numberOf(bytes: string): bigint | undefined {
  const pairs = bytes.match(/../g) ?? [];
  if (pairs.length === 0 || pairs.length > 8) return undefined;
  return BigInt(`0x${pairs.toReversed().join("")}`);
}

/** Bytes that are letters, four or more of them, perhaps with zeros behind them. */
function lettersOf(bytes: string): string | undefined {
  const text = (bytes.match(/../g) ?? []).map((pair) => String.fromCharCode(Number.parseInt(pair, 16))).join("");
  const letters = text.replace(/\0+$/, "");
  return /^[\x20-\x7e]{4,}$/.test(letters) ? letters : undefined;
}

const numberText = (number: bigint): string => (number < 4096n ? String(number) : `0x${number.toString(16)}`);

/** What bytes mean to a reader: a number by their type; else text, a number where they may be one, or the bytes. */
export function valueText({ bytes, number: type }: Pick<document.ReadBytes, "bytes" | "number">): string {
  if (bytes === undefined) return "";
  const number = numberOf(bytes);
  if (type !== undefined && number !== undefined)
    return type === "signed" ? String(BigInt.asIntN(4 * bytes.length, number)) : numberText(number);
  const letters = lettersOf(bytes);
  if (letters !== undefined) return JSON.stringify(letters);
  if (number === undefined) return bytesText(bytes, 16);
  if (bytes.length === 2 && number > 0x20n && number < 0x7fn)
    return `${number} '${String.fromCharCode(Number(number))}'`;
  return numberText(number);
}

/** What was written, as its reader thinks of it: by its type where that is known. */
export function writtenText({ text, bytes, size, signed }: document.Write): string | undefined {
  if (text !== undefined) return JSON.stringify(text);
  const number = bytes === undefined || bytes.length !== 2 * size ? undefined : numberOf(bytes);
  if (number === undefined) return bytes && bytesText(bytes);
  return signed ? String(BigInt.asIntN(8 * size, number)) : numberText(number);
}

const shownObjects = 4;

const verdictWords: {
  readonly [K in document.Verdict["kind"]]: (verdict: document.Verdict & { readonly kind: K }) => string;
} = {
  exit: ({ code }) => `exits with ${code}`,
  signal: ({ name, address }) => `is killed by ${name}${address === undefined ? "" : `, accessing ${address}`}`,
  deadlock: () => "waits for ever",
  hang: ({ instructions }) => `does not end within ${instructions.toLocaleString("en")} instructions`,
  output: () => "ends well, but prints what it prints after no clean stop",
  leak: ({ objects }) =>
    `ends well, but leaves ${plural(objects.length, "object")} allocated that nothing refers to: ${objects
      .slice(0, shownObjects)
      .map(({ offset, size }) => `${size} bytes at 0x${offset.toString(16)}`)
      .join(", ")}`,
};
export const verdictText = (verdict: document.Verdict): string =>
  (verdictWords[verdict.kind] as (verdict: document.Verdict) => string)(verdict);

export const cutText = (before: string): string =>
  before === "end" ? "after the program's last event" : `before this ${eventWord(before)}`;

/** A command as it can be pasted into a shell. */
export const shellText = (words: readonly string[]): string =>
  words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(" ");

export const secondsText = (seconds: number): string =>
  seconds < 1
    ? `${Math.round(seconds * 1000)} ms`
    : seconds < 120
      ? `${seconds.toFixed(1)} s`
      : `${(seconds / 60).toFixed(1)} min`;

type Chosen<K> = K extends "crash" | "again" ? document.CrashChoice : Extract<document.Choice, { readonly kind: K }>;
const choiceWords: { readonly [K in document.Choice["kind"]]: (choice: Chosen<K>) => string } = {
  crash: ({ before }) => `cut the power before event ${before}`,
  again: ({ before }) => `cut the power again, before event ${before} of recovery`,
  cut: ({ file, line, kept }) => `of line ${line} of ${baseName(file)} keep the first ${plural(kept, "store")}`,
  turn: ({ thread, instructions }) => `run thread ${thread} for ${plural(instructions, "instruction")}`,
  drain: ({ thread, stores }) => `drain ${plural(stores, "store")} of thread ${thread}`,
  input: ({ at, bytes }) => `read ${bytesText(bytes, 8)} at ${at} of standard input`,
};
export const choiceText = (choice: document.Choice): string =>
  (choiceWords[choice.kind] as (choice: document.Choice) => string)(choice);
