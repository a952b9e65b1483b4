/** Writes a report as a page. */
import { writeText } from "../../host/index.ts";
import { type Report, reportPage } from "../../report/document/index.ts";
import { builtFile } from "../pipeline/index.ts";

const template = (): string => new TextDecoder().decode(builtFile("page.html", "The page that shows reports"));

export const writePage = (file: string, report: Report): void => writeText(file, reportPage(template(), report));
