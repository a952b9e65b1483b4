export {
  type CompiledModule,
  type CompiledRegion,
  type Compiler,
  type CompilerOptions,
  createCompiler,
  defaultCompilerOptions,
} from "./compiler.ts";
export { type ComputedGotos, computedGotos } from "./computed-gotos.ts";
export type { CodeSource, RegionLimits } from "./region.ts";
export { hubTargets } from "./targets.ts";
