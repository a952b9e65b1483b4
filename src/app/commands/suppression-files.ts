/** Files of suppressions: what a run adds to one, and what of them has nothing to suppress any more. */
import { counted, printable } from "../../base/index.ts";
import { type Finding, placeWords } from "../../crash/finding/index.ts";
import { isFile, readText, stderrLine, writeText } from "../../host/index.ts";
import { type KeyOf, type Suppression, suppressionText } from "../../report/render/index.ts";

/** What stands in the file stays: it may be the one that this run was given. */
export function addSuppressions(file: string, findings: readonly Finding[], keyOf: KeyOf): void {
  const there = isFile(file) ? readText(file, "suppressions") : "";
  const begun = there === "" || there.endsWith("\n") ? there : `${there}\n`;
  const added = findings.map((finding) => {
    const says = printable(`${finding.rule.title}: ${placeWords(finding.frames)}`);
    return `${suppressionText(finding, keyOf(finding), says)}\n`;
  });
  writeText(file, begun + added.join(""));
  stderrLine(`blackout: ${counted(added.length, "suppression")} added to ${file}`);
}

/** The finding is gone, or its line was rewritten: the suppression can go. */
export function sayUnmatched(suppressions: readonly Suppression[]): void {
  for (const { file, line, name } of suppressions)
    stderrLine(`blackout: ${file}:${line} suppresses nothing any more: ${name}`);
}
