/** Flushes and fences, compiled: what a thread has on its way, and what its fence completes (docs/MODEL.md, PM-17 to PM-21). */

import { Code } from "../../../isa/wasm/index.ts";
import { inRecord } from "../../../trace/record/index.ts";
import {
  atFlushed,
  atFlushPosition,
  atFlushSite,
  atFlushStack,
  atFlushThread,
  atLast,
  atMeans,
  atPending,
  atPersisted,
  atReferences,
  entryShift,
} from "../lines.ts";
import { table } from "../memory.ts";
import { inThread, pendingWords, threadShift } from "../threads.ts";
import { increase, load, store } from "./lines.ts";

const pendingBytes = 4 * pendingWords;

/** Leaves the address of a pending flush, by its number. */
function emitPending(c: Code, state: number, number: number): Code {
  load(c, state, inThread.list);
  return c.get(number).i32(pendingBytes).op("i32.mul").op("i32.add");
}

/** Leaves whether the thread's list has the entry where the entry says; then its number is in `number`. */
function emitIsPending(c: Code, state: number, entry: number, base: number, number: number): void {
  load(c, base, atPending).set(number);
  load(c, base, atFlushThread).get(state).i32(table.threads).op("i32.sub").i32(threadShift).op("i32.shr_u");
  c.op("i32.eq").get(number);
  load(c, state, inThread.count).op("i32.lt_u").op("i32.and").if_("i32");
  emitPending(c, state, number).memory("i32.load").get(entry).op("i32.eq");
  c.else_().i32(0);
  c.end();
}

/** (state, entry, means, site, stack, position): the line's stores so far are on their way until the thread fences. */
export function pendFunction(lengthen: number): Code {
  const [state, entry, means, site, stack, position] = [0, 1, 2, 3, 4, 5];
  const c = new Code(["i32", "i32", "i32", "i32", "i32", "i32"]);
  const base = c.local("i32");
  const bound = c.local("i32");
  const number = c.local("i32");
  c.get(entry).i32(entryShift).op("i32.shl").set(base);
  load(c, base, atLast).set(bound);
  emitIsPending(c, state, entry, base, number);
  c.op("i32.eqz").if_();
  load(c, state, inThread.count).tee(number);
  load(c, state, inThread.room).op("i32.eq").if_();
  c.get(state).call(lengthen);
  c.end();
  emitPending(c, state, number).get(entry).memory("i32.store");
  store(c, base, atPending, number);
  increase(c, state, inThread.count, 1);
  increase(c, base, atReferences, 1);
  c.end();
  emitPending(c, state, number).get(bound).memory("i32.store", 4);
  store(c, base, atFlushed, bound);
  store(c, base, atMeans, means);
  store(c, base, atFlushSite, site);
  store(c, base, atFlushStack, stack);
  c.get(base).get(state).i32(table.threads).op("i32.sub").i32(threadShift).op("i32.shr_u");
  c.memory("i32.store", 4 * atFlushThread);
  store(c, base, atFlushPosition, position);
  return c;
}

/**
 * (state, record, position, any site): a flush of the newest one's line, or of the line right after it from the same
 * place, belongs to the same group.
 */
export function joinGroupFunction(): Code {
  const [state, at, position, anySite] = [0, 1, 2, 3];
  const c = new Code(["i32", "i32", "i32", "i32"]);
  const step = c.local("i32");
  const same = c.local("i32");
  const line = (base: number, word: number) => load(c, base, word).i32(6).op("i32.shr_u");
  const equal = (word: "site" | "stack") => {
    load(c, state, inThread.newest + places[word]);
    return load(c, at, inRecord[word]).op("i32.eq");
  };
  line(at, inRecord.address);
  line(state, inThread.newest + places.address)
    .op("i32.sub")
    .tee(step)
    .i32(1)
    .op("i32.eq");
  equal("stack").op("i32.and");
  equal("site").get(anySite).op("i32.or").op("i32.and");
  c.get(step).op("i32.eqz").op("i32.or");
  load(c, state, inThread.groups).i32(0).op("i32.ne").op("i32.and").set(same);
  putPlace(c, state, inThread.newest, at, position);
  c.get(same).op("i32.eqz").if_();
  increase(c, state, inThread.groups, 1);
  for (const [count, place] of [inThread.firstGroup, inThread.secondGroup].entries()) {
    load(c, state, inThread.groups)
      .i32(count + 1)
      .op("i32.eq")
      .if_();
    putPlace(c, state, place, at, position);
    c.end();
  }
  c.end();
  return c;
}

/** The words of a place that a state remembers. */
const places = { site: 0, stack: 1, address: 2, position: 3 } as const;

function putPlace(c: Code, state: number, place: number, at: number, position: number): void {
  for (const word of ["site", "stack", "address"] as const)
    load(c.get(state), at, inRecord[word]).memory("i32.store", 4 * (place + places[word]));
  store(c, state, place + places.position, position);
}

/** (state, position): the thread's pending flushes are done. */
export function completeFunction(release: number): Code {
  const [state, position] = [0, 1];
  const c = new Code(["i32", "i32"]);
  const at = c.local("i32");
  const end = c.local("i32");
  const base = c.local("i32");
  const bound = c.local("i32");
  load(c, state, inThread.count).if_();
  store(c, state, inThread.lastOrdering, position);
  c.end();
  load(c, state, inThread.list).tee(at);
  load(c, state, inThread.count).i32(pendingBytes).op("i32.mul").op("i32.add").set(end);
  const done = c.block();
  const again = c.loop();
  c.get(at).get(end).op("i32.ge_u").brIf(done);
  load(c, at, 0).i32(entryShift).op("i32.shl").set(base);
  load(c, at, 1).set(bound);
  load(c, base, atPersisted).get(bound).op("i32.lt_u").if_();
  store(c, base, atPersisted, bound);
  c.end();
  increase(c, base, atReferences, -1);
  load(c, base, atReferences).op("i32.eqz");
  load(c, base, atPersisted);
  load(c, base, atLast).op("i32.ge_u").op("i32.and").if_();
  load(c, at, 0).call(release);
  c.end();
  c.get(at).i32(pendingBytes).op("i32.add").set(at).br(again);
  c.end();
  c.end();
  emitClear(c, state);
  return c;
}

/** Nothing is on its way. */
export function emitClear(c: Code, state: number): void {
  for (const word of ["count", "others", "groups", "lockedAt"] as const)
    c.get(state)
      .i32(0)
      .memory("i32.store", 4 * inThread[word]);
}
