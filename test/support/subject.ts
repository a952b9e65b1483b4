/** Subjects for tests that look below the command line. */
import { realPorts } from "../../src/host/index.ts";
import { Subject, type SubjectOptions } from "../../src/session/subject/index.ts";
import { judgingFor } from "../../src/session/work/index.ts";

export const subjectOptions = (program: readonly string[], more: Partial<SubjectOptions> = {}): SubjectOptions => ({
  directory: process.cwd(),
  env: [],
  seed: 0,
  cpu: "v3",
  limits: {},
  jit: true,
  program,
  pm: [],
  pmMode: "dax",
  annotated: false,
  ...more,
});

export const subjectOf = (program: readonly string[], more: Partial<SubjectOptions> = {}): Subject =>
  new Subject(subjectOptions(program, more), realPorts());

export const judging = { expectExit: 0, oracle: "exit", platform: "px86" } as const;

/** The program traced, and how its recoveries are judged. */
export function traced(subject: Subject) {
  const run = subject.trace([]);
  return { run, judging: judgingFor(judging, subject, run) };
}
