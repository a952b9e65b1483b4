/** The report as JSON text (docs/report-json.md). */
import { printableJson } from "../../base/index.ts";
import type * as document from "../document/index.ts";

export const reportJson = (report: document.Report): string => printableJson(JSON.stringify(report, undefined, 2));

/** The last line of JSON lines: what was said of the run while it was judged is in those before it. */
export const reportLine = (report: document.Report): string =>
  printableJson(JSON.stringify({ event: "report", report }));
