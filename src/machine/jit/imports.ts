/** What compiled modules import from the runtime: names, types, and which of them a set of blocks needs. */
import {
  type Block, helpers, type LoadKind, macros, type Op, type StoreKind,
} from "../../isa/ir/index.ts"; // biome-ignore format: one line
import type { ModuleBuilder, Signature, ValueType } from "../../isa/wasm/index.ts";
import { memoryPages64K } from "../runtime/index.ts";

const row = (params: readonly ValueType[], result: ValueType): Signature => ({ params, results: [result] });
const asked = row(["i32", "i32", "i64", "i64", "i64"], "i32");

// biome-ignore format: columns stay aligned
const functions: Readonly<Record<string, Signature>> = {
  load8:      row(["i64", "i32"], "i32"),
  load16:     row(["i64", "i32"], "i32"),
  load32:     row(["i64", "i32"], "i32"),
  load64:     row(["i64", "i32"], "i64"),
  load128:    row(["i64", "i32"], "v128"),
  store8:     row(["i64", "i32", "i32"], "i32"),
  store16:    row(["i64", "i32", "i32"], "i32"),
  store32:    row(["i64", "i32", "i32"], "i32"),
  store64:    row(["i64", "i64", "i32"], "i32"),
  store128:   row(["i64", "v128", "i32"], "i32"),
  store256:   row(["i64", "v128", "v128", "i32"], "i32"),
  store32nt:  row(["i64", "i32", "i32"], "i32"),
  store64nt:  row(["i64", "i64", "i32"], "i32"),
  store128nt: row(["i64", "v128", "i32"], "i32"),
  store256nt: row(["i64", "v128", "v128", "i32"], "i32"),
  probe:      row(["i64", "i32"], "i32"),
  event:      row(["i32", "i64", "i32"], "i32"),
  patch:      { params: ["i32", "i32", "i64", "i32", "i32"], results: [] },
  flag:       asked,
  condition:  asked,
  call:       row(["i32", "i32"], "i32"),
  go:         row(["i32", "i32"], "i32"),
  complex:    row([], "i32"),
  enter:      { params: ["i32", "i32"], results: [] },
  prune:      { params: ["i32"], results: [] },
  resume:     row(["i64", "i32"], "i32"),
  slow:       { params: ["i32"], results: [] },
};

export const loadNames: Readonly<Record<LoadKind, string>> = {
  "i32.load8_u": "load8", "i32.load16_u": "load16", "i32.load": "load32", "i64.load": "load64", "v128.load": "load128",
}; // biome-ignore format: one line
const storeNames: Readonly<Record<StoreKind, string>> = {
  "i32.store8": "store8", "i32.store16": "store16", "i32.store": "store32", "i64.store": "store64", "v128.store": "store128", "v256.store": "store256",
}; // biome-ignore format: one line
export const storeName = (op: Op & { kind: "store" }): string =>
  `${storeNames[op.access]}${op.nonTemporal ? "nt" : ""}`;
export const helperName = (helper: string): string => `helper.${helper}`;

function nameOf(op: Op): string | undefined {
  switch (op.kind) {
    case "load":
      return loadNames[op.access];
    case "store":
      return storeName(op);
    case "pure":
      return op.op in macros ? op.op : undefined;
    case "call":
      return helperName(op.helper);
    case "probe":
    case "patch":
    case "flag":
    case "condition":
      return op.kind;
    case "flush":
    case "fence":
      return "event";
    case "frames":
      return op.site === undefined ? "prune" : "enter";
    default:
      return undefined;
  }
}

function signatureOf(name: string): Signature {
  const known = functions[name];
  if (known) return known;
  const { params, result } = name.startsWith("helper.")
    ? helpers[name.slice("helper.".length) as keyof typeof helpers]
    : macros[name as keyof typeof macros];
  return { params, results: [result] };
}

export type Imports = ReadonlyMap<string, number>;

/** Imports the memory and every function that the blocks' ops may call. */
export function importRuntime(module: ModuleBuilder, blocks: Iterable<Block>): Imports {
  const names = new Set(["call", "go", "resume", "slow"]);
  for (const block of blocks) {
    if (block.exit.kind === "complex") names.add("complex");
    for (const op of block.ops) {
      const name = nameOf(op);
      if (name !== undefined) names.add(name);
    }
  }
  module.importMemory("runtime", "memory", memoryPages64K);
  return new Map([...names].map((name) => [name, module.importFunction("runtime", name, signatureOf(name))]));
}
