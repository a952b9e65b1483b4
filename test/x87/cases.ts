/** Random x87 states and operands, crowded around the places where behaviour changes. */
import { below, next64, pick, type RandomState } from "../../src/base/index.ts";
import type { Encoding } from "./encodings.ts";
import { type Case, IMAGE } from "./harness.ts";

const ALL = (1n << 64n) - 1n;
const TOP = 1n << 63n;

function randomSignificand(random: RandomState): bigint {
  const dense = next64(random);
  const one = 1n << BigInt(below(random, 64));
  return (
    pick(random, [
      0n,
      dense,
      dense,
      dense,
      one,
      ALL,
      ALL ^ one,
      (dense >> 11n) << 11n,
      (dense >> 40n) << 40n,
      ((dense >> 11n) << 11n) | 0x400n,
      ((dense >> 40n) << 40n) | (1n << 39n),
      ALL << BigInt(below(random, 64)),
      TOP | one,
      dense & 0xfffn,
    ]) & ALL
  );
}

/** Sign and exponent; `near` keeps operands within reach of each other. */
function randomExponent(random: RandomState, near: number): number {
  const exponent = pick(random, [
    0,
    0,
    1,
    0x7ffe,
    0x7fff,
    0x7fff,
    0x3fff,
    near,
    near,
    near,
    near + below(random, 140) - 70,
    near + below(random, 9) - 4,
    0x3fff + below(random, 70),
    0x3fff + pick(random, [14, 15, 16, 30, 31, 32, 62, 63, 64]),
    below(random, 0x8000),
    below(random, 70),
    0x7ffe - below(random, 70),
    0x3fff - 127 - below(random, 26),
    0x3fff - 1023 - below(random, 55),
    0x3fff + 127,
    0x3fff + 1023,
    0x3fff - below(random, 70),
  ]);
  return (Math.max(0, Math.min(0x7fff, exponent)) & 0x7fff) | (below(random, 2) << 15);
}

/** An 80-bit value: mostly well formed, sometimes pseudo-denormal, unnormal or pseudo-NaN. */
export function writeExtended(random: RandomState, buffer: Buffer, at: number, near: number): void {
  const signExponent = randomExponent(random, near);
  let significand = randomSignificand(random);
  if ((signExponent & 0x7fff) !== 0 && below(random, 30) !== 0) significand |= TOP;
  else if (below(random, 4) !== 0) significand &= ALL >> BigInt(1 + below(random, 63));
  if ((signExponent & 0x7fff) === 0x7fff && below(random, 3) === 0) significand = TOP;
  if (below(random, 20) === 0) {
    buffer.writeBigUInt64LE(0n, at);
    buffer.writeUInt16LE(signExponent & 0x8000, at + 8);
    return;
  }
  buffer.writeBigUInt64LE(significand, at);
  buffer.writeUInt16LE(signExponent, at + 8);
}

function writeMemoryOperand(random: RandomState, row: Encoding, memory: Buffer, near: number): void {
  if (row.name.endsWith("m32fp")) {
    const exponent = pick(random, [0, 0, 1, 254, 255, below(random, 256), 127, (near - 0x3fff + 127) & 255]);
    const fraction = Number(randomSignificand(random) >> 41n);
    memory.writeUInt32LE(((below(random, 2) << 31) | (exponent << 23) | fraction) >>> 0, 0);
  } else if (row.name.endsWith("m64fp")) {
    const exponent = pick(random, [0, 0, 1, 2046, 2047, below(random, 2048), 1023, (near - 0x3fff + 1023) & 2047]);
    const high = BigInt((below(random, 2) << 11) | exponent) << 52n;
    memory.writeBigUInt64LE(high | (randomSignificand(random) >> 12n), 0);
  } else if (row.name.endsWith("m80fp")) {
    writeExtended(random, memory, 0, near);
  } else if (row.name.endsWith("m80bcd")) {
    const digits = BigInt(`0x${(next64(random) % 10n ** 18n).toString(10)}`);
    memory.writeBigUInt64LE(digits & ALL, 0);
    memory.writeUInt16LE(Number(digits >> 64n) | (below(random, 256) << 8), 8);
    if (below(random, 8) === 0) memory.fill(0, 0, 9);
    if (below(random, 8) === 0) memory.writeBigUInt64LE(next64(random), 0);
  } else if (row.name.includes("env") || row.name.includes("stor_")) {
    writeImage(random, row, memory, near);
  } else {
    const small = next64(random) >> BigInt(below(random, 64));
    memory.writeBigUInt64LE(pick(random, [small, BigInt.asUintN(64, -small), 1n << BigInt(below(random, 64)), 0n]), 0);
  }
}

/** An environment or state image with legal reserved bits. */
function writeImage(random: RandomState, row: Encoding, memory: Buffer, near: number): void {
  const step = row.name.includes("m14byte") || row.name.includes("m94byte") ? 2 : 4;
  const environment = 7 * step;
  if (row.name.includes("xrstor")) {
    randomState(random, near).copy(memory);
    return;
  }
  for (let i = 0; i < environment; i++) memory[i] = below(random, 256);
  for (let i = 0; i < 8; i++) writeExtended(random, memory, environment + 10 * i, near);
}

/** All masked in most cases; never an unmasked exception already flagged except where `pending`. */
function randomState(random: RandomState, near: number): Buffer {
  const image = Buffer.alloc(IMAGE);
  const masks = below(random, 4) === 0 ? below(random, 64) : 63;
  const pending = below(random, 24) === 0;
  const flags = below(random, 128) & (pending ? 127 : masks | 64);
  const summary = (flags & ~masks & 63) !== 0 ? 0x8080 : 0;
  image.writeUInt16LE(0x40 | masks | (pick(random, [0, 2, 3, 3]) << 8) | (below(random, 4) << 10), 0);
  image.writeUInt16LE(
    flags | summary | (below(random, 8) << 8) | (below(random, 2) << 14) | (below(random, 8) << 11),
    2,
  );
  image[4] = pick(random, [255, 255, 255, 127, below(random, 256), 0x3f, 0xf7]);
  if (below(random, 2) === 0) {
    // ST(7) empty, so that a push finds room.
    const top = (image.readUInt16LE(2) >> 11) & 7;
    image[4] = (image[4] as number) & ~(1 << ((top + 7) & 7));
  }
  image.writeUInt32LE(0x1f80, 24);
  for (let i = 0; i < 8; i++) writeExtended(random, image, 32 + 16 * i, near);
  return image;
}

export function randomCase(random: RandomState, row: Encoding): Case {
  const near = pick(random, [0x3fff, 1, 0x7ffe, below(random, 0x7fff), 0x3fff + 1023, 0x3fff - 1023]);
  const image = randomState(random, near);
  const memory = Buffer.alloc(IMAGE);
  if (row.load) writeMemoryOperand(random, row, memory, near);
  else for (let i = 0; i < IMAGE; i++) memory[i] = below(random, 256);
  const flags = BigInt(below(random, 0x1000)) & 0x8d5n;
  return { image, memory, rflags: 0x202n | flags, rax: next64(random), register: row.register ? below(random, 8) : 0 };
}
