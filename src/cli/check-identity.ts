/** What a check's results depend on, as texts to compare. */
import { createHash } from "node:crypto";
import { addWords, digestText, newDigest } from "../base/index.ts";
import type { EventStore } from "../trace/index.ts";
import type { Identity } from "./check-journal.ts";
import type { CheckOptions } from "./check-options.ts";
import { type CheckSession, splitCommand, type TracedRun } from "./check-session.ts";
import { readIfThere } from "./files.ts";
import { programFile } from "./program.ts";

/** Options that say how far, how fast and where to, not what. */
const free: readonly (keyof CheckOptions)[] = [
  ...(["jobs", "time", "maxStates", "memo", "rules", "format", "report", "witness"] as const),
  ...(["journal", "resume", "stats"] as const),
];

const blackoutVersion = "0.1.0";

/** Known before anything has run. */
export function identityOf(
  options: CheckOptions,
  program: readonly string[],
  { recoverCommand }: CheckSession,
): Omit<Identity, "run"> {
  const kept = Object.entries(options).filter(([name]) => !free.includes(name as keyof CheckOptions));
  const commands = [program, recoverCommand, ...(options.setup === undefined ? [] : [splitCommand(options.setup)])];
  const hash = createHash("sha256");
  // What cannot be read is told when it is loaded.
  for (const command of commands) hash.update(readIfThere(programFile(options, command)) ?? "");
  return {
    blackout: blackoutVersion,
    program: JSON.stringify(program),
    options: JSON.stringify(kept.sort(([a], [b]) => (a < b ? -1 : 1))),
    binaries: hash.digest("hex"),
  };
}

/** Every event, every text, what was read, and how long recovery takes after a clean stop. */
export function runIdentity({ trace, history }: TracedRun, input: Uint8Array, hangLimit: number): string {
  const rest = createHash("sha256").update(trace.tables.texts.packed().bytes).update(input);
  rest.update(`${hangLimit} ${history.starts.join(" ")}`);
  return `${digestOfEvents(trace)} ${rest.digest("hex")}`;
}

function digestOfEvents(trace: EventStore): string {
  const digest = newDigest();
  for (const words of trace.batches()) addWords(digest, words);
  return digestText(digest);
}
