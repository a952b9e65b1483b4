/**
 * The x87 unit. `x87Operations[code].run(unit, args)` runs one instruction, where `code` is the decoder's code name.
 * Arguments, in this order:
 * - an ST(i) operand as its i; FCMOVcc then takes 1 or 0 for whether its condition holds;
 * - a memory operand as its bits, an m80 in two parts (low 64, high 16), an image as one little-endian bigint.
 * The result is `PENDING` (an earlier exception must be delivered as #MF; nothing was done), `SUPPRESSED` (an
 * unmasked exception: write no memory), or: the bits to store, little-endian, as wide as the operand (an m80 has 80 bits); the EFLAGS bits
 * ZF PF CF for FCOMI (OF, SF and AF are cleared); the word for FNSTSW AX; else 0.
 * For rows with `recorded` the caller then sets lastOpcode, lastInstruction and lastData, unless PENDING came back.
 */
export { CONTROL_DEFAULT, initialize as initializeX87 } from "./control.ts";
export { DONE, PENDING, SUPPRESSED } from "./faults.ts";
export type { X87Operation } from "./operation.ts";
export { x87Operations } from "./operations.ts";
export { X87State } from "./state.ts";
