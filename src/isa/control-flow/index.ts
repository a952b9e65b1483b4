/** Control flow recovered from code, and facts that flow along it. Knows no debug information and no machine. */
export { type Code, type CodeRange, liesIn } from "./code.ts";
export { type LiveBy, liveAt } from "./liveness.ts";
export { entriesOf, type FlowLoop, loopsAround } from "./loops.ts";
export { type FlowBlock, type FunctionFlow, recoverFlow, targetsOf } from "./recover.ts";
export { type Analysis, reversePostorder, solveForward } from "./solve.ts";
