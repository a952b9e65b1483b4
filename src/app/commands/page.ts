/** `blackout page`: a JSON report as a page to read. */
import type { Command } from "commander";
import { InputError } from "../../base/index.ts";
import { isSameFile, readText, stdoutLine } from "../../host/index.ts";
import { readReport } from "../../report/render/index.ts";
import { exitCode } from "./exit-codes.ts";
import { ownCommand, withExamples } from "./options.ts";
import { writePage } from "./page-file.ts";

export const pageCommandLine = (): Command =>
  withExamples(
    ownCommand("blackout page")
      .description("Writes a report as one page that opens in a browser, from disk and offline.")
      .argument("<report>", "a file that --format json wrote")
      .option("-o, --out <file>", "where to (default: beside the report, with .html for .json)"),
    ["blackout page report.json", "writes report.html"],
    ["blackout page report.json -o /srv/www/last.html", "writes it elsewhere"],
  );

export async function pageCommand(args: readonly string[]): Promise<number> {
  const command = pageCommandLine();
  command.parse([...args], { from: "user" });
  const file = command.args[0]!;
  const { out = `${file.replace(/\.json$/, "")}.html` } = command.opts<{ readonly out?: string }>();
  if (isSameFile(file, out))
    throw new InputError("page/itself", `${out} is the report itself: name another file for the page.`, { out });
  writePage(out, readReport(file, readText(file, "report")));
  stdoutLine(`blackout: ${out}`);
  return exitCode.clean;
}
