/** A witness brought to life again: its subject runs once more, and its crash is laid before recovery. */
import type { HostPorts } from "../base/index.ts";
import {
  crashedFiles,
  crashSourceOf,
  type Replayed,
  replayCrash,
  type SparseFile,
  type Witness,
} from "../crash/index.ts";
import { Subject } from "../subject/index.ts";
import { pathFromText } from "../vm/index.ts";

export interface ReplayedWitness {
  readonly replayed: Replayed;
  /** The persistent files as the crash left them, by path; empty when there is no such crash. */
  readonly files: ReadonlyMap<string, SparseFile>;
}

const bytesOf = (base64: string): Uint8Array => Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));

export function replayWitness(witness: Witness, ports: HostPorts): ReplayedWitness {
  const subject = new Subject(witness.subject, ports, ports.inputOf(bytesOf(witness.input)));
  const { trace, history } = subject.trace([]);
  const source = crashSourceOf(trace, history, pathFromText);
  const { recovery, machine } = subject.recovery();
  const replayed = replayCrash(witness, source, recovery, pathFromText);
  return { replayed, files: "layout" in replayed ? crashedFiles(replayed.layout, machine) : new Map() };
}
