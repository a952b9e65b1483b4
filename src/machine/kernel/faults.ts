/** CPU exceptions and the signals Linux makes of them (arch/x86/kernel/traps.c, arch/x86/mm/fault.c). */
import type { TrapDetails } from "./frame.ts";
import type { Process } from "./process.ts";
import { faultSignal, kernelSignal } from "./siginfo.ts";
import { SI, SIG } from "./signal-numbers.ts";
import { forceSignal } from "./signals.ts";
import type { PendingSignal } from "./state.ts";

/** What stopped the current thread; rip is where the CPU says it is: at the instruction, or after it for a breakpoint. */
export type Fault =
  | { readonly kind: "access"; readonly address: bigint; readonly write: boolean; readonly fetch?: boolean }
  | { readonly kind: "protection" | "divide" | "breakpoint" | "undefined" | "float" };

/** x86 exception numbers. */
const TRAP = { divide: 0, breakpoint: 3, undefined: 6, protection: 13, page: 14, x87: 16, simd: 19 } as const;
const SEGV = { MAPERR: 1, ACCERR: 2 } as const;
const BUS_ADRERR = 2;
const FPE_INTDIV = 1;
const ILL_ILLOPN = 2;

const trapOnly = (trap: number): TrapDetails => ({ trap, error: 0, address: 0n });

/** Delivers the fault's signal, or repairs its cause: then the instruction is simply run again. */
export function raiseFault(process: Process, fault: Fault): void {
  if (fault.kind === "access") raiseAccess(process, fault.address, fault.write, fault.fetch ?? false);
  else {
    const [signal, trap] = simple[fault.kind](process);
    forceSignal(process, signal, trapOnly(trap));
  }
}

const simple: Readonly<
  Record<Exclude<Fault["kind"], "access">, (process: Process) => readonly [PendingSignal, number]>
> = {
  protection: () => [kernelSignal(SIG.SEGV, SI.KERNEL), TRAP.protection],
  divide: ({ cpu }) => [faultSignal(SIG.FPE, FPE_INTDIV, cpu.rip), TRAP.divide],
  breakpoint: () => [kernelSignal(SIG.TRAP, SI.KERNEL), TRAP.breakpoint],
  undefined: ({ cpu }) => [faultSignal(SIG.ILL, ILL_ILLOPN, cpu.rip), TRAP.undefined],
  float: ({ cpu }) => {
    const simd = cpu.mxcsr & ~(cpu.mxcsr >>> 7) & 0x3f;
    const image = new DataView(cpu.saveFloatingPoint().buffer);
    const x87 = image.getUint16(2, true) & ~image.getUint16(0, true) & 0x3f;
    const code = floatCode(simd || x87);
    return [faultSignal(SIG.FPE, code, cpu.rip), simd ? TRAP.simd : TRAP.x87];
  },
};

/** fpu__exception_code: the first of invalid, divide, overflow, underflow or denormal, precision. */
function floatCode(exceptions: number): number {
  const [invalid, denormal, zeroDivide, overflow, underflow] = [1, 2, 4, 8, 16];
  if (exceptions & invalid) return 7;
  if (exceptions & zeroDivide) return 3;
  if (exceptions & overflow) return 4;
  if (exceptions & (denormal | underflow)) return 5;
  return 6;
}

function raiseAccess(process: Process, address: bigint, write: boolean, fetch: boolean): void {
  const canonical = BigInt.asUintN(64, BigInt.asIntN(48, address)) === address;
  if (!canonical) {
    forceSignal(process, kernelSignal(SIG.SEGV, SI.KERNEL), trapOnly(TRAP.protection));
    return;
  }
  const { space } = process;
  const at = Number(address);
  const area = space.areaAt(at);
  const wanted = fetch ? 4 : write ? 2 : 1;
  const present = area === undefined ? 0 : 1;
  const trap = { trap: TRAP.page, error: present | (write ? 2 : 0) | 4 | (fetch ? 16 : 0), address };
  if (area === undefined) {
    forceSignal(process, faultSignal(SIG.SEGV, SEGV.MAPERR, address), { ...trap, error: trap.error & ~1 });
  } else if ((area.protection & wanted) === 0) {
    forceSignal(process, faultSignal(SIG.SEGV, SEGV.ACCERR, address), trap);
  } else if (!space.pages.appear(area, at)) {
    forceSignal(process, faultSignal(SIG.BUS, BUS_ADRERR, address), trap);
  }
}
