/** The report inside the page that shows it. */
import type * as document from "./index.ts";

const slot = "BLACKOUT_REPORT";

/**
 * JSON that may stand in a script element: without "<" nothing of it can end the element or begin a comment
 * (HTML standard, "restrictions for contents of script elements").
 */
export const embeddedJson = (report: document.Report): string => JSON.stringify(report).replaceAll("<", "\\u003c");

/** `template` is what tools/build-page.mjs made. The function is called, so that "$&" in a report means nothing. */
export const reportPage = (template: string, report: document.Report): string =>
  template.replace(slot, () => embeddedJson(report));
