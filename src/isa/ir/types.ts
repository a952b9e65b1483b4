/** The type of the value an op makes, if any, and of the values it uses. */
import { numeric, type ValueType } from "../wasm/index.ts";
import type { LoadKind, Op, StoreKind } from "./block.ts";
import { helpers } from "./helpers.ts";
import { macros } from "./macros.ts";

const loadType = {
  "i32.load8_u": "i32",
  "i32.load16_u": "i32",
  "i32.load": "i32",
  "i64.load": "i64",
  "v128.load": "v128",
} as const satisfies Record<LoadKind, ValueType>;

const storeType = {
  "i32.store8": "i32",
  "i32.store16": "i32",
  "i32.store": "i32",
  "i64.store": "i64",
  "v128.store": "v128",
  "v256.store": "v128",
} as const satisfies Record<StoreKind, ValueType>;

const pureRows: Readonly<Record<string, { readonly params: readonly ValueType[]; readonly result: ValueType }>> = {
  ...numeric,
  ...macros,
};

export const pureSignature = (name: string) => pureRows[name]!;

export function opType(op: Op): ValueType | undefined {
  switch (op.kind) {
    case "const":
    case "select":
      return op.type;
    case "get":
      return op.register.type;
    case "pure":
      return pureSignature(op.op).result;
    case "shuffle":
      return "v128";
    case "load":
      return loadType[op.access];
    case "flag":
    case "condition":
      return "i32";
    case "call":
      return helpers[op.helper].result;
    default:
      return undefined;
  }
}

/** The values an op uses, in order. */
export function opArgs(op: Op): readonly (Op & { kind: "put" })["value"][] {
  switch (op.kind) {
    case "put":
      return [op.value];
    case "pure":
    case "call":
      return op.args;
    case "shuffle":
      return [op.left, op.right];
    case "select":
      return [op.when, op.then, op.otherwise];
    case "load":
    case "probe":
    case "flush":
      return [op.address];
    case "store":
      if (op.upper !== undefined) return [op.address, op.value, op.upper];
      return op.when === undefined ? [op.address, op.value] : [op.address, op.value, op.when];
    case "flags":
      return op.when === undefined ? [op.left, op.right, op.result] : [op.left, op.right, op.result, op.when];
    case "carry":
      return op.when === undefined ? [op.bits] : [op.bits, op.when];
    case "trap":
      return [op.when];
    case "patch":
      return op.address === undefined ? [] : [op.address];
    case "frames":
      return [op.stack];
    default:
      return [];
  }
}

/** The types that the values an op uses must have, in the order of `opArgs`. */
export function opParams(op: Op): readonly ValueType[] {
  switch (op.kind) {
    case "put":
      return [op.register.type];
    case "pure":
      return pureSignature(op.op).params;
    case "call":
      return helpers[op.helper].params;
    case "shuffle":
      return ["v128", "v128"];
    case "select":
      return ["i32", op.type, op.type];
    case "load":
    case "probe":
    case "flush":
    case "frames":
      return ["i64"];
    case "store":
      if (op.upper !== undefined) return ["i64", "v128", "v128"];
      return op.when === undefined ? ["i64", storeType[op.access]] : ["i64", storeType[op.access], "i32"];
    case "flags": {
      const type = op.width === 64 ? "i64" : "i32";
      return op.when === undefined ? [type, type, type] : [type, type, type, "i32"];
    }
    case "carry":
      return op.when === undefined ? ["i32"] : ["i32", "i32"];
    case "trap":
      return ["i32"];
    case "patch":
      return op.address === undefined ? [] : ["i64"];
    default:
      return [];
  }
}
