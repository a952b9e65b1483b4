/**
 * Memory that threads share, on the operational model (model/pmem/operational): what a thread finds at an address, and what a crash
 * may leave there. Always:
 * - Each byte is looked up by itself: its newest store may be smaller or larger than the load.
 * - Payloads of the model's stores are numbers of values here.
 */
import type { Line, ThreadId } from "../../../base/index.ts";
import {
  buffersOf,
  type CrashWindow,
  issueFlush,
  issueSfence,
  issueStore,
  type PmModel,
  type PmState,
  type StoreCell,
} from "../../../model/pmem/index.ts";
import type { SharedOp } from "./concrete-thread.ts";

const lineBytes = 64;

export const lineAt = (address: number): Line => Math.floor(address / lineBytes) as Line;

export class SharedMemory {
  readonly #initial: (address: number) => number;
  readonly #model: PmModel;
  readonly #values: bigint[] = [];
  readonly #numbers = new Map<bigint, number>();

  constructor(initial: (address: number) => number, model: PmModel) {
    this.#initial = initial;
    this.#model = model;
  }

  cellOf({ address, size, value }: SharedOp & { kind: "store" }): StoreCell {
    let payload = this.#numbers.get(value);
    if (payload === undefined) {
      payload = this.#values.push(value) - 1;
      this.#numbers.set(value, payload);
    }
    return { line: lineAt(address), address, size, payload };
  }

  valueOf({ payload }: StoreCell): bigint {
    return this.#values[payload]!;
  }

  issue(pm: PmState, thread: ThreadId, op: SharedOp): void {
    if (op.kind === "store") issueStore(pm, thread, this.cellOf(op), op.nonTemporal);
    else if (op.kind === "flush") issueFlush(pm, thread, op.op, lineAt(op.address), this.#model);
    else issueSfence(pm, thread);
  }

  /** PM-3. Of each byte the newest store in the thread's own buffer, else the newest that is visible. */
  load(pm: PmState, thread: ThreadId, address: number, size: number): bigint {
    const { buffer } = buffersOf(pm, thread);
    const own = buffer.filter((entry) => entry.kind === "store" || entry.kind === "ntstore");
    const log = pm.lines.get(lineAt(address))?.log ?? [];
    return valueOfBytes(address, size, (at) => {
      const store = own.findLast((entry) => covers(entry, at)) ?? log.findLast((entry) => covers(entry, at));
      return store === undefined ? this.#initial(at) : this.#byteOf(store, at);
    });
  }

  /** What a crash left, when so many stores of each window survived; whether any of them is found is told to `found`. */
  left(
    windows: readonly (readonly [window: CrashWindow, cut: number])[],
    address: number,
    found: (store: StoreCell) => void,
  ): number {
    let newest: CrashWindow["stores"][number] | undefined;
    for (const [{ stores }, cut] of windows)
      for (const store of stores.slice(0, cut))
        if (covers(store, address) && (newest === undefined || store.seq > newest.seq)) newest = store;
    if (newest === undefined) return this.#initial(address);
    found(newest);
    return this.#byteOf(newest, address);
  }

  #byteOf(store: StoreCell, address: number): number {
    return Number((this.valueOf(store) >> BigInt(8 * (address - store.address))) & 0xffn);
  }
}

const covers = (store: StoreCell, address: number): boolean =>
  store.address <= address && address < store.address + store.size;

/** Whether a window has a store of one of these bytes. */
export const touches = ({ stores }: CrashWindow, address: number, size: number): boolean =>
  stores.some((store) => store.address < address + size && address < store.address + store.size);

export function valueOfBytes(address: number, size: number, byteAt: (address: number) => number): bigint {
  let value = 0n;
  for (let at = address + size - 1; at >= address; at--) value = (value << 8n) | BigInt(byteAt(at));
  return value;
}
