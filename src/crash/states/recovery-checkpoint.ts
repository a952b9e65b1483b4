/**
 * A place in a recovery's run that it can be returned to, again and again, and what lies there: lines, pages, what had been
 * printed. Always: whatever is put there might have been there when the program started.
 */
import type { LineContents, Machine, MachineSnapshot } from "../../machine/index.ts";
import { joined, type RecoveryOptions } from "./recovery-machine.ts";

/** Each brings up to 64 KiB, as a fault does. */
const mostBrought = 512;

export class RecoveryCheckpoint {
  readonly #options: RecoveryOptions;
  #snapshot: MachineSnapshot;
  /** What has been written to each stream. */
  readonly #written: readonly [number, number, number];
  /** Lines to be laid before the next run from here. */
  #behind: LineContents[] = [];
  /** How many bytes of the program's output are in the file of what was printed; no file at first. */
  #printed = -1;
  /** Addresses whose pages the last run lacked, and how many were brought. */
  #wanted: readonly number[] = [];
  #brought = 0;

  /** Where the machine is. */
  constructor(options: RecoveryOptions) {
    this.#options = options;
    this.#snapshot = options.machine.snapshot();
    this.#written = options.machine.streamOffsets;
  }

  get #machine(): Machine {
    return this.#options.machine;
  }

  return(): void {
    this.#machine.restore(this.#snapshot);
    this.#options.output.turnBack(this.#written);
  }

  release(): void {
    this.#machine.release(this.#snapshot);
  }

  /** From now on these lines lie here, as they are given. */
  lay(lines: Iterable<LineContents>): void {
    for (const line of lines) this.#behind.push(line);
  }

  /** Pages that the last run from here lacked come before the next. */
  wants(pages: readonly number[]): void {
    if (this.#brought < mostBrought) this.#wanted = pages;
  }

  /** What every run from here begins with is put in place; `acknowledged` is what had been printed. */
  settle(acknowledged: readonly Uint8Array[]): void {
    const { acknowledgedPath } = this.#options;
    // All that is given is of one run: as many bytes of its output are the same bytes.
    const printed = acknowledged.reduce((sum, { length }) => sum + length, 0);
    if (this.#printed === printed && this.#wanted.length === 0 && this.#behind.length === 0) return;
    const [machine, before] = [this.#machine, this.#snapshot];
    this.return();
    machine.layLines(this.#behind);
    this.#behind = [];
    machine.bringPages(this.#wanted);
    machine.takeAppeared();
    if (this.#printed !== printed) machine.writeFile(acknowledgedPath, joined(acknowledged));
    this.#printed = printed;
    this.#brought += this.#wanted.length;
    this.#wanted = [];
    this.#snapshot = machine.snapshot();
    machine.release(before);
  }
}
