/**
 * The storeys of src, lowest first, and which may import which: the layer tables, as data. test/tidy.test.ts holds every import
 * against them. Always:
 * - A storey imports only storeys that stand before it, and of these only the ones in its row.
 * - A folder is imported through its index.ts and nothing else of it. A storey that has an index.ts is such a folder; of the
 *   others one imports the folders inside.
 * - A folder exports only what is its own, so that these rows say who really uses what.
 * Tests may look across layers: a compiled block is tested with real x86 code.
 */
export type LayerTable = Readonly<Record<string, readonly string[]>>;

export const layers: LayerTable = {
  base: [],
  host: ["base"],
  isa: ["base"],
  trace: ["base"],
  smt: ["base", "isa"],
  model: ["base", "trace"],
  program: ["base", "isa", "trace"],
  machine: ["base", "isa", "trace", "program"],
  crash: ["base", "trace", "model", "program", "machine"],
  session: ["base", "host", "trace", "model", "program", "machine", "crash"],
  fleet: ["base", "host", "machine", "crash", "session"],
  exploration: ["base", "trace", "model", "machine", "crash", "session"],
  engines: ["base", "isa", "smt", "trace", "model", "program", "machine", "crash", "session", "exploration"],
  report: ["base", "trace", "crash"],
  // A command is its options, one call, and how it ends.
  app: [
    "base",
    "host",
    "fleet",
    "smt",
    "model",
    "program",
    "machine",
    "crash",
    "session",
    "exploration",
    "engines",
    "report",
  ],
};

/** Folders inside a storey, by the same rules. */
export const innerLayers: Readonly<Record<string, LayerTable>> = {
  isa: {
    wasm: [],
    softfloat: [],
    x87: ["softfloat"],
    x86: [],
    ir: ["wasm"],
    lift: ["wasm", "x86", "ir"],
    "control-flow": ["ir", "lift"],
  },
  trace: { record: [], events: ["record"] },
  model: { pmem: [], litmus: ["pmem"] },
  program: { elf: [], symbols: ["elf"], source: [] },
  machine: {
    runtime: [],
    jit: ["runtime"],
    memory: ["runtime"],
    files: [],
    process: ["runtime", "memory", "files"],
    kernel: ["runtime", "memory", "files", "process"],
    complex: ["runtime", "memory", "process"],
    schedule: ["runtime", "memory"],
    cpu: ["runtime", "jit", "memory", "files", "process", "kernel", "complex", "schedule"],
  },
  crash: { states: [], finding: ["states"], "recovery-tree": ["states"], insertions: [] },
  session: { subject: [], work: ["subject"] },
  exploration: {
    explain: [],
    "persist-order": ["explain"],
    "recovery-paths": ["explain", "persist-order"],
    "nested-crashes": ["explain", "recovery-paths"],
  },
  // None knows another: what two engines need lives below them. Exploration says how many recoveries Jaaru would run.
  engines: {
    rules: [],
    inject: [],
    robust: [],
    represent: [],
    compare: [],
    explore: ["compare"],
    repair: [],
    symbolic: [],
    prove: [],
  },
  report: { document: [], render: ["document"], page: ["document"] },
  app: { pipeline: [], commands: ["pipeline"] },
};

/** What the tables above would allow and what must not be. A path covers what lies below it. */
export interface Ban {
  readonly from: string;
  readonly to: readonly string[];
  readonly why: string;
}

export const apart: readonly Ban[] = [
  { from: "machine/jit", to: ["isa/x86", "isa/lift"], why: "it compiles IR, whatever that was lifted from" },
  // x86 only for the names of x87 forms, by which the x87 unit's operations are listed.
  { from: "machine/runtime", to: ["isa/lift", "program"], why: "it runs bytecode made of IR" },
  { from: "machine/kernel", to: ["isa"], why: "system calls are the same however code runs" },
  { from: "program/elf", to: ["isa", "trace"], why: "a file's bytes say what is in it" },
  { from: "program/source", to: ["isa", "trace"], why: "it reads text" },
  { from: "model/litmus", to: ["trace"], why: "a litmus test has events of its own" },
  { from: "report/document", to: ["base", "trace", "crash"], why: "who reads a report needs nothing else of ours" },
  { from: "report/page", to: ["base", "trace", "crash"], why: "it runs in a browser, and sees nothing but the report" },
];

/** Folders that rows speak of and that are not there yet, with what will be in them. Everything else must be in use. */
export const awaited: Readonly<Record<string, string>> = {};
