/** A witness brought to life again: its subject runs once more, and its crash is laid before recovery. */
import { blackoutVersion, type HostPorts, InputError, OwnedFiles } from "../../base/index.ts";
import {
  crashedFiles,
  crashSourceOf,
  isScheduleChoice,
  joined,
  type Layout,
  type Replayed,
  replayCrash,
  type SparseFile,
  type Witness,
} from "../../crash/states/index.ts";
import { textFromPath } from "../../machine/index.ts";
import type { MappedFile } from "../../model/pmem/index.ts";
import { programFile, Subject, TracedRecoveries } from "../subject/index.ts";
import { fileDigests } from "./file-digests.ts";

/** What a crash left, for tools outside. */
export interface Remains {
  /** By path, as far as they are not the host's. */
  readonly files: ReadonlyMap<string, SparseFile>;
  /** What the program had printed, and what it read from standard input. */
  readonly acknowledged: Uint8Array;
  readonly input: Uint8Array;
  /** Where the program had mapped its persistent files. */
  readonly mappings: readonly MappedFile[];
}

export interface ReplayedWitness {
  readonly replayed: Replayed;
  /** Undefined when there is no such crash. */
  readonly remains: Remains | undefined;
}

const bytesOf = (base64: string): Uint8Array => Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));

/** What is otherwise than when the witness was recorded, each as a sentence. Refuses where another program would be traced. */
export function differencesFrom({ blackout, subject, files }: Witness, ports: HostPorts): readonly string[] {
  const now = fileDigests(Object.keys(files), ports.files);
  const named = programFile(subject, subject.program, ports);
  const program = ports.realPath(named) ?? named;
  if (ports.realPath(named) !== undefined && files[program] !== now[program])
    throw new InputError(
      "replay/other-program",
      `${program} is another program than the one that was recorded: run check again.`,
      { program },
    );
  return [
    ...(blackout === blackoutVersion ? [] : [`It was recorded by Blackout ${blackout}; this is ${blackoutVersion}.`]),
    ...Object.entries(files).flatMap(([path, digest]) => (now[path] === digest ? [] : [differenceOf(path, ports)])),
  ];
}

const differenceOf = (path: string, ports: HostPorts): string =>
  ports.realPath(path) === undefined ? `${path} is gone since it was recorded.` : `${path} has changed since.`;

export function replayWitness(witness: Witness, host: HostPorts): ReplayedWitness {
  const input = bytesOf(witness.input);
  const { user } = witness;
  const ports = user === undefined ? host : { ...host, files: new OwnedFiles(host.files, user) };
  const subject = new Subject(witness.subject, ports, ports.inputOf(input));
  const schedule = witness.choices.filter(isScheduleChoice);
  const { trace, history, misfit } = subject.trace([], schedule.length > 0 ? { choices: schedule } : undefined);
  if (misfit !== undefined) return { replayed: { answer: "no such crash", before: trace.count }, remains: undefined };
  const source = crashSourceOf(trace, history, witness.judging.platform);
  const { recovery, machine } = subject.recovery();
  const { hangLimit, platform } = witness.judging;
  const traces = new TracedRecoveries(subject, hangLimit);
  const retraced = (layout: Layout) => traces.source(layout, platform);
  const replayed = replayCrash(witness, source, recovery, retraced);
  if (!("layout" in replayed)) return { replayed, remains: undefined };
  const { layout, mappings } = replayed;
  const crashed = crashedFiles(layout, machine, (path) => history.contentsAt(path, trace.count));
  const files = new Map([...crashed].map(([path, file]) => [textFromPath(path), file]));
  return { replayed, remains: { files, acknowledged: joined(layout.acknowledged), input, mappings } };
}
