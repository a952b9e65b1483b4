/**
 * Runs recoveries: the crashed files are laid out in a machine that stands at its program's first instruction, and the
 * program runs to its end or to a limit. Always: a run depends on the layout and on nothing that ran before it.
 */
import { assert } from "../../base/index.ts";
import type { FileVersion, LineContents, Machine, MachineSnapshot, RunResult } from "../../machine/index.ts";
import { lineBytes } from "../../model/pmem/index.ts";
import { runUnlessEndless } from "./endless.ts";
import type { FollowUps } from "./follow-ups.ts";
import { LeakSearch, type PoolObject } from "./unreached.ts";

/** How a recovery ended. */
export type Verdict =
  | { readonly kind: "exit"; readonly code: number }
  | { readonly kind: "signal"; readonly name: string; readonly site: string; readonly address: bigint | undefined }
  | { readonly kind: "deadlock" }
  | { readonly kind: "hang"; readonly instructions: number };

export interface RecoveryEnd {
  readonly verdict: Verdict;
  /** The most that any command took. */
  readonly instructions: number;
  /** What all commands printed that ran, one after another. */
  readonly stdout: string;
  readonly stderr: string;
  /** Which command ended so, where it is not the first: see FollowUps. */
  readonly command?: number;
  /** What the work printed that went on after recovery. */
  readonly thenPrinted?: string;
  /** Objects that the first command left allocated and that nothing refers to, where they are looked for and it opened a pool. */
  readonly unreached?: readonly PoolObject[];
}

/** What a crash leaves: files, lines of persistent memory over them, and what had been printed. */
export interface Layout {
  /** Versions with one number are equal. */
  readonly version: number;
  readonly files: () => FileVersion;
  readonly lines: Iterable<LineContents>;
  readonly acknowledged: readonly Uint8Array[];
  /** The number of the operation after the one that was under way. */
  readonly operation: number;
  /** Files that the program had mapped as persistent memory; nothing is looked for in others. */
  readonly persistent?: readonly string[];
}

