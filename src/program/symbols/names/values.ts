/**
 * What is known of a 64-bit value: something it counts from, and how far from it: `offset + stride × anything`. Always:
 * - A stride of 0 means the offset is exact. Two multiples of the same unknown add up: x + 2x is 3x, which is how compilers
 *   multiply. Where the unknowns differ, the stride is their greatest common divisor (Granger's congruences).
 * - Values only ever lose knowledge where ways meet, so loops come to rest.
 */
import type { TypeId } from "../../elf/index.ts";

export type Base =
  /** The canonical frame address. */
  | { readonly kind: "frame" }
  /** What a register held when the function was entered, by the register's x86 number. */
  | { readonly kind: "entry"; readonly register: number }
  | PointerBase
  /** The offset half of a typed libpmemobj object id: added to the pool's address, it points to the object. */
  | { readonly kind: "pool-offset"; readonly type: TypeId; readonly text: string }
  /** Ways disagree about it: no further one makes it better. */
  | { readonly kind: "mixed" };

export interface PointerBase {
  readonly kind: "pointer";
  /** What it points to; undefined for void. */
  readonly type: TypeId | undefined;
  /** How the source says it: `store->head`. */
  readonly text: string;
  /** A C++ reference: its fields follow a dot. */
  readonly reference: boolean;
  /** Says nothing about what lies there: void, char. */
  readonly weak: boolean;
  /** On another way to this place nothing is known of the value. */
  readonly maybe: boolean;
  /** The register it came in, if it is a parameter. */
  readonly entry: number | undefined;
  /** The object that the pointer was made to point into. */
  readonly within: Value | undefined;
}

export interface Value {
  readonly base: Base | undefined;
  readonly offset: number;
  readonly stride: number;
  /** Which unknown the stride multiplies, where there is only one. */
  readonly symbol: number | undefined;
}

export const exact = (base: Base | undefined, offset: number): Value => ({
  base,
  offset,
  stride: 0,
  symbol: undefined,
});
export const unknown = (symbol?: number): Value => ({ base: undefined, offset: 0, stride: 1, symbol });
const mixed: Value = { base: { kind: "mixed" }, offset: 0, stride: 1, symbol: undefined };
export const isExact = ({ stride }: Value): boolean => stride === 0;

export function gcd(a: number, b: number): number {
  let [x, y] = [Math.abs(a), Math.abs(b)];
  while (y !== 0) [x, y] = [y, x % y];
  return x;
}

function sane(value: Value): Value {
  const safe = Number.isSafeInteger(value.offset) && Number.isSafeInteger(value.stride);
  return safe
    ? value.stride === 0 && value.symbol !== undefined
      ? { ...value, symbol: undefined }
      : value
    : unknown();
}

function strides(a: Value, b: Value, sign: 1 | -1): Pick<Value, "stride" | "symbol"> {
  if (b.stride === 0) return { stride: a.stride, symbol: a.symbol };
  if (a.stride === 0) return { stride: sign * b.stride, symbol: b.symbol };
  if (a.symbol !== undefined && a.symbol === b.symbol) return { stride: a.stride + sign * b.stride, symbol: a.symbol };
  return { stride: gcd(a.stride, b.stride), symbol: undefined };
}

const number = (value: Value): Value => ({ ...value, base: undefined });

export function add(a: Value, b: Value): Value {
  if (isMixed(a) || isMixed(b)) return unknown();
  if (a.base !== undefined && b.base !== undefined) return addBases(a, b);
  // A pool's address is whatever it is: the sum points to the object.
  if (a.base?.kind === "pool-offset" && !isExact(b)) return direct(a, a.base);
  if (b.base?.kind === "pool-offset" && !isExact(a)) return direct(b, b.base);
  return sane({ base: a.base ?? b.base, offset: a.offset + b.offset, ...strides(a, b, 1) });
}

function addBases(a: Value, b: Value): Value {
  if (a.base?.kind === "pool-offset" && b.base?.kind !== "pool-offset") return direct(a, a.base);
  if (b.base?.kind === "pool-offset" && a.base?.kind !== "pool-offset") return direct(b, b.base);
  return unknown();
}

