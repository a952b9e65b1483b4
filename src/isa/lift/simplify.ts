/** Identities that lifting produces all the time; each line is one. Everything deeper is left to V8. */
import { arithmeticMask, type MacroName, type Op, type Value } from "../ir/index.ts";
import type { NumericName } from "../wasm/index.ts";
import type { Builder } from "./builder.ts";

/** Of one operand, or of two. */
type Rule = (b: Builder, left: Value, right: Value) => Value | undefined;

const pureOf = (b: Builder, value: Value): (Op & { kind: "pure" }) | undefined => {
  const op = b.ops[value] as Op;
  return op.kind === "pure" ? op : undefined;
};

/** x op 0 = x, and both operands constant. */
const foldWith =
  (compute: (left: bigint, right: bigint) => bigint, type: "i32" | "i64", neutral?: bigint): Rule =>
  (b, left, right) => {
    const r = b.constantOf(right);
    if (r === undefined) return undefined;
    if (r === neutral) return left;
    const l = b.constantOf(left);
    return l === undefined ? undefined : b[type](compute(l, r));
  };

/** Shifts by nothing, and of a constant by a constant. */
const foldShift =
  (compute: (left: bigint, right: bigint) => bigint, type: "i32" | "i64"): Rule =>
  (b, left, right) => {
    const r = b.constantOf(right);
    if (r === undefined) return undefined;
    const distance = BigInt.asUintN(type === "i64" ? 6 : 5, r);
    if (distance === 0n) return left;
    const l = b.constantOf(left);
    return l === undefined ? undefined : b[type](compute(l, distance));
  };

/** x op x for the idioms `xor eax, eax`, `sub eax, eax`, `test eax, eax`. */
const sameIs =
  (outcome: "zero" | "itself", type: "i32" | "i64", otherwise: Rule): Rule =>
  (b, left, right) => {
    if (left !== right) return otherwise(b, left, right);
    return outcome === "zero" ? b[type](0) : left;
  };

/** Zero on either side of an OR leaves the other. */
const orFold = (type: "i32" | "i64"): Rule => {
  const fold = foldWith((l, r) => l | r, type, 0n);
  return (b, left, right) => (b.constantOf(left) === 0n ? right : fold(b, left, right));
};

const isZero: Rule = (b, value) => {
  const constant = b.constantOf(value);
  return constant === undefined ? undefined : b.i32(constant === 0n ? 1 : 0);
};

const rules: Partial<Record<NumericName | MacroName, Rule>> = {
  "i64.add": foldWith((l, r) => l + r, "i64", 0n),
  "i64.sub": sameIs(
    "zero",
    "i64",
    foldWith((l, r) => l - r, "i64", 0n),
  ),
  "i64.or": sameIs("itself", "i64", orFold("i64")),
  "i64.xor": sameIs(
    "zero",
    "i64",
    foldWith((l, r) => l ^ r, "i64", 0n),
  ),
  "i64.and": sameIs("itself", "i64", (b, left, right) => {
    const mask = b.constantOf(right);
    if (mask === undefined) return undefined;
    if (mask === -1n) return left;
    if (mask === 0n) return right;
    const constant = b.constantOf(left);
    if (constant !== undefined) return b.i64(constant & mask);
    const extended = pureOf(b, left)?.op === "i64.extend_i32_u";
    return extended && (mask & 0xffff_ffffn) === 0xffff_ffffn ? left : undefined;
  }),
  "i32.add": foldWith((l, r) => l + r, "i32", 0n),
  "i32.sub": sameIs(
    "zero",
    "i32",
    foldWith((l, r) => l - r, "i32", 0n),
  ),
  "i32.or": sameIs("itself", "i32", orFold("i32")),
  "i32.xor": sameIs(
    "zero",
    "i32",
    foldWith((l, r) => l ^ r, "i32", 0n),
  ),
  "i32.and": sameIs("itself", "i32", (b, left, right) => {
    const mask = b.constantOf(right);
    if (mask === undefined) return undefined;
    if (mask === -1n) return left;
    if (mask === 0n) return right;
    const constant = b.constantOf(left);
    if (constant !== undefined) return b.i32(constant & mask);
    return alreadyNarrow(b, left, mask) ? left : undefined;
  }),
  "i32.eqz": isZero,
  "i64.eqz": isZero,
  "i32.shl": foldShift((l, r) => l << r, "i32"),
  "i64.shl": foldShift((l, r) => l << r, "i64"),
  "i32.shr_u": foldShift((l, r) => BigInt.asUintN(32, l) >> r, "i32"),
  "i64.shr_u": foldShift((l, r) => BigInt.asUintN(64, l) >> r, "i64"),
  "i32.wrap_i64": (b, value) => {
    const constant = b.constantOf(value);
    if (constant !== undefined) return b.i32(constant);
    const inner = pureOf(b, value);
    return inner?.op === "i64.extend_i32_u" || inner?.op === "i64.extend_i32_s" ? inner.args[0] : undefined;
  },
  "i64.extend_i32_u": (b, value) => {
    const constant = b.constantOf(value);
    return constant === undefined ? undefined : b.i64(BigInt.asUintN(32, constant));
  },
  "i64.extend_i32_s": (b, value) => {
    const constant = b.constantOf(value);
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
  if (op.kind === "flag" && op.flag === "all") return (mask & BigInt(arithmeticMask)) === BigInt(arithmeticMask);
  if (op.kind === "flag" || op.kind === "condition") return (mask & 1n) === 1n;
  if (op.kind !== "pure" || op.op !== "i32.and") return false;
  const inner = b.constantOf(op.args[1]!);
  return inner !== undefined && inner >= 0n && (inner & ~mask) === 0n;
}

/** Undefined: nothing simpler. */
export function simplify(b: Builder, name: NumericName | MacroName, args: readonly Value[]): Value | undefined {
  const rule = rulesByName.get(name);
  return rule && rule(b, args[0]!, args[1]!);
}
const rulesByName: ReadonlyMap<string, Rule> = new Map(Object.entries(rules));
