/**
 * Which folder of src may import which: the layer table, as data. test/tidy.test.ts holds every import against it. Always:
 * - A folder is imported through its index.ts and nothing else of it.
 * - The table has no cycle. Who sees fewer folders is easier to reuse: pmem and litmus know no machine, jit knows no x86.
 * Tests may look across layers: a compiled block is tested with real x86 code.
 */
export type LayerTable = Readonly<Record<string, readonly string[]>>;

export const layers: LayerTable = {
  base: [],
  wasm: ["base"],
  ir: ["base", "wasm"],
  x86: ["base"],
  elf: ["base"],
  softfloat: [],
  x87: ["softfloat"],
  record: [],
  trace: ["base", "record"],
  pmem: ["base", "record"],
  litmus: ["base", "pmem"],
  lift: ["base", "x86", "ir", "wasm"],
  flow: ["base", "ir", "lift"],
  source: ["base"],
  // x86 only for the names of x87 forms, by which the x87 unit's operations are listed.
  runtime: ["base", "record", "ir", "wasm", "softfloat", "x86", "x87"],
  jit: ["base", "record", "ir", "wasm", "runtime"],
  host: ["base"],
  vm: ["base", "elf", "x86", "ir", "lift", "jit", "runtime", "trace", "x87"],
  symbols: ["base", "elf", "ir", "lift", "flow", "trace"],
  smt: ["base"],
  crash: ["base", "trace", "pmem", "vm"],
  finding: ["base", "trace", "crash"],
  document: [],
  report: ["base", "trace", "crash", "finding", "document"],
  // Runs in a browser, and sees nothing but the report.
  page: ["document"],
  subject: ["base", "trace", "symbols", "vm", "crash", "finding"],
  inserts: ["base", "trace", "symbols", "vm"],
  work: ["base", "host", "trace", "vm", "crash", "finding", "subject"],
  tree: ["base", "trace", "pmem", "vm", "crash"],
  explain: ["base", "trace", "vm", "crash", "finding", "subject", "work"],
  order: ["base", "trace", "pmem", "vm", "crash", "tree", "finding", "inserts", "work", "explain"],
  ways: ["base", "trace", "pmem", "vm", "crash", "tree", "finding", "subject", "work", "explain", "order"],
  again: ["base", "trace", "pmem", "vm", "crash", "tree", "finding", "subject", "work", "explain", "ways"],
  engines: [
    "base",
    "wasm",
    "flow",
    "source",
    "symbols",
    "trace",
    "pmem",
    "vm",
    "crash",
    "tree",
    "finding",
    "subject",
    "inserts",
    "work",
    "explain",
    "order",
    "ways",
    "again",
  ],
  // A command is its options, one call, and how it ends.
  cli: ["base", "host", "subject", "work", "engines", "report", "litmus"],
};

/** Folders inside a folder, by the same rules. */
export const innerLayers: Readonly<Record<string, LayerTable>> = {
  vm: {
    memory: [],
    files: [],
    process: ["memory", "files"],
    kernel: ["memory", "files", "process"],
    complex: ["memory", "process"],
    schedule: ["memory"],
    machine: ["memory", "files", "process", "kernel", "complex", "schedule"],
  },
  // None knows another: what two engines need lives below them, in crash, pmem or work.
  engines: {
    rules: [],
    inject: [],
    robust: [],
    represent: [],
    explore: [],
    enumerate: [],
    repair: [],
  },
};

/** Folders that rows speak of and that are not there yet, with what will be in them. Everything else must be in use. */
export const awaited: Readonly<Record<string, string>> = {};
