/**
 * Every decision that a run leaves open, in one vocabulary: engines take decisions of these kinds and no others, and a
 * witness is a list of them. As text, a list of choices is one line that can be pasted. Always: a file's name in the text
 * has no blank in it.
 */
import { InputError } from "../../base/index.ts";
import type { ScheduleChoice } from "../../machine/index.ts";

/** Of a line of a persistent file: how many of its stores are kept, counted from the beginning of the trace. */
export interface CutChoice {
  readonly kind: "cut";
  /** As the trace names it. */
  readonly path: string;
  /** The line's number in the file. */
  readonly line: number;
  readonly kept: number;
  /** Of the last store that is kept, where it is wider than 8 bytes: which of its pieces, if not all. */
  readonly pieces?: readonly number[];
}

export type Choice =
  /** A thread's turn, or what leaves its store buffer. */
  | ScheduleChoice
  /** What the program reads, from a position of its standard input on. */
  | { readonly kind: "input"; readonly at: number; readonly bytes: readonly number[] }
  /** The power is cut before this event of the program; with `version`, before a file call that follows the event before. */
  | { readonly kind: "crash"; readonly before: number; readonly version?: number }
  | CutChoice
  /** The power is cut again, before this event of the recovery that follows the last crash; `version` as for the first. */
  | { readonly kind: "again"; readonly before: number; readonly version?: number };

type Texts = { readonly [K in Choice["kind"]]: (choice: Choice & { readonly kind: K }) => string };

const texts: Texts = {
  turn: ({ thread, instructions }) => `${thread}*${instructions}`,
  drain: ({ thread, stores, behind }) => `${thread}*${stores}${behind === undefined ? "" : `/${behind}`}`,
  input: ({ at, bytes }) => `${at}=${bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("")}`,
  crash: crashText,
  cut: ({ path, line, kept, pieces }) =>
    `${line}=${kept}${pieces === undefined ? "" : `/${pieces.join(",")}`}@${encodeURI(path).replaceAll("'", "%27")}`,
  again: crashText,
};

function crashText({ before, version }: { readonly before: number; readonly version?: number }): string {
  return `${before}${version === undefined ? "" : `/${version}`}`;
}

const textOf = (choice: Choice): string =>
  `${choice.kind}:${(texts[choice.kind] as (choice: Choice) => string)(choice)}`;

export const isScheduleChoice = (choice: Choice): choice is ScheduleChoice =>
  choice.kind === "turn" || choice.kind === "drain";

export const choiceText = (choices: readonly Choice[]): string => choices.map(textOf).join(" ");

const pair = (text: string, between: string): readonly [number, number] | undefined => {
  const [first, second, ...more] = text.split(between).map(wholeNumber);
  return first === undefined || second === undefined || more.length > 0 ? undefined : [first, second];
};

const wholeNumber = (text: string): number | undefined =>
  /^\d{1,15}$/.test(text) ? Number.parseInt(text, 10) : undefined;

const numbersOf = (texts: readonly string[]): readonly number[] | undefined => {
  const numbers = texts.map(wholeNumber);
  return numbers.every((number) => number !== undefined) ? numbers : undefined;
};

function parseCut(text: string): CutChoice | undefined {
  const found = /^(\d+)=(\d+)(?:\/([\d,]*))?@(\S+)$/.exec(text);
  if (found === null) return undefined;
  const [line, kept] = [wholeNumber(found[1]!), wholeNumber(found[2]!)];
  const pieces = found[3] === undefined ? undefined : numbersOf(found[3] === "" ? [] : found[3].split(","));
  const path = decoded(found[4]!);
  if (line === undefined || kept === undefined || path === undefined) return undefined;
  return { kind: "cut", path, line, kept, ...(pieces && { pieces }) };
}

function decoded(text: string): string | undefined {
  try {
    return decodeURI(text);
  } catch {
    return undefined;
  }
}

function parseDrain(text: string): Choice | undefined {
  const found = /^(\d+)\*(\d+)(?:\/(\d+))?$/.exec(text);
  const [thread, stores, behind] = (found ?? []).slice(1).map((number) => wholeNumber(number ?? ""));
  if (thread === undefined || stores === undefined) return undefined;
  return { kind: "drain", thread, stores, ...(behind !== undefined && { behind }) };
}

function parseInput(text: string): Choice | undefined {
  const found = /^(\d+)=((?:[\da-f]{2})*)$/.exec(text);
  const at = found === null ? undefined : wholeNumber(found[1]!);
  if (at === undefined) return undefined;
  return { kind: "input", at, bytes: [...found![2]!.matchAll(/../g)].map(([byte]) => Number.parseInt(byte, 16)) };
}

const parsers: Readonly<Record<Choice["kind"], (text: string) => Choice | undefined>> = {
  turn: (text) => {
    const [thread, instructions] = pair(text, "*") ?? [];
    return thread === undefined || instructions === undefined ? undefined : { kind: "turn", thread, instructions };
  },
  drain: parseDrain,
  input: parseInput,
  crash: (text) => parseCrash("crash", text),
  cut: parseCut,
  again: (text) => parseCrash("again", text),
};

function parseCrash(kind: "crash" | "again", text: string): Choice | undefined {
  const [before, version] = text.includes("/") ? (pair(text, "/") ?? []) : [wholeNumber(text)];
  return before === undefined ? undefined : { kind, before, ...(version !== undefined && { version }) };
}

export function parseChoices(text: string): readonly Choice[] {
  return text
    .split(" ")
    .filter((word) => word !== "")
    .map((word) => {
      const kind = word.slice(0, word.indexOf(":"));
      const parse = Object.hasOwn(parsers, kind) ? parsers[kind as Choice["kind"]] : undefined;
      const choice = parse?.(word.slice(kind.length + 1));
      if (choice === undefined)
        throw new InputError(
          "witness/choice",
          `"${word}" is no choice: there are ${Object.keys(parsers).join(", ")}, as blackout check writes them.`,
          { word },
        );
      return choice;
    });
}
