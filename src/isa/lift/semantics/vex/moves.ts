/** Moves of whole registers and of their parts. SDM vol. 2: MOVAPS, MOVNTDQ, MOVLPS, MOVMSKPS, VZEROALL, VZEROUPPER. */
import { type Register, uppers, type Value, xmms } from "../../../ir/index.ts";
import type { NumericName } from "../../../wasm/index.ts";
import type { Builder, Lift } from "../../builder.ts";
import { changes, legacy, makes } from "./lanes.ts";
import { readLanes, writeLanes } from "./operands.ts";

const whole =
  (aligned: boolean): Lift =>
  (b, { operands: [destination, source] }) =>
    writeLanes(b, destination!, readLanes(b, source!, aligned), aligned ? { aligned } : {});

const streamed: Lift = (b, { operands: [destination, source] }) =>
  writeLanes(b, destination!, readLanes(b, source!), { aligned: true, nonTemporal: true });

/** MOVSS and MOVSD, MOVLPS and their kin: with three operands a part of the first source is replaced. */
function part(name: string): Lift {
  const lift = legacy(name);
  const [change, make] = [changes(lift), makes(lift)];
  return (b, instruction) => (instruction.operands.length === 3 ? change : make)(b, instruction);
}

/** The lanes' top bits, in a general register of either size. */
const signMask =
  (name: NumericName, bits: number): Lift =>
  (b, { operands: [destination, source] }) => {
    const masks = readLanes(b, source!).map((lane, i) => b.op("i32.shl", b.op(name, lane), b.i32(i * bits)));
    const all = masks.reduce((low, high) => b.op("i32.or", low, high));
    b.write(destination!, b.extend(all, 32, b.width(destination!), false));
  };

const clear = (b: Builder, registers: readonly Register[]): void => {
  const zero: Value = b.v128(0n);
  for (const register of registers) b.put(register, zero);
};

export const moveSemantics = {
  vmovaps: whole(true),
  vmovapd: whole(true),
  vmovdqa: whole(true),
  vmovups: whole(false),
  vmovupd: whole(false),
  vmovdqu: whole(false),
  vlddqu: whole(false),
  vmovntdqa: whole(true),
  vmovntps: streamed,
  vmovntpd: streamed,
  vmovntdq: streamed,
  vmovss: part("movss"),
  vmovsd: part("movsd"),
  vmovlps: part("movlps"),
  vmovlpd: part("movlpd"),
  vmovhps: part("movhps"),
  vmovhpd: part("movhpd"),
  vpmovmskb: signMask("i8x16.bitmask", 16),
  vmovmskps: signMask("i32x4.bitmask", 4),
  vmovmskpd: signMask("i64x2.bitmask", 2),
  vzeroupper: (b) => clear(b, uppers),
  vzeroall: (b) => clear(b, [...xmms, ...uppers]),
} satisfies Record<string, Lift>;
