/** A litmus test proven: each of its checks, by one crash encoding or by both, which must agree. */
import { assert } from "../../../base/index.ts";
import {
  describeCheck,
  expectedVerdict,
  type LitmusTest,
  type LitmusVerdict,
  printProgram,
  type RunOptions,
} from "../../../model/litmus/index.ts";
import { type Claim, refutationText } from "../proof/proof.ts";
import type { SolverPort } from "../solve/ask.ts";
import { executionLines } from "../solve/execution-text.ts";
import { type AnyCrash, lastStarts, type ProvedCheck, proveCheck } from "./litmus-questions.ts";

export interface ProvedOutcome {
  readonly check: string;
  readonly why: string;
  readonly verdict: LitmusVerdict;
  readonly expected?: LitmusVerdict;
  /** Of an outcome that is allowed, an execution, event by event. */
  readonly execution?: readonly string[];
  /** Of an outcome that is forbidden, what no execution fulfils, with its proof. */
  readonly claim?: Claim;
}

export interface ProvedTest {
  readonly test: string;
  readonly outcomes: readonly ProvedOutcome[];
}

export function proveTest(
  test: LitmusTest,
  run: RunOptions,
  port: SolverPort,
  encodings: readonly AnyCrash[],
): ProvedTest {
  const [first, ...others] = encodings;
  assert(first !== undefined, "a test is proven by some encoding");
  const starts = lastStarts(test, run, port, first);
  const outcomes = test.checks.map((check): ProvedOutcome => {
    const proved = proveCheck(test, check, starts, run, port, first);
    for (const other of others)
      assert(
        proveCheck(test, check, starts, run, port, other).verdict === proved.verdict,
        "both crash encodings give one verdict",
      );
    const expected = expectedVerdict(check, run);
    // As it is asked, not as it was written: "forall" asks whether anything else comes about.
    const { text: _written, ...asked } = check;
    const base = { check: describeCheck(test, asked), why: check.why, verdict: proved.verdict };
    return {
      ...{ ...base, ...(expected !== undefined && { expected }) },
      ...(proved.execution !== undefined && {
        execution: executionLines(proved.execution, (address) => test.locations[address]!.name, run.model),
      }),
      ...(proved.execution === undefined && { claim: claimOf(test, base.check, proved, run, first) }),
    };
  });
  return { test: test.name, outcomes };
}

const claimOf = (
  test: LitmusTest,
  check: string,
  { refutations }: ProvedCheck,
  { model }: RunOptions,
  encoding: AnyCrash,
): Claim => ({
  claim: `${test.name}: never ${check}`,
  platform: model.platform,
  encoding,
  program: printProgram(test),
  refutations: refutations.map(refutationText),
});
