/**
 * One execution of a chain: the program, or a recovery that the power is cut inside, with what it stored and loaded of persistent memory, by byte.
 * Always: bytes have one number in all executions of a chain, and the pieces of one store share a clock.
 */
import { type CrashSource, type CutLine, type Layout, TraceCursor } from "../../../crash/states/index.ts";
import { lostStores } from "../../../exploration/explain/index.ts";
import { happensBeforeIn } from "../../../exploration/persist-order/index.ts";
import { pathFromText, type ThreadOrder, type TracedLoad } from "../../../machine/index.ts";
import { lineBytes } from "../../../model/pmem/index.ts";
import { eventsBetween, type Trace } from "../../../trace/events/index.ts";
import type { PlacedStore } from "../history.ts";

export interface ChainStore extends PlacedStore {
  /** In the execution's trace. */
  readonly event: number;
  /** In the code: site and stack. */
  readonly place: string;
}

/** What it loads, and how many events come before. */
export interface ChainLoad {
  readonly event: number;
  readonly bytes: readonly number[];
}

/** Numbers for bytes of persistent files, by the names that machines know them by. */
export class ByteNumbers {
  readonly #files: string[] = [];

  /** What lies at a byte that anybody stored to; 0 elsewhere, where it is always the same. */
  in({ lines }: Layout): (byte: number) => number {
    const known = new Map(Array.from(lines, ({ path, index, bytes }) => [this.of(path, index * lineBytes), bytes]));
    return (byte) => known.get(byte - (byte % lineBytes))?.[byte % lineBytes] ?? 0;
  }

  of(path: string, offset: number): number {
    const known = this.#files.indexOf(path);
    const file = known < 0 ? this.#files.push(path) - 1 : known;
    return file * 2 ** 40 + offset;
  }
}

/** A store's clock as what bounds a crash: before it when it is missing; when it is kept, if only in part, it has begun. */
const missingClock = (clock: number): number => 2 * clock;
export const asKept = <Store extends ChainStore>(store: Store): Store => ({ ...store, clock: store.clock - 1 });

export class ChainExecution {
  /** Among those of its chain, from 0 on. */
  readonly number: number;
  readonly stores: readonly ChainStore[];
  readonly loads: readonly ChainLoad[];

  constructor({ source, loads = [], threadOrder }: ExecutionParts, number: number, bytes: ByteNumbers) {
    this.number = number;
    const cursor = new TraceCursor(source);
    const byteAt = (event: number, address: number) => {
      const { mappings } = cursor.before(event);
      const place = mappings.at(address);
      return place && bytes.of(pathFromText(mappings.path(place.file)), place.offset);
    };
    this.stores = [...storesOf(source.trace, threadOrder, number, byteAt)];
    this.loads = loads.map(({ event, address, size }) => ({
      event,
      bytes: Array.from({ length: size }, (_, i) => byteAt(event, address + i)).filter((byte) => byte !== undefined),
    }));
  }
}

export interface ExecutionParts {
  readonly source: CrashSource;
  readonly loads?: readonly TracedLoad[];
  readonly threadOrder?: ThreadOrder | undefined;
}

function* storesOf(
  trace: Trace,
  threadOrder: ThreadOrder | undefined,
  execution: number,
  byteAt: (event: number, address: number) => number | undefined,
): Iterable<ChainStore> {
  const order = happensBeforeIn({ trace, threadOrder });
  const numbers = new Map<number, number>();
  const numberOf = (thread: number) => {
    const number = numbers.get(thread) ?? numbers.size;
    numbers.set(thread, number);
    return number;
  };
  let first = 0;
  for (const event of eventsBetween(trace, 0, trace.count)) {
    if (event.kind !== "store" && event.kind !== "non-temporal") continue;
    if (!event.further) first = order.clockOf(event.seq);
    const address = byteAt(event.seq, event.address);
    if (address === undefined) continue;
    const others: number[] = [];
    order.seen(event.thread, first).forEach((until, thread) => {
      others[numberOf(thread)] = missingClock(until);
    });
    const { size, seq, site, stack } = event;
    const [thread, clock, place] = [numberOf(event.thread), missingClock(first), `${site}/${stack}`];
    yield { execution, thread, clock, others, address, size, event: seq, place };
  }
}

/** Events whose stores a crash with these cuts loses. */
export const lostBy = (cuts: readonly CutLine[]): ReadonlySet<number> =>
  new Set(cuts.flatMap((cut) => lostStores(cut).map(({ seq }) => seq)));
