/**
 * Flushes and fences that a program does not need (`fix --performance`): what the rules call needless in a run, and what is needless on
 * every path through its function (`src/program/source/needless.ts`). Always:
 * - Both must say so, and without it the check must find the same errors and the program print the same.
 * - Nothing is taken out of a program with threads: another one may have stored in between.
 */
import type { HostPorts } from "../../base/index.ts";
import type { Finding } from "../../crash/finding/index.ts";
import type { RemovedOp } from "../../machine/index.ts";
import {
  applyInsertions,
  functionAround,
  needlessCalls,
  nodeAt,
  placeAfter,
  removalOf,
  type SourceNode,
  unifiedDiff,
} from "../../program/source/index.ts";
import { type Places, Subject, type SubjectOptions, type TracedRun } from "../../session/subject/index.ts";
import { eventsBetween, type Frame, type TraceEvent } from "../../trace/events/index.ts";
import type { OpenSource, OpenSources } from "./open-sources.ts";
import type { SourceChange } from "./source-patch.ts";
import { traceWithPlaces } from "./traced.ts";

export interface RemovalPorts {
  readonly host: HostPorts;
  readonly sources: OpenSources;
  /** All that a check of the subject finds. */
  findings(subject: SubjectOptions): Promise<readonly Finding[]>;
  shownPath(path: string): string;
}

/** A statement that can go. */
export interface Needless {
  readonly frame: Frame;
  readonly source: OpenSource;
  readonly statement: SourceNode;
}

export interface KeptFinding {
  readonly finding: Finding;
  /** The user's own code that it is in. */
  readonly frame: Frame | undefined;
  readonly reason: string;
}

export interface Removals {
  readonly removed: readonly Needless[];
  readonly kept: readonly KeptFinding[];
  readonly changes: readonly SourceChange[];
}

const removable: ReadonlySet<string> = new Set(["flush-clean", "flush-twice", "redundant-fence"]);
const ops: ReadonlySet<string> = new Set(["clflush", "clflushopt", "clwb", "sfence", "mfence"]);

export class Removal {
  readonly #subject: SubjectOptions;
  readonly #ports: RemovalPorts;
  readonly #places: Places;
  readonly #run: TracedRun;
  readonly #hasThreads: boolean;

  constructor(subject: SubjectOptions, ports: RemovalPorts) {
    this.#subject = subject;
    this.#ports = ports;
    const { run, places } = traceWithPlaces(subject, ports.host);
    this.#run = run;
    this.#places = places;
    this.#hasThreads = [...eventsBetween(run.trace, 0, run.trace.count)].some(({ kind }) => kind === "thread-start");
  }

  async run(): Promise<Removals> {
    const before = await this.#ports.findings(this.#subject);
    const removed: Needless[] = [];
    const kept: KeptFinding[] = [];
    let taken: readonly RemovedOp[] = [];
    for (const finding of before.filter(({ rule }) => removable.has(rule.id))) {
      const frame = this.#ports.sources.ownFrame(finding.frames);
      const needless = frame === undefined ? "it is in no code of the program's own" : this.#needlessAt(frame);
      if (typeof needless === "string") kept.push({ finding, frame, reason: needless });
      else if (!removed.some((one) => one.statement.equals(needless.statement))) {
        const tried = [...taken, ...this.#opsOf(needless)];
        const why = await this.#whyNot(tried, before);
        if (why !== undefined) kept.push({ finding, frame, reason: why });
        else {
          removed.push(needless);
          taken = tried;
        }
      }
    }
    return { removed, kept, changes: this.#changes(removed) };
  }

  #needlessAt(frame: Frame): Needless | string {
    const found = this.#statementAt(frame);
    if (found === undefined) return "it is in no source that can be read";
    if (typeof found === "string") return found;
    const { source, statement } = found;
    if (this.#hasThreads) return "the program has threads, and another one may store in between";
    const around = functionAround(statement);
    const needless = around === undefined ? [] : needlessCalls(around.body, source.helpers, source.repeatable);
    return needless.some((one) => one.equals(statement))
      ? { frame, source, statement }
      : `it is not needless on every path through ${around?.name ?? "its function"}`;
  }

  #statementAt({ file, line, column }: Frame): Pick<Needless, "source" | "statement"> | string | undefined {
    const source = file === undefined ? undefined : this.#ports.sources.open(file);
    const node = source && line !== undefined ? nodeAt(source.root, { line, column: column ?? 0 }) : undefined;
    const placement = node && placeAfter(node);
    if (source === undefined || placement === undefined) return undefined;
    if (placement.kind === "nowhere") return placement.reason;
    return placement.kind === "in block"
      ? { source, statement: placement.statement }
      : "it is all that an if or a loop without braces has";
  }

  /** The instructions that a statement comes down to in the run; in a helper, below the call of it alone. */
  #opsOf({ statement, source }: Needless): readonly RemovedOp[] {
    const found = new Map<string, RemovedOp>();
    for (const event of eventsBetween(this.#run.trace, 0, this.#run.trace.count)) {
      if (!ops.has(event.kind)) continue;
      const op = this.#opOf(event, statement, source);
      if (op !== undefined) found.set(`${op.site} ${op.below}`, op);
    }
    return [...found.values()];
  }

  #opOf({ site, stack }: TraceEvent, statement: SourceNode, source: OpenSource): RemovedOp | undefined {
    const frames = this.#places.resolver.frames(site, stack);
    const own = this.#ports.sources.ownFrame(frames);
    const at = own && this.#statementAt(own);
    if (own === undefined || at === undefined || typeof at === "string") return undefined;
    if (at.source !== source || !at.statement.equals(statement)) return undefined;
    // Inlined calls are no calls of the machine.
    const calls = frames.slice(0, frames.indexOf(own)).filter(({ inlined }) => !inlined).length;
    const below = this.#run.trace.tables.contexts.stack(stack)[calls - 1];
    return below === undefined ? { site } : { site, below };
  }

  async #whyNot(removed: readonly RemovedOp[], before: readonly Finding[]): Promise<string | undefined> {
    const subject = { ...this.#subject, removed };
    const errorsIn = (findings: readonly Finding[]) =>
      findings.filter(({ rule }) => rule.severity === "error").map(({ fingerprint }) => fingerprint);
    const [known, found] = [errorsIn(before), errorsIn(await this.#ports.findings(subject))].map((all) =>
      JSON.stringify(all.toSorted((a, b) => (a < b ? -1 : 1))),
    );
    if (known !== found) return "without it the check finds something else";
    const { stdout, outcome } = new Subject(subject, this.#ports.host).trace([]);
    const isSame = stdout === this.#run.stdout && JSON.stringify(outcome) === JSON.stringify(this.#run.outcome);
    return isSame ? undefined : "without it the program prints something else";
  }

  #changes(removed: readonly Needless[]): readonly SourceChange[] {
    return [...new Set(removed.map(({ source }) => source))].map(({ path, text }) => {
      const own = removed.filter(({ source }) => source.path === path);
      const after = applyInsertions(
        text,
        own.map(({ statement }) => removalOf(text, statement)),
      );
      return { path, before: text, after, diff: unifiedDiff(this.#ports.shownPath(path), text, after) };
    });
  }
}
