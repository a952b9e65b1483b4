export { codeName, decodeRun, disassemble, formName, needsNewerCpu } from "./decode.ts";
export { decoderImage } from "./decoder.ts";
export type { CpuLevel, Instruction, Memory, OpcodeEncoding, Operand } from "./instruction.ts";
