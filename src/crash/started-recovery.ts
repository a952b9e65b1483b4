/**
 * A recovery that has started up and stands right before the first thing it does that depends on the crash: its first use
 * of persistent memory or of what had been printed. Every crash state goes on from there. Always:
 * - A run from here ends as one from the program's first instruction would (recovery-machine.ts), its count of instructions too.
 * - The standing machine holds the lines it was last advanced by; a run changes nothing of it.
 */
import { baseName } from "../base/index.ts";
import type { FileContents, LineContents, Machine, MachineSnapshot, RunResult, WatchOptions } from "../vm/index.ts";
import { runUnlessEndless } from "./endless.ts";
import type { FileVersion } from "./files.ts";
import { LineReader } from "./line-reader.ts";
import {
  endOf,
  joined,
  type RecoveryEnd,
  type RecoveryMachine,
  type RecoveryOptions,
  verdictOf,
} from "./recovery-machine.ts";
import { LeakSearch } from "./unreached.ts";

/** What is told of a run: see WatchOptions. */
export type RecoveryUses = Pick<WatchOptions, "words" | "halves" | "name" | "listing"> & {
  /** The number of the next operation is used. */
  operation(): void;
};

/** What a crash leaves besides the lines that the standing machine has. */
export interface RunInputs {
  readonly lines: Iterable<LineContents>;
  readonly persistent: ReadonlySet<string>;
  readonly acknowledged: readonly Uint8Array[];
  readonly operation: number;
}

interface Checkpoint {
  readonly snapshot: MachineSnapshot;
  /** What has been written to each stream. */
  readonly written: readonly [number, number, number];
}

/** With the names that were looked up on the way. */
interface StartedUp {
  readonly stand: Checkpoint;
  readonly names: ReadonlySet<string>;
}

/** Each brings up to 64 KiB, as a fault does. */
const mostBrought = 512;

/** Numbers of words, of those of their halves; one that is told twice is asked for once. */
const wholeWords = (halves: Int32Array): Int32Array => halves.map((half) => Math.floor(half / 2));

const unheard: RecoveryUses = { words: () => {}, name: () => {}, listing: () => {}, operation: () => {} };

export class StartedRecovery {
  readonly #options: RecoveryOptions;
  readonly #maxInstructions: number;
  readonly #start: Checkpoint;
  readonly #startInstructions: number;
  #started: StartedUp | undefined;
  readonly #differing = new Set<string>();
  #stand: Checkpoint | undefined;
  /** How many bytes of the program's output the stand has in the file of what was printed; no file at first. */
  #printed = -1;
  /** Addresses whose pages the last run lacked, and how many were brought for this stand. */
  #wanted: readonly number[] = [];
  #brought = 0;
  /** Names that were looked up before the machine came to stand where it does. */
  #names: ReadonlySet<string> = new Set();

  /** Runs end after so many instructions, those of starting up among them. */
  constructor(recovery: RecoveryMachine, maxInstructions: number) {
    this.#options = recovery.options;
    this.#maxInstructions = maxInstructions;
    recovery.toStart();
    this.#startInstructions = this.#machine.instructions;
    this.#start = this.#take();
  }

