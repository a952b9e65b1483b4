/**
 * The interpreter's instruction set: one opcode per WebAssembly instruction (per lane, where it takes one), macro and
 * helper, and a few of the interpreter's own. Every operand is the address of a slot in linear memory: a register, a
 * temporary or a constant. Slots are read and written by type; an i32 is kept zero-extended in eight bytes.
 */
import { type HelperName, helpers, type MacroName, macros } from "../../isa/ir/index.ts";
import { type NumericName, numeric, type ValueType } from "../../isa/wasm/index.ts";
import { isWide, type LoadName, loads, type StoreName, stores } from "./memory.ts";
import { sequenceNames } from "./sequences.ts";

export type Instruction =
  | { readonly kind: "numeric"; readonly name: NumericName; readonly lane: number | undefined }
  | { readonly kind: "macro"; readonly name: MacroName }
  | { readonly kind: "helper"; readonly name: HelperName }
  | { readonly kind: "select" | "copy"; readonly type: ValueType }
  | { readonly kind: "load"; readonly name: LoadName; readonly aligned: boolean }
  | { readonly kind: "store"; readonly name: StoreName; readonly aligned: boolean }
  | { readonly kind: Special }
  /** What often follows one another. Each part has its words as ever; the first one's opcode says that the others belong to it. */
  | { readonly kind: "sequence"; readonly parts: readonly Instruction[] };

/** An indirect jump remembers where it went: the last target of each group of addresses, a power of two of them. */
export const seenTargets = 8;

/** Words after the opcode; `site` is the guest address of the instruction, `rest` the instructions not yet run. */
const specials = {
  shuffle: ["to", "left", "right", "lanes"],
  flags: ["code", "left", "right", "result"],
  flagsIf: ["code", "left", "right", "result", "when"],
  carry: ["bits"],
  carryIf: ["bits", "when"],
  flag: ["to", "which"],
  condition: ["to", "which"],
  probe: ["address", "size", "site", "rest"],
  /** The store behind it is left out if 0. */
  storeIf: ["when"],
  trapIf: ["when", "stop", "site", "rest"],
  flush: ["address", "kind", "site", "rest"],
  fence: ["unused", "kind", "site", "rest"],
  patch: ["address", "size", "kind", "site", "number"],
  enter: ["stack", "site"],
  prune: ["stack"],
  goto: ["target", "link"],
  branch: ["when", "target", "link", "otherwise", "link"],
  jump: ["target", ...Array.from({ length: seenTargets }, (_, i) => `seen${i}`)],
  stop: ["unused", "stop", "site", "rest"],
  complex: ["unused", "unused", "site", "rest"],
  /** What this block was made from has changed: look for another one. */
  stale: ["target"],
} as const;
export type Special = keyof typeof specials;

const laneCount = (name: NumericName): number => Number(name.slice(name.indexOf("x") + 1, name.indexOf(".")));

const valueTypes: readonly ValueType[] = ["i32", "i64", "f32", "f64", "v128"];

function* enumerate(): Generator<readonly [string, Instruction]> {
  for (const name of Object.keys(specials) as Special[]) yield [name, { kind: name }];
  for (const name of Object.keys(numeric) as NumericName[]) {
    if (!numeric[name].lane) yield [name, { kind: "numeric", name, lane: undefined }];
    else for (let lane = 0; lane < laneCount(name); lane++) yield [`${name}/${lane}`, { kind: "numeric", name, lane }];
  }
  for (const name of Object.keys(macros) as MacroName[]) yield [name, { kind: "macro", name }];
  for (const name of Object.keys(helpers) as HelperName[]) yield [`helper.${name}`, { kind: "helper", name }];
  for (const type of valueTypes) {
    yield [`select.${type}`, { kind: "select", type }];
    yield [`copy.${type}`, { kind: "copy", type }];
  }
  for (const aligned of [false, true]) {
    const suffix = aligned ? "/aligned" : "";
    for (const name of Object.keys(loads) as LoadName[])
      if (!aligned || name === "load128") yield [`${name}${suffix}`, { kind: "load", name, aligned }];
    for (const name of Object.keys(stores) as StoreName[])
      if (!aligned || name.startsWith("store128")) yield [`${name}${suffix}`, { kind: "store", name, aligned }];
  }
}

