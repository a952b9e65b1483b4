/** Upper bounds of 64-bit values as a block computes them: an address that cannot reach 4 GiB needs no test for it. */
import type { Block, Op, Value } from "../../isa/ir/index.ts";

const limit = 1n << 64n;
const maxDepth = 6;

/** The largest value it can have, unsigned. */
export function upperBound(block: Block, value: Value, depth = 0): bigint {
  const op = block.ops[value]!;
  if (op.kind === "const") return BigInt.asUintN(64, op.value);
  if (op.kind !== "pure" || depth > maxDepth) return limit - 1n;
  const bound = (argument: number) => upperBound(block, op.args[argument]!, depth + 1);
  switch (op.op) {
    case "i64.extend_i32_u":
      return bound32(block.ops[op.args[0]!]!, block);
    case "i64.add":
      return clip(bound(0) + bound(1));
    case "i64.and": {
      const [left, right] = [bound(0), bound(1)];
      if (left < right) return left;
      return right;
    }
    case "i64.shl": {
      const count = constantOf(block, op.args[1]!);
      return count === undefined ? limit - 1n : clip(bound(0) << (count & 63n));
    }
    case "i64.shr_u": {
      const count = constantOf(block, op.args[1]!);
      return count === undefined ? limit - 1n : bound(0) >> (count & 63n);
    }
    default:
      return limit - 1n;
  }
}

/** A sum or shift that may wrap around can be anything. */
const clip = (value: bigint): bigint => (value < limit ? value : limit - 1n);

function constantOf(block: Block, value: Value): bigint | undefined {
  const op = block.ops[value]!;
  return op.kind === "const" ? op.value : undefined;
}

function bound32(op: Op, block: Block): bigint {
  if (op.kind === "load" && op.access === "i32.load8_u") return 0xffn;
  if (op.kind === "load" && op.access === "i32.load16_u") return 0xffffn;
  if (op.kind === "flag" || op.kind === "condition") return 1n;
  if (op.kind === "pure" && op.op === "i32.and") {
    const mask = constantOf(block, op.args[1]!);
    if (mask !== undefined) return BigInt.asUintN(32, mask);
  }
  return 0xffff_ffffn;
}
