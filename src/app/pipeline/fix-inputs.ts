/**
 * What somebody else has found, as a choice of findings to fix: a JSON report or witnesses of any command by their fingerprints, a
 * log of pmemcheck or of a tool like PMTest by the lines of source that it blames.
 */
import { basename } from "node:path";
import { type HostPorts, InputError } from "../../base/index.ts";
import type { Finding } from "../../crash/finding/index.ts";
import { readWitnesses } from "../../crash/states/index.ts";
import { orderRules, rulesEngine } from "../../engines/index.ts";
import { readText } from "../../host/index.ts";
import { readReport } from "../../report/render/index.ts";
import { pmemcheckSource } from "../../session/subject/index.ts";
import { watchTrace } from "../../session/work/index.ts";

/** What is to be fixed, each with a word for it. */
export interface FixInput {
  readonly wanted: readonly string[];
  /** The words among the wanted ones that a finding of this run is. */
  wordsOf(finding: Finding): readonly string[];
  /** Some of it is about the order of stores, which robust judges. */
  readonly isOfOrder?: boolean;
}

const byFingerprint = (fingerprints: readonly string[]): FixInput => ({
  wanted: fingerprints,
  wordsOf: ({ fingerprint }) => [fingerprint],
});

/** `list.c:12` of every place that a finding is about: logs name no folders and no columns. */
function linesOf({ frames, evidence, crash }: Finding): readonly string[] {
  const stacks = [frames, ...evidence.map((one) => one.frames), ...(crash?.lost ?? []).map((one) => one.frames)];
  return stacks.flatMap((stack) => {
    const { file, line } = stack.find((frame) => frame.file !== undefined && frame.line !== undefined) ?? {};
    return file === undefined ? [] : [lineWord(file, line)];
  });
}

const lineWord = (file: string, line: number | undefined): string => `${basename(file)}:${line}`;

const byLine = (lines: readonly string[]): FixInput => ({ wanted: [...new Set(lines)], wordsOf: linesOf });

/** What pmemcheck calls a store that is not made persistent; transient data is no less. */
const durability: ReadonlySet<string> = new Set([
  "missing-flush",
  "missing-fence",
  "nontemporal-unfenced",
  "transient-data",
]);

/** The rules judge the log as they judge a run; its stores must tell where they come from. */
function pmemcheckInput(file: string, text: string, host: HostPorts): FixInput {
  const source = pmemcheckSource(file, text, host);
  const { findings, complaint } = watchTrace(source, [rulesEngine({ wantsAnnotations: false })], () => []);
  // Half a log would be half a fix.
  if (complaint !== undefined)
    throw new InputError("fix/log", complaint.message.replace(/ What was found .*/, ""), { file });
  const blamed = findings.filter(({ rule }) => durability.has(rule.id));
  const known = blamed.flatMap(linesOf);
  const lines = known.length > 0 ? known : listedLines(text);
  if (blamed.length > 0 && lines.length === 0)
    throw new InputError(
      "fix/no-stacks",
      `${file} does not say where its stores come from: record it with --log-stores-stacktraces=yes.`,
      { file },
    );
  return byLine(lines);
}

const listHead = /^.*\bStores not made persistent properly:/m;

/** What pmemcheck lists at the end, however it was called: "[0]    at 0x1094A7: fill (array.c:42)" and the calls that led there. */
function listedLines(text: string): readonly string[] {
  const [, ...entries] = text.slice(text.search(listHead)).split(/\[\d+\]\s+at /);
  return entries.flatMap((entry) => {
    const place = /\(([^()\s:]+):(\d+)\)/.exec(entry);
    return place === null ? [] : [lineWord(place[1]!, Number(place[2]))];
  });
}

/** "FAIL: list.c:12: not persisted" and its like: a word of blame and a line of source. */
const blamingLine = /\b(?:FAIL(?:ED)?|ERROR|WARN(?:ING)?)\b.*?([^\s:/()[\]]+\.(?:c|cc|cpp|cxx|h|hpp|rs)):(\d+)/gim;

function lineLogInput(file: string, text: string): FixInput {
  const lines = [...text.matchAll(blamingLine)].map(([, name, line]) => `${name}:${line}`);
  if (lines.length === 0)
    throw new InputError(
      "fix/input",
      `${file} is no JSON report, no witness, no log of pmemcheck, and no line of it blames a line of source.`,
      { file },
    );
  return byLine(lines);
}

function reportInput({ findings }: ReturnType<typeof readReport>): FixInput {
  const errors = findings.filter(({ severity }) => severity === "error");
  const isOfOrder = errors.some(({ rule }) => rule === orderRules.violation.id);
  return { ...byFingerprint(errors.map((one) => one.fingerprint)), isOfOrder };
}

export function readFixInput(file: string, host: HostPorts): FixInput {
  const text = readText(file, "log");
  if (/^\s*\{/.test(text)) {
    if (/"schema"\s*:\s*"blackout-report"/.test(text)) return reportInput(readReport(file, text));
    return byFingerprint(readWitnesses(file, text).map(({ fingerprint }) => fingerprint));
  }
  if (/(?:^|\n|-- ?|== ?)START(?:\||\s*$)/.test(text)) return pmemcheckInput(file, text, host);
  return listHead.test(text) ? byLine(listedLines(text)) : lineLogInput(file, text);
}

/** The findings of a run that were asked for, and what was asked for that the run does not show. */
export class ChosenFindings {
  readonly #input: FixInput;
  readonly #missed: Set<string>;

  constructor(input: FixInput) {
    this.#input = input;
    this.#missed = new Set(input.wanted);
  }

  wants(finding: Finding): boolean {
    const found = this.#input.wordsOf(finding).filter((word) => this.#input.wanted.includes(word));
    for (const word of found) this.#missed.delete(word);
    return found.length > 0;
  }

  /** What was asked for may be cured with something else: places that got an insertion. */
  cured(frames: readonly (Finding["frames"][number] | undefined)[]): void {
    for (const frame of frames) if (frame?.file !== undefined) this.#missed.delete(lineWord(frame.file, frame.line));
  }

  missed(): readonly string[] {
    return [...this.#missed];
  }
}
