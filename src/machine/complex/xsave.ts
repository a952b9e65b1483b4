/**
 * XSAVE, XSAVEOPT, XSAVEC, XRSTOR and XGETBV (SDM vol. 1, chapter 13): state components chosen by EDX:EAX, the area is
 * machine/process/xsave.ts's. XSAVES and XRSTORS are the kernel's.
 */
import type { Instruction, Memory } from "../../isa/x86/index.ts";
import {
  components,
  hasUsualMxcsr,
  loadExtended,
  mxcsrPart,
  partsOf,
  saveExtended,
  XCR0,
  xsaveArea,
} from "../process/index.ts";
import { cpuAddress, type StopCode, stop } from "../runtime/index.ts";
import type { ComplexContext } from "./context.ts";
import { operandAddress } from "./state-image.ts";

const [rax, rcx, rdx] = [0, 1, 2];
const compacted = 1n << 63n;

const requested = (machine: ComplexContext): number => Number(machine.readGpr(rax)) & XCR0;
const inUseOf = (area: Uint8Array): number => new DataView(area.buffer).getUint32(xsaveArea.inUse, true);

const at = (address: bigint, offset: number): bigint => BigInt.asUintN(64, address + BigInt(offset));

/** Stores the bytes of `image` from `start` to `end`, multiples of eight. */
function storePart(machine: ComplexContext, address: bigint, image: DataView, [start, end]: readonly [number, number]) {
  for (let i = start; i < end; i += 8) if (!machine.store(at(address, i), 8, image.getBigUint64(i, true))) return false;
  return true;
}

/** `keeps`: header bits of components that were not asked for stay. `skips`: components in their initial state are left out. */
const saving =
  ({ keeps, skips, wide }: { readonly keeps: boolean; readonly skips: boolean; readonly wide: boolean }) =>
  (machine: ComplexContext, instruction: Instruction): StopCode => {
    const address = operandAddress(machine, instruction.operands[0] as Memory);
    if (address & 63n) return stop.protection;
    const last = xsaveArea.bytes - 8;
    if (!machine.probe(at(address, last), 8) || !machine.probe(address, 8)) return machine.stopped;
    const chosen = requested(machine);
    const area = saveExtended(machine.view, cpuAddress(0), wide);
    const isUnusual = !keeps && !hasUsualMxcsr(area) ? components.sse : 0;
    const used = (inUseOf(area) | isUnusual) & chosen;
    const header = headerOf(machine, address, { chosen, used, keeps });
    if (header === undefined) return machine.stopped;
    const image = new DataView(area.buffer);
    image.setBigUint64(xsaveArea.inUse, header, true);
    image.setBigUint64(xsaveArea.format, compacted | BigInt(chosen), true);
    const saved = skips ? used : chosen;
    const withMxcsr = keeps ? chosen & (components.sse | components.avx) : saved & components.sse;
    const parts = [
      ...partsOf(saved),
      ...(withMxcsr ? [mxcsrPart] : []),
      [xsaveArea.inUse, keeps ? xsaveArea.format : xsaveArea.reserved] as const,
    ];
    return parts.every((part) => storePart(machine, address, image, part)) ? stop.none : machine.stopped;
  };

interface Header {
  readonly chosen: number;
  readonly used: number;
  readonly keeps: boolean;
}
function headerOf(machine: ComplexContext, address: bigint, { chosen, used, keeps }: Header): bigint | undefined {
  if (!keeps) return BigInt(used);
  const before = machine.load(at(address, xsaveArea.inUse), 8);
  return before === undefined ? undefined : (before & ~BigInt(chosen)) | BigInt(used);
}

/** Undefined where it cannot be read. */
function loadArea(machine: ComplexContext, address: bigint): Uint8Array | undefined {
  const area = new Uint8Array(xsaveArea.bytes);
  const image = new DataView(area.buffer);
  for (let i = 0; i < area.length; i += 8) {
    const value = machine.load(at(address, i), 8);
    if (value === undefined) return undefined;
    image.setBigUint64(i, value, true);
  }
  return area;
}

const restoring =
  (wide: boolean) =>
  (machine: ComplexContext, instruction: Instruction): StopCode => {
    const address = operandAddress(machine, instruction.operands[0] as Memory);
    if (address & 63n) return stop.protection;
    const area = loadArea(machine, address);
    if (area === undefined) return machine.stopped;
    const image = new DataView(area.buffer);
    const [used, format] = [xsaveArea.inUse, xsaveArea.format].map((offset) => image.getBigUint64(offset, true));
    const isCompacted = (format! & compacted) !== 0n;
    const allowed = isCompacted ? format! & ~compacted & BigInt(XCR0) : BigInt(XCR0);
    if (used! & ~allowed || format! & ~(compacted | BigInt(XCR0)) || (!isCompacted && format !== 0n))
      return stop.protection;
    if (area.subarray(xsaveArea.reserved, xsaveArea.uppers).some((byte) => byte !== 0)) return stop.protection;
    const chosen = requested(machine);
    const loaded = chosen & Number(used);
    const how = {
      loaded,
      initialized: chosen & ~loaded,
      mxcsr: isCompacted
        ? compactedMxcsr(chosen, loaded)
        : chosen & (components.sse | components.avx)
          ? "loaded"
          : "kept",
    } as const;
    return loadExtended(machine.view, cpuAddress(0), area, how, wide) ? stop.none : stop.protection;
  };

/** In the compacted format MXCSR is part of SSE's state. */
const compactedMxcsr = (chosen: number, loaded: number) =>
  loaded & components.sse ? "loaded" : chosen & components.sse ? "initial" : "kept";

/** XCR0, or with ECX 1 those of its components that are in use; there is no other register. */
function xgetbv(machine: ComplexContext): StopCode {
  const register = Number(machine.readGpr(rcx) & 0xffff_ffffn);
  if (register > 1) return stop.protection;
  const area = saveExtended(machine.view, cpuAddress(0));
  const sse = hasUsualMxcsr(area) ? 0 : components.sse;
  machine.writeGpr(rax, BigInt(register === 0 ? XCR0 : inUseOf(area) | sse));
  machine.writeGpr(rdx, 0n);
  return stop.none;
}

const both = (
  name: string,
  make: (wide: boolean) => (machine: ComplexContext, instruction: Instruction) => StopCode,
) => ({
  [name]: make(false),
  [`${name}64`]: make(true),
});

/** Of a processor whose CPUID reports XSAVE. */
export const xsaveSemantics = {
  xgetbv,
  ...both("xsave", (wide) => saving({ keeps: true, skips: false, wide })),
  ...both("xsaveopt", (wide) => saving({ keeps: true, skips: true, wide })),
  ...both("xsavec", (wide) => saving({ keeps: false, skips: true, wide })),
  ...both("xrstor", restoring),
};
