/**
 * Where everything lies in the one linear memory. What compiled code touches on every access sits below 2 MiB, so that
 * its address fits an instruction's displacement; what only slow paths touch sits above the guest.
 *
 *   0x0000_0000  unmapped: null pointers fault
 *   0x0001_0000  the CPU block: the running thread's registers, the machine's control cells, temporaries
 *   0x0002_0000  dispatch cache: code address → translated block
 *   0x0010_0000  `pageFast`: a byte per page, what may be done to it without a slow path
 *   0x0020_0000  the guest's lowest page … 0xeff0_0000 its end
 *   0xf010_0000  shadow stack of the running thread, calling contexts (machine/runtime/contexts.ts)
 *   0xf060_0000  words of watched pages in the order of their first use (machine/runtime/watch.ts)
 *   0xf080_0000  PM event buffer: small enough to stay in the cache until it is emptied
 *   0xf084_0000  how often the interpreter's accesses took a slow path, by where they are (machine/runtime/slow-sites.ts)
 *   0xf0a0_0000  `pageInfo`: 16 bits per page, everything about it
 *   0xf0c0_0000  for each patch, the return address below which it holds (machine/runtime/patches.ts)
 *   0xf100_0000  bytecode of translated blocks, from 0xf600_0000 on that of kept ones
 *   0xf800_0000  `used`: a bit per aligned four bytes of the guest, set at their first use where they are watched; while
 *                threads run by a schedule, a byte per 32 bytes instead, which thread used them
 */
import { cpuOffset } from "../../isa/ir/index.ts";

export const pageSize = 4096;
export const pageBits = 12;
export const memoryPages64K = 65536;

export const layout = {
  cpu: 0x1_0000,
  dispatch: 0x2_0000,
  dispatchSets: 0x8000,
  pageFast: 0x10_0000,
  guestStart: 0x20_0000,
  guestEnd: 0xeff0_0000,
  frames: 0xf010_0000,
  framesEnd: 0xf020_0000,
  contexts: 0xf020_0000,
  maxContexts: 0x4_0000,
  contextHash: 0xf040_0000,
  contextHashEnd: 0xf060_0000,
  uses: 0xf060_0000,
  usesEnd: 0xf080_0000,
  events: 0xf080_0000,
  eventsEnd: 0xf084_0000,
  slowSites: 0xf084_0000,
  pageInfo: 0xf0a0_0000,
  patches: 0xf0c0_0000,
  patchesEnd: 0xf0c4_0000,
  bytecode: 0xf100_0000,
  bytecodeEnd: 0xf600_0000,
  used: 0xf800_0000,
} as const;

/** Where blocks lie that other machines and processes use too (machine/cpu/kept-blocks.ts): the same place in all. */
export const keptBytecode = { start: 0xf600_0000, bytes: 0x200_0000 } as const;

/**
 * `pageFast` bits. Read: this page and the next may be read, so an access that runs over the end is fine too. Read alone:
 * this page may be read. Write: this page may be written plainly, and read. Watched: this page may be read where it was used
 * before (machine/runtime/watch.ts).
 */
export const fast = { read: 1, write: 2, readAlone: 4, watched: 8 } as const;

/** Of a page's entry in `pageInfo`. */
export const pageInfoBytes = 2;
export const pages = 1 << (32 - pageBits);

/** `pageInfo` bits: permissions, then why a store may not go straight through. Sixteen bits, of which eight are free. */
export const info = {
  read: 1,
  write: 2,
  execute: 4,
  /** Persistent memory: stores are logged. */
  persistent: 8,
  /** Translated code lies here: a store throws the translations away. */
  code: 16,
  /** Unchanged since the newest snapshot: the first store saves the page. */
  clean: 32,
  /** The same file page is mapped elsewhere too: a store goes to every copy. */
  shared: 64,
  /** First uses are noted, for recovery runs that must know what they read (machine/runtime/watch.ts). */
  watched: 128,
  /** A page of a shared mapping that is as its file has it; it is `clean` then, so that the first store is noticed. */
  asInFile: 256,
} as const;

