/** Writes a report as a page. */
import { fileURLToPath } from "node:url";
import { InputError } from "../base/index.ts";
import { type Report, reportPage } from "../document/index.ts";
import { readIfThere, writeText } from "../host/index.ts";

/** Beside the bundle; in the build's folder when run from the sources. */
const templates = ["./page.html", "../../dist/page.html"];

function template(): string {
  for (const place of templates) {
    const bytes = readIfThere(fileURLToPath(new URL(place, import.meta.url)));
    if (bytes !== undefined) return new TextDecoder().decode(bytes);
  }
  throw new InputError("page/not-built", "The page that shows reports is not built: run make build.");
}

export const writePage = (file: string, report: Report): void => writeText(file, reportPage(template(), report));
