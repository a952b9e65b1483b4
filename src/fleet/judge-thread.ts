/** A thread of a fleet's worker: judges units of any session, one after another. */
import type { HostPorts } from "../base/index.ts";
import { type AskingLine, ask } from "../host/index.ts";
import { type Registry, startJudge, timedText } from "../session/work/index.ts";
import type { Wanted } from "./fetched.ts";
import type { UnitJob } from "./names.ts";
import { type LeaderHost, remotePorts } from "./remote-ports.ts";
import { decodeSetup } from "./setups.ts";
import { type NamedVersions, ReceivedVersions } from "./versions.ts";
import { decodePlain } from "./wire.ts";

export interface JudgeThreadData {
  readonly line: AskingLine;
  /** Not 0: the unit under way ends after its item. */
  readonly stop: Int32Array;
}

/** Judges of so many setups are kept: a check has few at once. */
const keptJudges = 2;

interface Message {
  readonly unit: unknown;
  readonly hint: unknown;
  readonly versions: NamedVersions;
}

type JudgeMessage = (message: string) => string;

/** What a thread's entry calls, once for each unit; the answer is a result's text, or "stopped". */
export function startJudgeThread(
  { line, stop }: JudgeThreadData,
  registry: Registry,
  own: HostPorts,
): (job: UnitJob) => string {
  const judges = new Map<string, JudgeMessage>();

  function start({ session, setup: name }: UnitJob): JudgeMessage {
    const want = (wanted: Wanted): unknown => ask(line, wanted);
    const get = (piece: string) => want({ session, piece }) as Uint8Array;
    const text = Buffer.from(get(name)).toString();
    const head = decodePlain(text, get) as { readonly leader: LeaderHost; readonly text: string };
    const { setup, events } = decodeSetup(head.text, get);
    const ports = remotePorts(own, head.leader, (question) => want({ session, question }) as string, get);
    const versions = new ReceivedVersions(setup.versionStarts, get);
    const judge = startJudge({ ...setup, stop }, registry, ports, { versions, scratch: events });
    return (message) => {
      const { unit, hint, versions: named } = decodePlain(message, get) as Message;
      versions.know(named);
      const timed = judge(unit, hint);
      return timed === undefined ? "stopped" : timedText(timed);
    };
  }

  return (job) => {
    const key = `${job.session} ${job.setup}`;
    const judge = judges.get(key) ?? start(job);
    judges.delete(key);
    judges.set(key, judge);
    for (const oldest of judges.keys()) if (judges.size > keptJudges) judges.delete(oldest);
    return judge(job.message);
  };
}
