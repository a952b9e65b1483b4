/**
 * Tries of fixes: the program with insertions in its running code, judged by the session that complained of it. `check` and `fix`
 * both repair by these. Always: a try neither explores nor keeps a journal; one that was stopped is no answer, and throws.
 */
import { BoundReached, type HostPorts, Stopped } from "../../base/index.ts";
import type { Finding } from "../../crash/finding/index.ts";
import { programFile, type SubjectOptions } from "../../session/subject/index.ts";
import type { SessionOptions, SessionResult } from "../../session/work/index.ts";
import { openPatches, ownCode } from "./open-sources.ts";
import { judge, type PipelinePorts } from "./ports.ts";
import { Sources } from "./sources.ts";

/** What judges: a session without its subject. */
export type TrySession = Omit<SessionOptions, "subject" | "journal" | "resume" | "goesOn">;

export interface TryPorts extends PipelinePorts {
  /** Of one try. */
  readonly tryHost: () => HostPorts;
  readonly engineFiles: readonly string[];
  /** What is thrown where a try ended before all was judged; `found` is what it saw until then. */
  stopped(stop: NonNullable<SessionResult["stop"]>, found: readonly Finding[]): Error | undefined;
}

export async function judgedAnew(
  session: TrySession,
  subject: SubjectOptions,
  ports: TryPorts,
): Promise<SessionResult> {
  const result = await judge({ ...session, subject, journal: false }, ports, ports.tryHost(), ports.engineFiles);
  const error = result.stop && ports.stopped(result.stop, result.findings);
  if (error !== undefined) throw error;
  return result;
}

/** The command's time ends a try as its own bound does. */
export function asBound(error: unknown): never {
  throw error instanceof Stopped ? new BoundReached(error.message) : error;
}

export const errorsAmong = (findings: readonly Finding[]): readonly Finding[] =>
  findings.filter(({ rule }) => rule.severity === "error");

/** The program as it is on the host, its source, and patches of that. */
export interface OpenedProgram extends Awaited<ReturnType<typeof openPatches>> {
  readonly program: string;
  readonly sources: Sources;
  readonly isOwn: (module: string) => boolean;
}

export async function openProgram(
  subject: SubjectOptions,
  source: readonly string[],
  host: HostPorts,
): Promise<OpenedProgram> {
  const program = programFile(subject, subject.program, host);
  const isOwn = ownCode(program, source);
  const { root } = subject;
  const sources = new Sources({ source, ...(root !== undefined && { root }) }, program);
  return { program, sources, isOwn, ...(await openPatches(sources, isOwn)) };
}
