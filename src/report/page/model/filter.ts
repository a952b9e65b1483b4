/** Which findings are shown. Always: those that a severity is not hidden of, and whose text has every word looked for. */
import type * as document from "../../document/index.ts";
import { framesOf } from "../../document/index.ts";

export interface Filter {
  readonly words: string;
  readonly hidden: ReadonlySet<document.Severity>;
}

export const noFilter: Filter = { words: "", hidden: new Set() };

/** All that a finding can be found by: its words, its rule, and the files, functions and modules of its places. */
function textOf(report: document.Report, finding: document.Finding): string {
  const frames = finding.places.flatMap(({ place }) => framesOf(report, place));
  const calls = frames.flatMap(({ file, line, function: name, module }) => [
    name,
    file === undefined ? module : `${file}:${line}`,
  ]);
  const writes = [...(finding.lost ?? []), ...(finding.kept ?? [])].map(
    ({ name, text }) => `${name ?? ""} ${text ?? ""}`,
  );
  const { headline, message, rule, fingerprint } = finding;
  return [headline, message, rule, fingerprint, ...new Set(calls), ...writes].join("\n").toLowerCase();
}

export class FindingIndex {
  readonly #report: document.Report;
  readonly #texts: string[] = [];

  constructor(report: document.Report) {
    this.#report = report;
  }

  /** Made when first looked for: a report opens without it. */
  #text(at: number): string {
    this.#texts[at] ??= textOf(this.#report, this.#report.findings[at]!);
    return this.#texts[at];
  }

  /** Positions of the findings shown, in the report's order. */
  matching({ words, hidden }: Filter): number[] {
    const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
    const positions = this.#report.findings.map((_, at) => at);
    return positions.filter(
      (at) => !hidden.has(this.#report.findings[at]!.severity) && wanted.every((word) => this.#text(at).includes(word)),
    );
  }
}
