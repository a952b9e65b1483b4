export { codeName, decodeRun, disassemble, formName } from "./decode.ts";
export { decoderImage } from "./decoder.ts";
export { featuresOf, levelFeatures, missingFeatures } from "./features.ts";
export type { CpuLevel, Instruction, Memory, OpcodeEncoding, Operand } from "./instruction.ts";
