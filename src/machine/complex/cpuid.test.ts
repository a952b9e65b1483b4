import { expect, test } from "vitest";
import { cpuidLeaf } from "./index.ts";

const has = (word: number, bit: number) => (Math.floor(word / 2 ** bit) & 1) === 1;

test("leaf 0 names the vendor and the last leaf", () => {
  const [last, ebx, ecx, edx] = cpuidLeaf(0, 0, "v2");
  const text = [ebx, edx, ecx].map((word) => String.fromCharCode(...[0, 8, 16, 24].map((at) => (word >>> at) & 0xff)));
  expect([last, text.join("")]).toEqual([7, "GenuineIntel"]);
});

test("everything of x86-64-v2 is there, and nothing above it", () => {
  const [, , ecx, edx] = cpuidLeaf(1, 0, "v2");
  const [, , , extended] = cpuidLeaf(0x8000_0001, 0, "v2");
  const [, structured] = cpuidLeaf(7, 0, "v2");
  // SSE3, SSSE3, CX16, SSE4.1, SSE4.2, POPCNT; FPU, CX8, CMOV, MMX, FXSR, SSE, SSE2; SYSCALL, long mode.
  for (const bit of [0, 9, 13, 19, 20, 23]) expect(has(ecx, bit)).toBe(true);
  for (const bit of [0, 8, 15, 23, 24, 25, 26]) expect(has(edx, bit)).toBe(true);
  for (const bit of [11, 29]) expect(has(extended, bit)).toBe(true);
  // PCLMULQDQ, FMA, MOVBE, AES, XSAVE, OSXSAVE, AVX, F16C, RDRAND; BMI1, HLE, AVX2, BMI2, ERMS, RTM.
  for (const bit of [1, 12, 22, 25, 26, 27, 28, 29, 30]) expect(has(ecx, bit)).toBe(false);
  for (const bit of [3, 4, 5, 8, 9, 11]) expect(has(structured, bit)).toBe(false);
});

test("the flushes that persistent-memory programs look for are there", () => {
  expect(has(cpuidLeaf(1, 0, "v2")[3], 19)).toBe(true);
  expect([23, 24].every((bit) => has(cpuidLeaf(7, 0, "v2")[1], bit))).toBe(true);
});

test("leaf 4 describes caches of 32 KiB, 32 KiB, 256 KiB and 8 MiB, then ends", () => {
  const sizes = [0, 1, 2, 3].map((i) => {
    const [, ebx, sets] = cpuidLeaf(4, i, "v2");
    return (((ebx >>> 22) & 0x3ff) + 1) * ((ebx & 0xfff) + 1) * (sets + 1);
  });
  expect(sizes).toEqual([32 << 10, 32 << 10, 256 << 10, 8 << 20]);
  expect(cpuidLeaf(4, 4, "v2")[0]).toBe(0);
});

test("x86-64-v3 is all of it, XSAVE's area included, and nothing above", () => {
  const [, , ecx] = cpuidLeaf(1, 0, "v3");
  const [, structured] = cpuidLeaf(7, 0, "v3");
  for (const bit of [0, 12, 22, 26, 27, 28, 29]) expect(has(ecx, bit)).toBe(true);
  for (const bit of [3, 5, 8, 23, 24]) expect(has(structured, bit)).toBe(true);
  expect(has(cpuidLeaf(0x8000_0001, 0, "v3")[2], 5)).toBe(true);
  // PCLMULQDQ, AES, RDRAND; HLE, ERMS, RTM, AVX-512, SHA.
  for (const bit of [1, 25, 30]) expect(has(ecx, bit)).toBe(false);
  for (const bit of [4, 9, 11, 16, 17, 29, 30, 31]) expect(has(structured, bit)).toBe(false);
  expect(cpuidLeaf(13, 0, "v3")).toEqual([7, 832, 832, 0]);
  expect(cpuidLeaf(13, 2, "v3")).toEqual([256, 576, 0, 0]);
});
