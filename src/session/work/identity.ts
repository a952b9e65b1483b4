/** What a session's results depend on, as texts to compare. */
import { addWords, blackoutVersion, digestText, newDigest } from "../../base/index.ts";
import { sha256 } from "../../host/index.ts";
import type { EventStore } from "../../trace/events/index.ts";
import { programFile, type Subject, type TracedRun } from "../subject/index.ts";
import type { CrashEngine } from "./engine.ts";
import { fileDigests } from "./file-digests.ts";
import type { Identity } from "./journal.ts";

/** The programs that a session runs, as files on the host. */
export function programFiles({ options, recoveryCommands, ports }: Subject): readonly string[] {
  const commands = [options.program, ...recoveryCommands, ...(options.setup === undefined ? [] : [options.setup])];
  const files = commands.map((command) => programFile(options, command, ports));
  return [...new Set(files.map((file) => ports.realPath(file) ?? file))];
}

/** Fields in a fixed order, whatever order they were given in. */
const fieldsText = (fields: object): string =>
  JSON.stringify(Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1)));

/** Known before anything has run. `judging` is what was asked for. */
export function identityOf(
  subject: Subject,
  judging: object,
  engines: readonly CrashEngine[],
): Omit<Identity, "files" | "run"> {
  const { program, measured: _measured, ...rest } = subject.options;
  return {
    blackout: blackoutVersion,
    program: JSON.stringify(program),
    options: [
      fieldsText(rest),
      fieldsText(judging),
      ...engines.map(({ name, identity }) => `${name} ${identity}`),
    ].join("\n"),
    binaries: fieldsText(fileDigests(programFiles(subject), subject.ports.files)),
  };
}

/** Known when program and recovery have run once. */
export const filesIdentity = (files: Readonly<Record<string, string>>): string => fieldsText(files);

/** Every event, every text, what was read, and how long recovery takes after a clean stop. */
export function runIdentity({ trace, history }: TracedRun, input: Uint8Array, hangLimit: number): string {
  const rest = sha256([trace.tables.texts.packed().bytes, input, `${hangLimit} ${history.starts.join(" ")}`]);
  return `${digestOfEvents(trace)} ${rest}`;
}

export function digestOfEvents(trace: EventStore): string {
  const digest = newDigest();
  for (const words of trace.batches()) addWords(digest, words);
  return digestText(digest);
}
