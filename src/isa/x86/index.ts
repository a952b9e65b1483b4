export { codeName, decodeRun, disassemble, formName } from "./decode.ts";
export { decoderImage } from "./decoder.ts";
export { featuresOf, levelFeatures, missingFeatures } from "./features.ts";
export {
  type CpuLevel,
  type Instruction,
  type Memory,
  type OpcodeEncoding,
  type Operand,
  usualLevel,
} from "./instruction.ts";
