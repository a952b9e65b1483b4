export type { CrashEncoding } from "./encode/crash.ts";
export { provedBy, type SolvedBy } from "./litmus/litmus-outcomes.ts";
export type { AnyCrash } from "./litmus/litmus-questions.ts";
export { type ProvedOutcome, type ProvedTest, proveTest } from "./litmus/prove-test.ts";
export { type Claim, faultOf, type Proof, readProof } from "./proof/proof.ts";
export type { SolverPort } from "./solve/ask.ts";
