import { expect, test } from "vitest";
import { assemble } from "../../../test/support/assemble.ts";
import { cpuOffset } from "../../isa/ir/index.ts";
import { GuestMemory } from "../memory/index.ts";
import { cpuAddress } from "../runtime/index.ts";
import { Processor } from "./processor.ts";

const code = 0x40_0000;
const data = 0x50_0000;
const stack = 0x60_0000;

function machineWith(text: string) {
  const memory = new GuestMemory();
  memory.map(code, 0x2000, 7);
  memory.map(data, 0x2000, 3);
  memory.map(stack, 0x2000, 3);
  memory.load(code, assemble(text, code));
  const helpers = new Proxy({}, { get: () => () => 0n }) as never;
  const processor = new Processor(memory, {
    helpers,
    hotAfter: 0,
    drainEvents: () => {},
    mirror: () => {},
    tsc: () => 0n,
  });
  memory.hooks = { ...memory.hooks, codeChanged: (page) => processor.codeChanged(page) };
  const set = (index: number, value: bigint) =>
    memory.view.setBigUint64(cpuAddress(cpuOffset.gpr + 8 * index), value, true);
  const get = (index: number) => memory.view.getBigUint64(cpuAddress(cpuOffset.gpr + 8 * index), true);
  memory.view.setBigUint64(cpuAddress(cpuOffset.rip), BigInt(code), true);
  set(4, BigInt(stack + 0x1000));
  return { memory, processor, get, set };
}

const fibonacci = `
  mov edi, 20
  call fib
  syscall
fib:
  push rbx
  mov ebx, edi
  cmp edi, 1
  jbe 1f
  lea edi, [rbx-1]
  push rbp
  call fib
  mov ebp, eax
  lea edi, [rbx-2]
  call fib
  add eax, ebp
  pop rbp
  pop rbx
  ret
1: mov eax, edi
  pop rbx
  ret`;

test("recursive fibonacci returns to the caller with the right value and an exact instruction count", () => {
  const { processor, get } = machineWith(fibonacci);
  const { event, retired } = processor.run(1_000_000_000);
  expect(event).toEqual({ kind: "syscall" });
  expect(get(0)).toBe(6765n);
  // fib(n) makes 10946 leaf calls and 10945 inner ones: 7 and 14 instructions each; then mov, call and syscall.
  expect(retired).toBe(10946 * 7 + 10945 * 14 + 3);
});

test("running in small steps retires the same instructions and ends in the same state", () => {
  const { processor, get } = machineWith(fibonacci);
  let total = 0;
  for (let step = 1; ; step = (step % 17) + 1) {
    const { event, retired } = processor.run(step);
    total += retired;
    if (event.kind === "syscall") break;
    expect(event.kind).toBe("done");
    expect(retired).toBe(step);
  }
  expect(get(0)).toBe(6765n);
  expect(total).toBe(10946 * 7 + 10945 * 14 + 3);
});

test("a bad store is a fault at its own instruction with nothing after it retired", () => {
  const { processor, get } = machineWith("mov eax, 7\n mov rbx, 0x12345678\n mov [rbx], rax\n mov eax, 9\n syscall");
  const { event, retired } = processor.run(100);
  expect(event).toEqual({ kind: "fault", access: "write", address: 0x12345678n });
  expect(retired).toBe(2);
  expect(get(0)).toBe(7n);
  expect(processor.rip).toBe(BigInt(code + 5 + 7));
});

test("self-modifying code takes effect at once", () => {
  const { processor, get } = machineWith(`
    mov ecx, 3
  again:
    mov eax, 1
    add edx, eax
    lea rbx, [rip+again+1]
    add byte ptr [rbx], 1
    dec ecx
    jnz again
    syscall`);
  expect(processor.run(1000).event).toEqual({ kind: "syscall" });
  expect(get(2)).toBe(6n); // 1 + 2 + 3
});

test("an access across two pages sees both, and faults on the second when it is missing", () => {
  const { processor, memory, get } = machineWith(`mov rax, [${data + 0xffc}]\n mov rcx, [${data + 0x1ffc}]\n syscall`);
  memory.load(data + 0xffc, new Uint8Array([1, 2, 3, 4, 5, 6, 7, 8]));
  const { event } = processor.run(10);
  expect(get(0)).toBe(0x0807060504030201n);
  expect(event).toEqual({ kind: "fault", access: "read", address: BigInt(data + 0x2000) });
});
