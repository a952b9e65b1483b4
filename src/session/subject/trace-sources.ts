/** Where the events of `blackout trace` come from: a program that runs in front of the user, or a recorded trace. */
import type { HostPorts } from "../../base/index.ts";
import type { Outcome } from "../../machine/index.ts";
import {
  BtraceWriter,
  type ByteSource,
  type ByteTarget,
  PmemcheckLog,
  parsePmemcheckLog,
  readBtrace,
  type SinkFactory,
  type TraceInfo,
  type TraceTables,
} from "../../trace/events/index.ts";
import type { FileUse } from "./file-use.ts";
import { type SubjectOptions, scheduleText } from "./options.ts";
import { type Places, placesOf } from "./places.ts";
import { Subject } from "./subject.ts";
import { volatileFileLines } from "./volatile-files.ts";

export interface Played {
  readonly events: number;
  readonly command?: readonly string[];
  /** Set when the run gives no verdict: it stopped at a limit. */
  readonly unfinished?: string;
  /** Where a program was run: how it ended, and what it did with files. */
  readonly run?: { readonly outcome: Outcome | undefined; readonly fileUse: FileUse };
}

export interface TraceSource {
  places(tables: TraceTables): Places;
  /** Shows all events to the sinks. */
  play(sinks: readonly SinkFactory[]): Played;
  /** Of the run, once it has ended. */
  readonly info: TraceInfo;
}

export const btraceSource = (open: () => ByteSource & { close(): void }, ports: HostPorts): TraceSource => ({
  places: (tables) => placesOf(tables, ports),
  info: {},
  play: (sinks) => {
    const source = open();
    try {
      const { count, info } = readBtrace(source, sinks);
      return { events: count, ...(info.command && { command: info.command }) };
    } finally {
      source.close();
    }
  },
});

export const pmemcheckSource = (file: string, text: string, ports: HostPorts): TraceSource => ({
  places: (tables) => placesOf(tables, ports),
  info: {},
  play: (sinks) => ({ events: parsePmemcheckLog(file, text, sinks).count }),
});

const outcomeText: { readonly [K in Outcome["kind"]]: (outcome: Outcome & { readonly kind: K }) => string } = {
  exit: ({ code }) => `exited with ${code}`,
  signal: ({ name, site }) => `was killed by ${name} at ${site}`,
  deadlock: () => "waits for ever: no thread can be woken",
  limit: ({ message }) => `was stopped: ${message}`,
};

/** "exited with 1": what the program did. */
export const describeOutcome = (outcome: Outcome | undefined): string =>
  outcome === undefined ? "was stopped" : (outcomeText[outcome.kind] as (outcome: Outcome) => string)(outcome);

export function programSource(options: SubjectOptions, ports: HostPorts): TraceSource {
  const subject = new Subject(options, ports);
  let info: TraceInfo = {};
  return {
    get info() {
      return info;
    },
    places: (tables) => subject.places(tables),
    play: (sinks) => {
      const { program: command, seed, annotated } = options;
      let said = "";
      const { outcome, events, fileUse, madeRequests, schedule } = subject.show(sinks, (ended) => {
        said = describeOutcome(ended);
        info = { command, seed, outcome: said };
      });
      if (outcome?.kind !== "exit" || outcome.code !== 0) ports.notice(`the program ${said}`);
      for (const line of volatileFileLines(fileUse, options.pm)) ports.notice(line);
      if (schedule.length > 0) ports.notice(`its threads ran by --schedule '${scheduleText(schedule)}'`);
      if (annotated && madeRequests)
        ports.notice(
          "the program was told that it runs on Valgrind, which changes what PMDK does; --annotations off runs it as in production",
        );
      const verdict = outcome?.kind === "exit" || outcome?.kind === "signal";
      return { events, command, run: { outcome, fileUse }, ...(!verdict && { unfinished: said }) };
    },
  };
}

/** Records the trace into a .btrace file. */
export const btraceSink =
  (target: ByteTarget, source: TraceSource): SinkFactory =>
  (tables) =>
    new BtraceWriter(tables, target, () => source.info);

/** Writes the trace as pmemcheck would. */
export const pmemcheckSink =
  (write: (text: string) => void, places: () => Places): SinkFactory =>
  (tables) =>
    new PmemcheckLog(tables, { write, frames: (site, stack) => places().resolver.frames(site, stack) });
