/** Decoded instructions as plain data; everything that forms and registers have in common is worked out once. */
import iced from "iced-x86";
import { type Decoder, field, flagBits, theDecoder, windowBytes } from "./decoder.ts";
import type { Instruction, Memory, OpcodeEncoding, Operand } from "./instruction.ts";

const { EncodingKind, FlowControl, MemorySizeExt, Mnemonic, OpKind, Register, RegisterExt } = iced;

// Asked for on every instruction: a constant each, because the decoder's tables have thousands of properties.
const { None: none, RIP: rip, EIP: eip, EAX: eax, R15D: r15d, XMM0: xmm0, YMM0: ymm0, ZMM0: zmm0 } = Register;
const { Register: registerKind, Memory: memoryKind, NearBranch64: nearBranchKind } = OpKind;

const segmentNames = [undefined, undefined, undefined, undefined, undefined, "fs", "gs", undefined] as const;
const isDoubleword = (register: number): boolean => register >= eax && register <= r15d;

/** Register id → operand, worked out once for each of iced's few hundred registers. */
const registerOperands: Operand[] = [];

function registerOperand(register: number): Operand {
  let operand = registerOperands[register];
  if (!operand) {
    operand = describeRegister(register);
    registerOperands[register] = operand;
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
  if (RegisterExt.isYMM(register)) {
    const index = RegisterExt.number(register);
    return index < 16 ? { kind: "ymm", index } : { kind: "other" };
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
  readonly encoding: OpcodeEncoding;
  readonly operands: number;
  readonly diverts: boolean;
  readonly memoryBytes: number;
}
const forms: Form[] = [];

/** 3DNow! has an encoding of its own, of which only prefetches are left. */
const encodings: Readonly<Record<number, OpcodeEncoding>> = {
  [EncodingKind.Legacy]: "legacy",
  [EncodingKind.D3NOW]: "legacy",
  [EncodingKind.VEX]: "vex",
};

function formOf(code: number, { instruction }: Decoder): Form {
  let form = forms[code];
  if (form === undefined) {
    form = {
      mnemonic: instruction.isInvalid ? "invalid" : mnemonicName(instruction.mnemonic),
      encoding: encodings[instruction.encoding] ?? "other",
      operands: instruction.opCount,
      diverts: instruction.flowControl !== FlowControl.Next,
      memoryBytes: MemorySizeExt.size(instruction.memorySize),
    };
    forms[code] = form;
  }
  return form;
}

const mnemonicName = (mnemonic: number): string => (Mnemonic[mnemonic] as unknown as string).toLowerCase();

const registerNumbers: number[] = [];
function registerNumber(register: number): number {
  registerNumbers[register] ??= RegisterExt.number(register);
  return registerNumbers[register];
}

const gprIndex = (register: number): number | undefined => (register === none ? undefined : registerNumber(register));

const vectorIndexOf = (register: number): "xmm" | "ymm" | undefined =>
  register < xmm0 || register >= zmm0 ? undefined : register < ymm0 ? "xmm" : "ymm";

const segmentOf = ({ words, at }: Decoder): "fs" | "gs" | undefined =>
  segmentNames[(words[(at + field.flags) >>> 2]! >>> flagBits.segmentShift) & flagBits.segmentMask];

/** The decoder's code for a displacement of four bytes that are an address by themselves. */
const fourByteDisplacement = 3;

function memoryOperand(decoder: Decoder, size: number): Memory {
  const { bytes, quads, at } = decoder;
  const segment = segmentOf(decoder);
  const base = bytes[at + field.base]!;
  const displacement = quads[(at + field.displacement) >>> 3]!;
  if (base === rip || base === eip)
    return {
      kind: "mem",
      base: undefined,
      index: undefined,
      scale: 1,
      displacement: BigInt.asUintN(base === eip ? 32 : 64, displacement),
      segment,
      size,
      addressSize: base === eip ? 4 : 8,
    };
  const index = bytes[at + field.index]!;
  const vectorIndex = vectorIndexOf(index);
  const wide = base === none && vectorIndex === undefined ? index : base;
  const isShort = wide === none ? bytes[at + field.displacementSize] === fourByteDisplacement : isDoubleword(wide);
  const memory: Memory = {
    kind: "mem",
    base: gprIndex(base),
    index: gprIndex(index),
    scale: (1 << bytes[at + field.scale]!) as 1 | 2 | 4 | 8,
    displacement,
    segment,
    size,
    addressSize: isShort ? 4 : 8,
  };
  return vectorIndex === undefined ? memory : { ...memory, vectorIndex };
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

/** Bytes of an immediate as an operand, and its value from what the decoder keeps of it: 32 bits, and a displacement. */
interface ImmediateForm {
  readonly size: 1 | 2 | 4 | 8;
  readonly value: (low: number, displacement: bigint) => bigint;
}
const signed8 = (low: number): bigint => BigInt.asUintN(64, BigInt((low << 24) >> 24));
const immediates: Readonly<Record<number, ImmediateForm>> = {
  [OpKind.Immediate8]: { size: 1, value: (low) => BigInt(low & 0xff) },
  [OpKind.Immediate8_2nd]: { size: 1, value: (_, displacement) => BigInt.asUintN(8, displacement) },
  [OpKind.Immediate16]: { size: 2, value: (low) => BigInt(low & 0xffff) },
  [OpKind.Immediate32]: { size: 4, value: (low) => BigInt(low) },
  [OpKind.Immediate64]: { size: 8, value: (low, high) => BigInt.asUintN(64, (high << 32n) | BigInt(low)) },
  [OpKind.Immediate8to16]: { size: 2, value: signed8 },
  [OpKind.Immediate8to32]: { size: 4, value: signed8 },
  [OpKind.Immediate8to64]: { size: 8, value: signed8 },
  [OpKind.Immediate32to64]: { size: 8, value: (low) => BigInt.asUintN(64, BigInt(low | 0)) },
};

function operandAt(decoder: Decoder, position: number, size: number): Operand {
  const { bytes, words, quads, at } = decoder;
  const kind = bytes[at + field.operandKinds + position]!;
  if (kind === registerKind) return registerOperand(bytes[at + field.registers + position]!);
  if (kind === memoryKind) return memoryOperand(decoder, size);
  const displacement = quads[(at + field.displacement) >>> 3]!;
  if (kind === nearBranchKind) return { kind: "target", address: Number(BigInt.asUintN(64, displacement)) };
  const immediate = immediates[kind];
  if (immediate !== undefined)
    return {
      kind: "imm",
      value: immediate.value(words[(at + field.immediate) >>> 2]!, displacement),
      size: immediate.size,
    };
  const string = stringOperands[kind];
  if (!string) return { kind: "other" };
  const { base, addressSize, es } = string;
  return {
    kind: "mem",
    base,
    index: undefined,
    scale: 1,
    displacement: 0n,
    segment: es ? undefined : segmentOf(decoder),
    size,
    addressSize,
  };
}

/** Only four operands lie where the decoder puts an instruction; of the few forms with a fifth it is an immediate byte. */
const placedOperands = 4;

function describe(decoder: Decoder, address: number): Instruction {
  const { bytes, words, at } = decoder;
  const code = bytes[at + field.code]! | (bytes[at + field.code + 1]! << 8);
  const form = formOf(code, decoder);
  const operands: Operand[] = [];
  for (let i = 0; i < form.operands; i++)
    operands.push(i < placedOperands ? operandAt(decoder, i, form.memoryBytes) : { kind: "other" });
  const length = bytes[at + field.length]!;
  const flags = words[(at + field.flags) >>> 2]!;
  return {
    address,
    length,
    mnemonic: form.mnemonic,
    code,
    encoding: form.encoding,
    operands,
    lock: (flags & flagBits.lock) !== 0,
    repeat: (flags & flagBits.rep) !== 0 ? "rep" : (flags & flagBits.repne) !== 0 ? "repne" : "none",
    next: address + length,
    diverts: form.diverts,
  };
}

/**
 * The instructions from `start` up to the first that goes elsewhere, `limit` at most; `code` holds the bytes from there
 * on. One that is not complete is not among them.
 */
export function decodeRun(code: Uint8Array, start: number, limit: number): readonly Instruction[] {
  const decoder = theDecoder();
  const length = Math.min(code.length, windowBytes);
  decoder.begin(length < code.length ? code.subarray(0, length) : code, start);
  const instructions: Instruction[] = [];
  let next = start;
  while (instructions.length < limit && next - start < length) {
    decoder.next();
    const instruction = describe(decoder, next);
    next = instruction.next;
    if (next - start > length) break;
    instructions.push(instruction);
    if (instruction.diverts) break;
  }
  return instructions;
}

/** The decoder's name for a form: `Add_rm64_r64`. */
export const codeName = (code: number): string => iced.Code[code] as unknown as string;

/** The text of the instruction at the start of `bytes`, in Intel syntax, for messages. */
export function disassemble(bytes: Uint8Array, address: number): string {
  const decoder = new iced.Decoder(64, bytes, iced.DecoderOptions.None);
  decoder.ip = BigInt(address);
  const instruction = decoder.decode();
  const formatter = new iced.Formatter(iced.FormatterSyntax.Intel);
  const text = formatter.format(instruction);
  formatter.free();
  instruction.free();
  decoder.free();
  return text;
}

/** The row of the opcode table by its name, for the few forms that differ only there: `Leavew`, `Loop_rel8_64_ECX`. */
export const formName = (instruction: Instruction): string => codeName(instruction.code);
