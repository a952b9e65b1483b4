export { codeName, disassemble, formName, InstructionStream, needsNewerCpu } from "./decode.ts";
export type { Instruction, Memory, Operand } from "./instruction.ts";
