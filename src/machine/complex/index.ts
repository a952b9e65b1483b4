/**
 * Instructions that the machine makes itself (ir: complex exits), by the exit's name. Each works on the state in memory and
 * returns a stop code: none when it is done and rip may move on, else exactly what compiled code would have returned, with
 * rip left at the instruction. The caller decodes the instruction at rip.
 */

import type { Instruction } from "../../isa/x86/index.ts";
import { type StopCode, stop } from "../runtime/index.ts";
import { repeatCmps, repeatScas } from "./compare-strings.ts";
import type { ComplexContext, ElementSize } from "./context.ts";
import { cpuid } from "./cpuid.ts";
import { enter } from "./enter.ts";
import { gather } from "./gather.ts";
import { maskedMove } from "./masked-moves.ts";
import { maskedStore } from "./masked-store.ts";
import { fxrstor, fxsave, ldmxcsr } from "./state-image.ts";
import { repeatLods, repeatMovs, repeatStos } from "./strings.ts";
import { xsaveSemantics } from "./xsave.ts";

export type ComplexSemantics = (machine: ComplexContext, instruction: Instruction) => StopCode;

function rdtsc(machine: ComplexContext): StopCode {
  const now = machine.tsc();
  machine.writeGpr(0, now & 0xffff_ffffn);
  machine.writeGpr(2, (now >> 32n) & 0xffff_ffffn);
  return stop.none;
}

/** Also TSC_AUX, which Linux sets to the number of the processor: always 0. */
function rdtscp(machine: ComplexContext): StopCode {
  machine.writeGpr(1, 0n);
  return rdtsc(machine);
}

type Repeated = (machine: ComplexContext, instruction: Instruction, size: ElementSize) => StopCode;

const families: Readonly<Record<string, Repeated>> = {
  movs: repeatMovs,
  stos: repeatStos,
  lods: repeatLods,
  cmps: repeatCmps,
  scas: repeatScas,
};
const suffixes = { b: 1, w: 2, d: 4, q: 8 } as const;

const strings = Object.fromEntries(
  Object.entries(families).flatMap(([family, run]) =>
    Object.entries(suffixes).map(([suffix, size]): [string, ComplexSemantics] => [
      family + suffix,
      (machine, instruction) => run(machine, instruction, size),
    ]),
  ),
);

export const complexSemantics: Readonly<Record<string, ComplexSemantics>> = {
  ...strings,
  cpuid,
  rdtsc,
  rdtscp,
  ...xsaveSemantics,
  xgetbv: (machine) => (machine.level === "v2" ? stop.undefined : xsaveSemantics.xgetbv(machine)),
  enter,
  vmaskmovps: maskedMove(4),
  vmaskmovpd: maskedMove(8),
  vpmaskmovd: maskedMove(4),
  vpmaskmovq: maskedMove(8),
  vpgatherdd: gather(4, 4),
  vpgatherdq: gather(4, 8),
  vpgatherqd: gather(8, 4),
  vpgatherqq: gather(8, 8),
  vgatherdps: gather(4, 4),
  vgatherdpd: gather(4, 8),
  vgatherqps: gather(8, 4),
  vgatherqpd: gather(8, 8),
  maskmovdqu: maskedStore,
  vmaskmovdqu: maskedStore,
  maskmovq: maskedStore,
  fxsave: fxsave(false),
  fxsave64: fxsave(true),
  ldmxcsr,
  vldmxcsr: ldmxcsr,
  fxrstor: fxrstor(false),
  fxrstor64: fxrstor(true),
};

export type { ComplexContext, ElementSize } from "./context.ts";
export { cpuidLeaf } from "./cpuid.ts";
export { createComplexContext } from "./machine-context.ts";
export { operandAddress } from "./state-image.ts";
export { Cursor, isBackward } from "./strings.ts";
