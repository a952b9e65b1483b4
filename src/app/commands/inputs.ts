/** Several inputs of one program, each a file that it reads from its standard input, and their sessions as one. */
import { join } from "node:path";
import { counted, InputError, printable } from "../../base/index.ts";
import type { Finding } from "../../crash/finding/index.ts";
import { namesIn, realPorts } from "../../host/index.ts";
import { journalOfPart, type SessionResult } from "../../session/work/index.ts";
import { type Checked, type CheckOptions, checkProgram, type PipelinePorts } from "../pipeline/index.ts";

/** A file's name, and what it holds. */
export interface NamedInput {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** The regular files of a folder in the order of their names. */
export function inputsIn(folder: string): readonly NamedInput[] {
  const inputs = namesIn(folder).flatMap((name): NamedInput[] => {
    const bytes = realPorts().readFile(join(folder, name));
    return bytes === undefined ? [] : [{ name, bytes }];
  });
  if (inputs.length === 0)
    throw new InputError("input/none", `${folder} has no files: give --input a folder with one for each input.`, {
      folder,
    });
  return inputs;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

/** Each finding once, with all crash states that show it. */
function merged(findings: readonly Finding[]): readonly Finding[] {
  const byFingerprint = new Map<string, Finding>();
  for (const finding of findings) {
    const known = byFingerprint.get(finding.fingerprint);
    byFingerprint.set(finding.fingerprint, known ? { ...known, count: known.count + finding.count } : finding);
  }
  return [...byFingerprint.values()];
}

/** As if all had been one session; what stopped one of them stopped it. */
export function joinedResults(results: readonly SessionResult[]): SessionResult {
  const stop = results.find((result) => result.stop !== undefined)?.stop;
  const all = (pick: (result: SessionResult) => number) => sum(results.map(pick));
  return {
    ...results[0]!,
    findings: merged(results.flatMap(({ findings }) => findings)),
    events: all(({ events }) => events),
    extent: {
      points: all(({ extent }) => extent.points),
      pointsInAll: all(({ extent }) => extent.pointsInAll),
      states: all(({ extent }) => extent.states),
      statesInAll: all(({ extent }) => extent.statesInAll),
      ...(all(({ extent }) => extent.leftOut ?? 0) > 0 && { leftOut: all(({ extent }) => extent.leftOut ?? 0) }),
    },
    stop,
    tested: all(({ tested }) => tested),
    skipped: all(({ skipped }) => skipped),
    seconds: {
      before: all(({ seconds }) => seconds.before),
      judging: all(({ seconds }) => seconds.judging),
      busy: all(({ seconds }) => seconds.busy),
    },
    finish: () => {
      for (const { finish } of results) finish(stop === undefined);
    },
  };
}

/** Which input shows what no earlier one does, a line for each. */
export interface CheckedInputs extends Checked {
  readonly inputLines?: string;
}

/** A check of each input in turn, with a journal of its own. */
export async function checkInputs(folder: string, options: CheckOptions, ports: PipelinePorts): Promise<CheckedInputs> {
  // The time of all of them counts from here.
  const host = ports.host(options);
  const results: Checked[] = [];
  const known = new Set<string>();
  let inputLines = "";
  for (const [at, { name, bytes }] of inputsIn(folder).entries()) {
    const own = { ...host, standardInput: () => host.inputOf(bytes) };
    const part = { ...options, journal: journalOfPart(options.journal, at + 1) };
    const result = await checkProgram(part, { ...ports, host: () => own });
    results.push(result);
    const fresh = result.findings.filter(({ fingerprint }) => !known.has(fingerprint));
    for (const { fingerprint } of fresh) known.add(fingerprint);
    const rules = [...new Set(fresh.map(({ rule }) => rule.id))].join(", ");
    if (fresh.length > 0)
      inputLines += `\nblackout: first with the input ${printable(name)}: ${counted(fresh.length, "finding")} (${rules})`;
    if (result.stop !== undefined) break;
  }
  return { ...joinedChecks(results), inputLines };
}

/** What is told of one run alone (its updates, its points, its functions) is told of none. */
function joinedChecks(results: readonly Checked[]): Checked {
  const { updates, functions, points, furtherExtent, onlyInSetup, ...first } = results[0]!;
  const { stop, ...joined } = joinedResults(results);
  const checksums = [...new Set(results.flatMap((result) => result.checksums))];
  const taken = sum(results.map(({ schedules }) => schedules?.taken ?? 0));
  const different = sum(results.map(({ schedules }) => schedules?.different ?? 0));
  const complaint = results.find((result) => result.complaint !== undefined)?.complaint;
  const all = {
    ...first,
    findings: joined.findings,
    events: joined.events,
    extent: joined.extent,
    seconds: joined.seconds,
  };
  return {
    ...all,
    tested: joined.tested,
    skipped: joined.skipped,
    finish: joined.finish,
    stop,
    checksums,
    complaint,
    ...(first.schedules && { schedules: { taken, different } }),
  };
}
