/** The user's own source text: which statement a place is in, what it writes, and patches that look like the author's. */
export { addedRange } from "./add-range.ts";
export { unifiedDiff } from "./diff.ts";
export {
  functionAround,
  type Parameter,
  rootVariable,
  type SourceCall,
  type SourceFunction,
  SourceFunctions,
} from "./functions.ts";
export { HelperBodies } from "./helper-bodies.ts";
export { type DurabilityHelper, helpersIn } from "./helpers.ts";
export { type Idiom, idiomAt, idiomOf, poolVariable, type Reach } from "./idioms.ts";
export { applyInsertions, type Insertion, insertAfter, insertBefore, removalOf } from "./insertions.ts";
export { type CopyStrength, type LibraryCopies, type LibraryCopy, libraryCopy } from "./library-copies.ts";
export { type LoopRange, rangeOfLoop } from "./loop-ranges.ts";
export { isLeftByEnd, loopsOf } from "./loops.ts";
export { needlessCalls } from "./needless.ts";
export { type RepeatableCalls, repeatableCalls } from "./repeatable.ts";
export { nodeAt, type Placement, placeAfter, type SourcePosition } from "./statements.ts";
export { inCallersWords } from "./substitute.ts";
export { languageOf, type SourceLanguage, type SourceNode, Syntax, type SyntaxFiles } from "./syntax.ts";
export { trusted } from "./trusted-helpers.ts";
export { type BitFields, bitFieldsIn, type WrittenRange, writeAt, writtenAt, writtenNode } from "./written.ts";
