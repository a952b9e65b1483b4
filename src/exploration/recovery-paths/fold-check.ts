/**
 * Whether a function or a loop takes a checksum of persistent memory, by what it does: it is run again and again from where it
 * begins, with other contents under it. Always, of what is taken for one:
 * - Whatever the lines hold that it reads, it reads the same words and leaves the same behind, but for a few bytes.
 * - These bytes are others for each content that was tried, and when two lines change places: a sum of balances or a count of
 *   what is wrong does not pass for a checksum.
 * - Of a loop these bytes are what the code behind it reads: that the last word is still in some register says nothing.
 */
import { seedRandom } from "../../base/index.ts";
import { loopName } from "../../crash/recovery-tree/index.ts";
import type { Layout, RecoveryMachine } from "../../crash/states/index.ts";
import type { LineContents, Machine } from "../../machine/index.ts";
import { lineBytes } from "../../model/pmem/index.ts";
import { entriesOf, type FoldedLine, type FoldingCode, type FoldTrial, FoldTrials } from "./fold-trials.ts";

/** A checksum has at most so many bytes; a loop of code that is not optimised keeps as many again in its frame. */
const mostBytes = { function: 32, loop: 64 };
/** Behind the stack pointer: what a function that has returned left there is nobody's. */
const deadStack = 1 << 20;
/** System V ABI, section 3.2.2: a leaf function's own. */
const redZone = 128;
const wordBytes = 8;
const passesLookedAt = 64;
const linesTried = 6;

export class FoldCheck {
  readonly #recovery: RecoveryMachine;
  readonly #machine: Machine;
  readonly #isWatched: (path: string) => boolean;
  readonly #maxInstructions: number;

  /** `paths` are those of persistent files. */
  constructor(recovery: RecoveryMachine, paths: ReadonlySet<string>, maxInstructions: number) {
    this.#recovery = recovery;
    this.#machine = recovery.options.machine;
    this.#isWatched = (path) => paths.has(path);
    this.#maxInstructions = maxInstructions;
  }

