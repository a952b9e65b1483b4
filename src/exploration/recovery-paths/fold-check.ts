/**
 * Whether a function takes a checksum of persistent memory, by what it does: it is run again and again from its entry, with other
 * contents under it. Always, of a function that is taken for one:
 * - Whatever the lines hold that it reads, it reads the same words and leaves the same behind, but for a few bytes.
 * - These bytes are others for each content that was tried, and when two lines change places: a sum of balances or a count of
 *   what is wrong does not pass for a checksum.
 */
import { next32, type RandomState, seedRandom } from "../../base/index.ts";
import type { Layout, RecoveryMachine } from "../../crash/states/index.ts";
import type { LineContents, Machine, MachineSnapshot, PageChange } from "../../machine/index.ts";
import { lineBytes } from "../../model/pmem/index.ts";
import type { FunctionEntry } from "../../session/subject/index.ts";

const stackPointer = 4;
/** rbx, rsp, rbp, r12 to r15: what a call leaves to its caller (System V ABI). */
const kept = [3, 4, 5, 12, 13, 14, 15];
const wordBytes = 8;
const halfBytes = 4;
/** A checksum has at most so many bytes. */
const mostBytes = 32;
/** Behind the stack pointer: what a function that has returned left there is nobody's. */
const deadStack = 1 << 20;
const callsLookedAt = 64;
const linesTried = 6;

/** Lines of files by how they are told, with the halves of words that a call read of them. */
type ReadHalves = ReadonlyMap<string, { readonly path: string; readonly index: number; readonly halves: number[] }>;

interface Call {
  readonly entry: MachineSnapshot;
  readonly back: number;
  readonly stack: bigint;
}

interface Tried {
  /** What it read, and what it leaves to its caller. */
  readonly does: string;
  readonly result: bigint;
  readonly changes: ReadonlyMap<number, PageChange>;
  readonly read: ReadHalves;
}

export class FoldCheck {
  readonly #recovery: RecoveryMachine;
  readonly #machine: Machine;
  readonly #paths: ReadonlySet<string>;
  readonly #maxInstructions: number;

  /** `paths` are those of persistent files. */
  constructor(recovery: RecoveryMachine, paths: ReadonlySet<string>, maxInstructions: number) {
    this.#recovery = recovery;
    this.#machine = recovery.options.machine;
    this.#paths = paths;
    this.#maxInstructions = maxInstructions;
  }

