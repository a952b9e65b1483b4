/**
 * Litmus tests as functions of one binary: a function for each thread, one that fails after each outcome but those that are given, and
 * one that fails after just the outcome that it is called with.
 */
import { type Machine, memoryPrinter } from "../../src/model/litmus/index.ts";
import { statement } from "../litmus/binaries.ts";
import { addressesOf } from "../litmus/traced.ts";
import { pm } from "../trace/builder.ts";

export interface CodeTest {
  readonly name: string;
  readonly machine: Machine;
  /** What crashes anywhere leave, as printed. */
  readonly outcomes: readonly string[];
}

/** Values of the outcome, by location. */
export function valuesIn({ machine }: CodeTest, outcome: string): readonly number[] {
  const values = new Map(outcome.split(" ").map((word) => word.split("=") as [string, string]));
  const memory = machine.locations.map(({ name }) => Number(values.get(name)));
  if (memoryPrinter(machine.locations)(memory) !== outcome) throw new Error(`${outcome} is no outcome`);
  return memory;
}

function functionsOf(each: CodeTest, number: number): string {
  const { machine } = each;
  const places = addressesOf(machine).map((address) => (address - pm) / 8);
  const at = (location: number) => `page${number}[${places[location]}]`;
  const initial = places.map((place, location) => `[${place}] = ${machine.memory[location]}L`).join(", ");
  const threads = machine.phase.map(({ code, registers, initial: start }, thread) => {
    const declared = registers.map((_, index) => `long r${index} = ${start[index]}L; (void)r${index};`);
    const lines = code.map((instruction, index) => `after${index}: ${statement(instruction, at)}`);
    return [`void t${number}_${thread}(void) {`, ...declared, ...lines, `after${code.length}: return;`, "}"].join("\n");
  });
  const equals = (values: readonly string[]) =>
    values.map((value, location) => `${at(location)} == ${value}`).join(" && ");
  const known = each.outcomes.map((outcome) => `(${equals(valuesIn(each, outcome).map((value) => `${value}L`))})`);
  const names = places.map((_, location) => `v${location}`);
  return [
    `static volatile long page${number}[512] __attribute__((aligned(4096))) = { ${initial} };`,
    ...threads,
    `int other${number}(void) { return !(${known.join(" || ")}); }`,
    `int just${number}(${names.map((name) => `long ${name}`).join(", ")}) { return ${equals(names)}; }`,
  ].join("\n");
}

export const codeSource = (tests: readonly CodeTest[]): string =>
  [...tests.map(functionsOf), "int main(void) { return 0; }", ""].join("\n");
