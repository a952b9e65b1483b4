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

// Asked for on every instruction: a constant each, because the decoder's tables have thousands of properties.
const { None: none, RIP: rip, EIP: eip, FS: fs, GS: gs, EAX: eax, R15D: r15d } = Register;
const { Register: registerKind, Memory: memoryKind, NearBranch64: nearBranchKind } = OpKind;
const invalid = iced.Code.INVALID;

const segmentName = (register: number): "fs" | "gs" | undefined =>
  register === fs ? "fs" : register === gs ? "gs" : undefined;
const isDoubleword = (register: number): boolean => register >= eax && register <= r15d;

/** By position: unlike `opKind(i)` and `opRegister(i)`, these have nothing to report but their result. */
const operandKind = [
  () => scratch.op0Kind,
  () => scratch.op1Kind,
  () => scratch.op2Kind,
  () => scratch.op3Kind,
  () => scratch.op4Kind,
];
const operandRegister = [
  () => scratch.op0Register,
  () => scratch.op1Register,
  () => scratch.op2Register,
  () => scratch.op3Register,
  () => scratch.op4Register,
];

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

/** What every instruction of one form has in common, asked for once. */
interface Form {
  readonly mnemonic: string;
  readonly operands: number;
  readonly diverts: boolean;
}
const forms: Form[] = [];

function formOf(code: number): Form {
  let form = forms[code];
  if (form === undefined) {
    form = {
      mnemonic: scratch.isInvalid ? "invalid" : mnemonicName(scratch.mnemonic),
      operands: scratch.opCount,
      diverts: scratch.flowControl !== FlowControl.Next,
    };
    forms[code] = form;
  }
  return form;
}

const mnemonicName = (mnemonic: number): string => (Mnemonic[mnemonic] as unknown as string).toLowerCase();

/** Bytes by iced's number for the size of an access. */
const memorySizes: number[] = [];
function memorySize(): number {
  const kind = scratch.memorySize;
  memorySizes[kind] ??= MemorySizeExt.size(kind);
  return memorySizes[kind];
}

const registerNumbers: number[] = [];
function registerNumber(register: number): number {
  registerNumbers[register] ??= RegisterExt.number(register);
  return registerNumbers[register];
}

const gprIndex = (register: number): number | undefined => (register === none ? undefined : registerNumber(register));

function memoryOperand(): Memory {
  const segment = segmentName(scratch.memorySegment);
  const size = memorySize();
  const base = scratch.memoryBase;
  if (base === rip || base === eip)
    return {
      kind: "mem",
      base: undefined,
      index: undefined,
      scale: 1,
      displacement: scratch.ipRelMemoryAddress,
      segment,
      size,
      addressSize: base === eip ? 4 : 8,
    };
  const index = scratch.memoryIndex;
  const wide = (base === none ? index : base) as number;
  const addressSize = wide === none ? scratch.memoryDisplSize : isDoubleword(wide) ? 4 : 8;
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
  const kind = operandKind[position]!();
  if (kind === registerKind) return registerOperand(operandRegister[position]!());
  if (kind === memoryKind) return memoryOperand();
  if (kind === nearBranchKind) return { kind: "target", address: Number(scratch.nearBranchTarget) };
  const size = immediateSizes[kind];
  if (size !== undefined) return { kind: "imm", value: scratch.immediate(position), size };
  const string = stringOperands[kind];
  if (!string) return { kind: "other" };
  const segment = string.es ? undefined : segmentName(scratch.memorySegment);
  const { base, addressSize } = string;
  return {
    kind: "mem",
    base,
    index: undefined,
    scale: 1,
    displacement: 0n,
    segment,
    size: memorySize(),
    addressSize,
  };
}

function describe(address: number): Instruction {
  const code = scratch.code;
  const form = formOf(code);
  const operands: Operand[] = [];
  for (let i = 0; i < form.operands; i++) operands.push(operandAt(i));
  const length = scratch.length;
  const repeat = scratch.hasRepPrefix ? "rep" : scratch.hasRepnePrefix ? "repne" : "none";
  return {
    address,
    length,
    mnemonic: form.mnemonic,
    code,
    operands,
    lock: scratch.hasLockPrefix,
    repeat,
    next: address + length,
    diverts: form.diverts,
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
    if (scratch.code === invalid && this.#decoder.lastError === iced.DecoderError.NoMoreBytes) return undefined;
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
