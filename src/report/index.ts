/** Findings rendered: text, JSON, SARIF, JUnit; what is left out of them; and their witnesses as text. */
export { describeVerdict, readWitnesses, type Witness, witnessText } from "../crash/index.ts";
export { type Finding, hasFindings, type RuleInfo, type Severity, severities } from "../finding/index.ts";
export { type CodeFrameOptions, codeFrame } from "./code-frame.ts";
export { type ConfigValues, type OptionShape, type OptionShapes, readConfig } from "./config.ts";
export { type Reported, type ReportFormat, renderReport, reportFormats } from "./formats.ts";
export { type CoverageFigures, jsonVersion, type RunFacts, reportJson } from "./json.ts";
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
