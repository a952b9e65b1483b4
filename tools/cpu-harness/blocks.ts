/**
 * Blocks to test: one instruction, or a few in a row, at an address of the code pages, with all that is known about them:
 * which memory they use through which registers, which registers they change.
 */
import iced from "iced-x86";
import { below, pick, type RandomState } from "../../src/base/index.ts";
import { drawEncoding, type Encoded } from "./encode.ts";
import { canPrecede, type Form } from "./forms.ts";
import { readsUndefinedFlags } from "./masks.ts";
import { codePlace, drawTarget, pageBytes } from "./places.ts";
import { isNarrowRepeat } from "./processors.ts";

const { Decoder, DecoderOptions, FlowControl, InstructionInfoFactory, MemorySizeExt, OpAccess, Register, RegisterExt } =
  iced;

export interface MemoryUse {
  readonly base: number | undefined;
  readonly index: number | undefined;
  /** The number of the vector register whose elements are indices: `base` and `displacement` are where index 0 lies. */
  readonly vectorIndex: number | undefined;
  /** XLATB adds only AL. */
  readonly byteIndex: boolean;
  readonly scale: bigint;
  readonly displacement: bigint;
  readonly segment: "fs" | "gs" | undefined;
  readonly bits: 32 | 64;
  readonly size: number;
}

export interface TestInstruction {
  readonly form: Form;
  readonly address: number;
  readonly bytes: Uint8Array;
  readonly text: string;
  readonly uses: readonly MemoryUse[];
  /** General registers it may change. */
  readonly writes: readonly number[];
  /** In the decoder's own bits (RflagsBits). */
  readonly undefinedFlags: number;
  readonly readFlags: number;
  readonly writtenFlags: number;
  /** May continue elsewhere than at the next instruction. */
  readonly branches: boolean;
  /** Where a direct branch goes. */
  readonly target: number | undefined;
  /** A register operand at each position, or undefined: number and size in bytes. */
  readonly registers: readonly ({ readonly index: number; readonly size: number } | undefined)[];
  readonly immediate: number | undefined;
  readonly repeated: boolean;
}

export interface TestBlock {
  readonly address: number;
  readonly bytes: Uint8Array;
  readonly instructions: readonly TestInstruction[];
}

const scratch = new iced.Instruction();
const factory = new InstructionInfoFactory();
const formatter = new iced.Formatter(iced.FormatterSyntax.Intel);

const gprNumber = (register: number): number | undefined => {
  const full = RegisterExt.fullRegister(register);
  return RegisterExt.isGPR64(full) ? RegisterExt.number(full) : undefined;
};

function describeUse(memory: InstanceType<typeof iced.UsedMemory>): MemoryUse {
  const { base, index, segment } = memory;
  const address = base === Register.None ? index : base;
  return {
    base: gprNumber(base),
    index: gprNumber(index),
    vectorIndex: RegisterExt.isVectorRegister(index) ? RegisterExt.number(index) : undefined,
    byteIndex: index === Register.AL,
    scale: BigInt(memory.scale),
    displacement: BigInt.asIntN(64, memory.displacement),
    segment: segment === Register.FS ? "fs" : segment === Register.GS ? "gs" : undefined,
    bits: address !== Register.None && RegisterExt.size(address) === 4 ? 32 : 64,
    size: MemorySizeExt.size(memory.memorySize),
  };
}

const isWrite = (access: number) =>
  access !== OpAccess.Read && access !== OpAccess.CondRead && access !== OpAccess.None;

function inspect(): Pick<TestInstruction, "uses" | "writes"> {
  const info = factory.info(scratch);
  const memories = info.usedMemory();
  const registers = info.usedRegisters();
  const uses = memories.filter(({ access }) => access !== OpAccess.NoMemAccess).map(describeUse);
  const written = registers.filter(({ access }) => isWrite(access)).map(({ register }) => gprNumber(register));
  for (const used of [...memories, ...registers]) used.free();
  info.free();
  return { uses, writes: [...new Set(written.filter((index) => index !== undefined))] };
}

function registerOperands(): TestInstruction["registers"] {
  return Array.from({ length: scratch.opCount }, (_, i) => {
    if (scratch.opKind(i) !== iced.OpKind.Register) return undefined;
    const index = gprNumber(scratch.opRegister(i));
    return index === undefined ? undefined : { index, size: RegisterExt.size(scratch.opRegister(i)) };
  });
}

const immediateKinds = new Set<number>([iced.OpKind.Immediate8, iced.OpKind.Immediate8_2nd]);

