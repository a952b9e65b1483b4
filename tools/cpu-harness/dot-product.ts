/**
 * DPPS as Intel's processors add: first the neighbours, then the pairs, each element its own partner and pair first but
 * the even ones, where the partner comes first. Numbers are the same in any order; of two NaNs the first one stays.
 */
import { sseAdd, sseMultiply } from "../../src/isa/softfloat/index.ts";
import { addressOf } from "./addresses.ts";
import { dataPlace } from "./places.ts";
import type { Answer, Step } from "./processors.ts";
import { fxLayout, inputLayout, outputLayout } from "./records.ts";

const vectorOf = (encoded: number) => fxLayout.xmm + 16 * encoded;

/** The vector operands, from ModRM and REX; an operand in memory has no number. */
function operandsOf(bytes: Uint8Array): {
  readonly destination: number;
  readonly source: number | undefined;
  readonly control: number;
} {
  const opcode = bytes.findIndex((byte, i) => byte === 0x0f && bytes[i + 1] === 0x3a && bytes[i + 2] === 0x40);
  const before = opcode === 0 ? 0 : bytes[opcode - 1]!;
  const rex = before >> 4 === 4 ? before : 0;
  const modrm = bytes[opcode + 3]!;
  const source = modrm >> 6 === 3 ? (modrm & 7) | ((rex & 1) << 3) : undefined;
  return { destination: ((modrm >> 3) & 7) | ((rex & 4) << 1), source, control: bytes[bytes.length - 1]! };
}

export function dotProductInPairs({ instruction, input }: Step, { outcome, output, memory }: Answer): void {
  if (outcome.kind !== "done") return;
  const { destination, source, control } = operandsOf(instruction.bytes);
  const mxcsr = input.view.getUint32(inputLayout.fx + fxLayout.mxcsr, true);
  const data = new DataView(memory.buffer, memory.byteOffset, memory.byteLength);
  const left = (i: number) => input.view.getUint32(inputLayout.fx + vectorOf(destination) + 4 * i, true);
  const right = (i: number) =>
    source === undefined
      ? data.getUint32(Number(addressOf(input, instruction.uses[0]!)) - dataPlace.start + 4 * i, true)
      : input.view.getUint32(inputLayout.fx + vectorOf(source) + 4 * i, true);
  const product = (i: number): bigint =>
    (control >> (4 + i)) & 1 ? sseMultiply("binary32", BigInt(left(i)), BigInt(right(i)), mxcsr).bits : 0n;
  const add = (a: bigint, b: bigint) => sseAdd("binary32", a, b, mxcsr).bits;
  const pair = (i: number) => add(product(i | 1), product(i & ~1));
  const turned = (i: number) => (i & 1 ? add(product(i & ~1), product(i | 1)) : pair(i));
  for (let i = 0; i < 4; i++) {
    const sum = (control >> i) & 1 ? add(turned(i), turned(i ^ 2)) : 0n;
    output.view.setUint32(outputLayout.fx + vectorOf(destination) + 4 * i, Number(sum), true);
  }
}