/** libpmemobj's `pmemobj_direct`, written out. */
export const direct = ({ offset, stride, symbol }: Value, { type, text }: Base & { kind: "pool-offset" }): Value => ({
  base: {
    kind: "pointer",
    type,
    text: `D_RW(${text})`,
    reference: false,
    weak: false,
    maybe: false,
    entry: undefined,
    within: undefined,
  },
  ...{ offset, stride, symbol },
});

export function subtract(a: Value, b: Value): Value {
  if (isMixed(a) || isMixed(b)) return unknown();
  if (b.base !== undefined) {
    const same = a.base !== undefined && sameBase(a.base, b.base);
    return same ? subtract(number(a), number(b)) : unknown();
  }
  return sane({ base: a.base, offset: a.offset - b.offset, ...strides(a, b, -1) });
}

export function scale(value: Value, factor: number): Value {
  if (factor === 1) return value;
  if (value.base !== undefined) return unknown();
  return sane({ ...value, offset: value.offset * factor, stride: value.stride * factor });
}

export function sameBase(a: Base | undefined, b: Base | undefined): boolean {
  if (a === b) return true;
  if (a === undefined || b === undefined) return false;
  if (a.kind === "frame" || a.kind === "mixed") return b.kind === a.kind;
  if (a.kind === "entry") return b.kind === "entry" && a.register === b.register;
  if (a.kind === "pool-offset") return b.kind === "pool-offset" && a.type === b.type && a.text === b.text;
  return (
    b.kind === "pointer" &&
    a.type === b.type &&
    a.text === b.text &&
    a.entry === b.entry &&
    a.maybe === b.maybe &&
    sameWithin(a.within, b.within)
  );
}

const sameWithin = (a: Value | undefined, b: Value | undefined): boolean =>
  a === b || (a !== undefined && b !== undefined && sameValue(a, b));

export const sameValue = (a: Value, b: Value): boolean =>
  a.offset === b.offset && a.stride === b.stride && a.symbol === b.symbol && sameBase(a.base, b.base);

/** What holds of both; the older one's words are kept. */
export function merge(known: Value, added: Value): Value {
  if (known === added || sameValue(known, added)) return known;
  // A null pointer is a pointer.
  if (isNull(added) && known.base !== undefined && known.base.kind !== "frame") return known;
  if (isNull(known) && added.base !== undefined && added.base.kind !== "frame") return added;
  if (isMixed(known) || isMixed(added)) return isMixed(known) ? known : mixed;
  // Whoever goes on to use it as a pointer came the way on which it is one.
  if (isOpen(added) && points(known)) return perhaps(known);
  if (isOpen(known) && points(added)) return perhaps(added);
  const base = mergeBases(known.base, added.base);
  if (base === "none") return mixed;
  const stride = gcd(gcd(known.stride, added.stride), known.offset - added.offset);
  // Only where both are the same multiple of the same unknown is the outcome one.
  const agree = known.offset === added.offset && known.stride === added.stride && known.symbol === added.symbol;
  const symbol = agree ? known.symbol : undefined;
  const merged = { base, offset: known.offset, stride, symbol };
  return sameValue(merged, known) ? known : merged;
}

const isNull = ({ base, offset, stride }: Value) => base === undefined && offset === 0 && stride === 0;

const isMixed = ({ base }: Value) => base?.kind === "mixed";
const isOpen = ({ base, stride }: Value) => base === undefined && stride !== 0;
const points = ({ base }: Value) => base?.kind === "pointer" || base?.kind === "pool-offset";
const perhaps = (value: Value): Value =>
  value.base?.kind === "pointer" && !value.base.maybe ? { ...value, base: { ...value.base, maybe: true } } : value;

function mergeBases(known: Base | undefined, added: Base | undefined): Base | undefined | "none" {
  if (sameBase(known, added)) return known;
  if (known?.kind !== "pointer" || added?.kind !== "pointer") return "none";
  // Two pointers to one type: what they point to is sure, which of them it is is not.
  if (known.type !== added.type || known.weak !== added.weak) return "none";
  const within = known.within && added.within && merge(known.within, added.within);
  return {
    ...known,
    maybe: known.maybe || added.maybe,
    entry: known.entry === added.entry ? known.entry : undefined,
    within: within?.base === undefined ? undefined : within,
  };
}
