/** Values of C as far as helpers that flush need them: integers without an end, and pointers that know how far one more is. */

export class NotUnderstood extends Error {}

/** A number; of a pointer, with how many bytes one more is; of an object that was handed over as such, with its address. */
export interface Value {
  readonly number: bigint;
  readonly stride: bigint;
  readonly objectBytes?: bigint;
}

export const plain = (number: bigint): Value => ({ number, stride: 0n });
export const truth = (is: boolean): Value => plain(is ? 1n : 0n);

const bytes: Readonly<Record<string, bigint>> = {
  ...Object.fromEntries(["void", "char", "uint8_t", "int8_t", "bool", "byte"].map((name) => [name, 1n])),
  ...Object.fromEntries(["short", "uint16_t", "int16_t"].map((name) => [name, 2n])),
  ...Object.fromEntries(["int", "unsigned", "uint32_t", "int32_t", "float"].map((name) => [name, 4n])),
  ...Object.fromEntries(
    ["long", "uint64_t", "int64_t", "size_t", "ssize_t", "ptrdiff_t", "uintptr_t", "intptr_t", "double"].map((name) => [
      name,
      8n,
    ]),
  ),
  ...{ __m128i: 16n, __m256i: 32n, __m512i: 64n },
};

export const isNumberType = (name: string): boolean => Object.hasOwn(bytes, name.replace(/^std::/, ""));

/** Of a type without its pointers. */
export function bytesOf(type: string): bigint {
  const name = type.replace(/\b(?:const|volatile|unsigned|signed|struct|static|std::)\b|std::/g, " ").trim();
  const known = bytes[name === "" ? "int" : (name.split(/\s+/)[0] ?? "")];
  if (known === undefined) throw new NotUnderstood(type);
  return known;
}

/** How far one more goes: of what is no pointer, nothing is known to matter. */
export function strideOf(type: string): bigint {
  const stars = type.split("*").length - 1;
  return stars === 0 ? 0n : stars > 1 ? 8n : bytesOf(type.slice(0, type.indexOf("*")));
}

type Operation = (a: bigint, b: bigint) => bigint | boolean;
const operations: Readonly<Record<string, Operation>> = {
  "*": (a, b) => a * b,
  "/": (a, b) => (b === 0n ? 0n : a / b),
  "%": (a, b) => (b === 0n ? 0n : a % b),
  "&": (a, b) => a & b,
  "|": (a, b) => a | b,
  "^": (a, b) => a ^ b,
  "<<": (a, b) => a << b,
  ">>": (a, b) => a >> b,
  "<": (a, b) => a < b,
  "<=": (a, b) => a <= b,
  ">": (a, b) => a > b,
  ">=": (a, b) => a >= b,
  "==": (a, b) => a === b,
  "!=": (a, b) => a !== b,
  "&&": (a, b) => a !== 0n && b !== 0n,
  "||": (a, b) => a !== 0n || b !== 0n,
};

export function combined(operator: string, left: Value, right: Value): Value {
  const stride = left.stride || right.stride;
  if (operator === "+" || operator === "-") {
    const step = left.stride !== 0n && right.stride === 0n ? right.number * left.stride : right.number;
    const base = right.stride !== 0n && left.stride === 0n ? left.number * right.stride : left.number;
    return { number: operator === "+" ? base + step : base - step, stride: left.stride === right.stride ? 0n : stride };
  }
  const result = operations[operator]?.(left.number, right.number);
  if (result === undefined) throw new NotUnderstood(operator);
  return typeof result === "boolean" ? truth(result) : { number: result, stride };
}
