/** Instructions that the interpreter takes as one do what they do one by one, in every sequence that there is. */
import { expect, test } from "vitest";
import { cpuOffset } from "../../src/isa/ir/index.ts";
import {
  cpuAddress,
  header,
  instructions,
  opcode,
  sequenceNames,
  sequences,
  wordsOf,
} from "../../src/machine/runtime/index.ts";
import { assemble } from "../support/assemble.ts";
import { code, data, machineWith, stack, stateOf, type TestMachine } from "./machine.ts";

const text = `
    mov r12d, 3
    lea rbx, [rip+table]
    mov [${data}], rbx
    mov rbp, ${data + 64}
  again: push rbx
    push r12
    push r13
    mov rax, r12
    push rax
    call pops
    mov rax, r12
    cmp rax, 2
    je 1f
    inc rdx
  1: cmp r12, rdx
    jne 2f
    inc rcx
  2: cmp rbx, [rbp+8]
    jb 3f
    inc rsi
  3: cmp r12, 1
    jbe 4f
    inc rdi
  4: mov rdi, r12
    add rdi, 5
    jz 5f
    sub rdi, 1
    jnz 5f
    inc r8
  5: test edi, edi
    jz 6f
    inc r9d
  6: mov [rbp+8], rdi
    mov [rbp+16], rsi
    mov r8, [rbp+8]
    mov r9d, [rbp+16]
    mov r10, [rbp+24]
    mov r11, r10
    mov [rbp+32], r8
    add r8, [rbp+8]
    mov eax, r9d
    mov ecx, [rbp]
    cmp ecx, eax
    rol rdi, 3
    rol rdi, 13
    xchg rsi, rdi
    mov rdx, rsi
    mov rsi, rcx
    and ecx, 7
    test cl, 3
    jnz 7f
    not rcx
  7: sub rcx, rdx
    mov rdx, rcx
    add rsi, rdx
    mov rax, rsi
    jmp 8f
  8: cmp r12, rdx
    je 9f
  9: mov [rbp+8], rdi
    mov [rbp+16], rsi
    jmp 10f
  10: and rdi, rsi
    jz 11f
  11: test dil, dil
    jnz 12f
  12: mov eax, [rbp+8]
    jmp 13f
  13: mov eax, esi
    jmp 14f
  14: cmp rax, rsi
    setb cl
    jmp 15f
  15: mov rcx, rax
    sub rcx, rsi
    mov rdx, [rsp]
    jmp 16f
  16: and rdx, rsi
    lea rcx, [rdx+4]
    jmp 17f
  17: mov rdx, rcx
    mov rcx, [rsp]
    jmp 18f
  18: movzx eax, byte ptr [rbp]
    mov cl, [rbp+4]
    jmp 19f
  19: test eax, eax
    jns 20f
  20: cmp eax, 5
    ja 21f
  21: cmp al, 3
    jne 22f
  22: add rsp, 8
    jmp 24f
  24: movd xmm0, [rbp+8]
    shl rax, 4
    shr rcx, 3
    sar rdx, 2
    bt rax, 3
    jc 25f
  25: shl edx, 1
    imul rdx, rcx
    jmp 26f
  26: test eax, ecx
    jmp 27f
  27: and eax, ecx
    jmp 28f
  28: xor edx, edx
    xor eax, ecx
    jmp 29f
  29: shl eax, cl
  23: sub rsp, 8
    pop rax
    pop r13
    pop r12
    pop rbx
    jmp [rbx]
  table: .quad next
  next: dec r12
    jnz again
    syscall
  pops: pop r14
    push r14
    ret`;

const cpuRange = [cpuAddress(0), cpuAddress(cpuOffset.threadEnd)] as const;

interface Place {
  readonly at: number;
  readonly opcode: number;
}

/** The instructions of every block that there is a translation of. */
function* written({ memory, processor }: TestMachine, bytes: number): Generator<Place> {
  for (let rip = code; rip < code + bytes; rip++) {
    const block = processor.translator.get(rip);
    for (let at = (block?.header ?? 0) + header.bytes; block !== undefined && at < block.end; ) {
      const opcode = memory.view.getUint32(at, true);
      yield { at, opcode };
      at += 4 * wordsOf(instructions[opcode]!);
    }
  }
}

test("whole and taken apart", () => {
  const program = assemble(text, code);
  const machine = machineWith(program, 0);
  const { memory, processor } = machine;
  const registers = memory.bytes.slice(...cpuRange);
  const run = () => {
    memory.bytes.set(registers, cpuRange[0]);
    memory.bytes.fill(0, data, data + 0x4000);
    memory.bytes.fill(0, stack, stack + 0x1_0000);
    processor.run(100_000);
    return stateOf(machine);
  };
  const whole = run();
  const found = new Set<number>();
  for (const place of [...written(machine, program.length)]) {
    const sequence = sequences.find((each) => each.code === place.opcode);
    if (sequence === undefined) continue;
    found.add(place.opcode);
    memory.view.setUint32(place.at, sequence.parts[0]!, true);
  }
  expect(run()).toEqual(whole);
  // A run whose calls are not followed has none of those that follow them.
  const follow = (names: string) => /\b(enter|prune)\b/.test(names);
  const missing = sequenceNames.filter((names) => !follow(names) && !found.has(opcode(names)));
  expect(missing).toEqual([]);
});
