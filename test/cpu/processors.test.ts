/**
 * Each difference between Intel's and AMD's processors (tools/cpu-harness/processors.ts), on a case where it shows: what
 * the machine answers, what the other vendor's processors do, and that a third answer is a mistake. No processor takes part.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { blockOf, placeInstruction } from "../../tools/cpu-harness/blocks.ts";
import { compareEnds, describeOutcome } from "../../tools/cpu-harness/compare.ts";
import { MachineExecutor, supportedForms, type TestBlock } from "../../tools/cpu-harness/index.ts";
import { normalise } from "../../tools/cpu-harness/outcome.ts";
import { codePlace, dataPlace, holePage, pageBytes, pristine, readOnlyPage } from "../../tools/cpu-harness/places.ts";
import { type Answer, processorDifferences, vendorAnswers } from "../../tools/cpu-harness/processors.ts";
import { asCase, type Case, fxLayout, inputLayout, outputLayout } from "../../tools/cpu-harness/records.ts";

const registers = { rcx: 1, rsi: 6, rdi: 7 } as const;
type State = Partial<Record<keyof typeof registers, bigint>>;

interface Example {
  readonly form: string;
  readonly code: readonly number[];
  readonly state: State;
  /** Changes what the input's FXSAVE image and its flags are. */
  readonly prepare?: (input: DataView) => void;
  readonly show: (answer: Answer) => string;
  readonly intel: string;
  readonly amd: string;
  /** Turns an answer into a third one. */
  readonly spoil: (answer: Answer) => void;
}

const register = (name: keyof typeof registers) => (answer: Answer) =>
  `0x${answer.output.view.getBigUint64(outputLayout.gpr + 8 * registers[name], true).toString(16)}`;
const flags = ({ output }: Answer) => (output.view.getUint32(outputLayout.rflags, true) & 0x8d5).toString(16);
const where = ({ outcome }: Answer) => describeOutcome(outcome);
const atFx = (offset: number) => outputLayout.fx + offset;
const status = ({ output }: Answer) => output.view.getUint16(atFx(fxLayout.fsw), true).toString(16);
const stack = ({ output }: Answer, index: number) =>
  `${output.view.getUint16(atFx(fxLayout.st + 16 * index + 8), true).toString(16)}:${output.view.getBigUint64(atFx(fxLayout.st + 16 * index), true).toString(16)}`;
const memoryAt =
  (address: number) =>
  ({ memory }: Answer) =>
    Buffer.from(memory.subarray(address - dataPlace.start, address - dataPlace.start + 8)).toString("hex");
const untouched = (address: number) => memoryAt(address)({ memory: pristine } as Answer);

const flip =
  (offset: number) =>
  ({ output }: Answer) =>
    output.view.setUint8(offset, output.view.getUint8(offset) ^ 1);
const flipMemory =
  (address: number) =>
  ({ memory }: Answer) => {
    memory[address - dataPlace.start]! ^= 1;
  };
const faultElsewhere = (answer: Answer) => {
  answer.outcome = { kind: "fault", address: 0n };
};

const putStack = (view: DataView, index: number, signExponent: number, significand: bigint) => {
  view.setBigUint64(inputLayout.fx + fxLayout.st + 16 * index, significand, true);
  view.setUint16(inputLayout.fx + fxLayout.st + 16 * index + 8, signExponent, true);
};
const putStatus = (view: DataView, word: number) => view.setUint16(inputLayout.fx + fxLayout.fsw, word, true);
const hole = BigInt(holePage);
const readOnly = BigInt(readOnlyPage);
const highHalf = 0x5_0000_0000n;
const nans = [0x7fc0_0001, 0x7fc0_0002, 0x7fc0_0003, 0x7fc0_0004];

