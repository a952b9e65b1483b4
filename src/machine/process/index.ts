/** One process's registers and address space, and how a program gets into them. */
export {
  AddressSpace,
  type AddressSpaceOptions,
  type AddressSpaceState,
  type MapRequest,
  pageDown,
  pageUp,
} from "./address-space.ts";
export { type Area, type Areas, areaAt, listAreas } from "./areas.ts";
export { Cpu, gpr } from "./cpu.ts";
export { FXSAVE_BYTES, FXSAVE_WRITTEN, hasBadMxcsr, restoreState, saveState } from "./fxsave.ts";
export { type BuiltStack, buildStack, STACK_BYTES, type StackInputs } from "./initial-stack.ts";
export { type LoadedProgram, loadProgram } from "./loader.ts";
export { describeAddress, mapsText } from "./maps-text.ts";
export { inodeNamed, type PoolNames, poolNameOf } from "./pool-names.ts";
export {
  components,
  hasUsualMxcsr,
  loadExtended,
  mxcsrPart,
  partsOf,
  saveExtended,
  XCR0,
  xsaveArea,
} from "./xsave.ts";
