/** AVX, AVX2, FMA and F16C. */
import { uppers } from "../../../ir/index.ts";
import type { Lift } from "../../builder.ts";
import { acrossSemantics } from "./across.ts";
import { floatSemantics } from "./float.ts";
import { fusedSemantics } from "./fused.ts";
import { integerSemantics } from "./integer.ts";
import { legacy } from "./lanes.ts";
import { moveSemantics } from "./moves.ts";
import { variableShiftSemantics } from "./shifts.ts";

/** String comparisons have the same operands; those that leave a mask leave it in the whole of register 0. */
const compareStrings = (name: string): Lift => {
  const lift = legacy(name);
  return (b, instruction) => {
    lift(b, instruction);
    if (name.includes("strm")) b.put(uppers[0]!, b.v128(0n));
  };
};
const stringComparisons = [
  "pcmpestri", "pcmpestri64", "pcmpestrm", "pcmpestrm64", "pcmpistri", "pcmpistrm",
] as const; // biome-ignore format: one line

/** Legacy encodings, but no processor of v2 has them. */
const stateNames = ["xsave", "xsaveopt", "xsavec", "xrstor"].flatMap((name) => [name, `${name}64`]);

/** Done by the machine on the state in memory, under their own names (machine/complex): what touches only some elements. */
const machineMadeNames = [
  "vmaskmovdqu", "vldmxcsr", "vmaskmovps", "vmaskmovpd", "vpmaskmovd", "vpmaskmovq", "vpgatherdd", "vpgatherdq",
  "vpgatherqd", "vpgatherqq", "vgatherdps", "vgatherdpd", "vgatherqps", "vgatherqpd",
] as const; // biome-ignore format: two lines
const machineMade: Lift = (b, { mnemonic, address, next }) => {
  b.exit = { kind: "complex", name: mnemonic, address, next };
};

export const vexSemantics: Readonly<Record<string, Lift>> = {
  ...integerSemantics,
  ...floatSemantics,
  ...fusedSemantics,
  ...acrossSemantics,
  ...variableShiftSemantics,
  ...moveSemantics,
  ...Object.fromEntries([...machineMadeNames, ...stateNames].map((name) => [name, machineMade])),
  ...Object.fromEntries(stringComparisons.map((name) => [`v${name}`, compareStrings(name)])),
};
