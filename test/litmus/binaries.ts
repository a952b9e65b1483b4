/**
 * Litmus tests as a real program: C with each instruction as inline assembly, all tests in one binary that runs them one
 * after another, each on a page of its own of a file that holds what the test starts from. Threads yield where chance says
 * so, which is how their instructions come to lie between each other's. Before a test counts, its code may run on another
 * file, so that it is compiled when it does.
 */
import { readFileSync } from "node:fs";
import type { Expression, Instruction } from "../../src/model/litmus/index.ts";
import type { Machine } from "../../src/model/litmus/machine.ts";
import { guestSource } from "../support/programs.ts";
import { pm } from "../trace/builder.ts";
import { addressesOf } from "./traced.ts";

/** One phase of a test from one state that the phase before can leave. */
export interface Job {
  readonly name: string;
  readonly machine: Machine;
}

export const pageBytes = 4096;

const expression = ({ constant, terms }: Expression): string =>
  [`${constant}L`, ...terms.map(({ register, factor }) => `${factor}L * r${register}`)].join(" + ");

const asm = (template: string, outputs: string, inputs: string, clobbers = '"memory"'): string =>
  `__asm__ volatile("${template}" : ${outputs} : ${inputs} : ${clobbers});`;

/** The statement of one instruction; `at` is a location as an lvalue. */
export function statement(instruction: Instruction, at: (location: number) => string): string {
  switch (instruction.kind) {
    case "store": {
      const move = instruction.nonTemporal ? "movnti" : "movq";
      return asm(`${move} %1, %0`, `"=m"(${at(instruction.location)})`, `"r"(${expression(instruction.value)})`);
    }
    case "load":
      return asm("movq %1, %0", `"=r"(r${instruction.register})`, `"m"(${at(instruction.location)})`);
    case "flush":
      return asm(`${instruction.op} %0`, `"+m"(${at(instruction.location)})`, "");
    case "fence":
      return asm(instruction.op, "", "");
    case "update":
      return update(instruction, at(instruction.location));
    case "assign":
      return `r${instruction.register} = ${expression(instruction.value)};`;
    case "jump": {
      const relation = instruction.when === "zero" ? "==" : "!=";
      return `if ((${expression(instruction.value)}) ${relation} 0) goto after${instruction.target};`;
    }
  }
}

const updates = {
  "compare-exchange": "lock cmpxchgq %2, %0",
  add: "lock xaddq %1, %0",
  exchange: "xchgq %1, %0",
} as const;

function update({ op, register, expected, operand }: Instruction & { kind: "update" }, at: string): string {
  const flags = '"memory", "cc"';
  const isCompare = op === "compare-exchange";
  const found = isCompare ? expression(expected) : expression(operand);
  const inputs = isCompare ? `"r"(${expression(operand)})` : "";
  const outputs = `"+m"(${at}), "${isCompare ? "+a" : "+r"}"(found)`;
  return `{ long found = ${found}; ${asm(updates[op], outputs, inputs, flags)} r${register} = found; }`;
}

function threadFunction({ machine }: Job, number: number, thread: number): string {
  const addresses = addressesOf(machine);
  const at = (location: number) => `*(volatile long *)(page + ${addresses[location]! - pm})`;
  const { code, registers, initial } = machine.phase[thread]!;
  const lines = code.map((each, i) => `after${i}: yield(); ${statement(each, at)}`);
  const declared = registers.map((_, i) => `long r${i} = ${initial[i]}L; (void)r${i};`).join(" ");
  const head = `static void *p${number}_${thread}(char *page) {`;
  return [head, declared, ...lines, `after${code.length}: return page;`, "}"].join("\n");
}

const preamble = `
#include <pthread.h>
#include <sched.h>
${readFileSync(guestSource("flush.h"), "utf8")}
typedef void *(*body)(char *);
static unsigned long chance;
static inline void yield(void) {
  if (chance == 0) return;
  chance ^= chance << 13, chance ^= chance >> 7, chance ^= chance << 17;
  if (chance & 1) sched_yield();
}
`;

const oneByOne = `
static void run(body *threads, char *page) {
  pthread_t ids[8];
  if (threads[1] == NULL) { threads[0](page); return; }
  for (int i = 0; threads[i] != NULL; i++) pthread_create(&ids[i], NULL, (void *(*)(void *))threads[i], page);
  for (int i = 0; threads[i] != NULL; i++) pthread_join(ids[i], NULL);
}
static void settle(char *page) {
  for (int line = 0; line < 16; line++) clflush(page + 64 * line);
  __asm__ volatile("mfence" : : : "memory");
}
static inline void mark(void) { __asm__ volatile("lfence; lfence; lfence" : : : "memory"); }
/* argv: the pages, a page to warm up on, how often, and a seed; 0: nobody yields. */
int main(int argc, char **argv) {
  int count = sizeof jobs / sizeof *jobs, rounds = atoi(argv[3]);
  char *pages = map_pool(argv[1], count * 4096), *warm = map_pool(argv[2], 4096);
  for (int job = 0; job < count; job++) {
    chance = 0;
    for (int round = 0; round < rounds; round++)
      for (int i = 0; jobs[job][i] != NULL; i++) jobs[job][i](warm);
    settle(warm);
    chance = strtoul(argv[argc - 1], NULL, 10);
    mark();
    run(jobs[job], pages + 4096 * job);
    mark();
    settle(pages + 4096 * job);
  }
  return 0;
}
`;

/** The C of them all; `main` runs what lies in the table `jobs`. */
export function sourceOf(jobs: readonly Job[], main = oneByOne): string {
  const functions = jobs.flatMap((job, number) =>
    job.machine.phase.map((_, thread) => threadFunction(job, number, thread)),
  );
  const rows = jobs.map(
    ({ machine }, number) => `{${machine.phase.map((_, i) => `p${number}_${i}`).join(", ")}, NULL}`,
  );
  return [preamble, ...functions, `static body jobs[][8] = {${rows.join(",\n")}};`, main].join("\n");
}

/** The file that they start from. */
export function pagesOf(jobs: readonly Job[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(jobs.length * pageBytes));
  for (const [number, { machine }] of jobs.entries())
    for (const [location, address] of addressesOf(machine).entries())
      view.setBigInt64(number * pageBytes + address - pm, BigInt(machine.memory[location]!), true);
  return new Uint8Array(view.buffer);
}
