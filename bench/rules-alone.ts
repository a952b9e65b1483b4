/** The rules alone: events per second over traces in memory, and the memory they take as traces grow. */
import { RulesEngine } from "../src/engines/rules/index.ts";
import { newTables } from "../src/trace/events/index.ts";
import { codeOf, headOf, recordWords } from "../src/trace/record/index.ts";
import { table } from "./figures.ts";

interface Workload {
  readonly name: string;
  /** Lines that the stores go round in. */
  readonly lines: number;
  /** The stores of one round, as steps of eight bytes: 1 fills a line, 8 takes a line each. */
  readonly step: number;
}

const workloads: readonly Workload[] = [
  { name: "8 stores to a line, flush, fence; 64 lines", lines: 64, step: 1 },
  { name: "8 stores to a line, flush, fence; 1 M lines", lines: 1 << 20, step: 1 },
  { name: "8 stores to 8 lines, 8 flushes, fence; 64 K lines", lines: 1 << 16, step: 8 },
];

const base = 0x1000_0000;
const batchEvents = 1 << 16;

/** Fills batches of records for ever. */
function* batches({ lines, step }: Workload): Generator<Uint32Array> {
  const words = new Uint32Array(batchEvents * recordWords);
  let filled = 0;
  let value = 0;
  let address = 0;
  const put = function* (code: number, size: number, site: number, at: number): Generator<Uint32Array> {
    words.set([headOf(code, size, 1), 0x40_0000 + site, at, 0, value, 0], filled * recordWords);
    if (++filled < batchEvents) return;
    yield words;
    filled = 0;
  };
  for (;;) {
    const first = address;
    for (let store = 0; store < 8; store++, address = (address + 8 * step) % (64 * lines), value++)
      yield* put(codeOf.store, 8, 0, base + address);
    for (let flush = 0; flush < step; flush++)
      yield* put(codeOf.clwb, 0, 16, base + ((first + 64 * flush) % (64 * lines)));
    yield* put(codeOf.sfence, 0, 32, 0);
  }
}

const cpuSeconds = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

/** CPU seconds of the rules over about so many events; making the events is not counted. */
function measure(workload: Workload, events: number): { readonly seconds: number; readonly events: number } {
  const engine = new RulesEngine(newTables());
  let seen = 0;
  let seconds = 0;
  for (const words of batches(workload)) {
    const before = cpuSeconds();
    engine.events(words, seen);
    seconds += cpuSeconds() - before;
    seen += batchEvents;
    if (seen >= events) break;
  }
  engine.end();
  return { seconds, events: seen };
}

/** A table of figures. */
export function measureRules(): string {
  const rows = workloads.map((workload) => {
    measure(workload, 2e6);
    const { seconds, events } = measure(workload, 20e6);
    return [workload.name, `${(events / seconds / 1e6).toFixed(0)} M events/s`, "20 M events/s"];
  });
  const memory = [1e6, 100e6].map((events) => {
    measure(workloads[0]!, events);
    return Math.round(process.memoryUsage().rss / 2 ** 20);
  });
  rows.push(["resident memory after 1 M and 100 M events", `${memory.join(" and ")} MiB`, "flat"]);
  return table(["workload", "figure", "bound"], rows);
}
