/** How a block ended, said in one way for the real processor and for the machine. */
import type { Trap } from "../../src/isa/ir/index.ts";
import { codePlace } from "./places.ts";
import { type Case, outputLayout } from "./records.ts";

export type Outcome =
  /** Ran to its end; rip is in the record. */
  | { readonly kind: "done" }
  /** A bad access, or a bad fetch when rip is the address. */
  | { readonly kind: "fault"; readonly address: bigint }
  | { readonly kind: Trap };

/** Linux's numbers: signal(7), sigaction(2). */
export const sig = { ill: 4, trap: 5, bus: 7, fpe: 8, segv: 11 } as const;
const fpeIntegerDivide = 1;
const fromKernel = 128;

const inCode = (rip: bigint) => rip >= BigInt(codePlace.start) && rip < BigInt(codePlace.start + codePlace.size);

/** Reads a native result, whose rip is already back at the int3 that ended the block. */
export function nativeOutcome({ view }: Case, blockStart: number, blockEnd: number): Outcome {
  const signal = view.getUint32(outputLayout.signal, true);
  const code = view.getInt32(outputLayout.code, true);
  const rip = view.getBigUint64(outputLayout.rip, true);
  if (signal === sig.trap) {
    const within = rip >= BigInt(blockStart) && rip < BigInt(blockEnd);
    return { kind: within || !inCode(rip) ? "breakpoint" : "done" };
  }
  if (signal === sig.ill) return { kind: "undefined" };
  if (signal === sig.fpe) return { kind: code === fpeIntegerDivide ? "divide" : "float" };
  if (code === fromKernel || signal === sig.bus) return { kind: "protection" };
  return { kind: "fault", address: view.getBigUint64(outputLayout.address, true) };
}

const isCanonical = (address: bigint) => BigInt.asUintN(64, BigInt.asIntN(48, address)) === address;

/** An address that no page table can name is #GP (or #SS), which carries none. */
export const normalise = (outcome: Outcome): Outcome =>
  outcome.kind === "fault" && !isCanonical(outcome.address) ? { kind: "protection" } : outcome;