  /** What to call the code, if a pass through it after this crash takes a checksum of at least so many of the lines. */
  nameOf(
    code: FoldingCode,
    layout: Layout,
    isOpen: (path: string, index: number) => boolean,
    least: number,
  ): string | undefined {
    const machine = this.#machine;
    const entries = entriesOf(code);
    machine.stopAt(entries);
    this.#recovery.run(layout, this.#maxInstructions, 0, (left) => {
      machine.watch({ isWatched: this.#isWatched, halves: true, words: () => {}, name: () => {}, listing: () => {} });
      return machine.run(left);
    });
    let found: string | undefined;
    for (let passes = 0; passes < passesLookedAt && entries.includes(machine.rip) && found === undefined; passes++) {
      const name = this.#nameHere(code);
      const trials = new FoldTrials(machine, code, this.#isWatched, this.#maxInstructions);
      const first = trials.run([]);
      const open = first?.read.filter(({ path, index }) => isOpen(path, index)) ?? [];
      if (first !== undefined && open.length >= least && this.#folds(code, trials, first, open)) found = name;
      const comesToEnd = first !== undefined && trials.run([]) !== undefined;
      trials.release();
      if (!comesToEnd) break;
      machine.stopAt(entries);
      machine.run(this.#maxInstructions);
    }
    machine.stopAt([]);
    machine.watch(undefined);
    return found;
  }

  #nameHere(code: FoldingCode): string | undefined {
    const machine = this.#machine;
    if ("exits" in code) return loopName(code, (address) => machine.site(address), code.spoken);
    const { entry, name } = code;
    return name !== undefined && machine.symbol(name) === entry ? name : placeIn(machine.site());
  }

  #folds(code: FoldingCode, trials: FoldTrials, first: FoldTrial, open: readonly FoldedLine[]): boolean {
    const random = seedRandom(open.length);
    const step = Math.max(1, Math.floor(open.length / linesTried));
    const chosen = open.filter((_, at) => at % step === 0).slice(0, linesTried);
    const contents = chosen.map((line) => trials.drawn(line, random));
    const [a, b] = [contents[0]!, contents.at(-1)!];
    const swapped = [exchanged(a, b), exchanged(b, a)];
    const isLoop = "exits" in code;
    const dead = { from: Number(trials.stack) - deadStack, to: Number(trials.stack) - (isLoop ? redZone : 0) };
    const left: readonly (Left | undefined)[] = [[], ...contents.map((line) => [line]), [a, b], swapped].map(
      (lines) => {
        const trial = trials.run(lines);
        const most = mostBytes[isLoop ? "loop" : "function"];
        return trial?.does === first.does ? leftBy(first, trial, lines, dead, most) : undefined;
      },
    );
    if (!areKnown(left)) return false;
    if (!isLoop) return areToldApart(left.map(({ registers, bytes }) => [...registers.values(), ...bytes].join(" ")));
    return isToldByOnePlace(left) || areToldApart(left.map(({ registers }) => valuesOf(registers, code.live.sure)));
  }
}

/** "0x401615 (module+0x1615)" is named by what does not depend on where it was mapped. */
const placeIn = (site: string): string => /\(([^()]+)\)$/.exec(site)?.[1] ?? site;

/** A line with the other one's bytes. */
const exchanged = (line: LineContents, { bytes }: LineContents): LineContents => ({ ...line, bytes });

const areToldApart = (texts: readonly string[]): boolean => new Set(texts).size === texts.length;

const valuesOf = (registers: Left["registers"], names: readonly { readonly name: string }[]): string =>
  names.map(({ name }) => registers.get(name)).join(" ");

const areKnown = (left: readonly (Left | undefined)[]): left is readonly Left[] =>
  left.every((each) => each !== undefined);

/** What a run left to the code behind it. */
interface Left {
  readonly registers: FoldTrial["registers"];
  /** Bytes of memory that the first run left otherwise, and lines that were laid aside. */
  readonly bytes: ReadonlyMap<number, number>;
}

/** Undefined when it left more behind than a checksum. */
function leftBy(
  first: FoldTrial,
  trial: FoldTrial,
  laid: readonly LineContents[],
  dead: { readonly from: number; readonly to: number },
  most: number,
): Left | undefined {
  const bytes = new Map<number, number>();
  const isLaid = (line: Uint8Array) => laid.some((one) => one.bytes.every((byte, at) => byte === line[at]));
  for (const address of new Set([...first.changes.keys(), ...trial.changes.keys()])) {
    const [one, other] = [first.changes.get(address), trial.changes.get(address)];
    const before = one?.now ?? other!.before;
    const now = other?.now ?? one!.before;
    for (let at = 0; at < now.length; at++) {
      if (before[at] === now[at]) continue;
      const line = at - (at % lineBytes);
      if (isLaid(now.subarray(line, line + lineBytes))) continue;
      const place = address + at;
      if (place < dead.to && place > dead.from) continue;
      bytes.set(place, now[at]!);
      if (bytes.size > most) return undefined;
    }
  }
  return { registers: trial.registers, bytes };
}

/** Whether one register or one word of memory alone differs from run to run. */
function isToldByOnePlace(left: readonly Left[]): boolean {
  const words = left.map(({ bytes }) => {
    const byWord = new Map<number, string>();
    for (const [place, value] of bytes) {
      const word = place - (place % wordBytes);
      byWord.set(word, `${byWord.get(word) ?? ""} ${place}=${value}`);
    }
    return byWord;
  });
  const places = new Set(words.flatMap((byWord) => [...byWord.keys()]));
  const registers = [...left[0]!.registers.keys()];
  return (
    registers.some((name) => areToldApart(left.map((each) => `${each.registers.get(name)}`))) ||
    [...places].some((place) => areToldApart(words.map((byWord) => byWord.get(place) ?? "")))
  );
}
