/** Runs a guest and gathers its stores to persistent memory, each with what a namer is to be asked. */
import { readFileSync } from "node:fs";
import { ModuleMap, Resolver, type StoreQuestion } from "../../src/symbols/index.ts";
import { decodeEvent, Recorder, recordWords, type TraceEvent, type TraceTables } from "../../src/trace/index.ts";
import { loadGuest } from "../support/programs.ts";

export interface TracedStore {
  readonly question: StoreQuestion;
  /** Of the innermost frame in the guest's own source. */
  readonly line: number;
}

export interface TracedGuest {
  readonly resolver: Resolver;
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
  const { machine } = loadGuest([program], { trace: { recorder, annotations: false } });
  const result = machine.run();
  machine.endTrace();
  if (result.kind !== "ended" || result.outcome.kind !== "exit" || result.outcome.code !== 0)
    throw new Error(`the guest failed: ${JSON.stringify(result)}`);
  const { tables } = recorder;
  const resolver = new Resolver({ tables, modules: modules!, readFile });
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
    stores.push({ question, line, maker, byLibrary: maker !== site });
  }
  return { resolver, stores: runsOf(stores).flatMap(withStart) };
}

interface MadeStore extends TracedStore {
  /** The program's own instruction, or the place its call returns to. */
  readonly maker: number;
  readonly byLibrary: boolean;
}

/** Stores that one instruction or one call makes one after another; those of an instruction without a gap. */
function runsOf(stores: readonly MadeStore[]): readonly (readonly MadeStore[])[] {
  const runs: MadeStore[][] = [];
  for (const store of stores) {
    const last = runs.at(-1)?.at(-1);
    const follows = last?.maker === store.maker && (store.byLibrary || endOf(last) === store.question.address);
    if (follows) runs.at(-1)!.push(store);
    else runs.push([store]);
  }
  return runs;
}

const endOf = ({ question }: TracedStore) => question.address + question.size;

const withStart = (run: readonly MadeStore[]): readonly TracedStore[] => {
  const start = Math.min(...run.map(({ question }) => question.address));
  return run.map(({ question, line }) => ({ question: { ...question, start }, line }));
};
