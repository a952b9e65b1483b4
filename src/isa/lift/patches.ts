/**
 * Patches: flushes and fences that the program lacks, inserted while its code is lifted (docs/adr/0019-virtual-patches.md). A
 * flush is of what the instruction stored to, or, if it stores nothing, of what it loaded from. Both come when the
 * instruction is done. Always: nothing else of the block changes, and it counts as many instructions.
 */
import { accessSize, type FenceOp, type FlushOp, type Op, type PatchOp, type Value } from "../ir/index.ts";
import type { Builder } from "./builder.ts";

/** What is inserted at an instruction, in this order. */
export interface SitePatch {
  readonly op: PatchOp;
  /** The patch's, by which events are marked. */
  readonly number: number;
}

/** Where patches lie now, by guest address. */
export interface PatchSites {
  at(address: number): readonly SitePatch[];
  /** Whether one of them lies in [start, end). */
  covers(start: number, end: number): boolean;
}

const flushOps: ReadonlySet<PatchOp> = new Set<FlushOp>(["clflush", "clflushopt", "clwb"]);
export const isFlush = (op: PatchOp): op is FlushOp => flushOps.has(op);

interface Operand {
  readonly address: Value;
  readonly size: number;
}

/** A probe covers all that an instruction stores; without one it stores at most once. */
function operandsOf(ops: readonly Op[]): readonly Operand[] {
  const probe = ops.find((op) => op.kind === "probe");
  if (probe) return [probe];
  const accesses = (kind: "load" | "store") =>
    ops.flatMap((op) => (op.kind === kind ? [{ address: op.address, size: accessSize[op.access] }] : []));
  const stores = accesses("store");
  return stores.length > 0 ? stores : accesses("load");
}

/** Ends that are not the processor's doing: the machine inserts what belongs behind them, or nobody does. */
const elsewhere: ReadonlySet<string> = new Set(["complex", "syscall", "trap"]);

/** The instruction's ops begin at `first`. */
export function insertPatches(b: Builder, first: number, patches: readonly SitePatch[]): void {
  if (b.exit && elsewhere.has(b.exit.kind)) return;
  const ops = b.ops.slice(first);
  const fences = new Set<FenceOp | PatchOp>(ops.flatMap((op) => (op.kind === "fence" ? [op.op] : [])));
  for (const { op, number } of patches) {
    if (isFlush(op)) for (const { address, size } of operandsOf(ops)) b.patch(op, number, size, address);
    // The program has that fence.
    else if (!fences.has(op)) b.patch(op, number, 0);
  }
}