/** What a machine's guest writes, by stream. What a machine that was turned back writes takes the old's place. */
export class CapturedOutput {
  #bytes: Record<1 | 2, Uint8Array> = { 1: new Uint8Array(256), 2: new Uint8Array(256) };
  #length: Record<1 | 2, number> = { 1: 0, 2: 0 };
  readonly write = (stream: 1 | 2, offset: number, bytes: Uint8Array): void => {
    const end = offset + bytes.length;
    if (end > this.#bytes[stream].length) {
      const larger = new Uint8Array(2 * end);
      larger.set(this.#bytes[stream].subarray(0, offset));
      this.#bytes[stream] = larger;
    }
    this.#bytes[stream].set(bytes, offset);
    this.#length[stream] = end;
  };
  /** Only so much has been written. */
  turnBack([, stdout, stderr]: readonly [number, number, number]): void {
    this.#length = { 1: stdout, 2: stderr };
  }
  text(stream: 1 | 2): string {
    return new TextDecoder().decode(this.#bytes[stream].subarray(0, this.#length[stream]));
  }
}

export function joined(chunks: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(chunks.reduce((size, { length }) => size + length, 0));
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}

export interface RecoveryOptions {
  /** A machine with the recovery program loaded and nothing run. */
  readonly machine: Machine;
  readonly output: CapturedOutput;
  /** Where the recovery finds what was printed before the crash. */
  readonly acknowledgedPath: string;
  /** What runs after it. */
  readonly followUps: FollowUps;
  /** Whether objects are looked for that it leaves unreached. */
  readonly findsLeaks: boolean;
}

/** For who wants to know of names alone. */
const unwatched = { isWatched: () => false, words: () => {}, listing: () => {} };

export class RecoveryMachine {
  readonly options: RecoveryOptions;
  readonly #start: MachineSnapshot;
  #prepared: { readonly version: number; readonly snapshot: MachineSnapshot } | undefined;
  /** Recoveries run so far. */
  runs = 0;

  constructor(options: RecoveryOptions) {
    this.options = options;
    this.#start = options.machine.snapshot();
  }

  /** The machine as it was loaded. */
  toStart(): void {
    this.options.machine.restore(this.#start);
  }

  /** As it was made: whoever takes it next may number versions as he likes. */
  forget(): void {
    this.toStart();
    if (this.#prepared !== undefined) this.options.machine.release(this.#prepared.snapshot);
    this.#prepared = undefined;
  }

  /** To its end or its limit, whether or not it could be told earlier that it never ends: for twins of who tells. */
  runPlainly(layout: Layout, maxInstructions: number): RecoveryEnd {
    return this.run(layout, maxInstructions, 0, (instructions) => this.options.machine.run(instructions));
  }

  /** `go` runs the machine, for whoever has to stop on the way. */
  run(
    layout: Layout,
    maxInstructions: number,
    expectExit = 0,
    go: (instructions: number) => RunResult = (instructions) => runUnlessEndless(this.options.machine, instructions),
  ): RecoveryEnd {
    const { machine, output, acknowledgedPath, followUps } = this.options;
    this.#prepare(layout);
    writeLines(machine, layout.lines);
    machine.writeFile(acknowledgedPath, joined(layout.acknowledged));
    const before = machine.instructions;
    output.turnBack([0, 0, 0]);
    this.runs++;
    const leaks = this.options.findsLeaks ? new LeakSearch(machine, layout.persistent ?? []) : undefined;
    if (leaks !== undefined) machine.watch({ ...unwatched, name: (name) => leaks.looksUp(name) });
    const result = go(maxInstructions);
    if (leaks !== undefined) machine.watch(undefined);
    const instructions = result.kind === "limit" ? maxInstructions : machine.instructions - before;
    const verdict = verdictOf(result, instructions);
    const unreached = verdict.kind === "exit" ? leaks?.unreached(() => {}) : undefined;
    const ended = endOf(verdict, instructions, output, unreached);
    return followUps.run(ended, machine, { operation: layout.operation, maxInstructions, expectExit });
  }

  /** The machine at its start, with the files of the layout's version. */
  #prepare({ version, files }: Layout): void {
    const { machine } = this.options;
    if (this.#prepared?.version === version) {
      machine.restore(this.#prepared.snapshot);
      return;
    }
    // Whoever gives the files may run other recoveries on this machine to know them.
    const given = files();
    this.forget();
    machine.importFiles(given);
    this.#prepared = { version, snapshot: machine.snapshot() };
  }
}

/** Of the first command; what follows it may end otherwise. */
export const endOf = (
  verdict: Verdict,
  instructions: number,
  output: CapturedOutput,
  unreached: RecoveryEnd["unreached"],
): RecoveryEnd => ({
  verdict,
  instructions,
  stdout: output.text(1),
  stderr: output.text(2),
  ...(unreached && { unreached }),
});

export function verdictOf(result: RunResult, instructions: number): Verdict {
  if (result.kind !== "ended") return { kind: "hang", instructions };
  const { outcome } = result;
  if (outcome.kind === "exit") return { kind: "exit", code: outcome.code };
  if (outcome.kind === "deadlock") return { kind: "deadlock" };
  if (outcome.kind === "limit") return { kind: "hang", instructions };
  return { kind: "signal", name: outcome.name, site: outcome.site, address: outcome.address };
}

const pageBytes = 4096;
const linesPerPage = pageBytes / lineBytes;

/**
 * Puts lines into files, a page at a time; what lies beyond a file's end is dropped. Nothing is mapped yet, so that this
 * needs nothing of what `Machine.layLines` does.
 */
function writeLines(machine: Machine, lines: Iterable<LineContents>): void {
  const byPage = new Map<string, LineContents[]>();
  for (const line of lines) {
    assert(line.bytes.length === lineBytes, "a line's contents are a line");
    const key = `${Math.floor(line.index / linesPerPage)} ${line.path}`;
    byPage.set(key, [...(byPage.get(key) ?? []), line]);
  }
  for (const group of byPage.values()) {
    const { path, index } = group[0]!;
    const offset = Math.floor(index / linesPerPage) * pageBytes;
    const contents = machine.poolContents(path);
    const page = new Uint8Array(pageBytes);
    if (contents !== undefined) machine.readContents(contents, offset, page);
    for (const line of group) page.set(line.bytes, line.index * lineBytes - offset);
    machine.writeStored(path, offset, page);
  }
}
