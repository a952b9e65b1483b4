/** Identities that lifting produces all the time; each line is one. Everything deeper is left to V8. */
import type { MacroName, Op, Value } from "../ir/index.ts";
import type { NumericName } from "../wasm/index.ts";
import type { Builder } from "./builder.ts";

type Rule = (b: Builder, args: readonly Value[]) => Value | undefined;

const pureOf = (b: Builder, value: Value): (Op & { kind: "pure" }) | undefined => {
  const op = b.ops[value] as Op;
  return op.kind === "pure" ? op : undefined;
};

/** x op 0 = x, and both operands constant. */
const foldWith =
  (compute: (left: bigint, right: bigint) => bigint, type: "i32" | "i64", neutral?: bigint): Rule =>
  (b, [left, right]) => {
    const r = b.constantOf(right!);
    if (r === undefined) return undefined;
    if (r === neutral) return left;
    const l = b.constantOf(left!);
    return l === undefined ? undefined : b[type](compute(l, r));
  };

const rules: Partial<Record<NumericName | MacroName, Rule>> = {
  "i64.add": foldWith((l, r) => l + r, "i64", 0n),
  "i64.sub": foldWith((l, r) => l - r, "i64", 0n),
  "i64.or": foldWith((l, r) => l | r, "i64", 0n),
  "i64.xor": foldWith((l, r) => l ^ r, "i64", 0n),
  "i64.and": foldWith((l, r) => l & r, "i64", -1n),
  "i32.add": foldWith((l, r) => l + r, "i32", 0n),
  "i32.sub": foldWith((l, r) => l - r, "i32", 0n),
  "i32.or": foldWith((l, r) => l | r, "i32", 0n),
  "i32.xor": foldWith((l, r) => l ^ r, "i32", 0n),
  "i32.and": (b, [left, right]) => {
    const mask = b.constantOf(right!);
    if (mask === undefined) return undefined;
    if (mask === -1n) return left;
    const constant = b.constantOf(left!);
    if (constant !== undefined) return b.i32(constant & mask);
    return alreadyNarrow(b, left!, mask) ? left : undefined;
  },
  "i32.wrap_i64": (b, [value]) => {
    const constant = b.constantOf(value!);
    if (constant !== undefined) return b.i32(constant);
    const inner = pureOf(b, value!);
    return inner?.op === "i64.extend_i32_u" || inner?.op === "i64.extend_i32_s" ? inner.args[0] : undefined;
  },
  "i64.extend_i32_u": (b, [value]) => {
    const constant = b.constantOf(value!);
    return constant === undefined ? undefined : b.i64(BigInt.asUintN(32, constant));
  },
  "i64.extend_i32_s": (b, [value]) => {
    const constant = b.constantOf(value!);
    return constant === undefined ? undefined : b.i64(constant);
  },
};

/** Narrow loads and earlier masks have no bits above the mask. */
function alreadyNarrow(b: Builder, value: Value, mask: bigint): boolean {
  const op = b.ops[value] as Op;
  if (op.kind === "load")
    return (
      (op.access === "i32.load8_u" && (mask & 0xffn) === 0xffn) ||
      (op.access === "i32.load16_u" && (mask & 0xffffn) === 0xffffn)
    );
  if (op.kind === "flag" || op.kind === "condition") return (mask & 1n) === 1n;
  if (op.kind !== "pure" || op.op !== "i32.and") return false;
  const inner = b.constantOf(op.args[1]!);
  return inner !== undefined && inner >= 0n && (inner & ~mask) === 0n;
}

export function simplify(b: Builder, name: NumericName | MacroName, args: readonly Value[]): Value | undefined {
  return rules[name]?.(b, args);
}
