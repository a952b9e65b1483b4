/**
 * Random encodings of a form: prefixes and opcode from the table, everything after it drawn, and the decoder as judge.
 * Whatever decodes to the wanted form is a test, so every addressing form and every useless prefix turns up.
 */
import iced from "iced-x86";
import { below, next32, pick, type RandomState } from "../../src/base/index.ts";
import type { Form } from "./forms.ts";
import { codePlace } from "./places.ts";
import { edgeWord } from "./values.ts";

const { Decoder, DecoderOptions, FlowControl, MandatoryPrefix, OpCodeTableKind, OpKind, Register } = iced;

export interface Encoded {
  readonly form: Form;
  readonly bytes: Uint8Array;
  /** Where a displacement that is the whole address can be changed, relative to the first byte. */
  readonly displacement: { readonly offset: number; readonly size: number } | undefined;
  readonly relative: boolean;
}

const tablePrefix: Readonly<Record<number, readonly number[]>> = {
  [OpCodeTableKind.Normal]: [],
  [OpCodeTableKind.T0F]: [0x0f],
  [OpCodeTableKind.T0F38]: [0x0f, 0x38],
  [OpCodeTableKind.T0F3A]: [0x0f, 0x3a],
};
const mandatory: Readonly<Record<number, readonly number[]>> = {
  [MandatoryPrefix.P66]: [0x66],
  [MandatoryPrefix.PF3]: [0xf3],
  [MandatoryPrefix.PF2]: [0xf2],
};
const mandatoryCodes: Readonly<Record<number, number>> = {
  [MandatoryPrefix.P66]: 1,
  [MandatoryPrefix.PF3]: 2,
  [MandatoryPrefix.PF2]: 3,
};
const tableCodes: Readonly<Record<number, number>> = {
  [OpCodeTableKind.T0F]: 1,
  [OpCodeTableKind.T0F38]: 2,
  [OpCodeTableKind.T0F3A]: 3,
};
const segmentPrefixes = [0x26, 0x2e, 0x36, 0x3e, 0x64, 0x64, 0x65, 0x65];

const chance = (random: RandomState, outOf100: number) => below(random, 100) < outOf100;

function prefixes({ opcode }: Form, random: RandomState): number[] {
  const bytes: number[] = [];
  if (chance(random, 8)) bytes.push(pick(random, segmentPrefixes));
  if (opcode.addressSize === 32 || (opcode.addressSize === 0 && chance(random, 8))) bytes.push(0x67);
  if (opcode.canUseLockPrefix && chance(random, 30)) bytes.push(0xf0);
  if (opcode.canUseRepPrefix && chance(random, 40)) bytes.push(0xf3);
  else if (opcode.canUseRepnePrefix && chance(random, 40)) bytes.push(0xf2);
  if (opcode.operandSize === 16) bytes.push(0x66);
  bytes.push(...(mandatory[opcode.mandatoryPrefix] ?? []));
  const wide = opcode.operandSize === 64 && !opcode.defaultOpSize64 && !opcode.forceOpSize64;
  if (wide || chance(random, 60)) bytes.push(0x40 | (next32(random) & 7) | (wide || chance(random, 10) ? 8 : 0));
  return bytes;
}

/** Two bytes where they say enough, else three; a source that there is not is 1111 (SDM vol. 2, 2.3.5). */
function vexPrefixes({ opcode }: Form, random: RandomState): number[] {
  const bytes: number[] = [];
  if (chance(random, 8)) bytes.push(pick(random, segmentPrefixes));
  if (opcode.addressSize === 32 || (opcode.addressSize === 0 && chance(random, 8))) bytes.push(0x67);
  const source = chance(random, 50) ? 0x78 : (next32(random) & 15) << 3;
  const length = opcode.isLIG ? below(random, 2) : opcode.L;
  const rest = source | (length << 2) | (mandatoryCodes[opcode.mandatoryPrefix] ?? 0);
  const wide = opcode.isWIG ? below(random, 2) : opcode.W;
  const registers = next32(random) & 0xe0;
  if (opcode.table === OpCodeTableKind.T0F && wide === 0 && chance(random, 50))
    return [...bytes, 0xc5, (registers & 0x80) | rest];
  return [...bytes, 0xc4, registers | tableCodes[opcode.table]!, (wide << 7) | rest];
}

function opcodeBytes({ opcode }: Form, random: RandomState): number[] {
  const value = opcode.opCode;
  const low = (value & 7) === 0 && chance(random, 50) ? value + below(random, 8) : value;
  const bytes = opcode.opCodeLength === 2 ? [value >> 8, low & 0xff] : [low];
  return [...tablePrefix[opcode.table]!, ...bytes];
}

