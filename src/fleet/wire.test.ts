/** Random plain data comes back as it was; damaged messages are some data or a sentence, and never a crash. */
import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { below, InputError, type RandomState, seedRandom } from "../base/index.ts";
import { decodePlain, encodePlain } from "./wire.ts";

const seed = 39;

function pieces() {
  const kept = new Map<string, Uint8Array>();
  return {
    kept,
    put: (bytes: Uint8Array) => {
      const name = createHash("sha256").update(bytes).digest("hex");
      kept.set(name, bytes);
      return name;
    },
    get: (name: string) => {
      const found = kept.get(name);
      if (found === undefined) throw new InputError("fleet/piece", "There is no such piece.");
      return found;
    },
  };
}

const numbers = [0, -0, 1, -1, 0.1, 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
const texts = ["", "a", "ä€", "\ud800", "number", "\0", '"'];

function drawn(random: RandomState, depth: number): unknown {
  const some = <T>(items: readonly T[]): T => items[below(random, items.length)]!;
  const several = (): unknown[] => Array.from({ length: below(random, 4) }, () => drawn(random, depth - 1));
  const simple = [
    () => some(numbers),
    () => some(texts),
    () => some([null, undefined, true, false]),
    () => BigInt(below(random, 1000)) ** 9n - 10n ** 20n,
    () => Uint32Array.from({ length: below(random, 3000) }, () => below(random, 2 ** 32)),
    () => new Float64Array(new SharedArrayBuffer(8 * below(random, 4))).fill(Number.NaN),
    () => new Uint8Array(new ArrayBuffer(100), 3, below(random, 90)).fill(7),
  ];
  const nested = [
    several,
    () => new Map(several().map((value, i) => [i % 2 ? i : `${i}`, value])),
    () => new Set(several()),
    () => Object.fromEntries(several().map((value, i) => [some(texts) + i, value])),
  ];
  return some(depth > 0 ? [...simple, ...nested] : simple)();
}

test(`what is decoded is what was encoded (seed ${seed})`, () => {
  const random = seedRandom(seed);
  for (let round = 0; round < 400; round++) {
    const value = drawn(random, 4);
    const { put, get } = pieces();
    expect(decodePlain(encodePlain(value, put), get)).toEqual(value);
  }
});

test("memory of a megabyte and more goes in pieces, and what is alike goes once", () => {
  const { kept, put, get } = pieces();
  const memory = new Int32Array(3 * 2 ** 18 + 5).fill(9);
  const [first, second] = decodePlain(encodePlain([memory, memory], put), get) as Int32Array[];
  expect(
    [first, second].map((part) => Buffer.compare(new Uint8Array(part!.buffer), new Uint8Array(memory.buffer))),
  ).toEqual([0, 0]);
  expect([...kept.values()].map(({ length }) => length)).toEqual([2 ** 20, 20]);
});

test(`damaged messages (seed ${seed})`, () => {
  const random = seedRandom(seed);
  for (let round = 0; round < 1000; round++) {
    const { put, get } = pieces();
    const text = encodePlain(drawn(random, 3), put);
    const at = below(random, text.length);
    const other = text.slice(0, at) + texts[below(random, texts.length)]! + text.slice(at + below(random, 3));
    try {
      decodePlain(other, get);
    } catch (error) {
      expect(error).toBeInstanceOf(InputError);
    }
  }
});

test("functions and classes are no plain data", () => {
  const { put } = pieces();
  expect(() => encodePlain({ run: () => 1 }, put)).toThrow("plain data");
  expect(() => encodePlain(new URL("file:///"), put)).toThrow("plain data");
});
