/**
 * Litmus tests with threads as a real program whose threads run by schedules: the same few threads go through all tests, and begin
 * each at about the same time, so that their instructions come to lie between each other's in every way. The crash states of
 * each test are what the tracker allows of the trace: at each point one cut for every line.
 */
import { contentsAt, lineCuts, PmTracker } from "../../src/model/pmem/index.ts";
import { codeIn, codeOf, inRecord, recordWords, threadIn } from "../../src/trace/record/index.ts";
import { pm } from "../trace/builder.ts";
import { type Job, pageBytes, sourceOf } from "./binaries.ts";
import { addressesOf } from "./traced.ts";

const together = `
enum { most = 8 };
static volatile long job = -1, done[most][8];
static char *pages;
static void wait_for(volatile long *place, long value) { while (*place < value) sched_yield(); }
static void *worker(void *number) {
  long self = (long)number;
  for (long i = 0; i < (long)(sizeof jobs / sizeof *jobs); i++) {
    wait_for(&job, i);
    int threads = 0;
    while (jobs[i][threads] != NULL) threads++;
    if (self < threads) jobs[i][self](pages + 4096 * i);
    done[self][0] = i + 1;
  }
  return NULL;
}
/* argv: the pages, and how many threads there are at most. */
int main(int argc, char **argv) {
  int count = sizeof jobs / sizeof *jobs, threads = atoi(argv[argc - 1]);
  pages = map_pool(argv[1], count * 4096);
  pthread_t ids[most];
  for (long i = 0; i < threads; i++) pthread_create(&ids[i], NULL, worker, (void *)i);
  for (long i = 0; i < count; i++) {
    job = i;
    for (int thread = 0; thread < threads; thread++) wait_for(&done[thread][0], i + 1);
  }
  for (int i = 0; i < threads; i++) pthread_join(ids[i], NULL);
  return 0;
}
`;

export const scheduledSource = (jobs: readonly Job[]): string => sourceOf(jobs, together);

type Memories = Map<string, readonly number[]>;

/** All that a crash may leave of one test's lines, by its page of the pool. */
class JobCrashes {
  readonly #machine: Job["machine"];
  readonly #addresses: readonly number[];
  readonly #seen = new Set<string>();
  readonly memories: Memories = new Map();

  constructor({ machine }: Job) {
    this.#machine = machine;
    this.#addresses = addressesOf(machine);
  }

  /** The events of one run, in order: addresses are relative to the page. */
  take(events: Uint32Array): void {
    const key = events.join();
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    const tracker = this.#tracker();
    for (let at = 0; at < events.length; at += recordWords) {
      // Crash states only become more until something may persist.
      if (codeIn(events[at]!) < codeOf.store) this.#look(tracker);
      tracker.take(events, at, at / recordWords);
    }
    this.#look(tracker);
  }

  #tracker(): PmTracker {
    return new PmTracker({
      place: (address) => ({ file: 0, offset: address }),
      readBase: (_file, index) => {
        const line = new DataView(new ArrayBuffer(64));
        for (const [location, address] of this.#addresses.entries())
          if (Math.floor((address - pm) / 64) === index)
            line.setBigInt64(address % 64, BigInt(this.#machine.memory[location]!), true);
        return new Uint8Array(line.buffer);
      },
    });
  }

  #look({ lines }: PmTracker): void {
    const kept = new Map<number, Uint8Array>([...lines.tracked].map((line) => [line.index, line.persisted]));
    let states: ReadonlyMap<number, Uint8Array>[] = [kept];
    for (const line of lines.open) {
      const cuts = [...lineCuts(line)].map((cut) => contentsAt(line, cut));
      states = states.flatMap((contents) => cuts.map((bytes) => new Map(contents).set(line.index, bytes)));
    }
    for (const contents of states) {
      const memory = this.#addresses.map((address, location) => {
        const bytes = contents.get(Math.floor((address - pm) / 64));
        if (bytes === undefined) return this.#machine.memory[location]!;
        return Number(new DataView(bytes.buffer, bytes.byteOffset).getBigInt64(address % 64, true));
      });
      this.memories.set(memory.join(), memory);
    }
  }
}

/** Takes whole traces, and adds up what crashes may leave, by job. */
export class ScheduledCrashes {
  readonly #jobs: readonly JobCrashes[];

  constructor(jobs: readonly Job[]) {
    this.#jobs = jobs.map((job) => new JobCrashes(job));
  }

  get memories(): readonly Memories[] {
    return this.#jobs.map(({ memories }) => memories);
  }

  /** `records` are one run's, from the pool's mapping on. Fences belong to the test that its thread is at. */
  take(records: Uint32Array, poolStart: number): void {
    const own = this.#jobs.map((): number[] => []);
    const atJob = this.#jobsByFence(records, poolStart);
    for (let at = 0; at < records.length; at += recordWords) {
      const job = atJob[at / recordWords]!;
      if (job < 0) continue;
      const words = records.slice(at, at + recordWords);
      words[inRecord.site] = words[inRecord.stack] = 0;
      if (codeIn(words[0]!) <= codeOf.clwb || codeIn(words[0]!) >= codeOf.store)
        words[inRecord.address]! -= poolStart + job * pageBytes;
      own[job]!.push(...words);
    }
    for (const [job, words] of own.entries()) this.#jobs[job]!.take(Uint32Array.from(words));
  }

  #jobsByFence(records: Uint32Array, poolStart: number): Int32Array {
    const jobs = new Int32Array(records.length / recordWords).fill(-1);
    const end = poolStart + this.#jobs.length * pageBytes;
    const isFence = (code: number) => code > codeOf.clwb && code < codeOf.store;
    const lastOf = new Map<number, number>();
    for (let i = 0; i < jobs.length; i++) {
      const head = records[i * recordWords]!;
      const address = records[i * recordWords + inRecord.address]!;
      const code = codeIn(head);
      if (isFence(code)) jobs[i] = lastOf.get(threadIn(head)) ?? -1;
      else if (address >= poolStart && address < end && code <= codeOf["non-temporal"]) {
        jobs[i] = Math.floor((address - poolStart) / pageBytes);
        lastOf.set(threadIn(head), jobs[i]!);
      }
    }
    return jobs;
  }
}