/** The machine's own cells in the CPU block, as offsets from its start. */
export const cell = {
  /** Guest instructions that may still run (i64). */
  fuel: 1024,
  /** Why compiled code came back: a `Stop` code (i32). Slow paths set it; 0 means go on. */
  stop: 1032,
  /** Depth of WebAssembly calls made for guest calls, as the interpreter in hand began (i32). */
  depth: 1036,
  /** The address of the access that faulted (i64). */
  faultAddress: 1040,
  /** 1: the faulting access was a store (i32). */
  faultWrite: 1048,
  /** Write position in the PM event buffer (i32). */
  eventNext: 1052,
  /** The id of the running thread, for events (i32). */
  thread: 1056,
  /** The block that stopped, a bytecode address (i32), for hot blocks and machine-made exits. */
  stopBlock: 1060,
  /** Nonzero: fences and flushes are logged. */
  tracing: 1064,
  /** Executions of a block before it is called hot (i32). */
  hotAfter: 1068,
  /** What SSE operations have met since somebody asked (i32, bits `floatTrap`), and MXCSR before them (i32). */
  floatTrap: 1088,
  floatMxcsr: 1092,
  /** Operands and result of operations done in JavaScript. */
  floatLeft: 1104,
  floatRight: 1120,
  floatResult: 1136,
  /** End of the shadow stack (i32) and number of calling contexts, the root included (i32): machine/runtime/contexts.ts. */
  frameNext: 1072,
  contextCount: 1076,
  /** Write position in the list of used words (i32); what becomes of uses of watched pages (i32, `use`). */
  useNext: 1080,
  stopAtUse: 1084,
  /** First frame of the stack the thread is on, and where that is an alternate signal stack, its start and length (i32). */
  frameBase: 1152,
  alternateStart: 1156,
  alternateBytes: 1160,
  /** Nonzero: machine-made instructions are the host's, all of them, since some are patched (i32). */
  hostMakes: 1164,
  /** Nonzero: client requests are recorded (i32), by rows that lie here (machine/runtime/requests.ts). */
  requests: 1168,
  /** While threads run by a schedule (machine/runtime/scheduling.ts). Nonzero: every store is logged (i32). */
  scheduling: 1172,
  /** Nonzero: accesses that other threads could notice are counted; before so many of them, less one, comes a stop (i32). */
  points: 1176,
  /** The running thread's mark in `used`, and where a probed store goes (i32). */
  threadMark: 1180,
  probed: 1184,
  /** Nonzero: every load is logged (i32). */
  loads: 1188,
  /** The third operand of a fused multiply-add, beside `floatLeft` and `floatRight`. */
  floatAddend: 1200,
  /** Registers and flags before whose use a run stops (i64, machine/runtime/touches.ts); no region is entered while there are some. */
  taint: 1216,
  requestRows: 1280,
  temporaries: 4096,
} as const;

/** Of `cell.floatTrap`: an unmasked exception; the flags are noted; what follows is another lane; the flags that were raised. */
export const floatTrap = { pending: 1, noted: 2, otherLane: 4, flagsShift: 8 } as const;

/**
 * Of `cell.stopAtUse`. Uses of watched pages are noted; stop the run; stop it where their bits in `used` are set, which somebody else has
 * done then; are like those of other pages.
 */
export const use = { noted: 0, stops: 1, stopsAtMarks: 2, plain: 3 } as const;

export const temporariesEnd = 0x1_0000;

/** Absolute address of a CPU state offset (isa/ir/registers.ts) or of a cell. */
export const cpuAddress = (offset: number): number => layout.cpu + offset;

/** Guest calls nest as WebAssembly calls this deep; beyond, they unwind to the dispatcher and start afresh. */
export const maxCallDepth = 400;

/** Why `run` returned to the machine. */
export const stop = {
  none: 0,
  /** No translation for rip. */
  miss: 1,
  /** The block at rip has fewer instructions' worth of fuel than it needs. */
  fuel: 2,
  /** A block has run often enough to be compiled; `stopBlock` names it, rip is its start. */
  hot: 3,
  syscall: 4,
  /** Bad access: `faultAddress`, `faultWrite`; rip is the instruction. */
  fault: 5,
  /** #GP without an address. */
  protection: 6,
  divide: 7,
  breakpoint: 8,
  undefined: 9,
  float: 10,
  /** A machine-made instruction (ir: complex exit); rip is the instruction. */
  complex: 11,
  /** A store is about to hit translated code at `faultAddress`: nothing is done yet, rip is the instruction. */
  codeStore: 12,
  /** The PM event buffer is full: nothing is done yet, rip is the instruction. */
  eventsFull: 13,
  /** A watched page is about to be used while `stopAtUse` is on: nothing is done yet, rip is the instruction. */
  watched: 14,
  /** Within a region only: an access that it leaves to the interpreter; rip is the instruction. */
  slow: 15,
  /** An access that ends the thread's turn (cell `points`): nothing is done yet, rip is the instruction. */
  switch: 16,
} as const;
export type StopCode = (typeof stop)[keyof typeof stop];

export const threadStateBytes = cpuOffset.threadEnd;
