export { codeName, decodeRun, disassemble, formName, needsNewerCpu } from "./decode.ts";
export { decoderImage } from "./decoder.ts";
export type { Instruction, Memory, Operand } from "./instruction.ts";
