/**
 * Random programs of guests/robust/readers.c, and what happens before what in a run of one, by the values that its loads read alone: every byte
 * of them says which store it is from. The slow twin of machine/schedule/meetings.ts and of clocks; it looks at no log and no trace.
 */
import { below, type RandomState, seedRandom } from "../../src/base/index.ts";
import { compileGuest } from "../support/programs.ts";
import type { Piece, PrefixesOf } from "./crash-states.ts";
import { pool } from "./support.ts";

const readers = compileGuest("robust/readers.c", ["-O1", "-g", "-static", "-pthread"]);

const lines = 3;
const storeLetters = "bhwqqxneCvvE";
const readLetters = "reCuuE";
const sizes: Readonly<Record<string, number>> = { b: 1, h: 2, w: 4, x: 16 };

interface Numbers {
  next: number;
}

function operation(random: RandomState, letters: string, numbers: Numbers): string {
  const letter = letters[below(random, letters.length)]!;
  if ("smy".includes(letter)) return letter;
  const isOrdinary = "vuE".includes(letter);
  const size = sizes[letter] ?? 8;
  const line = isOrdinary ? 0 : 64 * below(random, lines);
  const at = "fok".includes(letter) ? 0 : size * below(random, Math.floor(16 / size));
  const place = (line + at).toString(16);
  return storeLetters.includes(letter) ? `${letter}${place}=${(numbers.next++).toString(16)}` : `${letter}${place}`;
}

/** What makes threads depend on each other: look, store elsewhere, and make that durable; or store, and say so. */
function passing(random: RandomState, numbers: Numbers): string {
  const place = () => (64 * below(random, lines)).toString(16);
  const store = (at: string) => `q${at}=${(numbers.next++).toString(16)}`;
  const to = place();
  if (below(random, 2) === 0) return `${store(to)} v0=${(numbers.next++).toString(16)}`;
  return `${below(random, 2) === 0 ? `r${place()}` : "u0"} ${store(to)} f${to}`;
}

const part = (random: RandomState, most: number, letters: string, numbers: Numbers): string =>
  Array.from({ length: below(random, most + 1) }, () =>
    letters.includes("r") && below(random, 3) === 0 ? passing(random, numbers) : operation(random, letters, numbers),
  ).join(" ");

/** Stores, what makes them durable, and loads of few places, so that threads meet. */
const letters = "bhwqqqxnffkosmyyrrrreCvuuE";
const storingLetters = "wqqqfffks";

export function drawnReaders(seed: number) {
  const random = seedRandom(seed);
  const numbers = { next: 1 };
  const before = part(random, 1, storingLetters, numbers);
  const threads = Array.from({ length: 2 + below(random, 2) }, () => part(random, 5, letters, numbers));
  const after = part(random, 2, storingLetters, numbers);
  const run = `${before}/${threads.join("|")}/${after}`;
  const places = Array.from({ length: lines * 2 }, (_, i) => (64 * (i >> 1) + 8 * (i & 1)).toString(16));
  const recovery = places.filter(() => below(random, 4) > 0).join(" ");
  return {
    run,
    program: [readers, "run", pool, run],
    commands: { setup: [readers, "setup", pool], recover: [readers, "recover", pool, recovery || "0 40"], seed },
    told: `program ${seed}: run "${run}", recover "${recovery}"`,
  };
}

interface Op {
  /** What it stores, if it does. */
  readonly store: number | undefined;
  /** The stores that its bytes are from. */
  readonly reads: readonly number[];
}

/** What a thread does, and how much of it comes before others start and after they are joined. */
interface OpThread {
  readonly ops: readonly Op[];
  readonly before: number;
  readonly after: number;
}

const wordsIn = (text: string): readonly string[] => text.split(" ").filter((word) => word !== "");
const bytesOf = (value: bigint): readonly number[] =>
  Array.from({ length: 8 }, (_, i) => Number((value >> BigInt(8 * i)) & 0xffn)).filter((byte) => byte !== 0);

function opsOf(words: readonly string[], values: readonly bigint[]): readonly Op[] {
  let next = 0;
  let last = 0n;
  return words.map((word) => {
    const letter = word[0]!;
    const number = word.includes("=") ? Number.parseInt(word.split("=")[1]!, 16) : undefined;
    if (!readLetters.includes(letter)) return { store: number, reads: [] };
    const value = values[next++]!;
    const isStored = letter !== "C" || value === last;
    last = value;
    return { store: isStored ? number : undefined, reads: bytesOf(value) };
  });
}

/** As its output tells: a line for each thread, a number for each load. */
export function threadsOf(run: string, output: string): readonly OpThread[] {
  const [before, middle, after] = run.split("/").map((text) => text) as [string, string, string];
  const values = output.split("\n").map((line) => wordsIn(line).map((word) => BigInt(`0x${word}`)));
  return middle.split("|").map((text, thread) => {
    const [early, late] = thread === 0 ? [wordsIn(before), wordsIn(after)] : [[], []];
    const ops = opsOf([...early, ...wordsIn(text), ...late], values[thread] ?? []);
    return { ops, before: early.length, after: ops.length - late.length };
  });
}

/** Whether so many operations of each thread are all that happened before any of them. */
function isClosed(threads: readonly OpThread[], counts: readonly number[]): boolean {
  const [first] = threads;
  if (counts.slice(1).some((count) => count > 0) && counts[0]! < first!.before) return false;
  const allJoined = threads.every(({ ops }, thread) => thread === 0 || counts[thread] === ops.length);
  if (counts[0]! > first!.after && !allJoined) return false;
  const done = threads.map(({ ops }, thread) => ops.slice(0, counts[thread]));
  const stored = new Set(done.flat().flatMap(({ store }) => store ?? []));
  return done.flat().every(({ reads }) => reads.every((store) => stored.has(store)));
}

function* allCounts(threads: readonly OpThread[]): Iterable<readonly number[]> {
  const [first, ...others] = threads;
  if (first === undefined) return yield [];
  for (const rest of allCounts(others)) for (let count = 0; count <= first.ops.length; count++) yield [count, ...rest];
}

/** Every prefix of the run that is closed: whole operations, and of the next store of each thread any pieces. */
export const closedPrefixes =
  (threads: readonly OpThread[]): PrefixesOf =>
  (pieces) => {
    const piecesOf = (op: Op | undefined): readonly Piece[] =>
      op?.store === undefined ? [] : pieces.filter(({ bytes }) => bytes[0] === op.store);
    const sets: (readonly Piece[])[] = [];
    for (const counts of allCounts(threads)) {
      if (!isClosed(threads, counts)) continue;
      const whole = threads.flatMap(({ ops }, thread) => ops.slice(0, counts[thread]).flatMap(piecesOf));
      let torn: (readonly Piece[])[] = [[]];
      for (const [thread, { ops }] of threads.entries()) {
        const next = piecesOf(ops[counts[thread]!]);
        if (next.length < 2) continue;
        const some = Array.from({ length: 2 ** next.length }, (_, mask) => next.filter((_, i) => (mask >>> i) & 1));
        torn = torn.flatMap((set) => some.map((more) => [...set, ...more]));
      }
      for (const more of torn) sets.push([...whole, ...more].sort((a, b) => a.seq - b.seq));
    }
    return sets;
  };
