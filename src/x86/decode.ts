/**
 * Decodes with iced-x86 and hands out plain data. The decoder's objects live in its own WebAssembly memory, so one
 * Instruction is reused for all decoding and nothing of it escapes.
 */
import iced from "iced-x86";
import type { Instruction, Memory, Operand } from "./instruction.ts";

const {
  Decoder,
  DecoderOptions,
  FlowControl,
  Instruction: IcedInstruction,
  MemorySizeExt,
  Mnemonic,
  OpKind,
  Register,
  RegisterExt,
} = iced;

const scratch = new IcedInstruction();

/** Register id → operand, worked out once for each of iced's few hundred registers. */
const registerOperands = new Map<number, Operand>();

function registerOperand(register: number): Operand {
  let operand = registerOperands.get(register);
  if (!operand) {
    operand = describeRegister(register);
    registerOperands.set(register, operand);
  }
  return operand;
}

function describeRegister(register: number): Operand {
  if (register >= Register.AL && register <= Register.R15L) {
    if (register >= Register.AH && register <= Register.BH)
      return { kind: "gpr", index: register - Register.AH, size: 1, high: true };
    // iced numbers them with AH … BH in between: SPL is 8, R8L is 12.
    const position = RegisterExt.number(register);
    return { kind: "gpr", index: position < 4 ? position : position - 4, size: 1, high: false };
  }
  if (RegisterExt.isGPR(register)) {
    const size = RegisterExt.size(register) as 2 | 4 | 8;
    return { kind: "gpr", index: RegisterExt.number(register), size, high: false };
  }
  if (RegisterExt.isXMM(register)) {
    const index = RegisterExt.number(register);
    return index < 16 ? { kind: "xmm", index } : { kind: "other" };
  }
  if (RegisterExt.isMM(register)) return { kind: "mm", index: RegisterExt.number(register) };
  if (RegisterExt.isST(register)) return { kind: "st", index: RegisterExt.number(register) };
  if (RegisterExt.isSegmentRegister(register))
    return { kind: "segment", name: (Register[register] as unknown as string).toLowerCase() };
  return { kind: "other" };
}

const mnemonicNames: string[] = [];

function mnemonicName(mnemonic: number): string {
  let name = mnemonicNames[mnemonic];
  if (name === undefined) {
    name = (Mnemonic[mnemonic] as unknown as string).toLowerCase();
    mnemonicNames[mnemonic] = name;
  }
  return name;
}

const gprIndex = (register: number): number | undefined =>
  register === Register.None ? undefined : RegisterExt.number(register);

function memoryOperand(): Memory {
  const segmentRegister = scratch.memorySegment;
  const segment = segmentRegister === Register.FS ? "fs" : segmentRegister === Register.GS ? "gs" : undefined;
  const size = MemorySizeExt.size(scratch.memorySize);
  const base = scratch.memoryBase;
  if (base === Register.RIP || base === Register.EIP)
    return {
      kind: "mem",
      base: undefined,
      index: undefined,
      scale: 1,
      displacement: scratch.ipRelMemoryAddress,
      segment,
      size,
      addressSize: base === Register.EIP ? 4 : 8,
    };
  const index = scratch.memoryIndex;
  const wide = (base === Register.None ? index : base) as number;
  const addressSize =
    wide === Register.None ? (scratch.memoryDisplSize === 4 ? 4 : 8) : (RegisterExt.size(wide) as 4 | 8);
  return {
    kind: "mem",
    base: gprIndex(base),
    index: gprIndex(index),
    scale: scratch.memoryIndexScale as 1 | 2 | 4 | 8,
    displacement: scratch.memoryDisplacement,
    segment,
    size,
    addressSize: addressSize === 4 ? 4 : 8,
  };
}

/** `[rsi]`, `[rdi]` and their 32-bit forms: the implicit operands of string instructions. */
const stringOperands: Readonly<
  Record<number, { readonly base: number; readonly addressSize: 4 | 8; readonly es: boolean }>
> = {
  [OpKind.MemorySegRSI]: { base: 6, addressSize: 8, es: false },
  [OpKind.MemorySegESI]: { base: 6, addressSize: 4, es: false },
  [OpKind.MemorySegRDI]: { base: 7, addressSize: 8, es: false },
  [OpKind.MemorySegEDI]: { base: 7, addressSize: 4, es: false },
  [OpKind.MemoryESRDI]: { base: 7, addressSize: 8, es: true },
  [OpKind.MemoryESEDI]: { base: 7, addressSize: 4, es: true },
};

