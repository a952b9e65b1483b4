/**
 * Golden cases: x86 code, the IR it is lifted to, and the WebAssembly that a region of it compiles to, in one file each. A
 * file begins with what it shows (`#`), how it is lifted (`options:`) and the code in hex, a line for each instruction; all
 * else is written by `make golden UPDATE=1`. To add a case, write that head and let the rest be made.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { printBlock } from "../../src/isa/ir/index.ts";
import { liftBlock, maxBlockInstructions, type PatchSites } from "../../src/isa/lift/index.ts";
import { decodeRun, disassemble } from "../../src/isa/x86/index.ts";
import { type CodeSource, createCompiler } from "../../src/machine/jit/index.ts";
import { functionText } from "../support/wasm-text.ts";

export const folder = join(import.meta.dirname, "goldens");
export const names = readdirSync(folder, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".txt"))
  .toSorted((a, b) => (a < b ? -1 : 1));

const start = 0x40_0000;

interface Head {
  readonly comments: readonly string[];
  /**
   * `traced`: as a traced program is lifted. `patched`: with a flush and a fence after every instruction. `slow`: accesses that
   * often cannot go straight to memory.
   */
  readonly options: readonly string[];
  readonly bytes: Uint8Array;
}

function headOf(text: string): Head {
  const lines = text.split("\n");
  const line = (word: string) => lines.findIndex((one) => one.startsWith(word));
  const code = lines.slice(line("code:") + 1);
  const length = code.findIndex((one) => !one.startsWith("  "));
  const pairs = code.slice(0, length).flatMap((one) => /^ {2}((?:[0-9a-f]{2} ?)+)/.exec(one)![1]!.trim().split(" "));
  return {
    comments: lines.filter((one) => one.startsWith("#")),
    options: lines[line("options:")]?.split(" ").slice(1) ?? [],
    bytes: Uint8Array.from(pairs, (pair) => Number.parseInt(pair, 16)),
  };
}

const hex = (bytes: Uint8Array): string => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join(" ");

function listing(bytes: Uint8Array): readonly string[] {
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; ) {
    const [instruction] = decodeRun(bytes.subarray(at), start + at, 1);
    const own = bytes.subarray(at, at + instruction!.length);
    lines.push(`  ${hex(own).padEnd(30)} ${disassemble(own, start + at)}`);
    at += own.length;
  }
  return lines;
}

const patches: PatchSites = {
  at: () => [
    { op: "clwb", number: 0 },
    { op: "sfence", number: 1 },
  ],
  covers: () => true,
};

/** All code has run, and equally often; slots are given out as regions are asked for. */
function sourceOf({ bytes, options }: Head): CodeSource {
  const slots = new Map<number, number>();
  const end = start + bytes.length;
  const lifting = {
    traced: options.includes("traced"),
    ...(options.includes("patched") && { patches }),
  };
  return {
    blockAt: (address) =>
      address >= start && address < end
        ? liftBlock(bytes.subarray(address - start), address, maxBlockInstructions, lifting)
        : undefined,
    executions: () => 1,
    slotOf: (address) => slots.set(address, slots.get(address) ?? slots.size).get(address),
    isSlow: () => options.includes("slow"),
  };
}

/** The whole file as it should be, made from its own head. */
export function goldenText(name: string): string {
  const head = headOf(readFileSync(join(folder, name), "utf8"));
  const source = sourceOf(head);
  const { bytes, regions } = createCompiler().compile([start], source);
  const [region] = regions;
  const blocks = [...new Set(region!.blocks)].map((address) => printBlock(source.blockAt(address)!));
  return [
    ...head.comments,
    ...(head.options.length > 0 ? [`options: ${head.options.join(" ")}`] : []),
    "code:",
    ...listing(head.bytes),
    "",
    "IR:",
    ...blocks,
    "WebAssembly:",
    functionText(bytes, region!.exportName),
  ].join("\n");
}
