/** The report as JSON text (docs/report-json.md). */
import type * as document from "../document/index.ts";

export const reportJson = (report: document.Report): string => JSON.stringify(report, undefined, 2);
