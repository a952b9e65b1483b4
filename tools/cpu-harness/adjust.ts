/** What particular instructions need of their inputs to show more than one behaviour. */
import { below, next32 } from "../../src/base/index.ts";
import type { TestInstruction } from "./blocks.ts";
import { type Draft, poke } from "./inputs.ts";
import { codePlace } from "./places.ts";
import { fxLayout, inputLayout } from "./records.ts";
import { drawMxcsr } from "./values.ts";

type Adjust = (draft: Draft, instruction: TestInstruction) => void;

const often = (draft: Draft) => below(draft.random, 10) < 8;

/** Changes a register unless an address depends on it; a narrow value leaves the upper bits. */
function set(draft: Draft, index: number, value: bigint, size = 8): void {
  if (draft.fixed.has(index)) return;
  const mask = (1n << BigInt(8 * size)) - 1n;
  draft.gpr[index] = (draft.gpr[index]! & ~mask) | BigInt.asUintN(8 * size, value);
}

/** Bit offsets within a page or so, of either sign. */
const bitOffset: Adjust = (draft, { uses, registers }) => {
  const offset = registers[1];
  if (uses.length === 0 || !offset || !often(draft)) return;
  set(draft, offset.index, BigInt(below(draft.random, 0x8000) - 0x4000), offset.size);
};

/** A count that a string of our size can bear; without a prefix it is just a register. */
const stringCount: Adjust = (draft, { repeated, uses }) => {
  if (!repeated || below(draft.random, 20) === 0) return;
  const bits = uses.some((use) => use.bits === 32) ? 4 : 8;
  set(draft, 1, BigInt(below(draft.random, below(draft.random, 8) === 0 ? 300 : 20)), bits);
};

/** Equal memory more often than chance has it. */
const comparedStrings: Adjust = (draft, instruction) => {
  stringCount(draft, instruction);
  if (draft.targets.length < 2 || !often(draft)) return;
  const value = BigInt(next32(draft.random) & 0xff) * 0x0101_0101_0101_0101n;
  for (const target of draft.targets.slice(0, 2))
    for (let i = 0n; i < 8n; i++) poke(draft, target + (i - 2n) * 8n, value, 8);
};

const scannedString: Adjust = (draft, instruction) => {
  stringCount(draft, instruction);
  if (!often(draft) || draft.targets.length === 0) return;
  const value = BigInt(next32(draft.random) & 0xff) * 0x0101_0101_0101_0101n;
  set(draft, 0, value);
  for (let i = 0n; i < 8n; i++) poke(draft, draft.targets[0]! + (i - 2n) * 8n, value, 8);
};

/** Quotients that fit: the upper half small, or the sign of the lower one. */
const dividend =
  (signed: boolean): Adjust =>
  (draft, { registers, uses }) => {
    if (!often(draft)) return;
    const size = registers[0]?.size ?? uses[0]!.size;
    const high = BigInt(below(draft.random, 4)) - (signed ? 2n : 0n);
    if (size === 1) set(draft, 0, BigInt(below(draft.random, 0x800) - (signed ? 0x400 : 0)), 2);
    else set(draft, 2, signed && next32(draft.random) & 1 ? BigInt.asIntN(64, draft.gpr[0]!) >> 63n : high, size);
  };

/** Beyond 16 places a 16-bit double shift is undefined. */
const doubleShift: Adjust = (draft, { registers }) => {
  if (registers[1]?.size === 2 && registers[2])
    draft.gpr[1] = (draft.gpr[1]! & ~0x1fn) | BigInt(below(draft.random, 17));
};

/** Half the time the comparison succeeds. */
const compareExchange: Adjust = (draft, { registers }) => {
  if (next32(draft.random) & 1) return;
  const target = registers[0];
  if (target) set(draft, target.index, draft.gpr[0]!, target.size);
  else poke(draft, draft.targets[0]!, draft.gpr[0]!, 8);
};

const compareExchangePair =
  (half: 4 | 8): Adjust =>
  (draft) => {
    if (next32(draft.random) & 1) return;
    poke(draft, draft.targets[0]!, draft.gpr[0]!, half);
    poke(draft, draft.targets[0]! + BigInt(half), draft.gpr[2]!, half);
  };

const codeTarget = (draft: Draft) => BigInt(codePlace.start + 0x1800 + below(draft.random, 0x100));

/** Indirect branches mostly go where int3 waits. The address that is read comes first among the uses. */
const indirect: Adjust = (draft, { registers }) => {
  if (!often(draft)) return;
  const register = registers[0];
  if (register) set(draft, register.index, codeTarget(draft));
  else if (draft.targets.length > 0) for (const target of draft.targets) poke(draft, target, codeTarget(draft), 8);
};

/** MXCSR without reserved bits, and no unmasked exception. */
const savedState: Adjust = (draft) => {
  if (!often(draft)) return;
  const mxcsr = BigInt(drawMxcsr(draft.random));
  poke(draft, draft.targets[0]! + BigInt(fxLayout.mxcsr), mxcsr, 4);
  poke(draft, draft.targets[0]! + BigInt(fxLayout.fcw), BigInt((next32(draft.random) & 0xf00) | 0x7f), 2);
};

const loadedControl: Adjust = (draft) => {
  if (often(draft)) poke(draft, draft.targets[0]!, BigInt(drawMxcsr(draft.random)), 4);
};

/** Indices within a hundred bytes or so, and now and then one that is anywhere. */
const gatheredIndices =
  (size: 4 | 8): Adjust =>
  (draft, { uses }) => {
    const use = uses.find(({ vectorIndex }) => vectorIndex !== undefined);
    if (!use || !often(draft)) return;
    const places = [inputLayout.fx + fxLayout.xmm, inputLayout.uppers].map((at) => at + 16 * use.vectorIndex!);
    for (const place of places)
      for (let at = place; at < place + 16; at += size) {
        if (below(draft.random, 20) === 0) continue;
        const index = below(draft.random, 32) - 8;
        if (size === 4) draft.record.view.setInt32(at, index, true);
        else draft.record.view.setBigInt64(at, BigInt(index), true);
      }
  };

const forSuffixes = (family: string, adjust: Adjust) =>
  Object.fromEntries(["b", "w", "d", "q"].map((suffix) => [family + suffix, adjust]));

export const adjustments: Readonly<Record<string, Adjust>> = {
  bt: bitOffset,
  bts: bitOffset,
  btr: bitOffset,
  btc: bitOffset,
  ...forSuffixes("movs", stringCount),
  ...forSuffixes("stos", stringCount),
  ...forSuffixes("lods", stringCount),
  ...forSuffixes("cmps", comparedStrings),
  ...forSuffixes("scas", scannedString),
  div: dividend(false),
  idiv: dividend(true),
  shld: doubleShift,
  shrd: doubleShift,
  cmpxchg: compareExchange,
  cmpxchg8b: compareExchangePair(4),
  cmpxchg16b: compareExchangePair(8),
  jmp: indirect,
  call: indirect,
  ret: indirect,
  fxrstor: savedState,
  fxrstor64: savedState,
  ...Object.fromEntries(
    ["vpgatherdd", "vpgatherdq", "vgatherdps", "vgatherdpd"].map((name) => [name, gatheredIndices(4)]),
  ),
  ...Object.fromEntries(
    ["vpgatherqd", "vpgatherqq", "vgatherqps", "vgatherqpd"].map((name) => [name, gatheredIndices(8)]),
  ),
  ldmxcsr: loadedControl,
  vldmxcsr: loadedControl,
};
