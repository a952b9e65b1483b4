/**
 * Valgrind's client requests, as far as they tell about persistent memory: the numbers of pmemcheck.h and valgrind.h (they
 * are an ABI) and what each becomes in a trace. Always: a request that is not listed is answered with its default.
 */

import type { RequestKind } from "../record/index.ts";
import { type EventBody, ownTransaction } from "./events.ts";

const tool = (first: string, second: string): number => (first.charCodeAt(0) << 24) | (second.charCodeAt(0) << 16);
const pmemcheck = tool("P", "C");
const memcheck = tool("M", "C");

/** Arguments after the request's number, as the program passed them. */
export type RequestArguments = readonly [bigint, bigint, bigint, bigint, bigint];

/** What an answer may need to know about the guest. */
export interface RequestContext {
  readonly thread: number;
  /** A C string of the guest's. */
  readText(address: bigint): string;
  /** 0: nothing of the range is persistent memory, 1: all of it, 2: some. */
  persistence(start: bigint, length: bigint): 0 | 1 | 2;
}

export interface RequestAnswer {
  readonly result: bigint;
  readonly event?: EventBody;
}

type Answer = (args: RequestArguments, context: RequestContext) => RequestAnswer;

const low32 = (value: bigint): number => Number(value & 0xffff_ffffn);
/** A program may name its transactions by any 64 bits. */
const transactionName = (value: bigint): number => low32(value ^ (value >> 32n));

const request = (kind: RequestKind, start: bigint, length: bigint, transaction = 0): RequestAnswer => ({
  result: 0n,
  event: { kind: "request", request: kind, start: low32(start), length: low32(length), transaction },
});
const plain =
  (kind: RequestKind): Answer =>
  () =>
    request(kind, 0n, 0n);
const ranged =
  (kind: RequestKind): Answer =>
  (args) =>
    request(kind, args[0], args[1]);
const own =
  (kind: RequestKind): Answer =>
  (args, context) =>
    request(kind, args[0], args[1], ownTransaction(context.thread));
const ownAlone =
  (kind: RequestKind): Answer =>
  (_args, context) =>
    request(kind, 0n, 0n, ownTransaction(context.thread));
const named =
  (kind: RequestKind): Answer =>
  (args) =>
    request(kind, args[1], args[2], transactionName(args[0]));
const namedAlone =
  (kind: RequestKind): Answer =>
  (args) =>
    request(kind, 0n, 0n, transactionName(args[0]));

// biome-ignore format: columns stay aligned
const rows: Readonly<Record<number, Answer>> = {
  4097: () => ({ result: 1n }),                       // RUNNING_ON_VALGRIND
  4869: ([, start, length]) => request("object-allocated", start, length), // MEMPOOL_ALLOC(pool, address, size)
  4870: ([, start]) => request("object-freed", start, 0n),                 // MEMPOOL_FREE(pool, address)
  // GET_VBITS, answered as for memory that cannot be looked into: libpmemobj asks once to learn whether somebody follows its
  // objects, and then tells of each one that is given out or freed.
  [memcheck + 8]:   () => ({ result: 3n }),
  [pmemcheck]:      ranged("register-mapping"),         // REGISTER_PMEM_MAPPING(address, length)
  [pmemcheck + 1]:  ([, start, length]) => request("register-file", start, length), // REGISTER_PMEM_FILE(fd, base, size, offset)
  [pmemcheck + 2]:  ranged("remove-mapping"),           // REMOVE_PMEM_MAPPING(address, length)
  [pmemcheck + 3]:  ([start, length], { persistence }) => ({ result: BigInt(persistence(start, length)) }), // CHECK_IS_PMEM_MAPPING
  [pmemcheck + 4]:  () => ({ result: 0n }),             // PRINT_PMEM_MAPPINGS
  [pmemcheck + 5]:  ranged("flush"),                    // DO_FLUSH(address, length)
  [pmemcheck + 6]:  plain("fence"),                     // DO_FENCE
  [pmemcheck + 8]:  () => ({ result: 0n }),             // WRITE_STATS
  [pmemcheck + 9]:  plain("log-stores"),                // LOG_STORES
  [pmemcheck + 10]: plain("no-log-stores"),             // NO_LOG_STORES
  [pmemcheck + 11]: () => ({ result: 0n }),             // ADD_LOG_REGION
  [pmemcheck + 12]: () => ({ result: 0n }),             // REMOVE_LOG_REGION
  [pmemcheck + 17]: ranged("set-clean"),                // SET_CLEAN(address, length)
  [pmemcheck + 18]: ownAlone("tx-start"),               // START_TX
  [pmemcheck + 19]: namedAlone("tx-start"),             // START_TX_N(name)
  [pmemcheck + 20]: ownAlone("tx-end"),                 // END_TX
  [pmemcheck + 21]: namedAlone("tx-end"),               // END_TX_N(name)
  [pmemcheck + 22]: own("tx-add"),                      // ADD_TO_TX(address, length)
  [pmemcheck + 23]: named("tx-add"),                    // ADD_TO_TX_N(name, address, length)
  [pmemcheck + 24]: own("tx-remove"),                   // REMOVE_FROM_TX(address, length)
  [pmemcheck + 25]: named("tx-remove"),                 // REMOVE_FROM_TX_N(name, address, length)
  [pmemcheck + 26]: namedAlone("tx-join"),              // ADD_THREAD_TO_TX_N(name)
  [pmemcheck + 27]: namedAlone("tx-leave"),             // REMOVE_THREAD_FROM_TX_N(name)
  [pmemcheck + 28]: ranged("tx-ignore"),                // ADD_TO_GLOBAL_TX_IGNORE(address, length)
  [pmemcheck + 30]: ([text], { readText }) => ({ result: 0n, event: { kind: "marker", text: readText(text) } }), // EMIT_LOG
};

/** The answer to a request, and what to note of it; undefined for a request we do not know. */
export function answerRequest(
  number: bigint,
  args: RequestArguments,
  context: RequestContext,
): RequestAnswer | undefined {
  return rows[Number(number & 0xffff_ffffn)]?.(args, context);
}
