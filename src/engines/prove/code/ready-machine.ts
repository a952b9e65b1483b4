/** A machine that stands where the threads begin: before main, or after a function that was called there. */
import { assert, InputError } from "../../../base/index.ts";
import { control, gprs } from "../../../isa/ir/index.ts";
import type { Machine } from "../../../machine/index.ts";

/** What main may use below its stack pointer. */
const redZone = 128;
const wordBytes = 8;

export function runToMain(machine: Machine): void {
  const main = machine.symbol("main");
  if (main === undefined)
    throw new InputError("prove/no-main", "The program has no symbol main: build it without -s, and do not strip it.");
  machine.stopAt([main]);
  if (machine.run().kind !== "address")
    throw new InputError("prove/ended", "The program ended before it came to main: nothing can be proven of it.");
}

/** Calls a function of no arguments as main would, and comes back to main's beginning. */
export function callBeforeMain(machine: Machine, name: string, address: number): void {
  const { port } = machine;
  const stackPointer = gprs[4]!;
  const kept = gprs.map((register) => [register, port.get(register)] as const);
  const main = BigInt(machine.rip);
  // The stack is a multiple of 16 before the call pushes the return address (System V ABI 3.2.2).
  const stack = ((port.get(stackPointer) - BigInt(redZone)) & ~15n) - BigInt(wordBytes);
  for (let at = 0; at < wordBytes; at++) port.writeByte(Number(stack) + at, Number((main >> BigInt(8 * at)) & 0xffn));
  port.put(stackPointer, stack);
  port.put(control.rip, BigInt(address));
  if (machine.run().kind !== "address")
    throw new InputError("prove/init", `${name} does not return: what threads start with is not known.`, { name });
  assert(BigInt(machine.rip) === main, "prove: a function that is called before main returns to it");
  for (const [register, value] of kept) port.put(register, value);
}
