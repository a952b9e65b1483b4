/**
 * The report of one run, version 2: all that text, SARIF, JUnit and the page are made of (docs/report-json.md). The published
 * schema, src/report/document/report.schema.json, is generated from these types (`make golden UPDATE=1`).
 */
import type { Finding, Severity } from "./finding.ts";
import type { Frame, Place, PlaceIndex, SourceFile, Whole } from "./places.ts";

export interface Tool {
  readonly name: "Blackout";
  readonly version: string;
}

export interface Phase {
  readonly name: string;
  readonly seconds: number;
}

/** A program and its arguments. */
export type Command = readonly string[];

/** What was run. */
export interface Run {
  /** Blackout's command: `check`, `trace`. */
  readonly command: string;
  /** What looked for findings: `rules`, `inject`. */
  readonly engines: readonly string[];
  /** The program and its arguments, where the events did not come from a file. */
  readonly program?: readonly string[];
  readonly recovery?: readonly string[];
  /** Run after it, each on what the one before left. */
  readonly furtherRecoveries?: readonly Command[];
  /** The work that went on after recovery. */
  readonly thenCommand?: readonly string[];
  readonly setup?: readonly string[];
  /** Where it was run; relative paths are relative to it. */
  readonly directory?: string;
  /** Length of the trace. */
  readonly events: Whole;
}

/** What it took. All that differs between two runs of one check lies here. */
export interface Effort {
  /** By the clock, one part after another. */
  readonly time?: readonly Phase[];
  /** Crash states that recovery ran on. */
  readonly tested?: Whole;
  /** Crash states it did not have to run on: it reads of them what it read of a tested one. */
  readonly skipped?: Whole;
}

export interface Summary {
  readonly errors: Whole;
  readonly performance: Whole;
  readonly warnings: Whole;
  readonly suppressed: Whole;
}

/** A rule that was looked for, whether it found something or not. */
export interface Rule {
  readonly id: string;
  readonly severity: Severity;
  /** A few words. */
  readonly title: string;
  /** What it finds and why that is wrong. */
  readonly sentence: string;
  readonly advice: string;
}

/** A place before which the power was cut, with all the times the program came by. */
export interface FailurePoint {
  readonly place: PlaceIndex;
  /** The kind of event that the power is cut before. */
  readonly before: string;
  /** Its first event. */
  readonly event?: Whole;
  /** Crash states there. */
  readonly states: Whole;
  /** Of these, judged. */
  readonly judged: Whole;
  /** Of these, recovery failed on. */
  readonly failing: Whole;
}

export interface Judged {
  readonly judged: Whole;
  readonly total: Whole;
}

export interface Coverage {
  /** A point is judged when all its crash states are. */
  readonly failurePoints: Judged;
  readonly crashStates: Judged;
  /** Whether every crash state was judged. */
  readonly exhaustive: boolean;
  /** Why not, if not. */
  readonly stop?: "interrupt" | "time" | "max-states" | "host-memory" | "max-executions" | "first" | "tree" | "files";
  readonly points?: readonly FailurePoint[];
  /** Where an exploration is not exhaustive: at every point, each crash state in which at most so many lines lose stores is judged. */
  readonly lostLines?: Whole;
  /** More crash states at those points, which a sample was taken instead of. */
  readonly leftOut?: Whole;
  /** Where the program stored to persistent memory and no power cut fell on it before it was persisted. */
  readonly uncovered?: readonly UncoveredStore[];
  /** Where the set-up stored to persistent memory and the run did not: no power cut falls there. */
  readonly onlyInSetup?: readonly UncoveredStore[];
  /** The user's functions, and those of them that never ran: not in the set-up, not in the run, not in a recovery. */
  readonly functions?: Functions;
  /** Before that, the updates of persistent objects, and those of them that were tested and stand for all. */
  readonly updates?: Updates;
  /** Where exploration went on afterwards: the points of which every crash state is covered, and the recoveries it took. */
  readonly explored?: Explored;
}

export interface Functions {
  readonly total: Whole;
  readonly neverRan: readonly FunctionPlace[];
}

/** A function, and the line that it is declared in. */
export interface FunctionPlace {
  readonly function: string;
  readonly file: string;
  readonly line: Whole;
}

export interface Updates {
  readonly behaviours: Judged;
  readonly groups: Whole;
  /** Of the tested ones; a decimal number. */
  readonly crashStates: string;
}

export interface Explored {
  readonly failurePoints: Judged;
  readonly recoveries: Whole;
  /** Where not all is explored: at every point, each crash state in which at most so many lines lose stores is. */
  readonly lostLines?: Whole;
}

/** A store's place in the program; by its innermost function with a source line. */
export interface UncoveredStore {
  readonly function?: string;
  readonly file?: string;
  readonly line?: Whole;
}

/** What the run itself has to say: something that was not found, not supported or left out. */
export interface Warning {
  readonly says: string;
  readonly place?: PlaceIndex;
}

/** What a baseline has and this run does not. */
export interface Gone {
  readonly rule: string;
  readonly headline: string;
  readonly fingerprint: string;
}

/** Beside the findings of an earlier run. */
export interface Baseline {
  /** Findings that it has too; the summary counts the others. */
  readonly known: Whole;
  readonly gone: readonly Gone[];
  /** Whether the run came to its end: otherwise what is gone may only not have been reached. */
  readonly complete: boolean;
}

export interface Report {
  readonly schema: "blackout-report";
  readonly version: 2;
  readonly tool: Tool;
  readonly run: Run;
  readonly summary: Summary;
  readonly baseline?: Baseline;
  readonly coverage?: Coverage;
  readonly effort?: Effort;
  readonly warnings?: readonly Warning[];
  /** Worst first, then as they happened. */
  readonly findings: readonly Finding[];
  /** All that were looked for. */
  readonly rules: readonly Rule[];
  readonly frames: readonly Frame[];
  readonly places: readonly Place[];
  readonly sources?: readonly SourceFile[];
}
