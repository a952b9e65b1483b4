/**
 * Random litmus programs: 1 to 4 threads, 3 to 8 instructions per run (some up to 12, some 3 to 8 per thread), 2 to 4 locations with random
 * line sharing, locked updates, branches, non-temporal stores, and up to two crashes. A program is written as the JSON
 * text that would reproduce it and parsed like any other test.
 */
import { below, pick, type RandomState } from "../../base/index.ts";
import { parseJsonTests } from "./parse-json.ts";
import type { LitmusTest } from "./program.ts";

const names = ["x", "y", "z", "w"] as const;
const registerNames = ["r", "s", "t"] as const;

type Shape = "W" | "R" | "FL" | "FO" | "SF" | "MF" | "NT" | "CAS" | "FAA" | "XCHG" | "JZ" | "JNE";

// biome-ignore format: columns stay aligned
const weights: readonly (readonly [Shape, number])[] = [
  ["W", 30], ["R", 18], ["FL", 9], ["FO", 14], ["SF", 9], ["MF", 4],
  ["NT", 6], ["CAS", 4], ["FAA", 3], ["XCHG", 3], ["JZ", 3], ["JNE", 2],
];
const totalWeight = weights.reduce((sum, [, weight]) => sum + weight, 0);

function pickShape(random: RandomState): Shape {
  let point = below(random, totalWeight);
  for (const [shape, weight] of weights) {
    if (point < weight) return shape;
    point -= weight;
  }
  return "W";
}

interface ThreadContext {
  readonly random: RandomState;
  readonly locations: readonly string[];
  readonly set: Set<string>;
  readonly remaining: number;
}

function value({ random, set }: ThreadContext): string {
  if (set.size === 0 || below(random, 3) > 0) return `${1 + below(random, 3)}`;
  const register = pick(random, [...set]);
  return below(random, 2) === 0 ? register : `${register}+1`;
}

function target({ random, set }: ThreadContext): string {
  const register = pick(random, registerNames);
  set.add(register);
  return register;
}

const write: Readonly<Record<Shape, (context: ThreadContext, location: string) => string>> = {
  W: (context, location) => `W ${location} ${value(context)}`,
  NT: (context, location) => `NT ${location} ${value(context)}`,
  R: (context, location) => `R ${target(context)} ${location}`,
  FL: (_context, location) => `FL ${location}`,
  FO: (_context, location) => `FO ${location}`,
  SF: () => "SF",
  MF: () => "MF",
  CAS: (context, location) => {
    const expected = below(context.random, 3);
    const stored = value(context);
    return `CAS ${target(context)} ${location} ${expected} ${stored}`;
  },
  FAA: (context, location) => `FAA ${target(context)} ${location} 1`,
  XCHG: (context, location) => {
    const stored = value(context);
    return `XCHG ${target(context)} ${location} ${stored}`;
  },
  JZ: (context) => `JZ ${pick(context.random, [...context.set])} ${1 + below(context.random, context.remaining)}`,
  JNE: (context) =>
    `JNE ${pick(context.random, [...context.set])} ${below(context.random, 2)} ${1 + below(context.random, context.remaining)}`,
};

function randomThread(random: RandomState, length: number, locations: readonly string[]): string[] {
  const set = new Set<string>();
  return Array.from({ length }, (_, index) => {
    const context = { random, locations, set, remaining: length - index - 1 };
    const shape = pickShape(random);
    const isJump = shape === "JZ" || shape === "JNE";
    const usable = !isJump || (set.size > 0 && context.remaining > 0);
    return write[usable ? shape : "W"](context, pick(random, locations));
  });
}

/** Two threads of 3 to 8 instructions each: what a run may hold beyond the usual total. */
function longPhase(random: RandomState, locations: readonly string[]): string[][] {
  return [0, 1].map(() => randomThread(random, 3 + below(random, 6), locations));
}

function randomPhase(random: RandomState, instructions: number, locations: readonly string[]): string[][] {
  const threads = 1 + below(random, 4);
  const lengths = Array.from({ length: threads }, () => 0);
  for (let left = instructions; left > 0; left--) {
    const thread = below(random, threads);
    lengths[thread] = (lengths[thread] as number) + 1;
  }
  return lengths.filter((length) => length > 0).map((length) => randomThread(random, length, locations));
}

/** The JSON text of one random test. */
export function randomTestText(random: RandomState, name: string): string {
  const locations = names.slice(0, 2 + below(random, 3));
  const locs = Object.fromEntries(locations.map((location) => [location, below(random, locations.length)]));
  const larger = below(random, 5) === 0 ? 4 : 0;
  const phases = below(random, 4) === 0 ? 2 : 1;
  const longest = phases === 1 ? 6 + larger : 4;
  const isLong = phases === 1 && below(random, 10) === 0;
  const code = Array.from({ length: phases }, () =>
    isLong ? longPhase(random, locations) : randomPhase(random, 3 + below(random, longest), locations),
  );
  return JSON.stringify(phases === 1 ? { name, locs, threads: code[0] } : { name, locs, phases: code });
}

export const randomTest = (random: RandomState, name: string): LitmusTest =>
  parseJsonTests({ file: name, text: randomTestText(random, name) })[0] as LitmusTest;