const examples: Readonly<Record<string, Example>> = {
  "flags of a compare that faults": {
    form: "Scasb_AL_m8",
    code: [0xf2, 0xae],
    state: { rcx: 9n, rdi: hole - 1n },
    prepare: (input) => input.setUint32(inputLayout.rflags, 0x202 | 0x8d5, true),
    show: flags,
    intel: "8d5",
    amd: "11",
    spoil: flip(outputLayout.rflags),
  },
  "upper halves of a 32-bit repeat": {
    form: "Movsb_m8_m8",
    code: [0x67, 0xf3, 0xa4],
    state: { rcx: highHalf, rsi: highHalf + 1n, rdi: highHalf + 2n },
    show: (answer) => [register("rcx"), register("rsi"), register("rdi")].map((each) => each(answer)).join(" "),
    intel: "0x0 0x1 0x2",
    amd: "0x500000000 0x500000001 0x500000002",
    spoil: flip(outputLayout.gpr + 8 * registers.rcx),
  },
  "operand of a compare that faults": {
    form: "Cmpsb_m8_m8",
    code: [0xa6],
    state: { rsi: hole + 1n, rdi: 0x7000n },
    show: where,
    intel: "fault at 0x7000",
    amd: "fault at 0x20004001",
    spoil: faultElsewhere,
  },
  "half of a masked store that faults": {
    form: "Maskmovdqu_rDI_xmm_xmm",
    code: [0x66, 0x0f, 0xf7, 0xc1],
    state: { rdi: hole - 3n },
    show: where,
    intel: `fault at 0x${(hole + 5n).toString(16)}`,
    amd: `fault at 0x${(hole - 3n).toString(16)}`,
    spoil: faultElsewhere,
  },
  "top of stack at an MMX store that faults": {
    form: "Movntq_m64_mm",
    code: [0x0f, 0xe7, 0x17],
    state: { rdi: readOnly },
    prepare: (input) => {
      putStatus(input, 5 << 11);
      putStack(input, 0, 1, 7n);
    },
    show: (answer) => `${status(answer)} ${stack(answer, 0)} ${stack(answer, 5)}`,
    intel: "0 0:0 1:7",
    amd: "2800 1:7 0:0",
    spoil: flip(atFx(fxLayout.st)),
  },
  "parts of a ten-byte store": {
    form: "Fbstp_m80bcd",
    code: [0xdf, 0x37],
    state: { rdi: readOnly - 8n },
    prepare: (input) => putStack(input, 0, 0x3fff, 1n << 63n),
    show: memoryAt(readOnlyPage - 8),
    intel: "0100000000000000",
    amd: untouched(readOnlyPage - 8),
    spoil: flipMemory(readOnlyPage - 8),
  },
  "NaN of a dot product": {
    form: "Dpps_xmm_xmmm128_imm8",
    code: [0x66, 0x45, 0x0f, 0x3a, 0x40, 0xca, 0xff],
    state: {},
    prepare: (input) => {
      for (const [i, nan] of nans.entries()) input.setUint32(inputLayout.fx + fxLayout.xmm + 16 * 9 + 4 * i, nan, true);
    },
    show: ({ output }) =>
      nans.map((_, i) => output.view.getUint32(atFx(fxLayout.xmm + 16 * 9 + 4 * i), true).toString(16)).join(" "),
    intel: "7fc00002 7fc00001 7fc00004 7fc00003",
    amd: "7fc00001 7fc00001 7fc00001 7fc00001",
    spoil: flip(atFx(fxLayout.xmm + 16 * 9)),
  },
  "sine of the smallest normal number": {
    form: "Fsin",
    code: [0xd9, 0xfe],
    state: {},
    prepare: (input) => {
      input.setUint16(inputLayout.fx + fxLayout.fcw, 0xf7f, true);
      putStack(input, 0, 0x8001, 1n << 63n);
    },
    show: (answer) => `${stack(answer, 0)} ${status(answer)}`,
    intel: "8001:8000000000000000 20",
    amd: "8000:7fffffffffffffff 30",
    spoil: flip(atFx(fxLayout.fsw) + 1),
  },
  "mask of MXCSR": {
    form: "Fxsave64_m512byte",
    code: [0x48, 0x0f, 0xae, 0x07],
    state: { rdi: BigInt(dataPlace.start) },
    show: ({ memory }) =>
      new DataView(memory.buffer, memory.byteOffset).getUint32(fxLayout.mxcsrMask, true).toString(16),
    intel: "ffff",
    amd: "2ffff",
    spoil: flipMemory(dataPlace.start + fxLayout.mxcsrMask),
  },
};

function inputOf({ state, prepare }: Example): Case {
  const input = asCase(new Uint8Array(inputLayout.size));
  const { view, bytes } = input;
  for (const [name, value] of Object.entries(state))
    view.setBigUint64(inputLayout.gpr + 8 * registers[name as keyof typeof registers], value, true);
  view.setUint32(inputLayout.rflags, 0x202, true);
  view.setUint16(inputLayout.fx + fxLayout.fcw, 0x37f, true);
  view.setUint32(inputLayout.fx + fxLayout.mxcsr, 0x1f80, true);
  bytes[inputLayout.fx + fxLayout.tags] = 0xff;
  prepare?.(view);
  return input;
}

function blockFor({ form, code }: Example): TestBlock {
  const found = supportedForms("v2").find(({ name }) => name === form)!;
  return blockOf([placeInstruction(found, Uint8Array.from(code), codePlace.start + pageBytes / 2)]);
}

/** What the machine answers, in one of its tiers. */
function runExample(block: TestBlock, input: Case, tier: "interpreter" | "jit"): Answer {
  const machine = new MachineExecutor(tier);
  machine.data.set(pristine);
  machine.load(block);
  machine.loadFloat(input);
  const output = asCase(new Uint8Array(outputLayout.size));
  const outcome = normalise(machine.run(input, output));
  machine.saveFloat(output);
  return { outcome, output, memory: machine.data.slice() };
}

describe.each(processorDifferences.map((row) => [row.name, row] as const))("%s", (name, row) => {
  const example = examples[name]!;
  const [block, input] = [blockFor(example), inputOf(example)];

  test.each(["interpreter", "jit"] as const)("each vendor's answer, from the machine's (%s)", (tier) => {
    const ours = runExample(block, input, tier);
    const rip = ours.output.view.getBigUint64(outputLayout.rip, true);
    const shown = vendorAnswers(block, input, ours, rip).map(([vendor, answer]) => [vendor, example.show(answer)]);
    expect(shown).toEqual([
      ["intel", example.intel],
      ["amd", example.amd],
    ]);
    expect(example.show(ours)).toBe(example[row.ours]);
  });

  test("either answer of a processor is taken, a third is not", () => {
    const ours = runExample(block, input, "interpreter");
    const rip = ours.output.view.getBigUint64(outputLayout.rip, true);
    for (const [, answer] of vendorAnswers(block, input, ours, rip)) {
      expect(compareEnds(block, input, answer, ours, true)).toEqual([]);
      example.spoil(answer);
      expect(compareEnds(block, input, answer, ours, true)).not.toEqual([]);
    }
  });
});

test("every difference has a row in docs/TESTING.md", () => {
  const page = readFileSync(join(import.meta.dirname, "../../docs/TESTING.md"), "utf8");
  const vendors = { intel: "Intel's", amd: "AMD's" } as const;
  for (const { name, intel, amd, ours } of processorDifferences)
    expect(page).toContain(`| ${name} | ${intel} | ${amd} | ${vendors[ours]} |\n`);
});
