/**
 * Store buffers over real memory against the operational model, with the same decisions on random programs: what each thread reads,
 * what every thread sees, and what the tracker says of the trace that comes out. SCHEDULE_PROGRAMS and SCHEDULE_SEED go on
 * (`make fuzz`).
 */
import { env } from "node:process";
import { afterEach, describe, expect, test, vi } from "vitest";
import { below, type Line, pick, seedRandom, type ThreadId } from "../../base/index.ts";
import {
  createPmState,
  departures,
  executeLocked,
  executeMfence,
  issueFlush,
  issueSfence,
  issueStore,
  leave,
  lineKey,
  newestBuffered,
  newestVisible,
  PmLines,
  PmTracker,
  px86,
} from "../../model/pmem/index.ts";
import { type EventBody, encodeEvent, newTables } from "../../trace/events/index.ts";
import { codeOf, codeOfBefore, headOf, recordWords, toVolatile } from "../../trace/record/index.ts";
import { GuestMemory } from "../memory/index.ts";
import { StoreBuffer } from "./buffer.ts";
import { StoreBuffers } from "./buffers.ts";

const programs = Number(env.SCHEDULE_PROGRAMS ?? 400);
const firstSeed = Number(env.SCHEDULE_SEED ?? 1);

const page = 0x40_0000;
const threads = [0, 1, 2] as const;
/** Two on each of two lines, and one alone. */
const places = [0, 8, 64, 72, 128].map((offset) => page + offset);
const lineOf = (address: number): Line => Math.floor((address - page) / 64) as Line;
const memory = new GuestMemory();
memory.map(page, 4096, 3);
const { texts } = newTables();

