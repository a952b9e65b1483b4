/** The report as JSON text (docs/report-json.md). */
import { printableJson } from "../../base/index.ts";
import type * as document from "../document/index.ts";

export const reportJson = (report: document.Report): string => printableJson(JSON.stringify(report, undefined, 2));
