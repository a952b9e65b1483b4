/** How recovery takes a clean stop: it must succeed then, and how long it takes tells how long it may. */
import { InputError } from "../../base/index.ts";
import { frameWords, outsideTheSystem, ownPosition } from "../../crash/finding/index.ts";
import {
  describeVerdict,
  type Judging,
  type Layout,
  operationAfter,
  operationEnds,
  type RecoveryEnd,
  verdictFails,
} from "../../crash/states/index.ts";
import { pathFromText } from "../../machine/index.ts";
import { notesIn } from "../../trace/events/index.ts";
import { EndPlaces, LoadPlaces, type Subject, type TracedRun } from "../subject/index.ts";

/** Room for a recovery that has more to do than after a clean stop. */
const hangFactor = 20;
const leastHangLimit = 2_000_000;

/** How the user wants recoveries judged; without a limit of instructions, one is found. */
export type AskedJudging = Omit<Judging, "hangLimit"> & { readonly hangLimit?: number };

/** Recovery after the program's undisturbed end, by somebody who has another use for it too; undefined: he cannot. */
export type Undisturbed = (subject: Subject, run: TracedRun, maxInstructions: number) => RecoveryEnd | undefined;

/** What the program mapped as persistent memory at any time. */
const mappedFiles = ({ trace }: TracedRun): readonly string[] => {
  const maps = [...notesIn(trace)].flatMap((event) => (event.kind === "map" && event.persistent ? [event.path] : []));
  return [...new Set(maps)].map(pathFromText);
};

/** What the program leaves at its end. */
const finalLayout = (run: TracedRun): Layout => ({
  version: -1,
  files: () => run.finalFiles,
  lines: [],
  acknowledged: [new TextEncoder().encode(run.stdout)],
  operation: operationAfter(operationEnds(run.trace), run.trace.count),
  persistent: mappedFiles(run),
});

/** "killed by SIGSEGV, accessing 0x8, at list.c:31 in recover", and what it said. */
function failureWords(subject: Subject, run: TracedRun, ended: RecoveryEnd, limit: number): string {
  const end = ended.command === undefined ? new EndPlaces(subject, limit).of(finalLayout(run), ended) : undefined;
  const frame = end?.frames[ownPosition(end.frames, outsideTheSystem) ?? -1];
  const where = frame === undefined ? "" : `, at ${frameWords(frame)},`;
  const said = ended.stderr.trim();
  const how = `${describeVerdict(ended.verdict)}${where} even after the program stopped undisturbed`;
  const words = said === "" ? "" : ` ${said}`;
  const [missing] = unsupportedIn(subject, run, limit);
  if (missing !== undefined)
    return `The recovery ${describeVerdict(ended.verdict)}: ${missing}. Give --recover what needs no such call; scripts that replace themselves by exec do.${words}`;
  return readsPersistent(subject, run, limit)
    ? `The program is wrong without any power cut: the recovery reads what it left and ${how}. Mend that first, or, where the recovery means no failure by that, say so with --expect-exit.${words}`
    : `The recovery ${how}: give another with --recover, or --expect-exit.${words}`;
}

/** What the machine says of calls that it does not have, where recovery makes one. */
function unsupportedIn(subject: Subject, run: TracedRun, limit: number): readonly string[] {
  const said: string[] = [];
  const { recovery } = subject.recovery({ hooks: { notice: (line) => said.push(line) } });
  recovery.run(finalLayout(run), limit, 0);
  return said.filter((line) => line.includes("which is not supported"));
}

/** Whether a recovery that the user named looks into what the program left: then it knows what it complains of. */
function readsPersistent(subject: Subject, run: TracedRun, limit: number): boolean {
  if (subject.options.recover === undefined) return false;
  const { words } = new LoadPlaces(subject, limit).used(finalLayout(run), new Set(mappedFiles(run)));
  return words.length > 0;
}

export function judgingFor(asked: AskedJudging, subject: Subject, run: TracedRun, undisturbed?: Undisturbed): Judging {
  const limit = asked.hangLimit ?? Number.MAX_SAFE_INTEGER;
  const ended = undisturbed?.(subject, run, limit) ?? subject.recoverOnce(finalLayout(run), limit, asked.expectExit);
  // Where nothing was stored there is nothing to recover, and that is what the user is told.
  if (verdictFails(ended.verdict, asked.expectExit) && run.fileUse.persistent.length > 0)
    throw new InputError("check/recovery", failureWords(subject, run, ended, limit));
  if (subject.options.findsLeaks && ended.unreached === undefined)
    subject.ports.notice("recovery opens no pool of libpmemobj that the program mapped: --leaks finds nothing here");
  const hangLimit = asked.hangLimit ?? Math.max(leastHangLimit, hangFactor * ended.instructions);
  return { ...asked, hangLimit };
}
