/**
 * Where a recovery reads words of persistent files: it runs once more, traced, on the same crash state, and is stopped right
 * before the instruction that first uses a word. Always: runs of so many instructions are beginnings of one another.
 */

import { baseName } from "../../base/index.ts";
import type { PlacedMark } from "../../crash/finding/index.ts";
import type { Layout } from "../../crash/states/index.ts";
import type { Machine } from "../../machine/index.ts";
import type { CodeLoop } from "../../program/symbols/index.ts";
import { PlacedRecovery } from "./placed-recovery.ts";
import type { Subject } from "./subject.ts";

/** Aligned four bytes of a file, as the machine names it. */
export interface UsedWord {
  readonly path: string;
  readonly word: number;
}

export interface FunctionEntry {
  readonly entry: number;
  /** As symbols or debug information call it. */
  readonly name?: string;
}

export interface LoopAround extends CodeLoop {
  /** By its source, where that is known. */
  readonly spoken?: string;
}

/** The function that uses a word, and the loops that it is used in: those of that function and of its callers, innermost first. */
export interface CodeAround {
  readonly called?: FunctionEntry;
  readonly loops: readonly LoopAround[];
}

/** Calls that a use may lie below the loop. */
const mostCalls = 3;

export class LoadPlaces {
  readonly #subject: Subject;
  readonly #maxInstructions: number;
  #made: PlacedRecovery | undefined;

  constructor(subject: Subject, maxInstructions: number) {
    this.#subject = subject;
    this.#maxInstructions = maxInstructions;
  }

  get #machine() {
    this.#made ??= new PlacedRecovery(this.#subject);
    return this.#made;
  }

  /** The words that recovery uses of these files, in the order of their first use, and how many instructions it takes. */
  used(
    layout: Layout,
    paths: ReadonlySet<string>,
  ): { readonly words: readonly UsedWord[]; readonly instructions: number } {
    return this.#run(layout, paths, this.#maxInstructions);
  }

  #run(layout: Layout, paths: ReadonlySet<string>, instructions: number) {
    const { recovery, machine } = this.#machine;
    const words: UsedWord[] = [];
    const ended = recovery.run(layout, instructions, 0, (left) => {
      machine.watch({
        isWatched: (path) => paths.has(path),
        halves: true,
        words: (path, numbers) => words.push(...Array.from(numbers, (word) => ({ path, word }))),
        name: () => {},
        listing: () => {},
      });
      return machine.run(left);
    });
    machine.watch(undefined);
    return { words, instructions: ended.instructions };
  }

  /** Where the words of these numbers in the list of uses are first used; the numbers are in order. */
  places(layout: Layout, paths: ReadonlySet<string>, uses: readonly number[]): readonly (PlacedMark | undefined)[] {
    const { instructions } = this.used(layout, paths);
    let from = 0;
    return uses.map((use) => {
      let [none, some] = [from, instructions];
      while (none + 1 < some) {
        const middle = Math.floor((none + some) / 2);
        if (this.#run(layout, paths, middle).words.length > use) some = middle;
        else none = middle;
      }
      from = none;
      return this.#placeAfter(layout, paths, none);
    });
  }

  codeAround(layout: Layout, paths: ReadonlySet<string>, use: number): CodeAround {
    const [place] = this.places(layout, paths, [use]);
    if (place === undefined) return { loops: [] };
    const called = this.#functionAround(place);
    return { ...(called && { called }), loops: this.#loopsAround(place) };
  }

  /** Where a call with a fixed target led to it. */
  #functionAround({ mark, frames }: PlacedMark): FunctionEntry | undefined {
    const { machine } = this.#machine;
    const [back] = this.#machine.returnsOf(mark);
    if (back === undefined) return undefined;
    const target = relativeTarget(machine, back, directCall);
    const stub = target === undefined ? undefined : throughTable(machine, target);
    const entry = stub ?? target;
    const name = frames.find(({ inlined }) => !inlined)?.function;
    return entry === undefined ? undefined : { entry, ...(name !== undefined && { name }) };
  }

  #loopsAround({ mark, frames }: PlacedMark): readonly LoopAround[] {
    // A call lies before the address that it returns to.
    const calls = this.#machine.returnsOf(mark).map((back) => back - 1);
    const bodies = [mark.site, ...calls].slice(0, mostCalls);
    let inlined = 0;
    return bodies.flatMap((address) => {
      const [frame] = frames.slice(inlined);
      inlined += 1 + frames.slice(inlined).findIndex((one) => !one.inlined);
      const spoken = frame?.file && { spoken: `the loop around ${baseName(frame.file)}:${frame.line}` };
      return this.#machine.loopsAround(address).map((loop) => ({ ...loop, ...spoken }));
    });
  }

  /** The instruction that follows so many others. */
  #placeAfter(layout: Layout, paths: ReadonlySet<string>, instructions: number): PlacedMark | undefined {
    const made = this.#machine;
    made.begin();
    this.#run(layout, paths, instructions);
    const place = made.place();
    return place && made.placed(place);
  }
}

const directCall = [0xe8];
const addressBytes = 8;
const displacementBytes = 4;

/** Where an instruction of this opcode and a displacement leads that ends at an address. */
function relativeTarget(machine: Machine, end: number, opcode: readonly number[]): number | undefined {
  const bytes = machine.readMemory(end - displacementBytes - opcode.length, opcode.length + displacementBytes);
  if (bytes === undefined || opcode.some((byte, at) => bytes[at] !== byte)) return undefined;
  return end + new DataView(bytes.buffer, bytes.byteOffset).getInt32(opcode.length, true);
}

/** endbr64; jmp *[rip + displacement], or without the first: an entry of a procedure linkage table. */
const tableJump = [0xff, 0x25];

function throughTable(machine: Machine, stub: number): number | undefined {
  for (const skipped of [0, 4]) {
    const slot = relativeTarget(machine, stub + skipped + tableJump.length + displacementBytes, tableJump);
    const bytes = slot === undefined ? undefined : machine.readMemory(slot, addressBytes);
    if (bytes !== undefined) return Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0, true));
  }
  return undefined;
}