const headOf = (form: Form, random: RandomState): number[] =>
  form.encoding === "vex"
    ? [...vexPrefixes(form, random), form.opcode.opCode]
    : [...prefixes(form, random), ...opcodeBytes(form, random)];

function modRm({ opcode }: Form, random: RandomState): number {
  let byte = next32(random) & 0xff;
  if (opcode.groupIndex >= 0) byte = (byte & 0xc7) | (opcode.groupIndex << 3);
  if (opcode.rmGroupIndex >= 0) byte = (byte & 0xf8) | opcode.rmGroupIndex;
  return byte;
}

/** Immediates with many bits alike are the interesting ones. */
function tail(random: RandomState): number[] {
  const word = () => {
    const value = edgeWord(random);
    return [value & 0xff, (value >>> 8) & 0xff, (value >>> 16) & 0xff, value >>> 24];
  };
  return chance(random, 50)
    ? [...word(), ...word(), ...word()]
    : Array.from({ length: 12 }, () => next32(random) & 0xff);
}

const wordDoubleShifts = new Set<number>([iced.Code.Shld_rm16_r16_imm8, iced.Code.Shrd_rm16_r16_imm8]);

const scratch = new iced.Instruction();

/** Operands that the runner cannot bear: 66 before a near branch means different things to different processors. */
function isUsable(bytes: readonly number[]): boolean {
  const flow = scratch.flowControl;
  const branches = flow !== FlowControl.Next && flow !== FlowControl.Exception && flow !== FlowControl.Interrupt;
  if (branches && bytes.slice(0, 4).includes(0x66)) return false;
  return !shiftsTooFar() && !isExchange(bytes) && !isLongBreakpoint(bytes);
}

/** With REX.B, F3 90 is not a PAUSE but XCHG R8, RAX. */
const isExchange = (bytes: readonly number[]) => scratch.code === iced.Code.Pause && (bytes.at(-2)! & 0xf1) === 0x41;

/** The outcome of INT3 is told by one byte before rip. */
const isLongBreakpoint = (bytes: readonly number[]) => scratch.code === iced.Code.Int3 && bytes.length > 1;

/** A 16-bit double shift by more than 16 places is undefined. */
const shiftsTooFar = () => wordDoubleShifts.has(scratch.code) && (Number(scratch.immediate(2)) & 31) > 16;

const wholeAddress = () => {
  const { memoryBase, memoryIndex } = scratch;
  return memoryBase === Register.RIP || memoryBase === Register.EIP || (memoryBase === 0 && memoryIndex === 0);
};

function describe(form: Form, bytes: Uint8Array, decoder: InstanceType<typeof Decoder>): Encoded {
  const offsets = decoder.getConstantOffsets(scratch);
  let hasMemory = false;
  for (let i = 0; i < scratch.opCount; i++) hasMemory ||= scratch.opKind(i) === OpKind.Memory;
  const patchable = hasMemory && offsets.hasDisplacement && wholeAddress();
  const displacement = patchable ? { offset: offsets.displacementOffset, size: offsets.displacementSize } : undefined;
  const relative = scratch.memoryBase === Register.RIP || scratch.memoryBase === Register.EIP;
  const own = bytes.slice(0, scratch.length);
  if (isNearBranch()) aimBranch(own, offsets.immediateOffset, offsets.immediateSize);
  offsets.free();
  return { form, bytes: own, displacement, relative };
}

const isNearBranch = () => scratch.opCount === 1 && scratch.op0Kind === OpKind.NearBranch64;

/** Branches go a little forward or back, clear of the block itself, where int3 waits. */
function aimBranch(bytes: Uint8Array, offset: number, size: number): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const distance =
    (bytes[offset]! & 1) === 0 ? 32 + (bytes[offset]! >> 2) : -(bytes.length + 32 + (bytes[offset]! >> 3));
  if (size === 1) view.setInt8(offset, distance);
  else view.setInt32(offset, distance, true);
}

const attempts = 400;

/** An encoding of the form, or undefined when none turns up. */
export function drawEncoding(form: Form, random: RandomState): Encoded | undefined {
  for (let i = 0; i < attempts; i++) {
    const head = headOf(form, random);
    const bytes = Uint8Array.from([...head, modRm(form, random), ...tail(random)]);
    const decoder = new Decoder(64, bytes, DecoderOptions.None);
    decoder.ip = BigInt(codePlace.start);
    decoder.decodeOut(scratch);
    const found = scratch.code === form.code && isUsable(head) ? describe(form, bytes, decoder) : undefined;
    decoder.free();
    if (found) return found;
  }
  return undefined;
}
