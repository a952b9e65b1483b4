/**
 * Where Intel's and AMD's processors answer differently, by name; docs/TESTING.md has the same list for readers. Intel's
 * answers were measured on a Xeon of family 6, AMD's are those that this machine was first compared with. Always: this
 * machine gives one of the two answers, a processor gives either, and a third is a mistake. What a processor left is
 * compared whole, bit for bit, with all that Intel's would leave and with all that AMD's would.
 */
import type { TestBlock, TestInstruction } from "./blocks.ts";
import { dotProductInPairs } from "./dot-product.ts";
import {
  compareFirstStringFirst,
  forgetStringFlags,
  maskMisaligned,
  narrowStringRegisters,
  roundSine,
  storeLowerPart,
  storeUpperHalfFirst,
  turnStackForStore,
} from "./other-answers.ts";
import type { Outcome } from "./outcome.ts";
import type { Case } from "./records.ts";

export type Vendor = "intel" | "amd";

/** How a block ended, to be changed into how it would have ended on the other vendor's processors. */
export interface Answer {
  outcome: Outcome;
  readonly output: Case;
  /** The data pages (places.ts). */
  readonly memory: Uint8Array;
}

/** The instruction whose answer it is. `alone`: the block has no other, so the input is the state before it. */
export interface Step {
  readonly instruction: TestInstruction;
  readonly input: Case;
  readonly alone: boolean;
}

export interface ProcessorDifference {
  readonly name: string;
  readonly about: (instruction: TestInstruction) => boolean;
  readonly intel: string;
  readonly amd: string;
  readonly ours: Vendor;
  /** Makes the other vendor's answer of ours. */
  readonly other: (step: Step, answer: Answer) => void;
}

const named = (pattern: RegExp) => (instruction: TestInstruction) => pattern.test(instruction.form.name);

export const isNarrowRepeat = ({ repeated, uses, form }: TestInstruction) =>
  repeated && /^(Movs|Stos|Lods|Cmps|Scas)[bwdq]_/.test(form.name) && uses.some(({ bits }) => bits === 32);

export const isRepeatedCompare = ({ form, repeated }: TestInstruction): boolean =>
  repeated && /^(Cmps|Scas)[bwdq]_/.test(form.name);

export const processorDifferences: readonly ProcessorDifference[] = [
  {
    name: "flags of a compare that faults",
    about: isRepeatedCompare,
    intel: "CMPS and SCAS with a repeat prefix that fault: the flags before the instruction",
    amd: "the flags of the last comparison",
    ours: "amd",
    other: forgetStringFlags,
  },
  {
    name: "upper halves of a 32-bit repeat",
    about: isNarrowRepeat,
    intel:
      "a repeat with 32-bit addresses clears the upper half of RCX, MOVS those of RSI and RDI, STOS that of RDI, even if no element is done",
    amd: "the registers stay as they are until an element is done",
    ours: "amd",
    other: narrowStringRegisters,
  },
  {
    name: "operand of a compare that faults",
    about: named(/^Cmps[bwdq]_/),
    intel: "CMPS whose two operands cannot be read: the fault is at the second, [RDI]",
    amd: "it is at the first, [RSI]",
    ours: "intel",
    other: compareFirstStringFirst,
  },
  {
    name: "half of a masked store that faults",
    about: named(/^V?Maskmovdqu/i),
    intel: "MASKMOVDQU whose two halves cannot be written: the fault is in the upper half",
    amd: "it is in the lower half",
    ours: "amd",
    other: storeUpperHalfFirst,
  },
  {
    name: "top of stack at an MMX store that faults",
    about: named(/^Mov(d|q|ntq)_\w+_mm$/),
    intel: "TOP is 0, the tags are as they were",
    amd: "TOP is as it was",
    ours: "amd",
    other: turnStackForStore,
  },
  {
    name: "parts of a ten-byte store",
    about: named(/^(Fstp_m80fp|Fbstp_m80bcd)$/),
    intel: "FSTP and FBSTP whose last two bytes cannot be written: the first eight are",
    amd: "none is",
    ours: "amd",
    other: storeLowerPart,
  },
  {
    name: "NaN of a dot product",
    about: named(/^V?Dpps_/i),
    intel: "DPPS adds for each element in an order of its own, so elements may be different NaNs",
    amd: "one sum for all elements",
    ours: "amd",
    other: dotProductInPairs,
  },
  {
    name: "sine of the smallest normal number",
    about: named(/^Fsin(cos)?$/),
    intel: "rounded toward zero it is the number itself, without underflow",
    amd: "it is the largest denormal, with underflow",
    ours: "amd",
    other: roundSine,
  },
  {
    name: "mask of MXCSR",
    about: named(/^Fxsave/),
    intel: "MXCSR_MASK has bit 17 clear",
    amd: "bit 17 is set: a mode for misaligned operands; who loads MXCSR with it is not compared any further",
    ours: "intel",
    other: maskMisaligned,
  },
];

/** The instruction that an end is about: the one it stopped at, or the only one. */
function lastOf({ instructions }: TestBlock, rip: bigint): TestInstruction | undefined {
  return (
    instructions.find(({ address }) => BigInt(address) === rip) ??
    (instructions.length === 1 ? instructions[0] : undefined)
  );
}

const copyOf = ({ outcome, output, memory }: Answer): Answer => {
  const bytes = output.bytes.slice();
  return { outcome, output: { bytes, view: new DataView(bytes.buffer) }, memory: memory.slice() };
};

/** What a processor of either vendor would have left where the machine left `ours`; nothing where they do not differ. */
export function vendorAnswers(
  block: TestBlock,
  input: Case,
  ours: Readonly<Answer>,
  rip: bigint,
): readonly (readonly [Vendor, Answer])[] {
  const instruction = lastOf(block, rip);
  if (!instruction) return [];
  const rows = processorDifferences.filter(({ about }) => about(instruction));
  if (rows.length === 0) return [];
  const step: Step = { instruction, input, alone: block.instructions.length === 1 };
  return (["intel", "amd"] as const).map((vendor) => {
    const answer = copyOf(ours);
    for (const row of rows) if (row.ours !== vendor) row.other(step, answer);
    return [vendor, answer];
  });
}
