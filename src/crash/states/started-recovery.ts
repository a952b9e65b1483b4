/**
 * A recovery that has started up and stands right before the first thing it does that depends on the crash: its first use
 * of persistent memory or of what had been printed. Every crash state goes on from there. Always:
 * - A run from here ends as one from the program's first instruction would (recovery-machine.ts), its count of instructions too.
 * - The standing machine holds the lines it was last advanced by; a run changes nothing of it.
 */
import { baseName } from "../../base/index.ts";
import type { FileContents, FileVersion, LineContents, Machine, RunResult, WatchOptions } from "../../machine/index.ts";
import { runUnlessEndless } from "./endless.ts";
import { LineReader } from "./line-reader.ts";
import { RecoveryCheckpoint } from "./recovery-checkpoint.ts";
import { endOf, type RecoveryEnd, type RecoveryMachine, type RecoveryOptions, verdictOf } from "./recovery-machine.ts";
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

/** With the names that were looked up on the way. */
interface StartedUp {
  readonly checkpoint: RecoveryCheckpoint;
  readonly names: ReadonlySet<string>;
}

/** Numbers of words, of those of their halves; one that is told twice is asked for once. */
const wholeWords = (halves: Int32Array): Int32Array => halves.map((half) => Math.floor(half / 2));

const unheard: RecoveryUses = { words: () => {}, name: () => {}, listing: () => {}, operation: () => {} };

export class StartedRecovery {
  readonly #options: RecoveryOptions;
  readonly #maxInstructions: number;
  readonly #start: RecoveryCheckpoint;
  readonly #startInstructions: number;
  #started: StartedUp | undefined;
  readonly #differing = new Set<string>();
  #checkpoint: RecoveryCheckpoint | undefined;
  /** Names that were looked up before the machine came to stand where it does. */
  #names: ReadonlySet<string> = new Set();

  /** Runs end after so many instructions, those of starting up among them. */
  constructor(recovery: RecoveryMachine, maxInstructions: number) {
    this.#options = recovery.options;
    this.#maxInstructions = maxInstructions;
    recovery.toStart();
    this.#startInstructions = this.#machine.instructions;
    this.#start = new RecoveryCheckpoint(this.#options);
  }

  get #machine(): Machine {
    return this.#options.machine;
  }
  get names(): ReadonlySet<string> {
    return this.#names;
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
    this.#checkpoint?.release();
    from.checkpoint.return();
    this.#machine.importFiles(files);
    const names = new Set(from.names);
    if (!this.#goToUse(isWatched, new Set([acknowledged]), names)) {
      // It ended, or nobody can say where: every run starts from where this one did.
      from.checkpoint.return();
      this.#machine.importFiles(files);
      names.clear();
      for (const name of from.names) names.add(name);
    }
    this.#names = names;
    this.#checkpoint = new RecoveryCheckpoint(this.#options);
  }

  /** Started up to before the first name that these files, or others so far, have otherwise than the host. */
  #startedAmong(files: FileVersion): StartedUp {
    const own = [...files.keys()].map(baseName);
    for (const name of own) this.#differing.add(name);
    const known = this.#started;
    if (known !== undefined && !own.some((name) => known.names.has(name))) return known;
    known?.checkpoint.release();
    this.#start.return();
    const names = new Set<string>();
    const stops = new Set(this.#differing).add(baseName(this.#options.acknowledgedPath));
    const stands = this.#goToUse(() => false, stops, names);
    if (!stands) this.#start.return();
    this.#started = { checkpoint: new RecoveryCheckpoint(this.#options), names: stands ? names : new Set() };
    return this.#started;
  }

  /** A pool as the standing machine has it, no lines laid. */
  contentsAt(pool: string): FileContents | undefined {
    this.#checkpoint!.return();
    return this.#machine.poolContents(pool);
  }

  reader(): LineReader {
    return new LineReader(this.#machine);
  }

  /** These lines stay as they are given. */
  advance(lines: Iterable<LineContents>): void {
    this.#checkpoint!.lay(lines);
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
    const checkpoint = this.#checkpoint!;
    checkpoint.settle(acknowledged);
    checkpoint.return();
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
    checkpoint.wants(machine.takeAppeared());
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
