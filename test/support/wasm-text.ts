/**
 * The text of a function that the compiler made, in WebAssembly's own words. A line holds what belongs together: it ends
 * where the operand stack is empty again, or a block begins or ends.
 */
import { assert } from "../../src/base/index.ts";
import { cpuOffset, registers } from "../../src/isa/ir/index.ts";
import { memoryOps, numeric } from "../../src/isa/wasm/index.ts";
import { cell, cpuAddress, layout } from "../../src/machine/runtime/index.ts";
import { type Reader, readModule, readType, type WasmModule } from "./wasm-module.ts";

/** How an instruction's immediates are written, and what it does to the line. */
interface Instruction {
  readonly name: string;
  readonly immediates?: (reader: Reader, module: WasmModule) => string;
  /** `ends`: the line ends behind it; `opens` and `closes` also change the depth. */
  readonly line?: "ends" | "opens" | "closes" | "splits";
}

const index = (reader: Reader): string => `${reader.unsigned()}`;
const signed = (reader: Reader): string => `${reader.signed()}`;
const callee = (reader: Reader, { functions }: WasmModule): string => `$${functions[reader.unsigned()]!.name}`;
const blockType = (reader: Reader): string => {
  const code = reader.byte();
  return code === 0x40 ? "" : `(result ${readType(code)})`;
};
const table = (reader: Reader): string => [...reader.list(() => index(reader)), index(reader)].join(" ");
const hexBytes = (bytes: Uint8Array): string => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
/** What lies at an absolute address, as a comment. */
const places: ReadonlyMap<number, string> = new Map([
  ...Object.entries(cpuOffset).map(([name, offset]) => [cpuAddress(offset), name] as const),
  ...Object.entries(cell).map(([name, offset]) => [cpuAddress(offset), name] as const),
  ...registers.map(({ name, offset }) => [cpuAddress(offset), name] as const),
  [layout.pageFast, "pageFast"] as const,
]);

const memoryArgument = (reader: Reader): string => {
  assert(reader.byte() === 0, "wasm text: no access has an alignment");
  const offset = reader.unsigned();
  const place = places.get(offset);
  const comment = place === undefined ? "" : ` (;${place};)`;
  return offset === 0 ? "" : `offset=0x${offset.toString(16)}${comment}`;
};

// biome-ignore format: one row per opcode
const control: Readonly<Record<string, Instruction>> = {
  "0":    { name: "unreachable", line: "ends" },
  "2":    { name: "block", immediates: blockType, line: "opens" },
  "3":    { name: "loop", immediates: blockType, line: "opens" },
  "4":    { name: "if", immediates: blockType, line: "opens" },
  "5":    { name: "else", line: "splits" },
  "b":    { name: "end", line: "closes" },
  "c":    { name: "br", immediates: index, line: "ends" },
  "d":    { name: "br_if", immediates: index, line: "ends" },
  "e":    { name: "br_table", immediates: table, line: "ends" },
  "f":    { name: "return", line: "ends" },
  "10":   { name: "call", immediates: callee },
  "12":   { name: "return_call", immediates: callee, line: "ends" },
  "1a":   { name: "drop", line: "ends" },
  "1b":   { name: "select" },
  "1c":   { name: "select", immediates: (reader) => `(result ${reader.list(() => readType(reader.byte())).join(" ")})` },
  "20":   { name: "local.get", immediates: index },
  "21":   { name: "local.set", immediates: index, line: "ends" },
  "22":   { name: "local.tee", immediates: index },
  "41":   { name: "i32.const", immediates: signed },
  "42":   { name: "i64.const", immediates: signed },
  "fd c": { name: "v128.const", immediates: (reader) => `0x${hexBytes(reader.bytes(16).toReversed())}` },
  "fd d": { name: "i8x16.shuffle", immediates: (reader) => [...reader.bytes(16)].join(" ") },
};

const keyOf = (code: readonly number[]): string => code.map((byte) => byte.toString(16)).join(" ");

const instructions: ReadonlyMap<string, Instruction> = new Map<string, Instruction>([
  ...Object.entries(control),
  ...Object.entries(numeric).map(([name, { code, lane }]): [string, Instruction] => [
    keyOf(code),
    lane ? { name, immediates: (reader) => `${reader.byte()}` } : { name },
  ]),
  ...Object.entries(memoryOps).map(([name, [code]]): [string, Instruction] => [
    keyOf(code),
    { name, immediates: memoryArgument, ...(name.includes("store") && { line: "ends" as const }) },
  ]),
]);

/** One to three bytes: vector opcodes above 0x7f take two after the prefix. */
function next(reader: Reader): Instruction {
  const code: number[] = [];
  for (let length = 1; length <= 3; length++) {
    code.push(reader.byte());
    const found = instructions.get(keyOf(code));
    if (found) return found;
  }
  throw new Error(`wasm text: ${keyOf(code)} is no instruction that we write`);
}

class Lines {
  readonly lines: string[] = [];
  #words: string[] = [];
  #depth = 1;

  add(line: Instruction["line"], text: string): void {
    if (line === "closes" || line === "splits") {
      this.#flush();
      this.#depth--;
    }
    this.#words.push(text);
    if (line !== undefined) this.#flush();
    if (line === "opens" || line === "splits") this.#depth++;
  }
  #flush(): void {
    if (this.#words.length > 0) this.lines.push("  ".repeat(this.#depth) + this.#words.join(" "));
    this.#words = [];
  }
}

/** Whether what is called, if anything is, leaves nothing on the stack. */
const givesNothing = (immediates: string, { functions }: WasmModule): boolean =>
  functions.some(({ name, type }) => immediates === `$${name}` && type.results.length === 0);

/** The function exported under this name. */
export function functionText(bytes: Uint8Array, name: string): string {
  const module = readModule(bytes);
  const { type, body } = module.functions.find((one) => one.name === name && one.body)!;
  assert(body !== undefined, "wasm text: an exported function has a body");
  const { locals, code } = body;
  const lines = new Lines();
  while (!code.isDone) {
    const instruction = next(code);
    const immediates = instruction.immediates?.(code, module) ?? "";
    const isLast = code.isDone;
    const line = instruction.line ?? (givesNothing(immediates, module) ? "ends" : undefined);
    if (!isLast) lines.add(line, `${instruction.name} ${immediates}`.trimEnd());
  }
  const group = (word: string, types: readonly string[]) => (types.length === 0 ? "" : ` (${word} ${types.join(" ")})`);
  const head = `(func $${name}${group("param", type.params)}${group("result", type.results)}`;
  return `${[head, ...(locals.length > 0 ? [` ${group("local", locals)}`] : []), ...lines.lines].join("\n")})\n`;
}
