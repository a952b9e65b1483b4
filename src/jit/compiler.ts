/** Compiles batches of regions, a WebAssembly module each. Regions of one module call each other directly. */
import { cell, cpuAddress } from "../runtime/index.ts";
import { Code, ModuleBuilder } from "../wasm/index.ts";
import { type ModuleContext, writeRegion } from "./function.ts";
import { importRuntime } from "./imports.ts";
import { type CodeSource, type RegionLimits, selectRegion } from "./region.ts";

export interface CompilerOptions {
  readonly limits: RegionLimits;
}

export const defaultCompilerOptions: CompilerOptions = { limits: { blocks: 200, instructions: 2000 } };

export interface CompiledRegion {
  readonly entry: number;
  /** The name of the exported function () → stop code. */
  readonly exportName: string;
  /** Start addresses of the blocks it covers, the entry first. */
  readonly blocks: readonly number[];
  readonly instructions: number;
}

export interface CompiledModule {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly regions: readonly CompiledRegion[];
}

export interface Compiler {
  /** One region per entry; each entry's block must have run. Instantiate with `{ runtime: runtime.exports }`. */
  compile(entries: readonly number[], source: CodeSource): CompiledModule;
}

export function createCompiler(options: CompilerOptions = defaultCompilerOptions): Compiler {
  return { compile: (entries, source) => compileModule([...new Set(entries)], source, options) };
}

function compileModule(entries: readonly number[], source: CodeSource, { limits }: CompilerOptions): CompiledModule {
  const module = new ModuleBuilder();
  const regions = entries.map((entry) => selectRegion(entry, source, limits));
  const imports = importRuntime(
    module,
    regions.flatMap(({ nodes }) => nodes.map(({ block }) => block)),
  );
  const functions = new Map(entries.map((entry) => [entry, module.declare({ params: ["i32"], results: ["i32"] })]));
  const context: ModuleContext = { imports, functions, source };
  for (const region of regions) module.define(functions.get(region.entry)!, writeRegion(region, context));
  const compiled = regions.map(({ entry, nodes }): CompiledRegion => {
    const exportName = entry.toString(16);
    module.exportFunction(
      exportName,
      module.function({ params: [], results: ["i32"] }, outerFunction(functions.get(entry)!)),
    );
    const instructions = nodes.reduce((sum, { block }) => sum + block.instructions, 0);
    return { entry, exportName, blocks: nodes.map(({ block }) => block.start), instructions };
  });
  return { bytes: module.build(), regions: compiled };
}

/** What the table holds: passes the depth of calls on, and puts it back for whoever called. */
function outerFunction(region: number): Code {
  const c = new Code([]);
  const depth = c.local("i32");
  c.i32(0).memory("i32.load", cpuAddress(cell.depth)).tee(depth).call(region);
  c.i32(0).get(depth).memory("i32.store", cpuAddress(cell.depth));
  return c;
}