function lastByteImmediate(): number | undefined {
  const last = scratch.opCount - 1;
  return last >= 0 && immediateKinds.has(scratch.opKind(last)) ? Number(scratch.immediate(last)) : undefined;
}

/** Reads an instruction back at the address where it will run. */
export function placeInstruction(form: Form, bytes: Uint8Array, address: number): TestInstruction {
  const decoder = new Decoder(64, bytes, DecoderOptions.None);
  decoder.ip = BigInt(address);
  decoder.decodeOut(scratch);
  decoder.free();
  const flow = scratch.flowControl;
  return {
    form,
    address,
    bytes,
    text: formatter.format(scratch),
    ...inspect(),
    undefinedFlags: scratch.rflagsUndefined,
    readFlags: scratch.rflagsRead,
    writtenFlags: scratch.rflagsWritten | scratch.rflagsCleared | scratch.rflagsSet,
    branches: flow !== FlowControl.Next,
    target: scratch.op0Kind === iced.OpKind.NearBranch64 ? Number(scratch.nearBranchTarget) : undefined,
    registers: registerOperands(),
    immediate: lastByteImmediate(),
    repeated: scratch.hasRepPrefix || scratch.hasRepnePrefix,
  };
}

/** An address that stands in the instruction itself is set to point at data, for all cases of the block. */
function aimDisplacement({ bytes, displacement, relative }: Encoded, address: number, random: RandomState): Uint8Array {
  if (!displacement) return bytes;
  const aimed = bytes.slice();
  const view = new DataView(aimed.buffer);
  const target = drawTarget(random, 8) - (relative ? BigInt(address + bytes.length) : 0n);
  if (displacement.size === 8) view.setBigUint64(displacement.offset, BigInt.asUintN(64, target), true);
  else if (displacement.size === 4) view.setUint32(displacement.offset, Number(BigInt.asUintN(32, target)), true);
  return aimed;
}

export function blockOf(instructions: readonly TestInstruction[]): TestBlock {
  const bytes = Uint8Array.from(instructions.flatMap((instruction) => [...instruction.bytes]));
  return { address: instructions[0]!.address, bytes, instructions };
}

/** Clear of the pages' ends, or across the middle one, so that fetching crosses a page too. */
function drawAddress(random: RandomState, length: number): number {
  if (below(random, 16) === 0) return codePlace.start + pageBytes - below(random, length + 1);
  return codePlace.start + 0x400 + below(random, 0x800);
}

export function drawSingle(form: Form, random: RandomState): TestBlock | undefined {
  const encoded = drawEncoding(form, random);
  if (!encoded) return undefined;
  const address = drawAddress(random, encoded.bytes.length);
  return blockOf([placeInstruction(form, aimDisplacement(encoded, address, random), address)]);
}

const stackPointer = 4;

/** Its addresses must not depend on what the block computes; the stack pointer may have moved with the stack. */
function addressesAreKnown(instruction: TestInstruction, written: ReadonlySet<number>, onlyStack: boolean): boolean {
  return instruction.uses.every(({ base, index }) =>
    [base, index].every(
      (register) => register === undefined || !written.has(register) || (register === stackPointer && onlyStack),
    ),
  );
}

/** A branch is the last instruction and must not lead back into the block. */
const endsWell = ({ branches, target, address }: TestInstruction, isLast: boolean) =>
  !branches || (isLast && (target === undefined || target > address));

/**
 * Two to ten instructions of the given forms; only the last may branch. A repeat with 32-bit addresses stays out: what
 * it leaves in the upper halves differs between processors, and the rest of the block may use them.
 */
export function drawBlock(forms: readonly Form[], random: RandomState): TestBlock {
  const wanted = 2 + below(random, 9);
  const start = drawAddress(random, 40);
  const instructions: TestInstruction[] = [];
  const written = new Set<number>();
  let next = start;
  let onlyStack = true;
  for (let i = 0; i < 200 && instructions.length < wanted; i++) {
    const form = pick(random, forms);
    const encoded = canPrecede(form) ? drawEncoding(form, random) : undefined;
    if (!encoded) continue;
    const instruction = placeInstruction(encoded.form, aimDisplacement(encoded, next, random), next);
    if (!endsWell(instruction, instructions.length === wanted - 1)) continue;
    if (!addressesAreKnown(instruction, written, onlyStack)) continue;
    if (readsUndefinedFlags([...instructions, instruction]) || isNarrowRepeat(instruction)) continue;
    if (instruction.writes.includes(stackPointer) && !encoded.form.opcode.isStackInstruction) onlyStack = false;
    for (const register of instruction.writes) written.add(register);
    instructions.push(instruction);
    next += instruction.bytes.length;
  }
  return blockOf(instructions);
}
