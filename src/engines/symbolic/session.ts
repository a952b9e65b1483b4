/**
 * Follows every path that unknown input makes a program take, and lets trace engines judge each: on a fresh machine, on an input that
 * takes the path. So what is found was seen, and the input that shows it is at hand.
 */
import { type HostPorts, Stopped } from "../../base/index.ts";
import type { Finding } from "../../crash/finding/index.ts";
import { type Outcome, pathFromText } from "../../machine/index.ts";
import { Subject, type SubjectOptions } from "../../session/subject/index.ts";
import { type TraceEngine, WatchedRun } from "../../session/work/index.ts";
import { hasStores, type SinkFactory } from "../../trace/events/index.ts";
import { recordWords } from "../../trace/record/index.ts";
import {
  type CommandInput,
  CommandInputs,
  paddedCommand,
  paddedEnvironment,
  type UnknownCommand,
} from "./command-inputs.ts";
import { type ExploreCounts, type ExploreLimits, Explorer } from "./explorer.ts";
import { fewestBytes } from "./fewest-bytes.ts";
import { inputWords } from "./input-words.ts";
import { NamesMet } from "./named-bytes.ts";
import type { SolverCounts } from "./solving.ts";
import type { Model } from "./unknowns.ts";

export interface SymbolicOptions {
  readonly subject: SubjectOptions;
  readonly unknown: UnknownCommand;
  readonly limits: ExploreLimits & { readonly paths: number };
}

/** A finding, and the input that leads to it. */
export interface FoundByInput {
  readonly finding: Finding;
  readonly input: CommandInput;
}

export interface SymbolicResult {
  readonly found: readonly FoundByInput[];
  readonly counts: ExploreCounts;
  readonly solver: SolverCounts;
  /** Paths that are still to be gone. */
  readonly pending: number;
  /** Whether every input was followed to its end. */
  readonly isComplete: boolean;
  /** Unknown bytes that the program was given. */
  readonly unknownBytes: number;
  /** Whether any path stored to persistent memory. */
  readonly hasStored: boolean;
  /** Paths that were judged: of those that do the same to persistent memory, one. */
  readonly judged: number;
  /** What these did to persistent memory together. */
  readonly events: number;
  /** What ended it before that: the command's time or memory. */
  readonly stop: string | undefined;
}

/** A path that was judged. */
export interface GonePath {
  readonly input: CommandInput;
  readonly outcome: Outcome | undefined;
  /** Whether it stored to persistent memory: as no path before did, then. */
  readonly hasStored: boolean;
}
export type WhenGone = (path: GonePath) => void;

/** A machine before the program's first instruction, and what goes through its paths. */
export function explorerFor(
  subject: Subject,
  { unknown, limits }: Pick<SymbolicOptions, "unknown" | "limits">,
): { readonly explorer: Explorer; readonly inputs: CommandInputs } {
  const words = subject.options.program.map((word, i) => (i === 0 ? word : pathFromText(word)));
  const padded = paddedCommand(words, unknown);
  const inputs = new CommandInputs(padded, unknown);
  let explorer: Explorer | undefined;
  const readInput = (offset: number, length: number): Uint8Array => {
    const known = unknown.stdin > 0 ? inputs.stdinPart(offset, length) : subject.input.readInput(offset, length);
    return explorer?.readInput(offset, known) ?? known;
  };
  const environment = paddedEnvironment(subject.options.env.map(pathFromText), unknown);
  const machine = subject.given({ words: padded, environment }, subject.input).stepped(
    [() => ({ events: (words) => explorer?.recorded(words), end: () => undefined })],
    { readInput, unknownBytes: (address, size, name) => explorer?.unknownBytes(address, size, name) },
    {
      returned: (_tid, name, result) => explorer?.returned(name, result),
      signalEntered: (tid) => explorer?.signalEntered(tid),
    },
  );
  explorer = new Explorer(machine, inputs, limits);
  return { explorer, inputs };
}

export async function runSymbolic(
  options: SymbolicOptions,
  engines: readonly TraceEngine[],
  ports: HostPorts,
  whenGone: WhenGone = () => {},
): Promise<SymbolicResult> {
  const subject = new Subject(options.subject, ports);
  const { explorer, inputs } = explorerFor(subject, options);
  const { unknowns } = explorer;
  const found = new Map<string, { readonly finding: Finding; model: Model }>();
  const judgedOn = (model: Model) => judged(subject, inputs.inputFor(unknowns, model), engines);
  const minimise = (fingerprint: string) => {
    const known = found.get(fingerprint)!;
    known.model = fewestBytes(unknowns, known.model, (model) =>
      judgedOn(model).findings.some((finding) => finding.fingerprint === fingerprint),
    );
  };
  const judgedEvents = new Set<string>();
  let hasStored = false;
  let events = 0;
  const stop = await untilStopped(async () => {
    while (explorer.counts.paths < options.limits.paths) {
      const end = await explorer.next();
      if (end === undefined) break;
      if (judgedEvents.has(end.events)) continue;
      judgedEvents.add(end.events);
      const path = judgedOn(end.model);
      hasStored ||= path.hasStored;
      events += path.events;
      whenGone({ input: inputs.inputFor(unknowns, end.model), outcome: path.outcome, hasStored: path.hasStored });
      for (const finding of path.findings) {
        if (found.has(finding.fingerprint)) continue;
        found.set(finding.fingerprint, { finding, model: end.model });
        if (finding.rule.severity === "error") minimise(finding.fingerprint);
      }
    }
    for (const [fingerprint, { finding }] of found) if (finding.rule.severity !== "error") minimise(fingerprint);
  });
  return {
    found: [...found.values()].map(({ finding, model }) => ({
      finding: { ...finding, says: withInput(finding.says, inputWords(unknowns, model)) },
      input: inputs.inputFor(unknowns, model),
    })),
    counts: explorer.counts,
    solver: explorer.solving.counts,
    pending: explorer.pending,
    isComplete: stop === undefined && explorer.isComplete,
    unknownBytes: explorer.unknowns.count,
    hasStored,
    events,
    judged: judgedEvents.size,
    stop,
  };
}

/** The command's time or memory is used up: what was found until then stays. */
async function untilStopped(work: () => Promise<void>): Promise<string | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (!(error instanceof Stopped)) throw error;
    return error.message;
  }
}

const withInput = (says: string, words: string): string => (words === "" ? says : `${says}, with ${words}`);

/** One input, on a machine of its own. */
function judged(subject: Subject, command: CommandInput, engines: readonly TraceEngine[]) {
  const { stdin, named } = command;
  const input = stdin === undefined ? subject.input : subject.ports.inputOf(stdin);
  const given = subject.given(command, input);
  const names = new NamesMet();
  const watched = new WatchedRun((tables) => given.places(tables), engines);
  let hasStored = false;
  let events = 0;
  const noteStores: SinkFactory = () => ({
    events: (words) => {
      events += words.length / recordWords;
      hasStored ||= hasStores(words);
    },
    end: () => undefined,
  });
  const outcome = given.watch([...watched.sinks, noteStores], given.options.annotated, (_address, size, name) =>
    named.get(names.meet(name))?.subarray(0, size),
  );
  return { findings: watched.findings(), outcome, hasStored, events };
}
