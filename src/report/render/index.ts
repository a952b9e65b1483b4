/** The report of a run: made of findings, rendered as text, JSON, SARIF and JUnit; what is left out of it; and witnesses. */

export { againstBaseline, baselineLines, baselineText, readBaseline } from "./baseline.ts";
export { buildReport, type RunFacts } from "./build.ts";
export { type CodeFrameOptions, codeFrame } from "./code-frame.ts";
export { type ConfigValues, type OptionShape, type OptionShapes, readConfig } from "./config.ts";
export { findingKeys, type KeyOf } from "./finding-keys.ts";
export { type Rendering, type ReportFormat, renderReport, reportFormats, reportOf } from "./formats.ts";
export { withLibrariesMilder } from "./inside-library.ts";
export { reportJson } from "./json.ts";
export { type JunitOptions, reportJunit } from "./junit.ts";
export { markdownText } from "./markdown-text.ts";
export { type PlacedPoint, pointTreeText } from "./point-tree.ts";
export { reportSarif } from "./sarif.ts";
export type { Paint } from "./story.ts";
export {
  parseSuppressions,
  type Sifted,
  type Suppression,
  siftFindings,
  suppresses,
  suppressionText,
} from "./suppressions.ts";
export { findingText, reportText, stackText, type TextOptions } from "./text.ts";
export { readReport, reportComplaint } from "./validate.ts";
export { leakText } from "./verdict-text.ts";
