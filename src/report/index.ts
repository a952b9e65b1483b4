/** Findings rendered: text, JSON, SARIF, JUnit; and what is left out of them. */
export { type CodeFrameOptions, codeFrame } from "./code-frame.ts";
export { type ConfigValues, type OptionShape, type OptionShapes, readConfig } from "./config.ts";
export { type Coverage, jsonVersion, type RunFacts, reportJson } from "./json.ts";
export { type JunitOptions, reportJunit } from "./junit.ts";
export { reportSarif, type SarifOptions } from "./sarif.ts";
export {
  parseSuppressions,
  type Sifted,
  type Suppression,
  siftFindings,
  suppresses,
  suppressionText,
} from "./suppressions.ts";
export { findingText, placeText, reportText, stackText, type TextOptions } from "./text.ts";
