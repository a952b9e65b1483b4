/** A witness as a table: a column per thread, a row per step, then the power failure and what each line kept. */
import type { BufferEntry, VisibleStore } from "../pmem/index.ts";
import type { Step } from "./explore.ts";
import { memoryPrinter } from "./outcomes.ts";
import type { LitmusTest } from "./program.ts";
import { survivors, type Witness, type WitnessPhase } from "./witness.ts";

/** An operation leaving the store buffer, as a reader of the table wants to see it. */
const leaving: Readonly<Record<BufferEntry["kind"], (name: string, entry: BufferEntry) => string>> = {
  store: (name, entry) => `↳ ${name}=${"payload" in entry ? entry.payload : ""} visible`,
  ntstore: (name, entry) => `↳ ${name}=${"payload" in entry ? entry.payload : ""} visible`,
  clflush: (name) => `↳ clflush ${name} complete`,
  clflushopt: (name) => `↳ clflushopt ${name} pending`,
  sfence: () => "↳ sfence complete",
};

function describeStep(test: LitmusTest, { move, instruction, left }: Step): string {
  if (left !== undefined) {
    const name =
      "address" in left ? test.locations[left.address]?.name : "line" in left ? lineName(test, left.line) : "";
    return leaving[left.kind](name ?? "", left);
  }
  const value = move.kind === "execute" && move.value !== undefined ? ` → ${move.value}` : "";
  return `${instruction}${value}`;
}

function lineName(test: LitmusTest, line: number): string {
  const names = test.locations.filter((location) => location.line === line).map(({ name }) => name);
  return names.length === 1 ? (names[0] as string) : `{${names.join(" ")}}`;
}

export function printTimeline(test: LitmusTest, witness: Witness): string[] {
  return witness.flatMap((phase, index) => [
    ...(witness.length > 1
      ? [`run ${index + 1}, starting from ${memoryPrinter(test.locations)(phase.machine.memory)}`]
      : []),
    ...printPhase(test, phase),
  ]);
}

function printPhase(test: LitmusTest, phase: WitnessPhase): string[] {
  const threads = phase.machine.phase.length;
  const cells = phase.steps.map((step) => ({ thread: step.move.thread, text: describeStep(test, step) }));
  const widths = Array.from({ length: threads }, (_, thread) =>
    Math.max(4, ...cells.filter((cell) => cell.thread === thread).map(({ text }) => text.length)),
  );
  const row = (number: string, texts: readonly string[]) =>
    `${number.padStart(4)}  ${texts.map((text, thread) => text.padEnd(widths[thread] as number)).join("  ")}`.trimEnd();
  const heading = row(
    "",
    widths.map((_, thread) => `T${thread}`),
  );
  const body = cells.map(({ thread, text }, index) =>
    row(
      `${index + 1}`,
      widths.map((_, column) => (column === thread ? text : "")),
    ),
  );
  return [heading, ...body, ...printEnd(test, phase)];
}

function printEnd(test: LitmusTest, phase: WitnessPhase): string[] {
  const { recovered, state, machine } = phase;
  if (recovered === undefined) {
    const registers = machine.phase.flatMap((thread, index) =>
      thread.registers.map((name, register) => `${index}:${name}=${state.registers[index]?.[register]}`),
    );
    return [`      ends with ${registers.join(" ")}`.trimEnd()];
  }
  const list = (stores: readonly VisibleStore[]) =>
    stores.map(({ address, payload }) => `${test.locations[address]?.name}=${payload}`).join(" ") || "nothing";
  const lines = survivors(phase, recovered).map(({ window, survived }) => {
    const first = window.stores[0];
    if (first === undefined) return "";
    const name = window.stores.some(({ line }) => line !== first.line) ? "memory" : lineName(test, first.line);
    const sure = window.from === 0 ? "" : `, ${list(window.stores.slice(0, window.from))} for sure`;
    return `      ${name}: kept ${list(window.stores.slice(0, survived))}, lost ${list(window.stores.slice(survived))}${sure}`;
  });
  return [
    "   ⚡  the power fails",
    ...lines.filter((line) => line !== ""),
    `      recovered ${memoryPrinter(test.locations)(recovered)}`,
  ];
}
