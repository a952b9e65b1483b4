/**
 * Which registers the code behind an address may still read before it overwrites them: backwards through a function until
 * nothing changes. Always: what is live by `sure` is live by `possible`.
 */
import { gprs, type Op, type Register, uppers, xmms } from "../ir/index.ts";
import { type FlowBlock, type FunctionFlow, targetsOf } from "./recover.ts";

/**
 * What calls and code elsewhere read. `possible`: every argument register, and all where code is unknown; `sure`: none,
 * since a value that only a loop needed is often left in one.
 */
export type LiveBy = "possible" | "sure";

const followed: readonly Register[] = [...gprs.filter(({ name }) => name !== "rsp"), ...xmms, ...uppers];
const bits = new Map(followed.map(({ name }, at) => [name as string, 1n << BigInt(at)]));
const maskOf = (...names: readonly string[]) => names.reduce((mask, name) => mask | (bits.get(name) ?? 0n), 0n);
const vectors = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) => [`xmm${from + at}`, `ymm${from + at}h`]).flat();

/** System V ABI, section 3.2.1: what a call may overwrite, what it is given, and what a function leaves to its caller. */
const overwritten = maskOf("rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", ...vectors(0, 16));
const given = maskOf("rax", "rdi", "rsi", "rdx", "rcx", "r8", "r9", "r10", ...vectors(0, 8));
const kept = maskOf("rbx", "rbp", "r12", "r13", "r14", "r15");
const returned = { possible: kept | maskOf("rax", "rdx", ...vectors(0, 2)), sure: maskOf("rax", ...vectors(0, 1)) };
/** Linux system calls; and what string instructions and cpuid read. */
const callInputs = maskOf("rax", "rdi", "rsi", "rdx", "r10", "r8", "r9");
const complexInputs = maskOf("rax", "rcx", "rdx", "rsi", "rdi");
const everything = maskOf(...bits.keys());

/** At the beginnings of these blocks, together. */
export function liveAt(flow: FunctionFlow, blocks: readonly number[], by: LiveBy): readonly Register[] {
  const live = solveBackward(flow, by);
  const mask = blocks.reduce((all, block) => all | (live.get(block) ?? (by === "possible" ? everything : 0n)), 0n);
  return followed.filter(({ name }) => (mask & bits.get(name)!) !== 0n);
}

function solveBackward(flow: FunctionFlow, by: LiveBy): ReadonlyMap<number, bigint> {
  const live = new Map<number, bigint>();
  for (let hasChanged = true; hasChanged; ) {
    hasChanged = false;
    for (const [at, flowBlock] of [...flow.blocks].reverse()) {
      const before = beforeBlock(flowBlock, (successor) => live.get(successor) ?? 0n, flow, by);
      hasChanged ||= before !== live.get(at);
      live.set(at, before);
    }
  }
  return live;
}

function beforeBlock(
  { block, successors }: FlowBlock,
  liveIn: (successor: number) => bigint,
  flow: FunctionFlow,
  by: LiveBy,
): bigint {
  const isPossible = by === "possible";
  const leavesFunction = targetsOf(block.exit).some((target) => !flow.blocks.has(target));
  let live = successors.reduce((all, successor) => all | liveIn(successor), 0n);
  if (leavesFunction && isPossible) live |= everything;
  const { kind } = block.exit;
  if (kind === "call") live = (live & ~overwritten) | (isPossible ? given : 0n);
  else if (kind === "return") live = returned[by];
  else if (kind === "syscall") live |= callInputs;
  else if (kind === "complex") live |= isPossible ? everything : complexInputs;
  else if (kind === "jump" && successors.length === 0) live = isPossible ? everything : 0n;
  return block.ops.reduceRight(beforeOp, live);
}

function beforeOp(live: bigint, op: Op): bigint {
  if (op.kind === "put") return live & ~(bits.get(op.register.name) ?? 0n);
  if (op.kind === "get") return live | (bits.get(op.register.name) ?? 0n);
  return live;
}
