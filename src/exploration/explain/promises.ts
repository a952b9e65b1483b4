/**
 * What a program has promised to others by a power cut: it printed something, it changed a file beside its persistent ones, or
 * it ended. What was told before the first store to persistent memory says nothing of it, but to a recovery that would succeed
 * otherwise.
 */
import { type CrashSource, type FailurePoint, versionOf } from "../../crash/states/index.ts";
import { type FileVersion, pathFromText } from "../../machine/index.ts";
import type { TracedRun } from "../../session/subject/index.ts";
import { notesIn, type Trace } from "../../trace/events/index.ts";
import { codeIn, codeOf, inRecord, recordWords } from "../../trace/record/index.ts";

const stdout = 1;

/** The first store to persistent memory, and the first that is printed behind it. */
export function beginningOf(trace: Trace): { readonly store: number; readonly output: number } | undefined {
  let store: number | undefined;
  let seq = 0;
  for (const words of trace.batches())
    for (let at = 0; at < words.length; at += recordWords, seq++) {
      const code = codeIn(words[at]!);
      if (store === undefined && (code === codeOf.store || code === codeOf["non-temporal"])) store = seq;
      const isPrinted = code === codeOf.output && words[at + inRecord.address] === stdout;
      if (store !== undefined && isPrinted) return { store, output: seq };
    }
  return store === undefined ? undefined : { store, output: Number.POSITIVE_INFINITY };
}

/** Files that are persistent memory at some time of the run: one may be made while another is complete. */
function persistentFiles(trace: Trace): ReadonlySet<string> {
  const paths = new Set<string>();
  for (const event of notesIn(trace)) if (event.kind === "map" && event.persistent) paths.add(pathFromText(event.path));
  return paths;
}

/** Whether names or contents of other files differ. A folder tells nobody anything. */
function differBeside(a: FileVersion, b: FileVersion, persistent: ReadonlySet<string>): boolean {
  const tells = (path: string) => !persistent.has(path) && (b.get(path) ?? a.get(path))?.kind !== "directory";
  return [...a.keys(), ...b.keys()].some((path) => a.get(path)?.number !== b.get(path)?.number && tells(path));
}

/** The first version of the files that makes a promise. */
function promisingVersion({ history, trace }: TracedRun, first: number): number {
  const persistent = persistentFiles(trace);
  const from = history.versionAt(first);
  const begun = history.read(from);
  for (let version = from + 1; version < history.starts.length; version++)
    if (differBeside(begun, history.read(version), persistent)) return version;
  return Number.POSITIVE_INFINITY;
}

/** The first version of the files in which those that are mapped are what they are before event `seq`. */
function versionWithout({ history }: TracedRun, seq: number, mapped: readonly string[]): number {
  let version = history.versionAt(seq);
  const begun = history.read(version);
  const isSame = (files: FileVersion) => mapped.every((path) => files.get(path)?.number === begun.get(path)?.number);
  while (version > 0 && isSame(history.read(version - 1))) version--;
  return version;
}

export class Promises {
  readonly #source: CrashSource;
  readonly #output: number;
  readonly #version: number;
  /** The files as of the first store without what was promised before it. */
  readonly unpromised: number;

  /** `mapped`: the persistent files there are at the first store. */
  constructor(
    run: TracedRun,
    source: CrashSource,
    { store, output }: { readonly store: number; readonly output: number },
    mapped: readonly string[],
  ) {
    this.#source = source;
    this.#output = output;
    this.#version = promisingVersion(run, store);
    this.unpromised = versionWithout(run, store, mapped.map(pathFromText));
  }

  madeBy(point: FailurePoint): boolean {
    const hasTold = point.before === "end" || point.seq > this.#output;
    return hasTold || versionOf(this.#source.versions, point) >= this.#version;
  }
}
