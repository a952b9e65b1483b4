/** Runs a guest and gathers its stores to persistent memory, each with what a namer is to be asked. */
import { readFileSync } from "node:fs";
import { ModuleMap, Resolver, type ResolverOptions, type StoreQuestion } from "../../src/program/symbols/index.ts";
import { decodeEvent, Recorder, type TraceEvent, type TraceTables } from "../../src/trace/events/index.ts";
import { recordWords } from "../../src/trace/record/index.ts";
import { loadGuest } from "../support/programs.ts";

export interface TracedStore {
  readonly question: StoreQuestion;
  /** Of the innermost frame in the guest's own source. */
  readonly line: number;
}

export interface TracedGuest {
  readonly resolver: Resolver;
  readonly options: ResolverOptions;
  readonly stores: readonly TracedStore[];
}

class EventList {
  readonly events: TraceEvent[] = [];
  readonly sink = (tables: TraceTables) => ({
    events: (words: Uint32Array, first: number) => {
      for (let at = 0; at < words.length / recordWords; at++)
        this.events.push(decodeEvent(words, at, first + at, tables.texts));
    },
    end: () => {},
  });
}

/** The second time: the same run, stopped before each of these instructions, with what the machine held there. */
export function sampleStores(
  program: string,
  { stores }: TracedGuest,
  wanted: (store: TracedStore) => boolean,
  sampled: (question: StoreQuestion) => void,
): void {
  const list = new EventList();
  const recorder = new Recorder([list.sink]);
  const { machine } = loadGuest([program, ...(process.env.ARGS ?? "/tmp/pool").split(" ")], {
    trace: { recorder, annotations: false },
  });
  machine.stopAt([...new Set(stores.filter(wanted).map(({ question }) => question.site))]);
  for (let result = machine.run(); result.kind === "address"; result = machine.run()) {
    const registers = Array.from({ length: 16 }, (_, register) => machine.register(register));
    const seen = list.events.length;
    machine.run(1);
    const event = list.events.slice(seen).find(({ kind }) => kind === "store" || kind === "non-temporal");
    if (event === undefined || !("address" in event) || !("size" in event)) continue;
    const memory = (address: bigint, size: number) => {
      const bytes = machine.readMemory(Number(address), size);
      return bytes?.reduceRight((value, byte) => (value << 8n) | BigInt(byte), 0n);
    };
    const register = (number: number) => registers[[0, 2, 1, 3, 6, 7, 5, 4][number] ?? number];
    const { site, address, size } = event;
    const stack = recorder.tables.contexts.stack(event.stack);
    sampled({ site, stack, address, size, machine: { register, memory } });
  }
}

const readFile = (path: string) => {
  try {
    return new Uint8Array(readFileSync(path));
  } catch {
    return undefined;
  }
};

export function traceStores(program: string, source: string): TracedGuest {
  const list = new EventList();
  let modules: ModuleMap | undefined;
  const modulesSink = (tables: TraceTables) => {
    modules = new ModuleMap(tables);
    return modules;
  };
  const recorder = new Recorder([list.sink, modulesSink]);
  const { machine } = loadGuest([program, ...(process.env.ARGS ?? "/tmp/pool").split(" ")], {
    trace: { recorder, annotations: false },
  });
  const result = machine.run();
  machine.endTrace();
  if (result.kind !== "ended" || result.outcome.kind !== "exit" || result.outcome.code !== 0)
    throw new Error(`the guest failed: ${JSON.stringify(result)}`);
  const { tables } = recorder;
  const options = { tables, modules: modules!, readFile };
  const resolver = new Resolver(options);
  const mappings = list.events.flatMap((event) =>
    event.kind === "map" && event.persistent ? [{ start: event.start, length: event.length }] : [],
  );
  const mappingOf = (address: number) =>
    mappings.findLast(({ start, length }) => address >= start && address < start + length)!;
  const stores: MadeStore[] = [];
  for (const event of list.events) {
    if (event.kind !== "store" && event.kind !== "non-temporal") continue;
    const { address, size, site } = event;
    const frames = resolver.frames(site, event.stack);
    const own = frames.findIndex(({ file }) => file === source);
    if (own < 0) continue;
    const maker = frames[own]!.address;
    const line = frames[own]!.line ?? 0;
    const stack = tables.contexts.stack(event.stack);
    const question = { site, stack, address, size, mapping: mappingOf(address) };
    stores.push({ question, line, maker, byLibrary: maker !== site, further: event.further === true });
  }
  return { resolver, options, stores: runsOf(stores).flatMap(withStart) };
}

interface MadeStore extends TracedStore {
  /** The program's own instruction, or the place its call returns to. */
  readonly maker: number;
  readonly byLibrary: boolean;
  /** A further piece of the store before. */
  readonly further: boolean;
}

/** Pieces of one store, and stores that one call makes one after another. */
function runsOf(stores: readonly MadeStore[]): readonly (readonly MadeStore[])[] {
  const runs: MadeStore[][] = [];
  for (const store of stores) {
    const last = runs.at(-1)?.at(-1);
    const follows = store.byLibrary ? last?.maker === store.maker : store.further;
    if (follows) runs.at(-1)!.push(store);
    else runs.push([store]);
  }
  return runs;
}

const withStart = (run: readonly MadeStore[]): readonly TracedStore[] => {
  const start = Math.min(...run.map(({ question }) => question.address));
  return run.map(({ question, line }) => ({ question: { ...question, start }, line }));
};
