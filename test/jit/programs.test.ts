/** Hand-written guest programs give the same states, counts and events compiled as interpreted, however they are cut. */
import { describe, expect, test } from "vitest";
import { below, seedRandom } from "../../src/base/index.ts";
import { assemble } from "../support/assemble.ts";
import { code, data, machineWith, stateOf } from "./machine.ts";

const programs: Readonly<Record<string, string>> = {
  fibonacci: `
    mov edi, 15
    call fib
    syscall
  fib: push rbx
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
    ret`,
  "sieve with nested loops": `
    mov ebx, ${data}
    mov esi, 2
  outer: cmp byte ptr [rbx+rsi], 0
    jne next
    lea edi, [rsi+rsi]
  inner: cmp edi, 3000
    jae next
    mov byte ptr [rbx+rdi], 1
    add edi, esi
    jmp inner
  next: inc esi
    cmp esi, 3000
    jb outer
    syscall`,
  "flags that cross blocks": `
    xor ecx, ecx
    xor edx, edx
  again: cmp ecx, 20
    jg big
    je same
    add edx, 1
    jmp step
  same: add edx, 100
    jmp step
  big: adc edx, 1000
    setc al
  step: inc ecx
    setc bl
    cmp ecx, 40
    jne again
    syscall`,
  "a shift by a variable count keeps or sets flags": `
    xor ebx, ebx
    mov ecx, 64
  again: cmp ecx, 30
    mov eax, 0x12345
    shl eax, cl
    jc carry
    jz zero
    add ebx, 3
    jmp on
  carry: add ebx, 5
    jmp on
  zero: add ebx, 7
  on: dec ecx
    jns again
    syscall`,
  "a loop entered in the middle": `
    mov ecx, 100
    xor eax, eax
  first: test ecx, 1
    jnz middle
    add eax, 3
  top: add eax, 1
    sub ecx, 1
    jz out
    test ecx, 3
    jz first
  middle: add eax, 5
    sub ecx, 1
    jz out
    test ecx, 4
    jnz top
    jmp first
  out: syscall`,
  "a fault in the middle of a hot loop": `
    mov ebx, ${data}
  again: mov eax, [rbx]
    add eax, 1
    mov [rbx+4], eax
    inc edx
    add rbx, 64
    jmp again`,
  "an address above four gigabytes": `
    mov ebx, ${data}
    mov ecx, 50
  again: mov rax, [rbx]
    add rdx, rax
    dec ecx
    jnz 1f
    bts rbx, 33
  1: jmp again`,
  "division faults": `
    mov ecx, 30
  again: mov eax, 1000
    xor edx, edx
    div ecx
    add ebx, eax
    dec ecx
    jmp again`,
  "indirect calls and computed jumps": `
    mov ebp, 50
  again: lea rax, [rip+one]
    lea rcx, [rip+two]
    test ebp, 1
    cmovz rax, rcx
    call rax
    lea rcx, [rip+there]
    jmp rcx
    ud2
  there: dec ebp
    jnz again
    syscall
  one: add ebx, 1
    ret
  two: add ebx, 2
    jmp one`,
  "a callee that does not return to its caller": `
    mov ebp, 20
  again: call skip
    ud2
    inc ebx
    dec ebp
    jnz again
    syscall
  skip: add qword ptr [rsp], 2
    ret`,
  "vectors and stores across pages": `
    mov ebx, ${data + 0xff0}
    mov ecx, 40
    movdqu xmm0, [rip+one]
    pxor xmm1, xmm1
  again: paddd xmm1, xmm0
    movdqu [rbx], xmm1
    mov [rbx+3], rbx
    mov [rbx+13], ecx
    inc rbx
    dec ecx
    jnz again
    syscall
  one: .long 1, 2, 3, 4`,
  "a misaligned vector access": `
    mov ebx, ${data}
    mov ecx, 40
  again: movaps xmm0, [rbx]
    inc edx
    dec ecx
    cmp ecx, 10
    jne again
    inc rbx
    jmp again`,
  "recursion deeper than calls may nest": `
    mov edi, 5000
    call down
    syscall
  down: dec edi
    jz 1f
    call down
    add eax, 1
  1: ret`,
  "jump tables, absolute and relative": `
    mov ebp, 300
  again: mov eax, ebp
    and eax, 3
    lea rcx, [rip+absolute]
    jmp [rax*8+absolute]
  back: mov eax, ebp
    and eax, 1
    lea rcx, [rip+relative]
    movsxd rax, dword ptr [rcx+rax*4]
    add rax, rcx
    jmp rax
  next: dec ebp
    jnz again
    syscall
  a0: add ebx, 1
    jmp back
  a1: add ebx, 3
    jmp back
  a2: add ebx, 5
    jmp back
  r0: add edx, 7
    jmp next
  r1: sub edx, 1
    jmp next
    .balign 8
  absolute: .quad a0, a1, a2, a1
  relative: .long r0-relative, r1-relative`,
  "calls through a pointer that changes": `
    mov ebp, 200
    lea rax, [rip+one]
    mov [${data}], rax
  again: call [${data}]
    cmp ebp, 100
    jne 1f
    lea rax, [rip+two]
    mov [${data}], rax
  1: dec ebp
    jnz again
    syscall
  one: add ebx, 1
    ret
  two: add ebx, 1000
    ret`,
  "a division by zero that is not masked": `
    mov dword ptr [${data}], 0x1d80
    ldmxcsr [${data}]
    mov ecx, 50
    cvtsi2sd xmm1, ecx
  again: cvtsi2sd xmm0, ecx
    movapd xmm2, xmm1
    divsd xmm2, xmm0
    addsd xmm3, xmm2
    dec ecx
    jmp again`,
  "string instructions": `
    mov ebp, 60
  again: mov edi, ${data + 0x900}
    mov esi, ${data}
    mov ecx, ebp
    rep movsb
    mov eax, ebp
    mov ecx, 9
    rep stosd
    add ebx, ecx
    dec ebp
    jnz again
    mov ecx, 0x2000
    rep stosd
    syscall`,
  "code that changes now and then": `
    mov ecx, 200
  again: mov eax, 1
    add edx, eax
    test ecx, 15
    jnz 1f
    lea rbx, [rip+again+1]
    add byte ptr [rbx], 1
  1: dec ecx
    jnz again
    syscall`,
  "a call by a stub, back to a large region of its own": `
    lea rax, [rip+large]
    mov [${data}], rax
    mov r12d, 60
  again: cmp r12d, 20
    jbe calls
    jmp back
  calls: call stub
  back:
    .rept 420
    add rbx, r12
    .endr
    dec r12d
    jnz again
    syscall
  stub: jmp qword ptr [${data}]
  large: test r12d, 7
    jz 1f
    .rept 150
    add rcx, rbx
    .endr
    ret
  1: pop rdx
    push rdx
    ret`,
};

