/** Several inputs of one program, each a file that it reads from its standard input, and their sessions as one. */
import { join } from "node:path";
import { InputError } from "../../base/index.ts";
import type { Finding } from "../../crash/finding/index.ts";
import { namesIn, realPorts } from "../../host/index.ts";
import type { SessionResult } from "../../session/work/index.ts";

/** The regular files of a folder in the order of their names. */
export function inputsIn(folder: string): readonly Uint8Array[] {
  const inputs = namesIn(folder).flatMap((name) => realPorts().readFile(join(folder, name)) ?? []);
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
