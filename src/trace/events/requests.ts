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

/** blackout_symbolic of include/blackout.h: address, size and name of bytes that are unknown. Nothing becomes of it in a trace. */
export const unknownBytesRequest = tool("B", "O");

const low32 = (value: bigint): number => Number(value & 0xffff_ffffn);
/** A program may name its transactions by any 64 bits. */
const transactionName = (value: bigint): number => low32(value ^ (value >> 32n));

/** A request that only becomes an event: its kind, and which arguments say what. */
export interface NotedRequest {
  readonly kind: RequestKind;
  /** Numbers of the arguments that give the range. */
  readonly start?: number;
  readonly length?: number;
  /** The thread's own transaction, or one that the first argument names. */
  readonly transaction?: "own" | "named";
}

const range = { start: 0, length: 1 } as const;
const own = "own";
const named = "named";

// biome-ignore format: columns stay aligned
export const notedRequests: Readonly<Record<number, NotedRequest>> = {
  4869:             { kind: "object-allocated", start: 1, length: 2 },                 // MEMPOOL_ALLOC(pool, address, size)
  4870:             { kind: "object-freed", start: 1 },                                // MEMPOOL_FREE(pool, address)
  [pmemcheck]:      { kind: "register-mapping", ...range },                            // REGISTER_PMEM_MAPPING(address, length)
  [pmemcheck + 1]:  { kind: "register-file", start: 1, length: 2 },                    // REGISTER_PMEM_FILE(fd, base, size, offset)
  [pmemcheck + 2]:  { kind: "remove-mapping", ...range },                              // REMOVE_PMEM_MAPPING(address, length)
  [pmemcheck + 5]:  { kind: "flush", ...range },                                       // DO_FLUSH(address, length)
  [pmemcheck + 6]:  { kind: "fence" },                                                 // DO_FENCE
  [pmemcheck + 9]:  { kind: "log-stores" },                                            // LOG_STORES
  [pmemcheck + 10]: { kind: "no-log-stores" },                                         // NO_LOG_STORES
  [pmemcheck + 17]: { kind: "set-clean", ...range },                                   // SET_CLEAN(address, length)
  [pmemcheck + 18]: { kind: "tx-start", transaction: own },                            // START_TX
  [pmemcheck + 19]: { kind: "tx-start", transaction: named },                          // START_TX_N(name)
  [pmemcheck + 20]: { kind: "tx-end", transaction: own },                              // END_TX
  [pmemcheck + 21]: { kind: "tx-end", transaction: named },                            // END_TX_N(name)
  [pmemcheck + 22]: { kind: "tx-add", ...range, transaction: own },                    // ADD_TO_TX(address, length)
  [pmemcheck + 23]: { kind: "tx-add", start: 1, length: 2, transaction: named },       // ADD_TO_TX_N(name, address, length)
  [pmemcheck + 24]: { kind: "tx-remove", ...range, transaction: own },                 // REMOVE_FROM_TX(address, length)
  [pmemcheck + 25]: { kind: "tx-remove", start: 1, length: 2, transaction: named },    // REMOVE_FROM_TX_N(name, address, length)
  [pmemcheck + 26]: { kind: "tx-join", transaction: named },                           // ADD_THREAD_TO_TX_N(name)
  [pmemcheck + 27]: { kind: "tx-leave", transaction: named },                          // REMOVE_THREAD_FROM_TX_N(name)
  [pmemcheck + 28]: { kind: "tx-ignore", ...range },                                   // ADD_TO_GLOBAL_TX_IGNORE(address, length)
};

// biome-ignore format: columns stay aligned
const answers: Readonly<Record<number, Answer>> = {
  4097: () => ({ result: 1n }),                       // RUNNING_ON_VALGRIND
  // GET_VBITS, answered as for memory that cannot be looked into: libpmemobj asks once to learn whether somebody follows its
  // objects, and then tells of each one that is given out or freed.
  [memcheck + 8]:   () => ({ result: 3n }),
  [pmemcheck + 3]:  ([start, length], { persistence }) => ({ result: BigInt(persistence(start, length)) }), // CHECK_IS_PMEM_MAPPING
  [pmemcheck + 4]:  () => ({ result: 0n }),             // PRINT_PMEM_MAPPINGS
  [pmemcheck + 8]:  () => ({ result: 0n }),             // WRITE_STATS
  [pmemcheck + 11]: () => ({ result: 0n }),             // ADD_LOG_REGION
  [pmemcheck + 12]: () => ({ result: 0n }),             // REMOVE_LOG_REGION
  [pmemcheck + 30]: ([text], { readText }) => ({ result: 0n, event: { kind: "marker", text: readText(text) } }), // EMIT_LOG
};

function noted(row: NotedRequest, args: RequestArguments, { thread }: RequestContext): RequestAnswer {
  const argument = (index: number | undefined): number => (index === undefined ? 0 : low32(args[index]!));
  const transaction =
    row.transaction === "own" ? ownTransaction(thread) : row.transaction === "named" ? transactionName(args[0]) : 0;
  const [start, length] = [argument(row.start), argument(row.length)];
  return { result: 0n, event: { kind: "request", request: row.kind, start, length, transaction } };
}

/** Whether a request becomes an event or has an answer other than its default. */
export const isAnswered = (number: number): boolean => number in notedRequests || number in answers;

/** The answer to a request, and what to note of it; undefined for a request we do not know. */
export function answerRequest(
  number: bigint,
  args: RequestArguments,
  context: RequestContext,
): RequestAnswer | undefined {
  const row = notedRequests[low32(number)];
  return row === undefined ? answers[low32(number)]?.(args, context) : noted(row, args, context);
}
