/** The words that everybody's flushes and fences come down to: intrinsics, libpmem's calls, and instructions in the text of inline assembly. */

export interface Doing {
  readonly flushes: boolean;
  readonly fences: boolean;
}

export const flush: Doing = { flushes: true, fences: false };
export const fence: Doing = { flushes: false, fences: true };
export const both: Doing = { flushes: true, fences: true };

/** What everybody's helpers come down to. */
export const intrinsics: Readonly<Record<string, Doing>> = {
  _mm_clwb: flush,
  _mm_clflushopt: flush,
  _mm_clflush: flush,
  _mm_sfence: fence,
  _mm_mfence: fence,
  __builtin_ia32_sfence: fence,
  __builtin_ia32_clflush: flush,
};
export const primitives: Readonly<Record<string, Doing>> = {
  ...intrinsics,
  pmem_flush: flush,
  pmem_drain: fence,
  pmem_persist: both,
};

/** In the text of inline assembly. */
export const instructions: readonly (readonly [pattern: RegExp, doing: Doing])[] = [
  [/\b(?:clwb|clflush(?:opt)?|xsaveopt)\b/, flush],
  [/\b[sm]fence\b/, fence],
];

export const flushingAssembly: RegExp = instructions[0]![0];

export const primitiveDoing = (name: string): Doing | undefined =>
  Object.hasOwn(primitives, name) ? primitives[name] : undefined;
