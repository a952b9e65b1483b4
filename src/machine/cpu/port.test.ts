import { expect, test } from "vitest";
import { compileGuest, finish, loadGuest } from "../../../test/support/programs.ts";
import { gprs } from "../../isa/ir/index.ts";
import { Recorder } from "../../trace/events/index.ts";

const counters = () => compileGuest("machine/counters.c", ["-O2", "-pthread"]);
const stackPointer = gprs[4]!;

test("block by block it is the same run, threads and their turns included", () => {
  const straight = finish(loadGuest([counters()]));
  const guest = loadGuest([counters()]);
  const { machine } = guest;
  const { port } = machine;
  const threads = new Set<number>();
  machine.run(90_000);
  for (let step = 0; step < 6000; step++) {
    if (machine.beginTurn() !== undefined) break;
    threads.add(port.thread);
    const before = machine.instructions;
    const block = port.blockAt(machine.rip, port.turnLeft)!;
    const result = machine.run(block.instructions);
    if (result.kind === "ended") break;
    expect(machine.instructions - before).toBe(block.instructions);
  }
  expect(threads.size).toBeGreaterThan(1);
  expect(finish(guest)).toEqual(straight);
});

test("a watched page stops the run before each instruction that uses it, and nothing else changes", () => {
  const straight = finish(loadGuest([counters()]));
  const guest = loadGuest([counters()]);
  const { machine } = guest;
  const { port } = machine;
  machine.run(100_000);
  const page = port.pageOf(Number(port.get(stackPointer)));
  port.watchPage(page, true);
  for (let uses = 0; uses < 100; uses++) {
    port.uses = "stops";
    expect(machine.run(1_000_000).kind).toBe("use");
    const before = machine.instructions;
    expect(machine.run(1).kind, "it stands before the same instruction still").toBe("use");
    expect(machine.instructions).toBe(before);
    port.uses = "noted";
    machine.run(1);
  }
  port.watchPage(page, false);
  expect(finish(guest)).toEqual(straight);
});

test("a run stops before each block that has to do with a register, and nothing else changes", () => {
  const register = gprs[3]!;
  const straight = finish(loadGuest([counters()]));
  const [guest, twin] = [loadGuest([counters()]), loadGuest([counters()])];
  const stops: number[] = [];
  for (let i = 0; i < 40; i++) {
    guest.machine.port.stopBefore([register], false);
    expect(guest.machine.run(1_000_000).kind).toBe("use");
    stops.push(guest.machine.rip);
    guest.machine.port.interpret();
    guest.machine.run(guest.machine.port.blockAt(guest.machine.rip, 1000)!.instructions);
  }
  const uses: number[] = [];
  while (uses.length < stops.length) {
    const { machine } = twin;
    const block = machine.port.blockAt(machine.rip, 1000)!;
    const isUsed = block.ops.some((op) => (op.kind === "get" || op.kind === "put") && op.register === register);
    const leaves = block.exit.kind === "syscall" || block.exit.kind === "complex";
    if (isUsed || leaves) uses.push(machine.rip);
    machine.run(block.instructions);
  }
  expect(stops).toEqual(uses);
  guest.machine.port.stopBefore([], false);
  expect(finish(guest)).toEqual(straight);
});

test("of a watched page, only bytes that are marked stop a run", () => {
  const { machine } = loadGuest([counters()]);
  const { port } = machine;
  machine.run(100_000);
  const top = Number(port.get(stackPointer));
  port.watchPage(port.pageOf(top), true);
  port.uses = "stopsAtMarks";
  expect(machine.run(1000).kind).toBe("limit");
  const marks = Array.from({ length: 64 }, (_, i) => Number(port.get(stackPointer)) - 4 * i);
  for (const mark of marks) port.markAt(mark, true);
  expect(machine.run(1_000_000).kind).toBe("use");
  for (const mark of marks) port.markAt(mark, false);
  expect(machine.run(1000).kind).toBe("limit");
});

test("a client request is one, wherever a run before it ended", () => {
  const program = compileGuest("symbolic/named.c", ["-O1"]);
  const unknownIn = (instructions: number): readonly string[] => {
    const names: string[] = [];
    const unknownBytes = (_address: number, _size: number, name: string) => void names.push(name);
    const trace = { recorder: new Recorder([]), annotations: false, unknownBytes };
    const { machine } = loadGuest([program, "/tmp/pool"], { trace });
    while (machine.run(instructions).kind === "limit");
    return names;
  };
  expect(unknownIn(1_000_000)).toEqual(["key", "key", "key"]);
  expect(unknownIn(1)).toEqual(["key", "key", "key"]);
});

test("what is put there is what the program finds", () => {
  const { port } = loadGuest([counters()]).machine;
  const address = Number(port.get(stackPointer));
  for (const register of gprs.slice(0, 4)) port.put(register, 0x1234_5678_9abc_def0n);
  expect(gprs.slice(0, 4).map((register) => port.get(register))).toEqual(Array(4).fill(0x1234_5678_9abc_def0n));
  port.writeByte(address, 0xa5);
  expect([port.byteAt(address), port.read(address, 1)]).toEqual([0xa5, 0xa5n]);
  port.putFlags(0x41n);
  expect(port.flags).toMatchObject({ kind: "raw", left: 0x41n });
  expect([port.canRead(address, 8), port.canWrite(address, 8), port.canRead(0, 1)]).toEqual([true, true, false]);
});