/** One run: the buffers on one side, the model on the other. */
class Twins {
  readonly #tracker = new PmTracker({
    history: true,
    place: (address) => ({ file: 0, offset: address - page }),
    readBase: () => new Uint8Array(64),
  });
  readonly #buffers: StoreBuffers;
  readonly #model = createPmState(threads.length);
  #events = 0;
  #value = 0;
  #site = 1;

  constructor() {
    memory.bytes.fill(0, page, page + 4096);
    this.#buffers = new StoreBuffers(memory, (words) => {
      for (let at = 0; at < words.length; at += recordWords) this.#tracker.take(words, at, this.#events++);
    });
  }

  begin(thread: ThreadId): void {
    this.#buffers.begin(thread);
  }
  end(): void {
    this.#buffers.end();
  }

  #record(thread: number, body: EventBody): Uint32Array {
    const words = new Uint32Array(recordWords);
    encodeEvent(words, 0, { thread, site: this.#site, stack: 0 }, body, texts);
    return words;
  }

  /** The log of a store, which is made in memory. */
  #stored(thread: ThreadId, address: number, kind: "store" | "non-temporal"): Uint32Array {
    const value = ++this.#value;
    const body = { kind, address, size: 8, value: BigInt(value) } as const;
    const before = this.#record(thread, { ...body, value: memory.view.getBigUint64(address, true) });
    before[0] = headOf(codeOfBefore, 8, thread);
    memory.view.setBigUint64(address, BigInt(value), true);
    return Uint32Array.from([...before, ...this.#record(thread, body)]);
  }

  #cell(address: number) {
    return { line: lineOf(address), address, size: 8, payload: this.#value };
  }

  readonly operations: Readonly<Record<string, (thread: ThreadId, address: number) => void>> = {
    store: (thread, address) => {
      this.#buffers.take(this.#stored(thread, address, "store"));
      issueStore(this.#model, thread, this.#cell(address));
    },
    nonTemporal: (thread, address) => {
      this.#buffers.take(this.#stored(thread, address, "non-temporal"));
      issueStore(this.#model, thread, this.#cell(address), true);
    },
    clflush: (thread, address) => this.#flush("clflush", thread, address),
    clflushopt: (thread, address) => this.#flush("clflushopt", thread, address),
    clwb: (thread, address) => this.#flush("clwb", thread, address),
    sfence: (thread) => {
      this.#buffers.take(this.#record(thread, { kind: "sfence" }));
      issueSfence(this.#model, thread);
    },
    mfence: (thread) => {
      this.#buffers.take(this.#record(thread, { kind: "mfence" }));
      this.#empty(thread);
      executeMfence(this.#model, thread, px86);
    },
    locked: (thread, address) => {
      const fence = this.#record(thread, { kind: "locked" });
      this.#buffers.take(Uint32Array.from([...fence, ...this.#stored(thread, address, "store")]));
      this.#empty(thread);
      executeLocked(this.#model, thread, lineOf(address), this.#cell(address), px86);
    },
    failedCas: (thread, address) => {
      this.#buffers.take(this.#record(thread, { kind: "locked" }));
      this.#empty(thread);
      executeLocked(this.#model, thread, lineOf(address), undefined, px86);
    },
    call: (thread) => {
      this.#buffers.drainOwn();
      this.#empty(thread);
    },
  };

  #flush(op: "clflush" | "clflushopt" | "clwb", thread: ThreadId, address: number): void {
    this.#buffers.take(this.#record(thread, { kind: op, address }));
    issueFlush(this.#model, thread, op, lineOf(address), px86);
  }

  #empty(thread: ThreadId): void {
    while (departures(this.#model, thread, px86).length > 0) this.#leave(thread, 0);
  }
  #leave(thread: ThreadId, behind: number): void {
    const free = departures(this.#model, thread, px86);
    if (free.length > 0) leave(this.#model, thread, free[Math.min(behind, free.length - 1)]!, px86);
  }

  execute(thread: ThreadId, name: string, address: number): void {
    this.#site++;
    this.operations[name]!(thread, address);
  }

  drain(thread: ThreadId, stores: number, behind: number): void {
    this.#buffers.drain({ kind: "drain", thread, stores, behind });
    for (let i = 0; i < stores; i++) this.#leave(thread, behind);
  }

  /** What differs, seen by a thread in its turn, or by all. */
  mismatch(thread: ThreadId | undefined): string | undefined {
    for (const address of places) {
      const own = thread === undefined ? undefined : newestBuffered(this.#model, thread, address, 8);
      const expected = (own ?? newestVisible(this.#model, lineOf(address), address))?.payload ?? 0;
      const found = Number(memory.view.getBigUint64(address, true));
      if (found !== expected) return `thread ${thread} sees ${found} at ${address - page}, in the model ${expected}`;
    }
    for (const [line, { log, persisted }] of this.#model.lines) {
      const known = this.#tracker.lines.get(lineKey(0, line));
      const stores = [...(known?.settled ?? []), ...(known?.pending ?? [])].map(({ low }) => low);
      const found = `${known?.durable ?? 0} of ${stores.join(" ")}`;
      const durable = log.filter(({ seq }) => seq <= persisted).length;
      const expected = `${durable} of ${log.map(({ payload }) => payload).join(" ")}`;
      if (found !== expected) return `line ${line}: surely kept are ${found}, in the model ${expected}`;
    }
    return undefined;
  }
}

/** The first difference of a random program under a random schedule. */
function firstMismatch(seed: number): string | undefined {
  const random = seedRandom(seed);
  const twins = new Twins();
  const names = Object.keys(twins.operations);
  for (let turn = 0; turn < 12; turn++) {
    const thread = pick(random, threads) as ThreadId;
    twins.begin(thread);
    for (let left = below(random, 6); left > 0; left--) {
      const name = below(random, 2) === 0 ? "store" : pick(random, names);
      twins.execute(thread, name, pick(random, places));
      const found = twins.mismatch(thread);
      if (found !== undefined) return `seed ${seed}, ${name}: ${found}`;
    }
    twins.end();
    for (const other of threads) {
      twins.drain(other as ThreadId, below(random, 4), below(random, 3));
      const found = twins.mismatch(undefined);
      if (found !== undefined) return `seed ${seed}, drain: ${found}`;
    }
  }
  return undefined;
}
const mismatches = () =>
  Array.from({ length: programs }, (_, i) => firstMismatch(firstSeed + i)).filter((found) => found !== undefined);

test(`${programs} random programs go as in the operational model, from seed ${firstSeed} on`, () => {
  expect(mismatches()).toEqual([]);
});

/** A long turn of a thread with stores of both kinds, in one batch or store by store: what is told, and what is left in memory. */
function longTurn(seed: number, inOneBatch: boolean) {
  const random = seedRandom(seed);
  memory.bytes.fill(0, page, page + 4096);
  const told: number[] = [];
  const buffers = new StoreBuffers(memory, (words) => told.push(...words));
  const batch: number[] = [];
  buffers.begin(1);
  for (let value = 1; value < 400; value++) {
    const address = page + 8 * below(random, 64);
    const words = new Uint32Array(2 * recordWords);
    const body = { kind: "store", address, size: 8, value: memory.view.getBigUint64(address, true) } as const;
    const place = { thread: 1, site: value, stack: 0 };
    encodeEvent(words, 0, place, body, texts);
    encodeEvent(words, 1, place, { ...body, value: BigInt(value) }, texts);
    const isPersistent = below(random, 60) === 0;
    words[0] = headOf(codeOfBefore, 8, 1);
    words[recordWords] = headOf(codeOf.store + (isPersistent ? 0 : toVolatile), 8, 1);
    memory.view.setBigUint64(address, BigInt(value), true);
    if (!inOneBatch) buffers.take(words);
    batch.push(...words);
  }
  if (inOneBatch) buffers.take(Uint32Array.from(batch));
  buffers.end();
  const { stores } = buffers.waiting[0]!;
  const undone = memory.bytes.slice(page, page + 4096);
  buffers.drainAll();
  return { told, stores, undone, drained: memory.bytes.slice(page, page + 4096) };
}

test("stores that can no longer wait are passed over, and nothing differs", () => {
  for (let seed = firstSeed; seed < firstSeed + 40; seed++)
    expect(longTurn(seed, true), `seed ${seed}`).toEqual(longTurn(seed, false));
});

describe("a mutant is caught", () => {
  afterEach(() => void vi.restoreAllMocks());

  test("that drains out of order", () => {
    const { leave } = StoreBuffer.prototype;
    vi.spyOn(StoreBuffer.prototype, "leave").mockImplementation(function (this: StoreBuffer, behind) {
      const first = leave.call(this, behind);
      return this.waiting > 0 ? [...leave.call(this, 0), ...first] : first;
    });
    expect(mismatches()).not.toEqual([]);
  });
  test("that lets a fence complete another thread's flush", () => {
    const { fence } = PmLines.prototype;
    vi.spyOn(PmLines.prototype, "fence").mockImplementation(function (this: PmLines) {
      for (const thread of threads) fence.call(this, thread);
    });
    expect(mismatches()).not.toEqual([]);
  });
  test("whose locked operations do not drain", () => {
    const { take } = StoreBuffers.prototype;
    vi.spyOn(StoreBuffers.prototype, "take").mockImplementation(function (this: StoreBuffers, words) {
      const isLocked = (words[0]! & 0xff) === codeOf.locked;
      take.call(this, isLocked ? words.subarray(recordWords) : words);
    });
    expect(mismatches()).not.toEqual([]);
  });
  test("that takes a flush's bound when it drains", () => {
    const { issue } = StoreBuffer.prototype;
    vi.spyOn(StoreBuffer.prototype, "issue").mockImplementation(function (this: StoreBuffer, entry) {
      return issue.call(this, entry.kind === "clflushopt" ? { ...entry, kind: "sfence" } : entry);
    });
    expect(mismatches()).not.toEqual([]);
  });
});
