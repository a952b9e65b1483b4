/** ELF64 files: what the loader maps, and what tools look up (symbols, notes, sections). */

export { debugFileCandidates } from "./debug-files.ts";
export { demangle } from "./demangle/index.ts";
export type { EntryQuestion, Location, Piece } from "./dwarf/evaluate.ts";
export type { FrameRules } from "./dwarf/frame-rules.ts";
export type { GlobalVariable } from "./dwarf/globals.ts";
export type { Operation } from "./dwarf/operations.ts";
export type { Range } from "./dwarf/ranges.ts";
export type { Inflate } from "./dwarf/sections.ts";
export type { EnumInfo, Member, PointerKind, Qualifier, StructInfo, TypeId, TypeInfo } from "./dwarf/types.ts";
export { type Dynamic, type DynamicEntry, readDynamic } from "./dynamic.ts";
export { bareType, type FieldStep, fieldPath, type Indices, isStruct, spellPath } from "./field-path.ts";
export type { ElfHeader, ElfType } from "./header.ts";
export { type DebugLink, type Note, readBuildId, readDebugLink, readNotes } from "./notes.ts";
export { type ElfFile, type Purpose, readElf } from "./read.ts";
export { readImports } from "./relocations.ts";
export { readSections, type Section, sectionBytes, sectionFlags, sectionTypes } from "./sections.ts";
export { addressOfOffset, fileOffsetOf, type Segment, segmentFlags, segmentTypes } from "./segments.ts";
export {
  createSymbolizer,
  type Frame,
  type FunctionInfo,
  type Symbolizer,
  type SymbolizerOptions,
} from "./symbolizer.ts";
export { type ElfSymbol, readSymbols, type SymbolBinding, type SymbolKind } from "./symbols.ts";
export { createTypeReader, type TypeReader } from "./type-reader.ts";
export {
  createVariableReader,
  type FrameView,
  returnAddress,
  type ScopedVariable,
  type VariableReader,
} from "./variable-reader.ts";
