/**
 * What is about whole registers rather than lanes: elements and lanes moved across, copied to all places, chosen by indices.
 * SDM vol. 2: VBROADCAST, VPBROADCASTB, VEXTRACTF128, VINSERTF128, VPERM2F128, VPERMD, VPERMQ, VPERMILPS, PMOVSX, PMOVZX.
 */
import type { Value } from "../../../ir/index.ts";
import type { NumericName } from "../../../wasm/index.ts";
import type { Instruction, Operand } from "../../../x86/index.ts";
import type { Builder, Lift } from "../../builder.ts";
import { immediate, loadLow, shuffleElements, splat } from "../sse/operands.ts";
import { changes, computedOf, legacy, makes } from "./lanes.ts";
import { hasLanes, laneCount, readLanes, writeLanes } from "./operands.ts";

/** A vector of at most sixteen bytes, or as much of it as there is in memory. */
function readNarrow(b: Builder, operand: Operand): Value {
  if (operand.kind === "mem" && !hasLanes(operand)) return loadLow(b, operand);
  return readLanes(b, operand)[0]!;
}

const eachLane = <T>(instruction: Instruction, make: (lane: number) => T): readonly T[] =>
  Array.from({ length: laneCount(instruction) }, (_, lane) => make(lane));

/** The lowest element of `size` bytes in all places. */
const broadcast =
  (size: number): Lift =>
  (b, instruction) => {
    const [destination, source] = instruction.operands;
    const value = readNarrow(b, source!);
    const all =
      size === 16
        ? value
        : shuffleElements(
            b,
            size,
            value,
            value,
            Array.from({ length: 16 / size }, () => 0),
          );
    writeLanes(
      b,
      destination!,
      eachLane(instruction, () => all),
    );
  };

/** PMOVSX and PMOVZX: the lower `bytes` bytes become the lower lane, the next ones the upper. */
function extended(name: string, bytes: number): Lift {
  const lift = legacy(name);
  return (b, instruction) => {
    const [destination, source] = instruction.operands;
    const value = readNarrow(b, source!);
    const from = (first: number) =>
      b.shuffle(
        value,
        value,
        Array.from({ length: 16 }, (_, i) => (first + i) % 16),
      );
    const lanes = eachLane(instruction, (lane) =>
      computedOf(b, instruction, lift, lane === 0 ? value : from(lane * bytes)),
    );
    writeLanes(b, destination!, lanes);
  };
}

const extract: Lift = (b, { operands: [destination, source, control] }) =>
  writeLanes(b, destination!, [readLanes(b, source!)[immediate(control) & 1]!]);

const insert: Lift = (b, { operands: [destination, source, lane, control] }) => {
  const inserted = readLanes(b, lane!)[0]!;
  const [first, second] = readLanes(b, source!);
  writeLanes(b, destination!, immediate(control) & 1 ? [first!, inserted] : [inserted, second!]);
};

/** Four bits of the immediate for each lane: which of the sources' four lanes, or with bit 3 none. */
const permuteLanes: Lift = (b, { operands: [destination, left, right, control] }) => {
  const bits = immediate(control);
  const second = readLanes(b, right!);
  const lanes = [...readLanes(b, left!), ...second];
  const chosen = (field: number) => (field & 8 ? b.v128(0n) : lanes[field & 3]!);
  writeLanes(b, destination!, [chosen(bits & 15), chosen(bits >> 4)]);
};

/** Two bits of the immediate for each of four quadwords. */
const permuteQuadwords: Lift = (b, { operands: [destination, source, control] }) => {
  const bits = immediate(control);
  const [first, second] = readLanes(b, source!);
  const pair = (at: number) => shuffleElements(b, 8, first!, second!, [(bits >> at) & 3, (bits >> (at + 2)) & 3]);
  writeLanes(b, destination!, [pair(0), pair(4)]);
};

/** The positions of the bytes of four doublewords, whose numbers within a lane are in the low bits of each index. */
function bytePositions(b: Builder, indices: Value): Value {
  const within = b.op("v128.and", indices, b.v128(splat(32, 3n)));
  const firsts = b.op("i32x4.mul", within, b.v128(splat(32, 0x0404_0404n)));
  return b.op("i32x4.add", firsts, b.v128(splat(32, 0x0302_0100n)));
}

