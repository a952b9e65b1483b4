/** Runs the crash of a witness once more, and says whether recovery fails as it did. */
import { assert } from "../../base/index.ts";
import type { MappedFile } from "../../model/pmem/index.ts";
import { linesIn } from "./clean-stops.ts";
import { type CrashStep, crashSteps } from "./crash-steps.ts";
import { TraceCursor } from "./cursor.ts";
import { failureKey, lastWords, verdictFails } from "./failure.ts";
import { crashedAt } from "./layout.ts";
import { stillUnreached } from "./leaks.ts";
import type { Layout, RecoveryEnd, RecoveryMachine } from "./recovery-machine.ts";
import type { CrashSource } from "./source.ts";
import type { PrintedWrong, Witness } from "./witness.ts";

export type ReplayAnswer = "as recorded" | "fails otherwise" | "cured";

export type Replayed =
  /** The program as it runs now cannot crash like this. */
  | { readonly answer: "no such crash"; readonly before: number }
  | {
      readonly answer: ReplayAnswer;
      readonly ended: RecoveryEnd;
      readonly layout: Layout;
      /** Where the program had mapped its persistent files. */
      readonly mappings: readonly MappedFile[];
    };

/** What was judged of what was printed. */
const printedOf = ({ stdout, thenPrinted = "" }: RecoveryEnd, { of }: PrintedWrong): string =>
  of === "work" ? thenPrinted : stdout;

function isRight(ended: RecoveryEnd, printed: PrintedWrong): boolean {
  const text = printedOf(ended, printed);
  return printed.fewest === undefined ? printed.right.includes(text) : linesIn(text) >= printed.fewest;
}

const leakAnswer = (left: number, recorded: number): ReplayAnswer =>
  left === recorded ? "as recorded" : left === 0 ? "cured" : "fails otherwise";

/** Nothing but the same end, at the same place, with the same last words, is the failure that was recorded. */
function answerOf({ expected, judging }: Witness, ended: RecoveryEnd): ReplayAnswer {
  const { verdict, said, printed, leaked = [] } = expected;
  if (!verdictFails(ended.verdict, judging.expectExit)) {
    if (leaked.length > 0) return leakAnswer(stillUnreached(ended, leaked), leaked.length);
    if (printed === undefined || isRight(ended, printed)) return "cured";
    return printedOf(ended, printed) === printed.stdout ? "as recorded" : "fails otherwise";
  }
  const same = failureKey(ended) === failureKey({ verdict, stderr: said }) && lastWords(ended) === said;
  return same && printed === undefined && leaked.length === 0 ? "as recorded" : "fails otherwise";
}

/** What a crash of this trace leaves; undefined when it cannot crash like this. */
export function crashAt(
  source: CrashSource,
  step: CrashStep,
): { readonly layout: Layout; readonly mappings: readonly MappedFile[] } | undefined {
  if (step.before > source.trace.count) return undefined;
  const moment = new TraceCursor(source).before(step.before);
  const crashed = crashedAt(source, moment, step);
  return crashed && { layout: crashed.layout, mappings: moment.mappings.shown() };
}

/** `retraced`: the recovery that follows a crash, traced, for crashes inside it. */
export function replayCrash(
  witness: Witness,
  source: CrashSource,
  recovery: RecoveryMachine,
  retraced: (layout: Layout) => CrashSource,
): Replayed {
  const [first, ...further] = crashSteps(witness.choices);
  assert(first !== undefined, "a witness of a crash has one");
  let step = first;
  let crash = crashAt(source, step);
  for (const again of further) {
    if (crash === undefined) break;
    step = again;
    crash = crashAt(retraced(crash.layout), step);
  }
  if (crash === undefined) return { answer: "no such crash", before: step.before };
  const { hangLimit, expectExit } = witness.judging;
  const ended = recovery.run(crash.layout, hangLimit, expectExit);
  return { answer: answerOf(witness, ended), ended, ...crash };
}
