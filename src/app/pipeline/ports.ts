/** What a pipeline takes from its caller: the host, the workers' program, and somebody to hear of progress. */
import type { HostPorts } from "../../base/index.ts";
import type { WorkerProgram } from "../../host/index.ts";
import {
  type Done,
  type Fleet,
  type News,
  runSession,
  type SessionOptions,
  type SessionResult,
} from "../../session/work/index.ts";

/** Of the whole command, tracing included. */
export interface HostLimits {
  /** In seconds. */
  readonly time?: number;
  /** In bytes. */
  readonly maxHostMemory?: number;
}

export interface ProgressPort {
  update(done: Done): void;
  /** What is known before the session ends. */
  tell?(news: News): void;
  /** The session has ended, however it did. */
  end(): void;
}

export interface PipelinePorts {
  /** The real world, with an alarm that stops what runs at the limits. They count from this call. */
  host(limits: HostLimits): HostPorts;
  /** Without it, everything is judged in this thread. */
  readonly workers: WorkerProgram | undefined;
  /** Other computers, which judge in place of this one's workers. */
  readonly fleet?: Fleet;
  /** For one session. */
  progress(): ProgressPort;
}

/** For work that nobody watches. */
export const unseen: ProgressPort = { update: () => {}, end: () => {} };

/** A session in the real world that shows its progress. */
export async function judge(
  session: SessionOptions,
  { workers, fleet, progress }: PipelinePorts,
  host: HostPorts,
  engineFiles: readonly string[] = [],
): Promise<SessionResult> {
  const shown = progress();
  const seen = { progress: (done: Done) => shown.update(done), news: (news: News) => shown.tell?.(news) };
  return await runSession(session, { host, workers, fleet, engineFiles, ...seen }).finally(() => shown.end());
}
