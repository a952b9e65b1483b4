/** What a fleet keeps in Redis, by key. Always: all of it expires within a day, whoever dies. */

export const daySeconds = 86_400;
/** Somebody who has said nothing for so long is gone. */
export const silentSeconds = 15;
export const heartbeatMilliseconds = 3000;
export const queueName = "units";

export const fleetKeys = (fleet: string) => {
  const prefix = `blackout:${fleet}`;
  return {
    /** BullMQ's own keys begin with it. */
    prefix,
    /** What workers say of themselves: a hash by worker. */
    workers: `${prefix}:workers`,
    /** Channels on which sessions stop. */
    stops: `${prefix}:stop:*`,
    session: (session: string) => ({
      /** There while the leader lives. */
      alive: `${prefix}:session:${session}:alive`,
      piece: (name: string) => `${prefix}:session:${session}:piece:${name}`,
      /** A hash by question. */
      answers: `${prefix}:session:${session}:answers`,
      /** A list of questions. */
      questions: `${prefix}:session:${session}:questions`,
      /** A channel that names each question with an answer. */
      answered: `${prefix}:answered:${session}`,
      stop: `${prefix}:stop:${session}`,
      all: `${prefix}:session:${session}:*`,
    }),
    answeredAll: `${prefix}:answered:*`,
  };
};

export type SessionKeys = ReturnType<ReturnType<typeof fleetKeys>["session"]>;

/** One unit, as BullMQ carries it. */
export interface UnitJob {
  readonly session: string;
  /** The build of Blackout that judges it. */
  readonly build: string;
  /** The piece that has the setup. */
  readonly setup: string;
  /** A message: unit, hint and versions. */
  readonly message: string;
}

export interface WorkerState {
  readonly host: string;
  readonly build: string;
  readonly slots: number;
  readonly busy: number;
  readonly units: number;
  readonly failed: number;
  /** Milliseconds since 1970. */
  readonly seen: number;
}
