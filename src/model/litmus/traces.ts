/**
 * What each thread may do on its own, for every guess of the values it reads: the events of the axiomatic model.
 * Guesses are drawn from the values any store could ever write; whether they are justified is decided later.
 */
import { assert, type Line } from "../../base/index.ts";
import type { EventKind, PmModel } from "../pmem/index.ts";
import { LimitReached, type Limits } from "./limits.ts";
import { evaluate, type Instruction, type Location, type Phase, type Thread, updatedValue } from "./program.ts";

export interface TraceEvent {
  readonly kind: EventKind;
  readonly address?: number;
  readonly line?: Line;
  readonly valueRead?: number;
  readonly valueWritten?: number;
  readonly text: string;
}

export interface Trace {
  readonly events: readonly TraceEvent[];
  readonly registers: readonly number[];
}

interface Cursor {
  readonly at: number;
  readonly registers: readonly number[];
  readonly events: readonly TraceEvent[];
}

type Domains = readonly ReadonlySet<number>[];

interface Context {
  readonly locations: readonly Location[];
  readonly model: PmModel;
  readonly domains: Domains;
}

type Advance<Kind> = (cursor: Cursor, instruction: Extract<Instruction, { kind: Kind }>, context: Context) => Cursor[];

const place = ({ locations }: Context, address: number) => ({ address, line: locations[address]?.line as Line });

const step = (cursor: Cursor, events: readonly TraceEvent[], registers = cursor.registers): Cursor => ({
  at: cursor.at + 1,
  registers,
  events: [...cursor.events, ...events],
});

const advance: { readonly [Kind in Instruction["kind"]]: Advance<Kind> } = {
  store: (cursor, { location, value, nonTemporal, text }, context) => {
    const where = place(context, location);
    const valueWritten = evaluate(value, cursor.registers);
    if (!nonTemporal) return [step(cursor, [{ kind: "W", ...where, valueWritten, text }])];
    const store: TraceEvent = { kind: "N", ...where, valueWritten, text };
    const flush: TraceEvent = { kind: "FO", ...where, text: `flush of ${text}` };
    return [step(cursor, context.model.without.has("PM-28") ? [store] : [store, flush])];
  },
  load: (cursor, { register, location, text }, context) =>
    [...(context.domains[location] as ReadonlySet<number>)].map((valueRead) =>
      step(
        cursor,
        [{ kind: "R", ...place(context, location), valueRead, text }],
        cursor.registers.with(register, valueRead),
      ),
    ),
  flush: (cursor, { op, location, text }, context) => [
    step(cursor, [{ kind: op === "clflush" ? "FL" : "FO", ...place(context, location), text }]),
  ],
  fence: (cursor, { op, text }) => [step(cursor, [{ kind: op === "sfence" ? "SF" : "MF", text }])],
  update: (cursor, update, context) =>
    [...(context.domains[update.location] as ReadonlySet<number>)].map((valueRead) => {
      const valueWritten = updatedValue(update, valueRead, cursor.registers);
      const event = { ...place(context, update.location), valueRead, text: update.text };
      const kind = valueWritten === undefined ? "X" : "U";
      return step(
        cursor,
        [{ ...event, kind, ...(valueWritten !== undefined && { valueWritten }) }],
        cursor.registers.with(update.register, valueRead),
      );
    }),
  assign: (cursor, { register, value }) => [
    step(cursor, [], cursor.registers.with(register, evaluate(value, cursor.registers))),
  ],
  jump: (cursor, { when, value, target }) => {
    const taken = (evaluate(value, cursor.registers) === 0) === (when === "zero");
    return [{ ...cursor, at: taken ? target : cursor.at + 1 }];
  },
};

function tracesOfThread(thread: Thread, context: Context, limits: Limits): Trace[] {
  const finished: Trace[] = [];
  const open: Cursor[] = [{ at: 0, registers: thread.initial, events: [] }];
  for (let cursor = open.pop(); cursor !== undefined; cursor = open.pop()) {
    const instruction = thread.code[cursor.at];
    if (instruction === undefined) finished.push({ events: cursor.events, registers: cursor.registers });
    else open.push(...advance[instruction.kind](cursor, instruction as never, context));
    if (finished.length + open.length > limits.traces) throw new LimitReached("traces", limits.traces);
  }
  return finished;
}

/** Every trace of every thread. A chain of values cannot be longer than there are stores, which bounds the rounds. */
export function tracesOf(
  locations: readonly Location[],
  phase: Phase,
  memory: readonly number[],
  model: PmModel,
  limits: Limits,
): Trace[][] {
  let domains: Set<number>[] = memory.map((value) => new Set([value]));
  const stores = phase.flatMap(({ code }) => code).filter(({ kind }) => kind === "store" || kind === "update").length;
  for (let round = 0; ; round++) {
    assert(round <= stores + 1, "the values a program can store are found after as many rounds as it has stores");
    const context: Context = { locations, model, domains };
    const traces = phase.map((thread) => tracesOfThread(thread, context, limits));
    const grown = domains.map((values) => new Set(values));
    for (const { events } of traces.flat())
      for (const { address, valueWritten } of events)
        if (address !== undefined && valueWritten !== undefined) grown[address]?.add(valueWritten);
    const settled = grown.every((values, location) => values.size === domains[location]?.size);
    if (settled || round === stores) return traces;
    domains = grown;
  }
}

/** All the ways a thread may have been interrupted. Ending in a load adds nothing: a load only constrains. */
export function prefixesOf(traces: readonly Trace[]): Trace[] {
  const found = new Map<string, Trace>();
  for (const { events } of traces)
    for (let length = events.length; length >= 0; length--) {
      if (events[length - 1]?.kind === "R") continue;
      const prefix = events.slice(0, length);
      const key = prefix.map(({ text, valueRead }) => `${text}:${valueRead}`).join(";");
      if (found.has(key)) break;
      found.set(key, { events: prefix, registers: [] });
    }
  return [...found.values()];
}
