/**
 * Flushes and fences that are needless or shared, and stores that are overwritten, where what a rule says is known by their place
 * alone. Always: the first is pointed out as it happens; later ones at the same place only count, and are told of when their slot is needed for another
 * place or when somebody asks for findings.
 */
import type { Core } from "./core/index.ts";
import { type TrackerMemory, table, wordAt } from "./memory.ts";

/** What is repeated; 0 is a slot that nobody has. */
export const repeat = {
  cleanFlush: 1,
  idleFence: 2,
  sharedFence: 3,
  sharedFlush: 4,
  /** Of an overwrite, the place is that of the earlier store. */
  overwrite: 5,
  orderedOverwrite: 6,
} as const;

export const repeatSlots = 512;
/** The words of a slot. */
export const inRepeat = { what: 0, site: 1, stack: 2, count: 3 } as const;
export const repeatBytes = 16;

export type TellRepeats = (what: number, site: number, stack: number, times: number) => void;

export class Repeats {
  readonly #memory: TrackerMemory;
  readonly #core: Core;
  readonly #tell: TellRepeats;

  constructor(memory: TrackerMemory, core: Core, tell: TellRepeats) {
    this.#memory = memory;
    this.#core = core;
    this.#tell = tell;
  }

  /** This was pointed out at a place. */
  remember(what: number, site: number, stack: number): void {
    const at = wordAt(this.#core.repeatSlot(site, stack, what));
    this.#settle(at);
    const { words } = this.#memory;
    words[at + inRepeat.what] = what;
    words[at + inRepeat.site] = site;
    words[at + inRepeat.stack] = stack;
  }

  /** Tells of all that was only counted. */
  settle(): void {
    for (let slot = 0; slot < repeatSlots; slot++) this.#settle(wordAt(table.repeats + slot * repeatBytes));
  }

  #settle(at: number): void {
    const { words } = this.#memory;
    const times = words[at + inRepeat.count]!;
    words[at + inRepeat.count] = 0;
    if (times > 0)
      this.#tell(words[at + inRepeat.what]!, words[at + inRepeat.site]!, words[at + inRepeat.stack]!, times);
  }
}
