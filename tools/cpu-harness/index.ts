/** The CPU harness: random instructions on the real processor and in the machine, compared (docs/TESTING.md). */
export { drawBlock, drawSingle, type TestBlock } from "./blocks.ts";
export { drawGroup, type Mismatch, runGroups } from "./campaign.ts";
export { compareBlocks, compareForm } from "./campaigns.ts";
export { EvaluatorExecutor } from "./evaluator.ts";
export type { Executor } from "./executor.ts";
export { allForms, type Form, refused, supportedForms, whyNotCompared } from "./forms.ts";
export { MachineExecutor, type TierName } from "./machine.ts";
export { type Group, processorLevel } from "./native.ts";
export { Numbers } from "./numbers.ts";
export { describeMismatch } from "./report.ts";
export { shrink } from "./shrink.ts";