/** Three bits of each index choose one of eight doublewords. */
const permuteDoublewords: Lift = (b, { operands: [destination, indices, source] }) => {
  const [first, second] = readLanes(b, source!);
  const lanes = readLanes(b, indices!).map((chosen) => {
    const positions = bytePositions(b, chosen);
    const isUpper = b.op("i32x4.shr_s", b.op("i32x4.shl", chosen, b.i32(29)), b.i32(31));
    const [low, high] = [first!, second!].map((lane) => b.op("i8x16.swizzle", lane, positions));
    return b.op("v128.bitselect", high!, low!, isUpper);
  });
  writeLanes(b, destination!, lanes);
};

const chooseSingles = changes((b, { operands: [destination, control] }) =>
  b.writeVector(
    destination!,
    b.op("i8x16.swizzle", b.readVector(destination!), bytePositions(b, b.readVector(control!))),
  ),
);

/** Bit 1 of each control chooses. */
const chooseDoubles = changes((b, { operands: [destination, control] }) => {
  const source = b.readVector(destination!);
  const mask = b.op("i64x2.shr_s", b.op("i64x2.shl", b.readVector(control!), b.i32(62)), b.i32(63));
  const [first, second] = [0, 1].map((element) => shuffleElements(b, 8, source, source, [element, element]));
  b.writeVector(destination!, b.op("v128.bitselect", second!, first!, mask));
});

const chooseDoublesByBits = makes(
  (b, { operands: [destination, operand, control] }) => {
    const bits = immediate(control);
    const source = b.readVector(operand!);
    b.writeVector(destination!, shuffleElements(b, 8, source, source, [bits & 1, (bits >> 1) & 1]));
  },
  (control, lane) => control >> BigInt(2 * lane),
);

/** By an immediate, or by a vector of controls. */
const either =
  (byImmediate: Lift, byVector: Lift): Lift =>
  (b, instruction) =>
    (instruction.operands[2]!.kind === "imm" ? byImmediate : byVector)(b, instruction);

/** ZF: no bit in common; CF: no bit of the source outside the destination. Of those of `mask`, in any lane. */
const test =
  (mask: bigint): Lift =>
  (b, { operands: [first, second] }) => {
    const right = readLanes(b, second!);
    const left = readLanes(b, first!);
    const none = (name: NumericName) => {
      const bits = left.map((lane, i) => b.op(name, right[i]!, lane));
      const all = bits.reduce((low, high) => b.op("v128.or", low, high));
      return b.op("i32.eqz", b.op("v128.any_true", b.op("v128.and", all, b.v128(mask))));
    };
    const zero = b.op("i32.shl", none("v128.and"), b.i32(6));
    b.setRawFlags(b.op("i32.or", zero, none("v128.andnot")));
  };

export const acrossSemantics = {
  vbroadcastss: broadcast(4),
  vbroadcastsd: broadcast(8),
  vbroadcastf128: broadcast(16),
  vbroadcasti128: broadcast(16),
  vpbroadcastb: broadcast(1),
  vpbroadcastw: broadcast(2),
  vpbroadcastd: broadcast(4),
  vpbroadcastq: broadcast(8),
  vpmovsxbw: extended("pmovsxbw", 8),
  vpmovsxbd: extended("pmovsxbd", 4),
  vpmovsxbq: extended("pmovsxbq", 2),
  vpmovsxwd: extended("pmovsxwd", 8),
  vpmovsxwq: extended("pmovsxwq", 4),
  vpmovsxdq: extended("pmovsxdq", 8),
  vpmovzxbw: extended("pmovzxbw", 8),
  vpmovzxbd: extended("pmovzxbd", 4),
  vpmovzxbq: extended("pmovzxbq", 2),
  vpmovzxwd: extended("pmovzxwd", 8),
  vpmovzxwq: extended("pmovzxwq", 4),
  vpmovzxdq: extended("pmovzxdq", 8),
  vextractf128: extract,
  vextracti128: extract,
  vinsertf128: insert,
  vinserti128: insert,
  vperm2f128: permuteLanes,
  vperm2i128: permuteLanes,
  vpermq: permuteQuadwords,
  vpermpd: permuteQuadwords,
  vpermd: permuteDoublewords,
  vpermps: permuteDoublewords,
  vpermilps: either(makes(legacy("pshufd")), chooseSingles),
  vpermilpd: either(chooseDoublesByBits, chooseDoubles),
  vptest: test((1n << 128n) - 1n),
  vtestps: test(splat(32, 0x8000_0000n)),
  vtestpd: test(splat(64, 1n << 63n)),
} satisfies Record<string, Lift>;