  get #machine(): Machine {
    return this.#options.machine;
  }
  get names(): ReadonlySet<string> {
    return this.#names;
  }

  #take(): Checkpoint {
    return { snapshot: this.#machine.snapshot(), written: this.#machine.streamOffsets };
  }

  #return({ snapshot, written }: Checkpoint): void {
    this.#machine.restore(snapshot);
    this.#options.output.turnBack(written);
  }

  #watch(isWatched: (path: string) => boolean, uses: RecoveryUses): void {
    this.#machine.watch({ isWatched, ...uses });
  }

  /** Runs on to the first use; true when it came to stand there. */
  #goToUse(isWatched: (path: string) => boolean, stops: ReadonlySet<string>, names: Set<string>): boolean {
    this.#watch(isWatched, { ...unheard, name: (name) => names.add(name) });
    const result = this.#machine.runToUse((name) => stops.has(name), this.#maxInstructions);
    this.#machine.watch(undefined);
    for (const name of stops) names.delete(name);
    // An address that somebody wants to stop at comes before all that is used behind it.
    return result?.kind === "use" || result?.kind === "address";
  }

  /** Lets the machine start up among these files. `persistent` are the files whose lines change. */
  prepare(files: FileVersion, persistent: ReadonlySet<string>): void {
    const acknowledged = baseName(this.#options.acknowledgedPath);
    const isWatched = (path: string) => persistent.has(path);
    const from = this.#startedAmong(files);
    if (this.#stand !== undefined) this.#machine.release(this.#stand.snapshot);
    this.#return(from.stand);
    this.#machine.importFiles(files);
    const names = new Set(from.names);
    if (!this.#goToUse(isWatched, new Set([acknowledged]), names)) {
      // It ended, or nobody can say where: every run starts from where this one did.
      this.#return(from.stand);
      this.#machine.importFiles(files);
      names.clear();
      for (const name of from.names) names.add(name);
    }
    this.#names = names;
    this.#stand = this.#take();
    this.#printed = -1;
    this.#wanted = [];
    this.#brought = 0;
  }

  /** Started up to before the first name that these files, or others so far, have otherwise than the host. */
  #startedAmong(files: FileVersion): StartedUp {
    const own = [...files.keys()].map(baseName);
    for (const name of own) this.#differing.add(name);
    const known = this.#started;
    if (known !== undefined && !own.some((name) => known.names.has(name))) return known;
    if (known !== undefined) this.#machine.release(known.stand.snapshot);
    this.#return(this.#start);
    const names = new Set<string>();
    const stops = new Set(this.#differing).add(baseName(this.#options.acknowledgedPath));
    const stands = this.#goToUse(() => false, stops, names);
    if (!stands) this.#return(this.#start);
    this.#started = { stand: this.#take(), names: stands ? names : new Set() };
    return this.#started;
  }

  /** A file as the standing machine has it, no lines laid. */
  contentsAt(path: string): FileContents | undefined {
    this.#return(this.#stand!);
    return this.#machine.contentsOf(path);
  }

  reader(): LineReader {
    return new LineReader(this.#machine);
  }

  /** These lines stay as they are given. */
  advance(lines: Iterable<LineContents>): void {
    const before = this.#stand!;
    this.#return(before);
    this.#machine.layLines(lines);
    this.#stand = this.#take();
    this.#machine.release(before.snapshot);
  }

  /**
   * The standing machine has what every run begins with: what had been printed, and the pages that the last run used. Both
   * are the same whether they come now or when they are used.
   */
  #settle(acknowledged: readonly Uint8Array[]): void {
    const { machine, acknowledgedPath } = this.#options;
    // All that is given is of one run: as many bytes of its output are the same bytes.
    const printed = acknowledged.reduce((sum, { length }) => sum + length, 0);
    if (this.#printed === printed && this.#wanted.length === 0) return;
    const before = this.#stand!;
    this.#return(before);
    machine.bringPages(this.#wanted);
    machine.takeAppeared();
    if (this.#printed !== printed) machine.writeFile(acknowledgedPath, joined(acknowledged));
    this.#printed = printed;
    this.#brought += this.#wanted.length;
    this.#wanted = [];
    this.#stand = this.#take();
    machine.release(before.snapshot);
  }

  /** `go` runs the machine, for whoever has to stop on the way. */
  run(
    inputs: RunInputs,
    expectExit: number,
    uses: RecoveryUses,
    go: (instructions: number) => RunResult = (instructions) => runUnlessEndless(this.#machine, instructions),
  ): RecoveryEnd {
    const { machine, output, followUps } = this.#options;
    const { lines, persistent, acknowledged, operation } = inputs;
    const isWatched = (path: string) => persistent.has(path);
    this.#settle(acknowledged);
    this.#return(this.#stand!);
    machine.layLines(lines);
    machine.takeAppeared();
    const leaks = this.#options.findsLeaks ? new LeakSearch(machine, persistent, this.#names) : undefined;
    const name = (looked: string): void => {
      leaks?.looksUp(looked);
      uses.name(looked);
    };
    this.#watch(isWatched, leaks === undefined ? uses : { ...uses, name });
    const spent = machine.instructions - this.#startInstructions;
    const result = go(Math.max(0, this.#maxInstructions - spent));
    machine.watch(undefined);
    if (this.#brought < mostBrought) this.#wanted = machine.takeAppeared();
    const ran = machine.instructions - this.#startInstructions;
    const instructions = result.kind === "limit" ? this.#maxInstructions : ran;
    const verdict = verdictOf(result, instructions);
    const tell = (path: string, halves: Int32Array) => uses.words(path, uses.halves ? halves : wholeWords(halves));
    const unreached = verdict.kind === "exit" ? leaks?.unreached(tell) : undefined;
    const ended = endOf(verdict, instructions, output, unreached);
    const maxInstructions = this.#maxInstructions;
    return followUps.run(ended, machine, { operation, maxInstructions, expectExit, uses: { ...uses, isWatched } });
  }
}
