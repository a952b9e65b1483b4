/** Compiles batches of regions, a WebAssembly module each. Regions of one module call each other directly. */
import { ModuleBuilder } from "../../isa/wasm/index.ts";
import { cutAtLoops } from "./cut.ts";
import type { ModuleContext } from "./exits.ts";
import { withoutFloatTraps } from "./floats.ts";
import { writeRegion } from "./function.ts";
import { importRuntime } from "./imports.ts";
import { lookupFunction, lookupType } from "./lookup.ts";
import { windowTest, windowTests } from "./page-tests.ts";
import { type CodeSource, meeting, type Region, type RegionLimits, selectRegion } from "./region.ts";
import { splitIrreducible } from "./split.ts";
import { likelyTargets } from "./targets.ts";

export interface CompilerOptions {
  readonly limits: RegionLimits;
}

export const defaultCompilerOptions: CompilerOptions = {
  limits: {
    blocks: 200,
    instructions: 2000,
    inlineInstructions: 120,
    inlineDepth: 3,
    settledInstructions: 400,
    coldFactor: 64,
    hub: { blocks: 1200, instructions: 6000 },
  },
};

export interface CompiledRegion {
  readonly entry: number;
  /** The name of the exported function (depth) → stop code, for the table and for other modules to link to. */
  readonly exportName: string;
  /** Start addresses of the blocks it covers, the entry first. */
  readonly blocks: readonly number[];
  readonly instructions: number;
  readonly isHub: boolean;
  /** Where else it may be entered, the entry among them; empty: nowhere. */
  readonly entries: readonly number[];
}

export interface CompiledModule {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly regions: readonly CompiledRegion[];
  /** Regions of earlier modules that this one imports from the module `regions`, each under its `importName`. */
  readonly links: readonly { readonly entry: number; readonly importName: string }[];
}

export interface Compiler {
  /**
   * One region per entry; each entry's block must have run. Instantiate with `{ runtime: runtime.exports, regions }`,
   * the latter holding the functions that `links` names.
   */
  compile(entries: readonly number[], source: CodeSource): CompiledModule;
}

export function createCompiler(options: CompilerOptions = defaultCompilerOptions): Compiler {
  return { compile: (entries, source) => compileModule([...new Set(entries)], source, options) };
}

const regionType = { params: ["i32"], results: ["i32"] } as const;
const nameOf = (entry: number): string => entry.toString(16);

const prepare = (region: Region): Region => withoutFloatTraps(splitIrreducible(cutAtLoops(region)));

function compileModule(entries: readonly number[], source: CodeSource, { limits }: CompilerOptions): CompiledModule {
  const module = new ModuleBuilder();
  const regions = entries.map((entry) => prepare(selectRegion(entry, source, limits)));
  const runtime = importRuntime(
    module,
    regions.flatMap(({ nodes }) => nodes.map(({ block }) => block)),
  );
  const functions = new Map<number, number>();
  const links = linkedRegions(regions, source).map((entry) => ({ entry, importName: nameOf(entry) }));
  for (const { entry, importName } of links)
    functions.set(entry, module.importFunction("regions", importName, regionType));
  const imports = new Map(runtime);
  for (const name of ["readable", "writable"] as const)
    imports.set(name, module.function(windowTests[name], windowTest(name)));
  imports.set("lookup", module.function(lookupType, lookupFunction()));
  for (const entry of entries) functions.set(entry, module.declare(regionType));
  const context: ModuleContext = { imports, functions, source, limits };
  for (const region of regions) module.define(functions.get(region.entry)!, writeRegion(region, context));
  const compiled = regions.map(({ entry, nodes: all, isHub, entries }): CompiledRegion => {
    const exportName = nameOf(entry);
    const nodes = all.filter(({ block }) => block.start !== meeting.start);
    module.exportFunction(exportName, functions.get(entry)!);
    const instructions = nodes.reduce((sum, { block }) => sum + block.instructions, 0);
    return { entry, exportName, blocks: nodes.map(({ block }) => block.start), instructions, isHub, entries };
  });
  return { bytes: module.build(), regions: compiled, links };
}

/** Regions of other modules that these call or jump to. */
function linkedRegions(regions: readonly Region[], source: CodeSource): number[] {
  const linked = new Set<number>();
  const own = new Set(regions.map(({ entry }) => entry));
  const consider = (address: number) => {
    if (!own.has(address) && source.isLinked?.(address)) linked.add(address);
  };
  for (const { block, ways, inlined } of regions.flatMap(({ nodes }) => nodes)) {
    for (const { address, node } of ways) if (node === undefined) consider(address);
    const { exit } = block;
    if (exit.kind !== "call" || inlined) continue;
    for (const address of exit.known !== undefined ? [exit.known] : likelyTargets(block, exit.target!, source))
      consider(address);
  }
  return [...linked];
}
