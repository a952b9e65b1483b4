/**
 * Frames from the innermost outwards, each with the registers it had, by the unwinding rules of the files their code is
 * in. What no rule restores is unknown in the caller; a file without rules ends the stack.
 */
import { type EntryQuestion, type FrameView, returnAddress, type VariableReader } from "../elf/index.ts";

export interface CodeFile {
  readonly variables: VariableReader;
  /** Where the file's address 0 is. */
  readonly bias: number;
}

export interface StackFrame extends FrameView {
  readonly pc: number;
  /** Where to look the frame up, in its file's addresses: in a caller, the call and not what follows it. */
  readonly address: number;
  readonly file: CodeFile | undefined;
  caller(): StackFrame | undefined;
}

export interface Registers {
  /** By DWARF number. */
  register(number: number): bigint | undefined;
  memory(address: bigint, size: number): bigint | undefined;
}

/** The frame of code at `pc`; `back` is 1 for a caller's, whose pc is a return address. */
export function openFrame(
  pc: number,
  back: 0 | 1,
  { register, memory }: Registers,
  fileAt: (pc: number) => CodeFile | undefined,
): StackFrame {
  const file = fileAt(pc - back);
  const address = pc - back - (file?.bias ?? 0);
  let known: StackFrame | "none" | undefined;
  const caller = (): StackFrame | undefined => {
    known ??= findCaller() ?? "none";
    return known === "none" ? undefined : known;
  };
  const findCaller = (): StackFrame | undefined => {
    const registers = file?.variables.unwind(address, frame);
    const returnTo = registers?.(returnAddress);
    if (registers === undefined || returnTo === undefined || returnTo === 0n) return undefined;
    return openFrame(Number(returnTo), 1, { register: registers, memory }, fileAt);
  };
  const entryValue = (of: EntryQuestion): bigint | undefined => {
    const outer = caller();
    return outer?.file?.variables.callValue(outer.address + 1, of, outer);
  };
  const frame: StackFrame = { pc, address, file, bias: BigInt(file?.bias ?? 0), register, memory, entryValue, caller };
  return frame;
}