/** Runs to the first event that is not "done", in steps as `nextStep` gives them. */
function runThrough(program: Uint8Array, hotAfter: number, batch: number, nextStep: () => number) {
  const machine = machineWith(program, hotAfter, batch);
  let total = 0;
  for (;;) {
    const { event, retired } = machine.processor.run(nextStep());
    total += retired;
    if (event.kind !== "done" || total > 1_000_000)
      return { event, total, compiled: machine.compiled.length, ...stateOf(machine) };
  }
}

describe.each(Object.keys(programs))("%s", (name) => {
  const program = assemble(programs[name]!, code);
  const { compiled: none, ...expected } = runThrough(program, 0, 1, () => 1_000_000);

  test.each([1, 3])("compiled in batches of %i", (batch) => {
    const { compiled, ...result } = runThrough(program, 3, batch, () => 1_000_000);
    expect(none).toBe(0);
    expect(compiled).toBeGreaterThan(batch === 1 ? 0 : -1);
    expect(result).toEqual(expected);
  });

  test("cut into short runs", () => {
    const random = seedRandom(7);
    const { compiled, ...result } = runThrough(program, 3, 1, () => 1 + below(random, 60));
    expect(compiled).toBeGreaterThan(0);
    expect(result).toEqual(expected);
  });
});
