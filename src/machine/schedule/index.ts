/** Threads that run by a schedule: who runs, and when stores become visible (docs/adr/0038-schedules.md). */
export type { ScheduleChoice, ScheduleOptions } from "./choices.ts";
export { Interleaving } from "./interleaving.ts";
export { isStep, Meetings, type ReadOfStore, stepsIn, type ThreadOrder, type ThreadView } from "./meetings.ts";