const single = new Map(enumerate());
const combined = sequenceNames.map((names) => {
  const parts = names.split(" ").map((name) => single.get(name)!);
  return [names, { kind: "sequence", parts }] as const;
});

export type RareInstruction = Instruction & { readonly kind: "numeric" | "macro" | "helper" | "select" };

const isInteger = (type: ValueType): boolean => type === "i32" || type === "i64";

/** Not in the interpreter itself (machine/runtime/rare.ts). */
export function isRare(instruction: Instruction): instruction is RareInstruction {
  switch (instruction.kind) {
    case "macro":
    case "helper":
      return true;
    case "select":
      return !isInteger(instruction.type);
    case "numeric": {
      const { params, result } = numeric[instruction.name];
      return ![...params, result].every(isInteger);
    }
    default:
      return false;
  }
}

/** Three quarters of all that programs execute, most frequent first. */
const frequent = [
  ...["i64.add", "flags", "copy.i64", "branch", "load64", "i64.extend_i32_u", "i64.sub", "i32.wrap_i64", "store64"],
  ...["i32.eqz", "i32.and", "load32", "load8", "goto", "i64.shl", "i32.sub", "jump", "i64.eqz", "i32.add", "store32"],
];
const rankOf = ([name, instruction]: readonly [string, Instruction]): number => {
  if (isRare(instruction)) return 2 * frequent.length;
  const rank = frequent.indexOf(name);
  return rank < 0 ? frequent.length : rank;
};

/** Frequent ones first, rare ones last: where the interpreter's code for them lies decides when V8 optimises it. */
const rows = [...enumerate(), ...combined].sort((a, b) => rankOf(a) - rankOf(b));
export const instructions: readonly Instruction[] = rows.map(([, instruction]) => instruction);
const codes = new Map(rows.map(([name], code) => [name, code]));

export function opcode(name: string): number {
  const code = codes.get(name);
  if (code === undefined) throw new Error(`no interpreter opcode for ${name}`);
  return code;
}

export interface Sequence {
  readonly code: number;
  /** The opcodes of its parts. */
  readonly parts: readonly number[];
}
export const sequences: readonly Sequence[] = sequenceNames
  .map((names) => ({ code: opcode(names), parts: names.split(" ").map(opcode) }))
  .sort((a, b) => b.parts.length - a.parts.length);
const sequencesFrom: readonly (readonly Sequence[])[] = instructions.map((_, first) =>
  sequences.filter(({ parts }) => parts[0] === first),
);
/** Sequences that begin with an opcode, the longest first. */
export const sequencesOf = (first: number): readonly Sequence[] => sequencesFrom[first]!;

/** How many words an instruction takes, opcode included. */
export function wordsOf(instruction: Instruction): number {
  switch (instruction.kind) {
    case "numeric":
      return 2 + numeric[instruction.name].params.length;
    case "macro":
      return 2 + macros[instruction.name].params.length;
    case "helper":
      return 2 + helpers[instruction.name].params.length;
    case "select":
      return 5;
    case "copy":
      return 3;
    case "sequence":
      return instruction.parts.reduce((words, part) => words + wordsOf(part), 0);
    case "load":
      return 5;
    case "store":
      return isWide(stores[instruction.name]) ? 6 : 5;
    default:
      return 1 + specials[instruction.kind].length;
  }
}

/** Block header: rip, instructions, executions, region slot + 1 (0: none). The code follows. */
export const header = { rip: 0, instructions: 4, executions: 8, slot: 12, touches: 16, bytes: 24 } as const;
