/** Random programs for guests/explore/interpreted.c, and recoveries that read what they left. */
import { below, type RandomState } from "../../src/base/index.ts";
import { compileGuest } from "../support/programs.ts";

const sizes = { b: 1, h: 2, w: 4, q: 8, x: 16 } as const;
type Size = keyof typeof sizes;

/** Few places, so that they meet; some across the edge of a line. */
function place(random: RandomState, size: number): string {
  const line = 64 * below(random, 3);
  const at = below(random, 8) === 0 ? 64 - Math.ceil(size / 2) : size * below(random, 24 / size + 1);
  return (line + at).toString(16);
}

function operation(random: RandomState, letters: string): string {
  const letter = letters[below(random, letters.length)]!;
  if ("smpy".includes(letter)) return letter;
  if ("fok".includes(letter)) return `${letter}${(64 * below(random, 3)).toString(16)}`;
  if ("neac".includes(letter))
    return `${letter}${(64 * below(random, 3) + 8 * below(random, 3)).toString(16)}=${value(random)}`;
  return `${letter}${place(random, sizes[letter as Size])}=${value(random)}`;
}

const value = (random: RandomState): string =>
  (below(random, 3) === 0 ? below(random, 3) : 1 + below(random, 0x7fffffff)).toString(16);

const operations = (random: RandomState, count: number, letters: string): string =>
  Array.from({ length: count }, () => operation(random, letters)).join(" ");

function recovery(random: RandomState): string {
  return Array.from({ length: 2 + below(random, 6) }, () => {
    const what = below(random, 10);
    if (what === 0) return "A";
    if (what === 1) return `?${1 + below(random, 3)}`;
    if (what === 2) return `!${(64 * below(random, 3)).toString(16)}`;
    const size = (["b", "h", "w", "q", "x"] as const)[below(random, 5)]!;
    return `${size}${place(random, sizes[size])}`;
  }).join(" ");
}

/** Of three lines the first bytes: programs and recoveries of few operations meet there. */
const nearPlace = (random: RandomState): string => (64 * below(random, 3) + 4 * below(random, 3)).toString(16);

const oneOf = <T>(random: RandomState, weighted: readonly T[]): T => weighted[below(random, weighted.length)]!;

const nearValue = (random: RandomState): string => (1 + below(random, 6)).toString(16);

/** By calls, before anything is mapped. */
const callingRecovery = (random: RandomState): string =>
  Array.from({ length: 1 + below(random, 3) }, () => {
    const letter = oneOf(random, [..."rrwwwt?n"]);
    return letter === "?" ? `?${1 + below(random, 2)}` : `${letter}${nearPlace(random)}`;
  }).join(" ");

/** What it stores is there for the next one to read, with crashes inside it. */
function storingRecovery(random: RandomState): string {
  return Array.from({ length: 4 + below(random, 6) }, () => {
    const letter = oneOf(random, [..."bbwwwqqx", ..."BQQQX!", ..."KSS", ..."??", ..."FUV", "A"]);
    if ("FUVSA".includes(letter)) return letter;
    return letter === "?" ? `?${1 + below(random, 3)}` : `${letter}${nearPlace(random)}`;
  })
    .concat(below(random, 3) === 0 ? [] : ["q0", "q40", "q80"])
    .join(" ");
}

/** `byCalls`: recovery begins by writing to the pool by calls. */
export function drawnAgain(random: RandomState, byCalls = false): { readonly run: string; readonly recover: string } {
  const run = Array.from({ length: 2 + below(random, 5) }, () => {
    const letter = oneOf(random, [..."bwwqqqx", ..."ok", ..."s", ..."p"]);
    if ("sp".includes(letter)) return letter;
    return "ok".includes(letter)
      ? `${letter}${nearPlace(random)}`
      : `${letter}${nearPlace(random)}=${nearValue(random)}`;
  });
  const calls = byCalls ? `${callingRecovery(random)}: ` : "";
  return { run: run.join(" "), recover: calls + storingRecovery(random) };
}

/** Its program writes to the pool by calls, too, and unmaps it: one thread. */
export function drawnCalls(random: RandomState): { readonly run: string; readonly recover: string } {
  const run = Array.from({ length: 3 + below(random, 7) }, () => {
    const letter = oneOf(random, [..."bwqqqx", ..."fok", ..."s", ..."p", ..."WWWT", ..."uuS"]);
    if ("spuS".includes(letter)) return letter;
    const at = "WT".includes(letter) ? nearPlace(random) : place(random, 8);
    return "fokT".includes(letter) ? `${letter}${at}` : `${letter}${at}=${value(random)}`;
  });
  return { run: run.join(" "), recover: recovery(random) };
}

export function drawnProgram(
  random: RandomState,
  threads: "some" | "all" = "some",
): { readonly run: string; readonly recover: string } {
  const letters = below(random, 3) === 0 ? "bhwqxnfoksmeacpp" : "bbhhwwqqqxfoksmea";
  const first = operations(random, 3 + below(random, 8), letters);
  const isThreaded = below(random, 5) === 0 || threads === "all";
  const second = isThreaded ? `|${operations(random, 2 + below(random, 4), `${letters}yy`)}` : "";
  return { run: first + second, recover: recovery(random) };
}

export const interpreted = compileGuest("explore/interpreted.c", ["-O1", "-g", "-static", "-pthread"]);

/** A recovery whose undisturbed end fails is no recovery: undefined for such a draw. */
export function ofRecovery<Explored>(told: string, explore: () => Explored): Explored | undefined {
  try {
    return explore();
  } catch (error) {
    if (`${error}`.includes("undisturbed")) return undefined;
    throw new Error(told, { cause: error });
  }
}
