/** What is read out of the decoder's memory, against the decoder's own answers about the same bytes. */
import iced from "iced-x86";
import { expect, it } from "vitest";
import { below, seedRandom } from "../../base/index.ts";
import { decodeRun } from "./decode.ts";
import type { OpcodeEncoding } from "./instruction.ts";

const { MemorySizeExt, Mnemonic, OpKind, Register, RegisterExt } = iced;
const address = 0x1122_3344;
const asked = new iced.Instruction();

const isImmediate = (kind: number) => kind >= OpKind.Immediate8 && kind <= OpKind.Immediate32to64;
const segments: Readonly<Record<number, "fs" | "gs">> = { [Register.FS]: "fs", [Register.GS]: "gs" };
const numberOf = (register: number) => (register === Register.None ? undefined : RegisterExt.number(register));

function memory() {
  const base = asked.memoryBase;
  const isRelative = base === Register.RIP || base === Register.EIP;
  const vector = RegisterExt.isXMM(asked.memoryIndex)
    ? "xmm"
    : RegisterExt.isYMM(asked.memoryIndex)
      ? "ymm"
      : undefined;
  const wide = base === Register.None && vector === undefined ? asked.memoryIndex : base;
  const isShort = wide === Register.None ? asked.memoryDisplSize === 4 : RegisterExt.size(wide) === 4;
  return {
    kind: "mem",
    base: isRelative ? undefined : numberOf(base),
    index: isRelative ? undefined : numberOf(asked.memoryIndex),
    scale: isRelative ? 1 : asked.memoryIndexScale,
    displacement: isRelative ? asked.ipRelMemoryAddress : asked.memoryDisplacement,
    segment: segments[asked.memorySegment],
    size: MemorySizeExt.size(asked.memorySize),
    ...(vector !== undefined && { vectorIndex: vector }),
    addressSize: isRelative ? (base === Register.EIP ? 4 : 8) : isShort ? 4 : 8,
  };
}

function operand(position: number): unknown {
  const kind = asked.opKind(position);
  if (kind === OpKind.Memory) return memory();
  if (kind === OpKind.NearBranch64) return { kind: "target", address: Number(asked.nearBranchTarget) };
  if (isImmediate(kind)) return expect.objectContaining({ kind: "imm", value: asked.immediate(position) });
  return expect.anything();
}

const encodings: Readonly<Record<number, OpcodeEncoding>> = {
  [iced.EncodingKind.Legacy]: "legacy",
  [iced.EncodingKind.D3NOW]: "legacy",
  [iced.EncodingKind.VEX]: "vex",
};

/** Undefined when the bytes end too early. */
function answers(bytes: Uint8Array): unknown {
  const decoder = new iced.Decoder(64, bytes, iced.DecoderOptions.None);
  decoder.ip = BigInt(address);
  decoder.decodeOut(asked);
  const incomplete = asked.isInvalid && decoder.lastError === iced.DecoderError.NoMoreBytes;
  decoder.free();
  if (incomplete) return undefined;
  return {
    address,
    length: asked.length,
    mnemonic: asked.isInvalid ? "invalid" : (Mnemonic[asked.mnemonic] as unknown as string).toLowerCase(),
    code: asked.code,
    encoding: asked.isInvalid ? "legacy" : (encodings[asked.encoding] ?? "other"),
    operands: Array.from({ length: asked.opCount }, (_, i) => operand(i)),
    lock: asked.hasLockPrefix,
    repeat: asked.hasRepPrefix ? "rep" : asked.hasRepnePrefix ? "repne" : "none",
    next: address + asked.length,
    diverts: asked.flowControl !== iced.FlowControl.Next,
  };
}

/** EVEX instructions are refused, whatever their operands are. */
const isBeyond = () => asked.code !== iced.Code.INVALID && asked.encoding === iced.EncodingKind.EVEX;

function compare(bytes: Uint8Array): void {
  const expected = answers(bytes);
  if (isBeyond()) return;
  const [found] = decodeRun(bytes, address, 1);
  expect(found, Buffer.from(bytes).toString("hex")).toEqual(expected);
}

const prefixes = [[], [0x66], [0xf3], [0xf2], [0x48], [0x66, 0x4f], [0x67], [0x64], [0x65, 0x48], [0xf0]];
const maps = [[], [0x0f], [0x0f, 0x38], [0x0f, 0x3a]];
/** Registers, a base, a displacement alone, relative to rip, a scaled index. */
const tails = [[0xc1], [0x45, 0x88], [0x04, 0x25], [0x05], [0xa4, 0x8b]];
const rest = [0x81, 0x92, 0xa3, 0xf4, 0x15, 0x26, 0x37, 0x48, 0x59];

it.each(maps.map((map) => ({ map })))("reads every opcode after $map as the decoder tells it", ({ map }) => {
  for (const prefix of prefixes)
    for (let opcode = 0; opcode < 256; opcode++)
      for (const tail of tails) compare(Uint8Array.from([...prefix, ...map, opcode, ...tail, ...rest]));
});

it("reads chance bytes, cut off anywhere, as the decoder tells them", () => {
  const random = seedRandom(7);
  for (let round = 0; round < 20_000; round++)
    compare(Uint8Array.from({ length: 1 + below(random, 15) }, () => below(random, 256)));
});
