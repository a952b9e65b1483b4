/**
 * MASKMOVDQU and MASKMOVQ: bytes of a vector register whose mask byte has its top bit set go to memory at RDI, without
 * the cache (SDM vol. 2). Always:
 * - All bytes must be writable, chosen or not: the manual leaves it open, processors ask for it.
 * - They are probed before the first is stored, so a fault leaves memory as it was.
 */
import { cpuOffset } from "../../isa/ir/index.ts";
import type { Instruction, Operand } from "../../isa/x86/index.ts";
import { X87State } from "../../isa/x87/index.ts";
import { cpuAddress, type StopCode, stop } from "../runtime/index.ts";
import type { ComplexContext } from "./context.ts";
import { Cursor } from "./strings.ts";

const errorSummary = 0x80;
const allRegisters = 0xff;

/** Where the bytes of an XMM or MMX register lie. */
const registerAddress = (operand: Operand): number =>
  cpuAddress(
    operand.kind === "xmm"
      ? cpuOffset.xmm + 32 * operand.index
      : cpuOffset.x87Registers + 16 * (operand as { readonly index: number }).index,
  );

export function maskedStore(machine: ComplexContext, instruction: Instruction): StopCode {
  const [destination, source, mask] = instruction.operands;
  const isMmx = source!.kind === "mm";
  const x87 = new X87State(machine.view, cpuAddress(0));
  if (isMmx && x87.status & errorSummary) return stop.float;
  // Processors take over the MMX registers first, even if a store then faults.
  if (isMmx) {
    x87.top = 0;
    x87.tags = allRegisters;
  }
  const { address } = new Cursor(machine, destination!);
  const [bytes, masks] = [registerAddress(source!), registerAddress(mask!)];
  const count = isMmx ? 8 : 16;
  const at = (i: number) => BigInt.asUintN(64, address + BigInt(i));
  for (let i = 0; i < count; i += 8) if (!machine.probe(at(i), 8)) return machine.stopped;
  for (let i = 0; i < count; i++)
    if (machine.bytes[masks + i]! & 0x80 && !machine.storeByteNonTemporal(at(i), machine.bytes[bytes + i]!))
      return machine.stopped;
  return stop.none;
}
