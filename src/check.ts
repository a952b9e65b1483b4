/** `blackout check` for programs: what the command does by default, with findings as data. */
import { injectEngine, rulesEngine } from "./engines/index.ts";
import { realPorts, type WorkerProgram } from "./host/index.ts";
import type { SubjectOptions } from "./session/subject/index.ts";
import { type Done, runSession, type SessionOptions, type SessionResult } from "./session/work/index.ts";

export type { SessionResult } from "./session/work/index.ts";

export interface CheckRequest extends Partial<SubjectOptions>, Partial<Omit<SessionOptions, "subject">> {
  /** The program and its arguments. */
  readonly program: readonly string[];
  /** The workers' program; without it, everything is judged in this thread. */
  readonly workers?: WorkerProgram;
  progress?(done: Done): void;
}

/** Runs a program, cuts the power at its failure points, and runs its recovery on what a crash leaves. */
export async function check(request: CheckRequest): Promise<SessionResult> {
  const {
    program,
    setup,
    recover,
    furtherRecoveries,
    thenCommand,
    root,
    workers,
    progress = () => undefined,
    ...limits
  } = request;
  const host = realPorts();
  const subject: SubjectOptions = {
    program,
    ...(setup && { setup }),
    ...(recover && { recover }),
    ...(furtherRecoveries && { furtherRecoveries }),
    ...(thenCommand && { thenCommand }),
    directory: request.directory ?? host.directory,
    ...(root !== undefined && { root }),
    env: request.env ?? [],
    seed: request.seed ?? 0,
    limits: request.limits ?? {},
    jit: request.jit ?? true,
    pm: request.pm ?? [],
    pmMode: request.pmMode ?? "dax",
    annotated: request.annotated ?? false,
  };
  const defaults = {
    judging: { expectExit: 0, oracle: "exit", platform: "px86" },
    traceEngines: [rulesEngine({ wantsAnnotations: true })],
    crashEngines: [injectEngine()],
    journal: false,
  } as const;
  const result = await runSession({ ...defaults, ...limits, subject }, { host, workers, progress });
  result.finish();
  return result;
}