const immediateSizes: Readonly<Record<number, 1 | 2 | 4 | 8>> = {
  [OpKind.Immediate8]: 1,
  [OpKind.Immediate8_2nd]: 1,
  [OpKind.Immediate16]: 2,
  [OpKind.Immediate32]: 4,
  [OpKind.Immediate64]: 8,
  [OpKind.Immediate8to16]: 2,
  [OpKind.Immediate8to32]: 4,
  [OpKind.Immediate8to64]: 8,
  [OpKind.Immediate32to64]: 8,
};

function operandAt(position: number): Operand {
  const kind = scratch.opKind(position);
  if (kind === OpKind.Register) return registerOperand(scratch.opRegister(position));
  if (kind === OpKind.Memory) return memoryOperand();
  if (kind === OpKind.NearBranch64) return { kind: "target", address: Number(scratch.nearBranchTarget) };
  const size = immediateSizes[kind];
  if (size !== undefined) return { kind: "imm", value: scratch.immediate(position), size };
  const string = stringOperands[kind];
  if (!string) return { kind: "other" };
  const segmentRegister = string.es ? Register.None : scratch.memorySegment;
  const segment = segmentRegister === Register.FS ? "fs" : segmentRegister === Register.GS ? "gs" : undefined;
  const { base, addressSize } = string;
  return {
    kind: "mem",
    base,
    index: undefined,
    scale: 1,
    displacement: 0n,
    segment,
    size: MemorySizeExt.size(scratch.memorySize),
    addressSize,
  };
}

function describe(address: number): Instruction {
  const operands: Operand[] = [];
  const count = scratch.opCount;
  for (let i = 0; i < count; i++) operands.push(operandAt(i));
  const length = scratch.length;
  const repeat = scratch.hasRepPrefix ? "rep" : scratch.hasRepnePrefix ? "repne" : "none";
  const mnemonic = scratch.isInvalid ? "invalid" : mnemonicName(scratch.mnemonic);
  return {
    address,
    length,
    mnemonic,
    code: scratch.code,
    operands,
    lock: scratch.hasLockPrefix,
    repeat,
    next: address + length,
    diverts: scratch.flowControl !== FlowControl.Next,
  };
}

/** Decodes one instruction after another from `bytes`, whose first byte is at guest address `address`. */
export class InstructionStream {
  readonly #decoder: InstanceType<typeof Decoder>;
  readonly #start: number;

  constructor(bytes: Uint8Array, address: number) {
    this.#decoder = new Decoder(64, bytes, DecoderOptions.None);
    this.#decoder.ip = BigInt(address);
    this.#start = address;
  }

  /** Undefined when the bytes end before the instruction does (or nothing is left). */
  next(): Instruction | undefined {
    if (!this.#decoder.canDecode) return undefined;
    const address = this.#start + this.#decoder.position;
    this.#decoder.decodeOut(scratch);
    if (scratch.isInvalid && this.#decoder.lastError === iced.DecoderError.NoMoreBytes) return undefined;
    return describe(address);
  }

  free(): void {
    this.#decoder.free();
  }
}

/** The decoder's name for a form: `Add_rm64_r64`. */
export const codeName = (code: number): string => iced.Code[code] as unknown as string;

/** The text of the instruction at the start of `bytes`, in Intel syntax, for messages. */
export function disassemble(bytes: Uint8Array, address: number): string {
  const decoder = new Decoder(64, bytes, DecoderOptions.None);
  decoder.ip = BigInt(address);
  decoder.decodeOut(scratch);
  const formatter = new iced.Formatter(iced.FormatterSyntax.Intel);
  const text = formatter.format(scratch);
  formatter.free();
  decoder.free();
  return text;
}

/** The row of the opcode table by its name, for the few forms that differ only there: `Leavew`, `Loop_rel8_64_ECX`. */
export const formName = (instruction: Instruction): string => codeName(instruction.code);

/** AVX and later are recognised so that the message can say how to rebuild. */
export const needsNewerCpu = (instruction: Instruction): boolean =>
  instruction.mnemonic.startsWith("v") && !["verr", "verw", "vmcall", "vmread"].includes(instruction.mnemonic);
