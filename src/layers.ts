/**
 * Which folder of src may import which: the layer table, as data. test/tidy.test.ts holds every import against it. Always:
 * - A folder is imported through its index.ts and nothing else of it.
 * - The table has no cycle. Who sees fewer folders is easier to reuse: pmem and litmus know no machine, jit knows no x86.
 * Tests may look across layers: a compiled block is tested with real x86 code.
 */
const foundation = ["base", "wasm", "ir", "x86", "elf", "softfloat", "x87", "trace", "pmem"];

export const layers: Readonly<Record<string, readonly string[]>> = {
  base: [],
  wasm: ["base"],
  ir: ["base", "wasm"],
  x86: ["base"],
  elf: ["base"],
  softfloat: ["base"],
  x87: ["base", "softfloat"],
  trace: ["base"],
  pmem: ["base", "trace"],
  litmus: ["base", "trace", "pmem"],
  lift: ["base", "x86", "ir", "wasm"],
  // x86 only for the names of x87 forms, by which the x87 unit's operations are listed.
  runtime: ["base", "ir", "wasm", "softfloat", "x86", "x87"],
  jit: ["base", "ir", "wasm", "runtime"],
  host: ["base"],
  vm: ["base", "elf", "x86", "ir", "lift", "jit", "runtime", "trace", "pmem", "softfloat", "x87", "wasm"],
  symbols: ["base", "elf", "trace"],
  smt: ["base"],
  finding: ["base", "trace"],
  crash: ["base", "trace", "pmem", "finding", "vm"],
  engines: ["base", "ir", "wasm", "smt", "trace", "pmem", "finding", "vm", "crash"],
  report: ["base", "trace", "finding"],
  repair: ["base", "elf", "x86", "trace", "pmem", "finding", "crash", "engines"],
  work: ["base", "host", "finding", "crash", "engines", "repair"],
  cli: [
    ...foundation,
    "litmus",
    "lift",
    "runtime",
    "jit",
    "host",
    "vm",
    "symbols",
    "finding",
    "crash",
    "engines",
    "report",
    "repair",
    "work",
  ],
};
