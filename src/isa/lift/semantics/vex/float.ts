/** Floating point: the legacy rows, lane by lane. Those that change the number of elements are about halves of lanes. */
import type { Value } from "../../../ir/index.ts";
import type { Builder, Lift } from "../../builder.ts";
import { joinHalves, shuffleElements } from "../sse/operands.ts";
import { changes, computedOf, legacy, makes, vexRows } from "./lanes.ts";
import { laneCount, readLanes, writeLanes } from "./operands.ts";

/** With a first source that they take over or combine. */
const changed = [
  "addss", "addsd", "addps", "addpd", "subss", "subsd", "subps", "subpd", "mulss", "mulsd", "mulps", "mulpd",
  "divss", "divsd", "divps", "divpd", "minss", "minsd", "minps", "minpd", "maxss", "maxsd", "maxps", "maxpd",
  "sqrtss", "sqrtsd", "roundss", "roundsd", "rcpss", "rsqrtss", "addsubps", "addsubpd", "haddps", "haddpd",
  "hsubps", "hsubpd", "dpps", "dppd", "cmpss", "cmpsd", "cmpps", "cmppd", "cvtsi2ss", "cvtsi2sd", "cvtss2sd", "cvtsd2ss",
] as const; // biome-ignore format: by family

const made = [
  "sqrtps", "sqrtpd", "roundps", "roundpd", "rcpps", "rsqrtps", "cvtdq2ps", "cvtps2dq", "cvttps2dq",
] as const; // biome-ignore format: by family

/** They write no vector register. */
const unchanged = [
  "comiss", "comisd", "ucomiss", "ucomisd", "cvtss2si", "cvtsd2si", "cvttss2si", "cvttsd2si", "stmxcsr",
] as const; // biome-ignore format: by family

const secondHalf = (b: Builder, vector: Value): Value => shuffleElements(b, 8, vector, vector, [1, 1]);

/** Half a lane becomes a lane: the two of a YMM register come from an XMM register. */
function widened(name: string): Lift {
  const lift = legacy(name);
  const narrow = makes(lift);
  return (b, instruction) => {
    if (laneCount(instruction) === 1) return narrow(b, instruction);
    const [destination, source] = instruction.operands;
    const [whole] = readLanes(b, source!);
    const low = computedOf(b, instruction, lift, whole!);
    const high = computedOf(b, instruction, lift, secondHalf(b, whole!));
    b.askForFloatTrap();
    writeLanes(b, destination!, [low, high]);
  };
}

/** A lane becomes half a lane: two of a YMM register go into an XMM register. */
function narrowed(name: string): Lift {
  const lift = legacy(name);
  const narrow = makes(lift);
  return (b, instruction) => {
    if (laneCount(instruction) === 1) return narrow(b, instruction);
    const [destination, source] = instruction.operands;
    const [low, high] = readLanes(b, source!).map((lane) => computedOf(b, instruction, lift, lane));
    b.askForFloatTrap();
    writeLanes(b, destination!, [joinHalves(b, low!, high!)]);
  };
}

export const floatSemantics: Readonly<Record<string, Lift>> = {
  ...vexRows(changed, changes),
  ...vexRows(made, makes),
  ...vexRows(unchanged, (lift) => lift),
  vcvtps2pd: widened("cvtps2pd"),
  vcvtdq2pd: widened("cvtdq2pd"),
  vcvtpd2ps: narrowed("cvtpd2ps"),
  vcvtpd2dq: narrowed("cvtpd2dq"),
  vcvttpd2dq: narrowed("cvttpd2dq"),
};
