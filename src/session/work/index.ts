/** Work on a subject: what an engine is, how its units are judged by threads, kept and taken up again. */
export { type AskedJudging, judgingFor, type Undisturbed } from "./clean-stop.ts";
export type * from "./engine.ts";
export { fileDigests } from "./file-digests.ts";
export { defaultJournal, journalOfPart } from "./journaling.ts";
export type { News } from "./news.ts";
export { byPlace, placeKey } from "./placed-points.ts";
export { Coverage, type Range, RangeQueue } from "./ranges.ts";
export type { AddDetails } from "./remembered.ts";
export { differencesFrom, type Remains, type ReplayedWitness, replayWitness } from "./replay.ts";
export { Sampling } from "./sampling.ts";
export { runSession, type SessionOptions, type SessionPorts, type SessionResult } from "./session.ts";
export { type EngineToolkit, engineToolkit } from "./toolkit.ts";
export { WatchedRun, type WatchedTrace, watchTrace } from "./watched-run.ts";
export { witnessOf } from "./witness.ts";
export type { Done, Stop } from "./work.ts";
export { type Registry, startWorker } from "./worker.ts";
