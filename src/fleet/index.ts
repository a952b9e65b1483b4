/** As many computers as it takes: a leader's units judged by workers over Redis (docs/fleet.md). */
export { demandAddress, type FleetAddress } from "./connection.ts";
export { type JudgeThreadData, startJudgeThread } from "./judge-thread.ts";
export { FleetLead } from "./lead.ts";
export type { UnitJob, WorkerState } from "./names.ts";
export { Station } from "./station.ts";
export { type FleetStatus, fleetStatus } from "./status.ts";
