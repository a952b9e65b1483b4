/**
 * MXCSR as it lies in the CPU block: the register's sixteen bits, and above them whether its status flags are kept.
 * WebAssembly does not say whether a result was inexact, and hardly any program asks. So they are kept only for a program
 * that looks: it loads MXCSR, as all of fenv.h does but its questions, or it names one of those (docs/adr/0006). Always:
 * - The guest sees the lower sixteen bits only.
 * - A thread that looks once is taken to look from then on.
 * - Flags stay set, so with all six set there is nothing to keep.
 */
export const mxcsr = {
  status: 0x3f,
  inexact: 0x20,
  /** An exception whose mask is set is not raised. */
  masks: 0x1f80,
  /** Rounding, masks, DAZ and FTZ. */
  control: 0xffc0,
  visible: 0xffff,
  initial: 0x1f80,
  kept: 0x1_0000,
  looks: 0x2_0000,
  /** What decides how an operation is done: the short way if these bits are as they are initially. */
  mode: 0x1_ffc0,
} as const;

const cellOf = (value: number, looks: boolean): number => {
  if (!looks) return value;
  const isFull = (value & mxcsr.status) === mxcsr.status;
  return value | mxcsr.looks | (isFull ? 0 : mxcsr.kept);
};

export const visibleMxcsr = (cell: number): number => cell & mxcsr.visible;
/** After the program itself loaded a value. */
export const loadedMxcsr = (value: number): number => cellOf(value, true);
/** After the kernel put another value there. */
export const replacedMxcsr = (cell: number, value: number): number => cellOf(value, (cell & mxcsr.looks) !== 0);
/** After an operation raised flags. */
export const raisedMxcsr = (cell: number, flags: number): number => replacedMxcsr(cell, visibleMxcsr(cell) | flags);
