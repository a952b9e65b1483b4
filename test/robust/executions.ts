/**
 * Executions with crashes in them, made by running random programs in the operational model of src/model/pmem: who issued what, in
 * which order stores became visible, and which store each byte of each load came from.
 */
import { below, type Line, type RandomState, type ThreadId } from "../../src/base/index.ts";
import {
  crashWindows,
  createPmState,
  departures,
  executeLocked,
  executeMfence,
  issueFlush,
  issueSfence,
  issueStore,
  leave,
  type PmState,
  px86,
} from "../../src/model/pmem/index.ts";

export interface StoreOp {
  readonly kind: "store";
  readonly execution: number;
  readonly thread: number;
  readonly address: number;
  readonly size: number;
  readonly value: number;
}

export interface LoadOp {
  readonly kind: "load";
  readonly execution: number;
  readonly thread: number;
  readonly address: number;
  /** Of each byte; undefined: it was there before the first execution. */
  readonly reads: readonly (StoreOp | undefined)[];
}

export type Op = StoreOp | LoadOp;

export interface Execution {
  readonly threads: number;
  /** As issued: the threads' own orders are its parts, and a load comes after the store it reads from. */
  readonly issued: readonly Op[];
  /** In the order in which they became visible; what a crash caught in a buffer comes last. */
  readonly visible: readonly StoreOp[];
}

const LINE_BYTES = 4;
const lineOf = (address: number) => (address - (address % LINE_BYTES)) as Line;
const addresses = [0, 2, 4, 6, 8];

type Memory = ReadonlyMap<number, StoreOp | undefined>;

class Running {
  readonly #random: RandomState;
  readonly #execution: number;
  readonly #memory: Memory;
  readonly #state: PmState;
  readonly #ops: StoreOp[] = [];
  readonly issued: Op[] = [];

  readonly threads: number;

  constructor(random: RandomState, execution: number, memory: Memory, threads: number) {
    this.threads = threads;
    this.#random = random;
    this.#execution = execution;
    this.#memory = memory;
    this.#state = createPmState(threads);
  }

  step(): void {
    const thread = below(this.#random, this.threads) as ThreadId;
    const address = addresses[below(this.#random, addresses.length)]!;
    const actions = [
      () => this.#store(thread, address, false),
      () => this.#store(thread, address, false),
      () => this.#store(thread, address, below(this.#random, 2) === 0),
      () => this.#load(thread, address),
      () => this.#load(thread, address),
      () => issueFlush(this.#state, thread, "clwb", lineOf(address), px86),
      () => issueFlush(this.#state, thread, "clflush", lineOf(address), px86),
      () => issueSfence(this.#state, thread),
      () => this.#locked(thread, address),
      () => this.#fence(thread),
      () => this.#passOn(thread, address),
    ];
    actions[below(this.#random, actions.length)]!();
    while (below(this.#random, 3) > 0 && this.#drainOne(below(this.#random, this.threads) as ThreadId)) {}
  }

  /** A recovery reads before it writes. */
  lookAround(): void {
    for (const address of addresses) if (below(this.#random, 3) > 0) this.#load(0 as ThreadId, address);
  }

  /** What the crash leaves. */
  crash(): { readonly execution: Execution; readonly memory: Memory } {
    const memory = new Map(this.#memory);
    for (const { stores, from, to } of crashWindows(this.#state, px86)) {
      const cut = from + below(this.#random, to - from + 1);
      for (const { payload } of stores.slice(0, cut)) put(memory, this.#ops[payload]!);
    }
    const visible = [...this.#state.lines.values()].flatMap(({ log }) => log).sort((a, b) => a.seq - b.seq);
    const caught = this.#state.threads.flatMap(({ buffer }) =>
      buffer.flatMap((entry) => (entry.kind === "store" || entry.kind === "ntstore" ? [entry] : [])),
    );
    const stores = [...visible, ...caught].map(({ payload }) => this.#ops[payload]!);
    return { execution: { threads: this.threads, issued: this.issued, visible: stores }, memory };
  }

  #cell(thread: number, address: number) {
    const size = 1 + below(this.#random, 2);
    const value = 1 + below(this.#random, 2);
    const op: StoreOp = { kind: "store", execution: this.#execution, thread, address, size, value };
    this.#ops.push(op);
    this.issued.push(op);
    return { line: lineOf(address), address, size, payload: this.#ops.length - 1 };
  }

  #store(thread: ThreadId, address: number, nonTemporal: boolean): void {
    issueStore(this.#state, thread, this.#cell(thread, address), nonTemporal);
  }

  #load(thread: ThreadId, address: number): void {
    const reads = [address, address + 1].slice(below(this.#random, 2)).map((byte) => this.#read(thread, byte));
    const first = reads.length === 2 ? address : address + 1;
    this.issued.push({ kind: "load", execution: this.#execution, thread, address: first, reads });
  }

  #read(thread: ThreadId, byte: number): StoreOp | undefined {
    const covers = (store: StoreOp) => store.address <= byte && byte < store.address + store.size;
    const buffered = this.#state.threads[thread]!.buffer.flatMap((entry) => ("payload" in entry ? [entry] : []));
    const visible = this.#state.lines.get(lineOf(byte))?.log ?? [];
    const own = [...visible, ...buffered].map(({ payload }) => this.#ops[payload]!).findLast(covers);
    return own ?? this.#memory.get(byte);
  }

  /** A load, then a store. */
  #locked(thread: ThreadId, address: number): void {
    while (this.#drainOne(thread)) {}
    this.#load(thread, address);
    executeLocked(this.#state, thread, lineOf(address), this.#cell(thread, address), px86);
  }

  #fence(thread: ThreadId): void {
    while (this.#drainOne(thread)) {}
    executeMfence(this.#state, thread, px86);
  }

  /** What makes threads depend on each other: read what was stored last, store elsewhere, and make that durable. */
  #passOn(thread: ThreadId, address: number): void {
    const last = this.#ops.at(-1);
    if (last === undefined) return;
    while (this.#drainOne(last.thread as ThreadId)) {}
    this.#load(thread, last.address);
    this.#store(thread, address, false);
    issueFlush(this.#state, thread, "clflush", lineOf(address), px86);
    while (this.#drainOne(thread)) {}
  }

  #drainOne(thread: ThreadId): boolean {
    const free = departures(this.#state, thread, px86);
    if (free.length === 0) return false;
    leave(this.#state, thread, free[below(this.#random, free.length)]!, px86);
    return true;
  }
}

function put(memory: Map<number, StoreOp | undefined>, store: StoreOp): void {
  for (let byte = 0; byte < store.size; byte++) memory.set(store.address + byte, store);
}

export interface Shape {
  readonly threads: number;
  readonly crashes: number;
  readonly steps: number;
}

export function randomExecutions(random: RandomState, { threads, crashes, steps }: Shape): readonly Execution[] {
  const executions: Execution[] = [];
  let memory: Memory = new Map();
  for (let number = 0; number <= crashes; number++) {
    const running = new Running(random, number, memory, threads);
    if (number > 0) running.lookAround();
    for (let step = 0; step < steps; step++) running.step();
    const ended = running.crash();
    executions.push(ended.execution);
    memory = ended.memory;
  }
  return executions;
}
