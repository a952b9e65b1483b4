/** Runs a case in our unit and reduces an outcome, ours or the processor's, to what is compared. */
import { PENDING, SUPPRESSED, X87State, x87Operations } from "../../src/isa/x87/index.ts";
import type { Encoding } from "./encodings.ts";
import { type Case, IMAGE, type Outcome } from "./harness.ts";

const FLAGS = 0x8d5n;

export const toBigint = (bytes: Buffer): bigint => BigInt(`0x${Buffer.from(bytes).reverse().toString("hex") || "0"}`);
function fromBigint(value: bigint, bytes: number): Buffer {
  return Buffer.from(value.toString(16).padStart(2 * bytes, "0"), "hex").reverse();
}
const operation = (name: string) => {
  const row = x87Operations[name];
  if (row === undefined) throw new Error(`no row for ${name}`);
  return row;
};

const unit = new X87State(new DataView(new ArrayBuffer(1024)), 64);

export function runOurs(row: Encoding, one: Case): Outcome {
  operation("Fxrstor64_m512byte").run(unit, [toBigint(one.image)]);
  const bits = row.load ? toBigint(one.memory.subarray(0, row.load)) : 0n;
  const memoryArguments = row.load === 10 ? [bits & 0xffffffffffffffffn, bits >> 64n] : row.load ? [bits] : [];
  const registerArguments = row.register ? [BigInt(one.register)] : [];
  const conditionArguments = row.condition ? [row.condition(one.rflags) ? 1n : 0n] : [];
  const result = operation(row.name).run(unit, [...memoryArguments, ...registerArguments, ...conditionArguments]);
  const memory = Buffer.from(one.memory);
  let { rflags, rax } = one;
  if (result !== PENDING && result !== SUPPRESSED) {
    if (row.store) fromBigint(result, row.store).copy(memory);
    if (row.result === "eflags") rflags = (rflags & ~FLAGS) | result;
    if (row.result === "ax") rax = (rax & ~0xffffn) | result;
  }
  const image = fromBigint(operation("Fxsave64_m512byte").run(unit, []), IMAGE);
  return { image, memory, rflags, rax, trapped: result === PENDING };
}

/** Leaves out what this comparison does not judge: instruction, data and opcode pointers, MXCSR. */
export function judged(row: Encoding, outcome: Outcome): Record<string, string> {
  const image = Buffer.from(outcome.image).fill(0, 6, 32);
  const memory = Buffer.from(outcome.memory);
  const pointers = /env|save|stor/.test(row.name) && !outcome.trapped;
  if (pointers && row.store === 160) memory.fill(0, 6, 32);
  else if (pointers && row.store)
    memory.fill(
      0,
      row.name.includes("14") || row.name.includes("94") ? 6 : 12,
      row.name.includes("14") || row.name.includes("94") ? 14 : 28,
    );
  return {
    control: image.readUInt16LE(0).toString(16),
    status: image.readUInt16LE(2).toString(16),
    tags: (image[4] as number).toString(2),
    registers: [0, 1, 2, 3, 4, 5, 6, 7]
      .map(
        (i) =>
          `${toBigint(image.subarray(40 + 16 * i, 42 + 16 * i)).toString(16)}:${toBigint(image.subarray(32 + 16 * i, 40 + 16 * i)).toString(16)}`,
      )
      .join(" "),
    memory: memory.subarray(0, row.store ?? row.load ?? 0).toString("hex"),
    rflags: (outcome.rflags & FLAGS).toString(16),
    rax: outcome.rax.toString(16),
    trapped: String(outcome.trapped),
  };
}

export interface Leeway {
  readonly same?: (key: string, native: string, ours: string) => boolean;
  /** The outcome that other processors make of ours; a processor gives wholly this one or wholly ours. */
  readonly other?: (row: Encoding, one: Case, ours: Outcome) => Outcome;
}

/** What differs between the processor and us for each case, with the state before; empty entries are left out. */
export function differences(
  row: Encoding,
  cases: readonly Case[],
  theirs: readonly Outcome[],
  { same = (_key, native, ours) => native === ours, other }: Leeway = {},
): object[] {
  const wrong: object[] = [];
  cases.forEach((one, i) => {
    const native = judged(row, theirs[i] as Outcome);
    const differing = (ours: Record<string, string>) =>
      Object.keys(native).filter((key) => !same(key, native[key] ?? "", ours[key] ?? ""));
    const outcome = runOurs(row, one);
    const ours = judged(row, outcome);
    const fields = differing(ours);
    if (fields.length === 0 || (other && differing(judged(row, other(row, one, outcome))).length === 0)) return;
    const before = judged(row, { ...one, trapped: false });
    const found = fields.map((key) => [key, `native ${native[key]} ours ${ours[key]}`]);
    wrong.push({ register: one.register, before, ...Object.fromEntries(found) });
  });
  return wrong;
}
