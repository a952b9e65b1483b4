/**
 * `--bundle DIR`: all that somebody else needs to look at failures: the report, the witness with the binaries' digests, the
 * files that each crash left, and a script that replays. `blackout replay DIR` reads it.
 */
import { join } from "node:path";
import type { HostPorts } from "../../base/index.ts";
import type { Finding } from "../../crash/finding/index.ts";
import { witnessText } from "../../crash/states/index.ts";
import { type TreeFile, wholeFile, writeTree } from "../../host/index.ts";
import { replayWitness } from "../../session/work/index.ts";
import { dumpFiles } from "./dump.ts";

export const bundleFiles = {
  report: "report.json",
  text: "report.txt",
  witness: "witness.json",
  digests: "digests.json",
  script: "replay.sh",
  crashed: "crashed",
} as const;

/** Laying a crash out again takes a run of the program: only of so many findings. */
const mostCrashes = 20;

const script = `#!/bin/sh
# Runs the crashes of this bundle once more: exit code 1 while recovery fails, 0 once it no longer does.
exec "\${BLACKOUT:-blackout}" replay "$(dirname "$0")" "$@"
`;

export interface BundleParts {
  readonly json: string;
  readonly text: string;
  readonly findings: readonly Finding[];
}

const text = (contents: string, runs = false): TreeFile => wholeFile(new TextEncoder().encode(contents), runs);

export function writeBundle(folder: string, { json, text: told, findings }: BundleParts, ports: HostPorts): void {
  const witnesses = findings.flatMap(({ crash }) => (crash === undefined ? [] : [crash.witness]));
  const digests = Object.assign({}, ...witnesses.map(({ files }) => files)) as Record<string, string>;
  const files = new Map([
    [bundleFiles.report, text(`${json}\n`)],
    [bundleFiles.text, text(`${told}\n`)],
    [bundleFiles.witness, text(witnessText(witnesses))],
    [bundleFiles.digests, text(`${JSON.stringify(digests, undefined, 2)}\n`)],
    [bundleFiles.script, text(script, true)],
  ]);
  writeTree(folder, files);
  for (const [index, witness] of witnesses.slice(0, mostCrashes).entries()) {
    const { remains } = replayWitness(witness, ports);
    if (remains === undefined) continue;
    writeTree(folder, dumpFiles(join(bundleFiles.crashed, String(index + 1)), witness, remains));
  }
}
