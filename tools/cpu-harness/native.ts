/** The real processor: compiles the runner once per version of its source and hands it batches. */
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { assert } from "../../src/base/index.ts";
import type { CpuLevel } from "../../src/isa/x86/index.ts";
import type { TestBlock } from "./blocks.ts";
import { sig } from "./outcome.ts";
import { pristine } from "./places.ts";
import { asCase, type Case, changeBytes, groupLayout, inputLayout, outputLayout } from "./records.ts";

const here = import.meta.dirname;
const cache = join(here, "../../.cache/cpu-harness");

function runnerPath(): string {
  const source = join(here, "runner.c");
  const version = createHash("sha256").update(readFileSync(source)).digest("hex").slice(0, 16);
  const binary = join(cache, `runner-${version}`);
  if (!existsSync(binary)) {
    mkdirSync(cache, { recursive: true });
    const fresh = `${binary}.${process.pid}`;
    execFileSync("gcc", ["-O2", "-fno-stack-protector", "-o", fresh, source]);
    renameSync(fresh, binary);
  }
  return binary;
}

/** The level whose instructions this processor has; the kernel lists its features (arch/x86/kernel/cpu/proc.c). */
export const processorLevel = ((): CpuLevel => {
  const flags = /^flags\s*:(.*)$/m.exec(readFileSync("/proc/cpuinfo", "utf8"))?.[1]?.split(" ") ?? [];
  const needed = ["avx", "avx2", "fma", "f16c", "bmi1", "bmi2", "abm", "movbe"];
  return needed.every((flag) => flags.includes(flag)) ? "v3" : "v2";
})();

export interface Group {
  readonly block: TestBlock;
  /** Input records, one after another. */
  readonly inputs: Uint8Array;
}

export interface NativeResult {
  readonly output: Case;
  /** Eight-byte words that the block changed: address, value. */
  readonly changes: DataView;
}

export const caseCount = (group: Group): number => group.inputs.length / inputLayout.size;

function header({ block, inputs }: Group): Uint8Array {
  const bytes = new Uint8Array(groupLayout.size);
  const view = new DataView(bytes.buffer);
  view.setUint32(groupLayout.address, block.address, true);
  view.setUint32(groupLayout.length, block.bytes.length, true);
  view.setUint32(groupLayout.cases, inputs.length / inputLayout.size, true);
  bytes.set(block.bytes, groupLayout.code);
  return bytes;
}

/** The processor reports a breakpoint after the int3; everything here says where it is. */
function stepBack(view: DataView): void {
  if (view.getUint32(outputLayout.signal, true) !== sig.trap) return;
  view.setBigUint64(outputLayout.rip, view.getBigUint64(outputLayout.rip, true) - 1n, true);
}

/** Runs all groups in one process; the results come in the order of the cases. */
export function runNatively(groups: readonly Group[]): NativeResult[] {
  const input = Buffer.concat([pristine, ...groups.flatMap((group) => [header(group), group.inputs])]);
  const { stdout, stderr, status, signal } = spawnSync(runnerPath(), { input, maxBuffer: 1 << 30 });
  assert(status === 0, `cpu-harness: the runner ended with ${status ?? signal}: ${stderr.toString()}`);
  // A copy of its own, so that records are aligned and typed arrays fit over them.
  const bytes = new Uint8Array(stdout);
  const total = groups.reduce((sum, group) => sum + caseCount(group), 0);
  const results: NativeResult[] = [];
  for (let at = 0; results.length < total; ) {
    const output = asCase(bytes.subarray(at, at + outputLayout.size));
    const length = output.view.getUint32(outputLayout.changes, true) * changeBytes;
    const changes = new DataView(bytes.buffer, bytes.byteOffset + at + outputLayout.size, length);
    stepBack(output.view);
    results.push({ output, changes });
    at += outputLayout.size + length;
  }
  return results;
}
