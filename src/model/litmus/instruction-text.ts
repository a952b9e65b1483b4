/**
 * The short instruction notation of the JSON format: `W x 1`, `R r x`, `FL x`, `FO x`, `SF`, `MF`, `NT x 1`,
 * `CAS r x old new`, `FAA r x k`, `XCHG r x v`, `JZ r n`, `JNE r v n`. A value is a number, a register, or `r+k`.
 */
import { constant, type Expression, type Instruction, register } from "./program.ts";
import { inputError, type Source } from "./source.ts";

interface Word {
  readonly text: string;
  readonly offset: number;
}

/** What names mean in one thread. Registers come into being when something is first put into them. */
export interface Names {
  readonly source: Source;
  readonly locations: ReadonlyMap<string, number>;
  readonly registers: string[];
  /** Position of the instruction, and how many the thread has. */
  readonly index: number;
  readonly length: number;
}

type Parse = (words: readonly Word[], names: Names) => DistributiveOmit<Instruction, "text">;
type DistributiveOmit<Union, Key extends PropertyKey> = Union extends unknown ? Omit<Union, Key> : never;

interface Form {
  readonly operands: string;
  readonly parse: Parse;
}

const form = (operands: string, parse: Parse): Form => ({ operands, parse });
const none = constant(0);

const forms: Readonly<Record<string, Form>> = {
  W: form("x v", ([x, v], names) => ({
    kind: "store",
    nonTemporal: false,
    location: location(x, names),
    value: value(v, names),
  })),
  NT: form("x v", ([x, v], names) => ({
    kind: "store",
    nonTemporal: true,
    location: location(x, names),
    value: value(v, names),
  })),
  R: form("r x", ([r, x], names) => {
    const from = location(x, names);
    return { kind: "load", location: from, register: target(r, names) };
  }),
  FL: form("x", ([x], names) => ({ kind: "flush", op: "clflush", location: location(x, names) })),
  FO: form("x", ([x], names) => ({ kind: "flush", op: "clflushopt", location: location(x, names) })),
  SF: form("", () => ({ kind: "fence", op: "sfence" })),
  MF: form("", () => ({ kind: "fence", op: "mfence" })),
  CAS: form("r x old new", ([r, x, expected, operand], names) => {
    const update = { location: location(x, names), expected: value(expected, names), operand: value(operand, names) };
    return { kind: "update", op: "compare-exchange", ...update, register: target(r, names) };
  }),
  FAA: form("r x k", ([r, x, operand], names) => {
    const update = { location: location(x, names), expected: none, operand: value(operand, names) };
    return { kind: "update", op: "add", ...update, register: target(r, names) };
  }),
  XCHG: form("r x v", ([r, x, operand], names) => {
    const update = { location: location(x, names), expected: none, operand: value(operand, names) };
    return { kind: "update", op: "exchange", ...update, register: target(r, names) };
  }),
  JZ: form("r n", ([r, n], names) => ({ kind: "jump", when: "zero", value: value(r, names), target: skip(n, names) })),
  JNE: form("r v n", ([r, v, n], names) => {
    const left = value(r, names);
    const right = value(v, names);
    const terms = [...left.terms, ...right.terms.map((term) => ({ ...term, factor: -term.factor }))];
    const difference = { constant: left.constant - right.constant, terms };
    return { kind: "jump", when: "nonzero", value: difference, target: skip(n, names) };
  }),
};

/** `offset` is where the text begins in the source. */
export function parseInstruction(text: string, offset: number, names: Names): Instruction {
  const words = [...text.matchAll(/\S+/g)].map((match): Word => ({ text: match[0], offset: offset + match.index }));
  const [name, ...operands] = words;
  const found = name !== undefined && Object.hasOwn(forms, name.text) ? forms[name.text] : undefined;
  if (name === undefined || found === undefined)
    throw inputError(
      names.source,
      name?.offset ?? offset,
      "litmus/unknown-instruction",
      `unknown instruction ${JSON.stringify(name?.text ?? "")}; known are ${Object.keys(forms).join(", ")}.`,
    );
  const wanted = found.operands === "" ? 0 : found.operands.split(" ").length;
  if (operands.length !== wanted) {
    const place = operands[wanted]?.offset ?? offset + text.length;
    const usage = `${name.text} ${found.operands}`.trim();
    throw inputError(names.source, place, "litmus/operands", `${name.text} is written \`${usage}\`.`);
  }
  return { ...found.parse(operands, names), text };
}

function location(word: Word | undefined, { source, locations }: Names): number {
  const index = locations.get(word?.text ?? "");
  if (index !== undefined) return index;
  const known = [...locations.keys()].join(", ");
  throw inputError(
    source,
    word?.offset ?? 0,
    "litmus/unknown-location",
    `unknown location ${word?.text}; declared are ${known}.`,
  );
}

function value(word: Word | undefined, names: Names): Expression {
  const text = word?.text ?? "";
  if (/^-?\d+$/.test(text)) return constant(Number(text));
  const match = /^([A-Za-z_]\w*)(?:([+-]\d+))?$/.exec(text);
  const index = names.registers.indexOf(match?.[1] ?? "");
  if (match !== null && index >= 0) return register(index, Number(match[2] ?? 0));
  const hint = "a value is a number, a register set earlier in the thread, or register+number";
  throw inputError(names.source, word?.offset ?? 0, "litmus/unknown-register", `unknown register ${text}; ${hint}.`);
}

function target(word: Word | undefined, { source, registers, locations }: Names): number {
  const text = word?.text ?? "";
  if (!/^[A-Za-z_]\w*$/.test(text) || locations.has(text))
    throw inputError(source, word?.offset ?? 0, "litmus/register", `${text} is not a register name.`);
  if (!registers.includes(text)) registers.push(text);
  return registers.indexOf(text);
}

/** Skipping past the end of a thread ends it. */
function skip(word: Word | undefined, { source, index, length }: Names): number {
  const text = word?.text ?? "";
  if (!/^\d+$/.test(text))
    throw inputError(source, word?.offset ?? 0, "litmus/jump", `a jump skips a number of instructions, not ${text}.`);
  const after = index + 1 + Number(text);
  if (after > length)
    throw inputError(
      source,
      word?.offset ?? 0,
      "litmus/jump",
      `this jump skips ${text} instructions, but only ${length - index - 1} follow.`,
    );
  return after;
}