  /** What to call the function, if a call of it after this crash takes a checksum of at least so many of the lines. */
  nameOf(
    { entry, name: called }: FunctionEntry,
    layout: Layout,
    isOpen: (path: string, index: number) => boolean,
    least: number,
  ): string | undefined {
    const machine = this.#machine;
    machine.stopAt([entry]);
    this.#recovery.run(layout, this.#maxInstructions, 0, (left) => {
      this.#watch(() => {});
      return machine.run(left);
    });
    for (let calls = 0; calls < callsLookedAt && machine.rip === entry; calls++) {
      const name = called !== undefined && machine.symbol(called) === entry ? called : placeIn(machine.site());
      const call = this.#begin();
      const first = call && this.#try(call, []);
      if (call === undefined || first === undefined) break;
      const open = [...first.read.values()].filter(({ path, index }) => isOpen(path, index));
      const folds = open.length >= least && this.#folds(call, first, open);
      if (folds) return this.#ended(call, name);
      this.#try(call, []);
      machine.release(call.entry);
      machine.stopAt([entry]);
      machine.run(this.#maxInstructions);
    }
    return this.#ended(undefined, undefined);
  }

  #ended(call: Call | undefined, name: string | undefined): string | undefined {
    if (call !== undefined) this.#machine.release(call.entry);
    this.#machine.stopAt([]);
    this.#machine.watch(undefined);
    return name;
  }

  #begin(): Call | undefined {
    const machine = this.#machine;
    const stack = machine.register(stackPointer);
    const bytes = machine.readMemory(Number(stack), wordBytes);
    if (bytes === undefined) return undefined;
    const back = Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0, true));
    return { entry: machine.snapshot(), back, stack };
  }

  #watch(words: (path: string, numbers: Int32Array) => void): void {
    const isWatched = (path: string) => this.#paths.has(path);
    this.#machine.watch({ isWatched, halves: true, words, name: () => {}, listing: () => {} });
  }

  /** One run of the call with these lines under it; undefined when it does not come back. */
  #try({ entry, back, stack }: Call, lines: readonly LineContents[]): Tried | undefined {
    const machine = this.#machine;
    machine.restore(entry);
    machine.layLines(lines);
    const read = new Map<string, { path: string; index: number; halves: number[] }>();
    this.#watch((path, numbers) => {
      for (const number of numbers) {
        const index = Math.floor((number * halfBytes) / lineBytes);
        const key = `${index} ${path}`;
        const line = read.get(key) ?? { path, index, halves: [] };
        line.halves.push(number % (lineBytes / halfBytes));
        read.set(key, line);
      }
    });
    machine.stopAt([back]);
    let result = machine.run(this.#maxInstructions);
    while (result.kind === "address" && machine.register(stackPointer) <= stack)
      result = machine.run(this.#maxInstructions);
    if (result.kind !== "address") return undefined;
    this.#watch(() => {});
    const own = kept.map((number) => machine.register(number));
    const words = [...read].map(([key, { halves }]) => `${key}:${halves}`);
    return {
      does: [...own, ...words].join(" "),
      result: machine.register(0),
      changes: machine.changesSince(entry),
      read,
    };
  }

  #folds(call: Call, first: Tried, open: readonly { path: string; index: number; halves: number[] }[]): boolean {
    const random = seedRandom(open.length);
    const step = Math.max(1, Math.floor(open.length / linesTried));
    const chosen = open.filter((_, at) => at % step === 0).slice(0, linesTried);
    const contents = chosen.map((line) => this.#drawn(call, line, random));
    const [a, b] = [contents[0]!, contents.at(-1)!];
    const swapped = [exchanged(a, b), exchanged(b, a)];
    const results = [[], ...contents.map((line) => [line]), [a, b], swapped].map((lines) => {
      const tried = this.#try(call, lines);
      return tried?.does === first.does ? resultOf(first, tried, lines, call.stack) : undefined;
    });
    return results.every((each) => each !== undefined) && new Set(results).size === results.length;
  }

  /** A line with other bytes where the call reads it. */
  #drawn({ entry }: Call, line: { path: string; index: number; halves: number[] }, random: RandomState): LineContents {
    this.#machine.restore(entry);
    const { path, index, halves } = line;
    const bytes = new Uint8Array(lineBytes);
    const contents = this.#machine.poolContents(path);
    if (contents !== undefined) this.#machine.readContents(contents, index * lineBytes, bytes);
    for (const half of halves)
      for (let at = 0; at < halfBytes; at++) bytes[half * halfBytes + at] = next32(random) & 0xff;
    return { path, index, bytes };
  }
}

/** "0x401615 (module+0x1615)" is named by what does not depend on where it was mapped. */
const placeIn = (site: string): string => /\(([^()]+)\)$/.exec(site)?.[1] ?? site;

/** A line with the other one's bytes. */
const exchanged = (line: LineContents, { bytes }: LineContents): LineContents => ({ ...line, bytes });

/** What a call has for a result, as text; undefined when it left more behind than a checksum. */
function resultOf(first: Tried, tried: Tried, laid: readonly LineContents[], stack: bigint): string | undefined {
  const differing: string[] = [];
  const isLaid = (bytes: Uint8Array) => laid.some((line) => line.bytes.every((byte, at) => byte === bytes[at]));
  for (const address of new Set([...first.changes.keys(), ...tried.changes.keys()])) {
    const [one, other] = [first.changes.get(address), tried.changes.get(address)];
    const before = one?.now ?? other!.before;
    const now = other?.now ?? one!.before;
    for (let at = 0; at < now.length; at++) {
      if (before[at] === now[at]) continue;
      const line = at - (at % lineBytes);
      if (isLaid(now.subarray(line, line + lineBytes))) continue;
      const place = address + at;
      if (place < Number(stack) && place > Number(stack) - deadStack) continue;
      differing.push(`${place}=${now[at]}`);
      if (differing.length > mostBytes) return undefined;
    }
  }
  return [tried.result, ...differing].join(" ");
}
