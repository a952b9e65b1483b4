/**
 * Plain data as bytes, for other computers. Always:
 * - What is decoded is equal to what was encoded, shared memory apart, which arrives as memory of the reader's own.
 * - Large memory goes beside the text, as pieces named by their contents: what two messages have in common travels once.
 * - Bytes from a stranger are refused with a sentence, or are some plain data: nothing in them runs.
 */
import { assert, InputError } from "../base/index.ts";

/** Takes memory that is too large for a message, and names it. */
export type PutPiece = (bytes: Uint8Array) => string;
export type GetPiece = (name: string) => Uint8Array;

/** Smaller memory goes inside the message. */
const inlineBytes = 4096;
/** Of a piece. */
export const pieceBytes = 1 << 20;

const views = {
  Int8Array,
  Uint8Array,
  Uint8ClampedArray,
  Int16Array,
  Uint16Array,
  Int32Array,
  Uint32Array,
  Float32Array,
  Float64Array,
  BigInt64Array,
  BigUint64Array,
} as const;
type ViewName = keyof typeof views;
type View = InstanceType<(typeof views)[ViewName]>;

const isViewName = (name: string): name is ViewName => Object.hasOwn(views, name);

/** What JSON has no words for, as arrays that begin with a word; every other array begins with "a". */
type Word = "a" | "undefined" | "number" | "bigint" | "map" | "set" | "memory";

function memoryText(view: View, put: PutPiece): readonly unknown[] {
  const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
  const name = view.constructor.name;
  assert(isViewName(name), "plain data has typed arrays of the language's own kinds");
  if (bytes.length <= inlineBytes) return ["memory", name, Buffer.from(bytes).toString("base64")];
  const pieces: string[] = [];
  for (let at = 0; at < bytes.length; at += pieceBytes) pieces.push(put(bytes.slice(at, at + pieceBytes)));
  return ["memory", name, bytes.length, pieces];
}

function textOf(value: unknown, put: PutPiece): unknown {
  const each = (values: Iterable<unknown>) => Array.from(values, (item) => textOf(item, put));
  if (value === undefined) return ["undefined"];
  if (typeof value === "bigint") return ["bigint", value.toString()];
  if (typeof value === "number")
    return Number.isFinite(value) && !Object.is(value, -0)
      ? value
      : ["number", `${Object.is(value, -0) ? "-0" : value}`];
  if (value === null || typeof value !== "object") {
    assert(typeof value !== "function" && typeof value !== "symbol", "what goes to other computers is plain data");
    return value;
  }
  if (Array.isArray(value)) return ["a", ...each(value)];
  if (value instanceof Map) return ["map", ...each([...value].flat(1))];
  if (value instanceof Set) return ["set", ...each(value)];
  if (ArrayBuffer.isView(value)) return memoryText(value as View, put);
  const prototype: unknown = Object.getPrototypeOf(value);
  assert(prototype === Object.prototype || prototype === null, "what goes to other computers is plain data");
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, textOf(field, put)]));
}

export const encodePlain = (value: unknown, put: PutPiece): string => JSON.stringify(textOf(value, put));

const damaged = () => new InputError("fleet/message", "A message of the fleet is damaged, or from another version.");

function memoryFrom(name: unknown, size: unknown, pieces: unknown, get: GetPiece): View {
  if (typeof name !== "string" || !isViewName(name)) throw damaged();
  const parts =
    typeof size === "string"
      ? [Buffer.from(size, "base64")]
      : (Array.isArray(pieces) ? (pieces as unknown[]) : []).map((piece) => get(String(piece)));
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const kind = views[name];
  if ((typeof size === "number" && size !== length) || length % kind.BYTES_PER_ELEMENT !== 0) throw damaged();
  const memory = new Uint8Array(new SharedArrayBuffer(length));
  let at = 0;
  for (const part of parts) {
    memory.set(part, at);
    at += part.length;
  }
  return new kind(memory.buffer as unknown as ArrayBuffer, 0, length / kind.BYTES_PER_ELEMENT);
}

function pairs(items: readonly unknown[]): readonly (readonly [unknown, unknown])[] {
  if (items.length % 2 !== 0) throw damaged();
  return Array.from({ length: items.length / 2 }, (_, i) => [items[2 * i], items[2 * i + 1]] as const);
}

type Reader = (rest: readonly unknown[], value: (text: unknown) => unknown, get: GetPiece) => unknown;
const readers: Readonly<Record<Word, Reader>> = {
  a: (rest, value) => rest.map(value),
  undefined: () => undefined,
  number: ([text]) => Number(text),
  bigint: ([text]) => bigintFrom(text),
  map: (rest, value) => new Map(pairs(rest.map(value))),
  set: (rest, value) => new Set(rest.map(value)),
  memory: ([name, size, pieces], _value, get) => memoryFrom(name, size, pieces, get),
};

function bigintFrom(text: unknown): bigint {
  if (typeof text !== "string" || !/^-?\d+$/.test(text)) throw damaged();
  return BigInt(text);
}

export function decodePlain(text: string, get: GetPiece): unknown {
  const value = (item: unknown): unknown => {
    if (typeof item !== "object" || item === null) return item;
    if (!Array.isArray(item))
      return Object.fromEntries(Object.entries(item).map(([key, field]) => [key, value(field)]));
    const [word, ...rest] = item as unknown[];
    if (typeof word !== "string" || !Object.hasOwn(readers, word)) throw damaged();
    return readers[word as Word](rest, value, get);
  };
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw damaged();
  }
  return value(parsed);
}
