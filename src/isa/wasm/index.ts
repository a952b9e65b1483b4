export { Bytes } from "./bytes.ts";
export { type BlockType, Code, type Label, type MemoryOp, memoryOps } from "./code.ts";
export { ModuleBuilder, type Signature } from "./module.ts";
export { type Numeric, type NumericName, numeric, type ValueType } from "./numeric.ts";
