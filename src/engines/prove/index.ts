export type { CrashEncoding } from "./encode/crash.ts";
export { provedBy, type SolvedBy } from "./solve/litmus-outcomes.ts";
