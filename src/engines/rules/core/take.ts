/**
 * The loop over records, compiled: what most events are, a store, a flush of what was stored, a fence that completes it,
 * is done here, and nothing else. Always: a record that a rule may have something to say about, or that needs transactions
 * or ranges, is left untouched to TypeScript (../tracker.ts), which goes on behind it.
 */

import { Code, type Label } from "../../../isa/wasm/index.ts";
import {
  codeOf,
  firstNote,
  inHead,
  inRecord,
  pieceBytes,
  type RequestKind,
  recordBytes,
  requestKinds,
} from "../../../trace/record/index.ts";
import { atDirtySite, atFlushed, atLast, atPersisted, entryShift, means, severalSites } from "../lines.ts";
import { cell, flaggedLines, lineFlags, pageFlag, table } from "../memory.ts";
import { repeat } from "../repeats.ts";
import { inThread, threadShift } from "../threads.ts";
import { emitClear } from "./flushes.ts";
import { emitFind, emitSetBit, increase, load, store } from "./lines.ts";
import { emitSaidBefore } from "./overwrites.ts";
import { emitFlags, emitStore } from "./stores.ts";

export interface CoreFunctions {
  readonly add: number;
  readonly pend: number;
  readonly joinGroup: number;
  readonly complete: number;
  readonly repeated: number;
  readonly holds: number;
  readonly request: number;
  readonly lockStore: number;
  readonly sharedFlush: number;
  readonly allocated: number;
  readonly freed: number;
}

/** Locals of the loop. */
interface Loop {
  readonly at: number;
  readonly position: number;
  readonly persisting: number;
  readonly code: number;
  readonly state: number;
  /** The record behind the last locked operation's. */
  readonly afterLocked: number;
  /** Of a store's page. */
  readonly flags: number;
  readonly line: number;
  readonly entry: number;
  readonly base: number;
  readonly functions: CoreFunctions;
}

const leave = (c: Code, { at }: Loop) => c.get(at).return_();

const emitIsCode = (c: Code, { code }: Loop, which: number): Code => c.get(code).i32(which).op("i32.eq");

/** The thread of the record, which TypeScript must know. */
function emitState(c: Code, loop: Loop): void {
  const { at, state } = loop;
  c.get(at).memory("i32.load16_u", 2).i32(threadShift).op("i32.shl").i32(table.threads).op("i32.add").set(state);
  load(c, state, inThread.known).op("i32.eqz").if_();
  leave(c, loop);
  c.end();
}

/** Its thread; a locked operation before it is settled unless fences follow. */
function emitThread(c: Code, loop: Loop): void {
  const { state, code, functions } = loop;
  emitState(c, loop);
  load(c, state, inThread.lockedAt).if_();
  c.get(code)
    .i32(codeOf.sfence)
    .op("i32.sub")
    .i32(codeOf.locked - codeOf.sfence)
    .op("i32.gt_u")
    .if_();
  c.get(state);
  load(c, state, inThread.lockedAt).call(functions.complete);
  c.end();
  c.end();
}

function emitFindLine(c: Code, { at, line, entry }: Loop): void {
  load(c, at, inRecord.address).i32(6).op("i32.shr_u").set(line);
  emitFind(c, line).set(entry);
}
const emitBase = (c: Code, { entry, base }: Loop): Code => c.get(entry).i32(entryShift).op("i32.shl").set(base);

/** The line is on its way to be persisted. */
function emitPend(c: Code, loop: Loop, how: number): void {
  const { at, position, state, line, entry, functions } = loop;
  emitSetBit(c, table.everFlushed, line);
  c.get(state).get(at).get(position);
  c.i32(how === means.nonTemporal ? 1 : 0).call(functions.joinGroup);
  c.get(state).get(entry).i32(how);
  load(c, at, inRecord.site);
  load(c, at, inRecord.stack);
  c.get(position).call(functions.pend);
}

/** Leaves whether the store lies in the range whose first address and length are in two cells. */
function emitWithin(c: Code, { at }: Loop, start: number, length: number): Code {
  const offset = c.local("i32");
  load(c, at, inRecord.address).i32(0).memory("i32.load", start).op("i32.sub").tee(offset);
  c.i32(0).memory("i32.load", length).op("i32.lt_u");
  c.i32(0).memory("i32.load", length).get(offset).op("i32.sub");
  c.get(at).memory("i32.load8_u", inHead.size).i32(pieceBytes).op("i32.and").op("i32.ge_u");
  return c.op("i32.and");
}

/** Leaves a store's page's flag, if its line has ever had what it says. */
function emitLineFlag(c: Code, { at, flags }: Loop, flag: keyof typeof lineFlags): Code {
  load(c.get(flags).i32(flag).op("i32.and"), at, inRecord.address).i32(6).op("i32.shr_u");
  c.i32(flaggedLines - 1)
    .op("i32.and")
    .memory("i32.load8_u", lineFlags[flag]);
  return c.i32(0).op("i32.ne").i32(flag).op("i32.mul").op("i32.and");
}

/** Leaves a store to TypeScript that may be to memory that does not count; goes on behind it if it is for sure. */
function emitIgnored(c: Code, loop: Loop, next: Label): void {
  emitLineFlag(c, loop, pageFlag.ignored).if_();
  emitWithin(c, loop, cell.ignoredStart, cell.ignoredLength).brIf(next);
  leave(c, loop);
  c.end();
}

/** Leaves a store to TypeScript that transactions may have something to say of (../plain-ranges.ts). */
function emitTransactions(c: Code, loop: Loop): void {
  const { at, state, flags, functions } = loop;
  c.get(flags).i32(pageFlag.free).op("i32.and").op("i32.eqz").if_();
  load(c, state, inThread.transactions).if_("i32");
  emitWithin(c, loop, cell.allowedStart, cell.allowedLength);
  c.i32(0).memory("i32.load", cell.allowedState).get(state).op("i32.eq").op("i32.and").if_("i32");
  c.i32(0);
  c.else_().get(at).get(state).call(functions.holds).op("i32.eqz").end();
  c.else_();
  emitLineFlag(c, loop, pageFlag.objects).if_("i32");
  emitWithin(c, loop, cell.gapStart, cell.gapLength);
  // A PMDK library may do so.
  emitFlags(load(c, at, inRecord.site))
    .i32(pageFlag.pmem)
    .op("i32.and")
    .op("i32.or")
    .op("i32.eqz");
  c.else_().i32(0);
  c.end();
  c.end();
  c.if_();
  leave(c, loop);
  c.end();
  c.end();
}

/** Leaves a store to TypeScript that makes a lock word of what it stores to, or may be to one that it has to look for (../locks.ts). */
function emitLockWords(c: Code, loop: Loop): void {
  const { at, afterLocked, flags, position, functions } = loop;
  c.get(flags).i32(pageFlag.locks).op("i32.and");
  c.get(at).get(afterLocked).op("i32.eq").op("i32.or").if_();
  c.get(at).get(at).get(afterLocked).op("i32.eq").get(position).call(functions.lockStore).op("i32.eqz").if_();
  leave(c, loop);
  c.end();
  c.end();
}

/** Whether the first record follows a locked operation's. */
function emitAfterLocked(c: Code, { at, afterLocked }: Loop): void {
  c.get(at).i32(0).get(at).i32(recordBytes).op("i32.sub").memory("i32.load8_u").i32(codeOf.locked).op("i32.eq");
  c.select("i32").set(afterLocked);
}

function emitStores(c: Code, loop: Loop, next: Label): void {
  const { at, position, flags, line, entry, base, persisting, functions } = loop;
  emitFlags(load(c, at, inRecord.address)).tee(flags);
  // What most stores have nothing of is asked for at once.
  c.i32(pageFlag.ignored | pageFlag.objects | pageFlag.locks).op("i32.and");
  load(c, loop.state, inThread.transactions).op("i32.or");
  c.get(at).get(loop.afterLocked).op("i32.eq").op("i32.or").if_();
  emitLockWords(c, loop);
  emitIgnored(c, loop, next);
  emitTransactions(c, loop);
  c.end();
  emitFindLine(c, loop);
  c.get(entry).op("i32.eqz").if_();
  c.get(line).get(position).call(functions.add).set(entry);
  c.end();
  emitBase(c, loop);
  emitStore(c, at, base, position, (slot) => {
    emitSaidBefore(c, { ...loop, slot });
    c.op("i32.eqz").if_();
    leave(c, loop);
    c.end();
  });
  emitIsCode(c, loop, codeOf.store).brIf(next);
  c.get(persisting).op("i32.eqz").brIf(next);
  emitPend(c, loop, means.nonTemporal);
  c.br(next);
}

/** Goes on if such a thing was pointed out at the record's place before; it has been counted then. */
function emitRepeated(c: Code, loop: Loop, what: number): void {
  load(c, loop.at, inRecord.site);
  load(c, loop.at, inRecord.stack);
  c.i32(what).call(loop.functions.repeated).op("i32.eqz").if_();
  leave(c, loop);
  c.end();
}

/** A flush that waits for a fence, of stores from one site, or of several as was told of before; of others there is something to say, or to find out. */
function emitFlushes(c: Code, loop: Loop): void {
  const { base, entry, functions } = loop;
  emitFindLine(c, loop);
  emitBase(c, loop);
  load(c, base, atLast);
  load(c, base, atFlushed).op("i32.gt_u").if_();
  emitIsCode(c, loop, codeOf.clflush).if_();
  leave(c, loop);
  c.end();
  load(c, base, atDirtySite)
    .i32(severalSites | 0)
    .op("i32.eq")
    .if_();
  c.get(entry).call(functions.sharedFlush).op("i32.eqz").if_();
  leave(c, loop);
  c.end();
  emitRepeated(c, loop, repeat.sharedFlush);
  c.end();
  emitPend(c, loop, means.flush);
  c.else_();
  emitCleanFlush(c, loop);
  c.end();
}

/** A flush of a line with nothing dirty; leaves it unless all is persisted, and the line in persistent memory for sure. */
function emitCleanFlush(c: Code, loop: Loop): void {
  const { line, entry, base, state } = loop;
  c.get(entry).if_("i32");
  load(c, base, atPersisted);
  load(c, base, atLast).op("i32.lt_u");
  c.else_();
  c.get(line).i32(6).op("i32.shr_u").memory("i32.load8_u", table.pageFlags).i32(pageFlag.persistent).op("i32.and");
  c.op("i32.eqz");
  c.end();
  c.if_();
  leave(c, loop);
  c.end();
  emitRepeated(c, loop, repeat.cleanFlush);
  emitSetBit(c, table.everFlushed, line);
  increase(c, state, inThread.others, 1);
}

/** A locked operation completes flushes too, but that is settled later. */
function emitLocked(c: Code, { at, position, state }: Loop): void {
  load(c, state, inThread.count).op("i32.eqz").if_();
  emitClear(c, state);
  c.else_();
  load(c, state, inThread.lockedAt).op("i32.eqz").if_();
  store(c, state, inThread.lockedAt, position);
  load(c.get(state), at, inRecord.stack).memory("i32.store", 4 * inThread.lockedStack);
  c.end();
  c.end();
}

/** A store fence that completes one run of flushes, or follows some that needed none; others only if told of before. */
function emitFences(c: Code, loop: Loop): void {
  const { position, state, functions } = loop;
  emitIsCode(c, loop, codeOf.sfence).op("i32.eqz").if_();
  leave(c, loop);
  c.end();
  load(c, state, inThread.count).if_();
  load(c, state, inThread.groups).i32(1).op("i32.gt_u").if_();
  emitRepeated(c, loop, repeat.sharedFence);
  c.end();
  c.else_();
  load(c, state, inThread.others).op("i32.eqz").if_();
  emitRepeated(c, loop, repeat.idleFence);
  c.end();
  c.end();
  c.get(state).get(position).call(functions.complete);
}

/**
 * A request that is about a transaction that compiled code follows, declares a flush of a few lines, or tells of an object
 * that transactions know nothing of. Others fall through.
 * It settles no locked operation before it: that may be the library's own.
 */
function emitRequests(c: Code, loop: Loop, next: Label): void {
  const { at, persisting } = loop;
  const kind = c.local("i32");
  const is = (name: RequestKind) => c.get(kind).i32(requestKinds.indexOf(name)).op("i32.eq");
  emitIsCode(c, loop, codeOf.request).i32(0).memory("i32.load", cell.sawRequests).op("i32.and").if_();
  c.get(at).memory("i32.load8_u", inHead.size).set(kind);
  c.get(kind).i32(requestKinds.indexOf("tx-start")).op("i32.sub").i32(followedKinds).op("i32.lt_u").if_();
  emitState(c, loop);
  c.get(at).get(loop.state).get(loop.position).call(loop.functions.request).brIf(next);
  c.end();
  is("flush").if_();
  c.get(persisting).op("i32.eqz").brIf(next);
  emitDeclaredFlush(c, loop, next);
  c.end();
  is("object-allocated").if_();
  emitState(c, loop);
  c.get(at).get(loop.state).call(loop.functions.allocated).brIf(next);
  c.end();
  is("object-freed").if_();
  c.get(at).call(loop.functions.freed).brIf(next);
  c.end();
  c.end();
}

/** Starts, ends, addings and removals, which follow one another in the table. */
const followedKinds = requestKinds.indexOf("tx-remove") - requestKinds.indexOf("tx-start") + 1;

/** Lines of a declared flush at most; the end of memory lies further than that behind its range. */
const mostDeclared = 4096;

function emitDeclaredFlush(c: Code, loop: Loop, next: Label): void {
  const { at, position, state, line, entry, base, functions } = loop;
  const after = c.local("i32");
  emitState(c, loop);
  load(c, at, inRecord.low).i32(1).op("i32.sub").i32(mostDeclared).op("i32.lt_u");
  load(c, at, inRecord.address)
    .i32(-2 * mostDeclared)
    .op("i32.lt_u")
    .op("i32.and")
    .if_();
  load(c, at, inRecord.address).tee(line);
  load(c, at, inRecord.low).op("i32.add").i32(63).op("i32.add").i32(6).op("i32.shr_u").set(after);
  c.get(line).i32(6).op("i32.shr_u").set(line);
  const again = c.loop();
  emitSetBit(c, table.everFlushed, line);
  emitFind(c, line).set(entry);
  emitBase(c, loop);
  load(c, base, atLast);
  load(c, base, atFlushed).op("i32.gt_u").if_();
  c.get(state).get(entry).i32(means.annotation);
  load(c, at, inRecord.site);
  load(c, at, inRecord.stack);
  c.get(position).call(functions.pend);
  c.end();
  c.get(line).i32(1).op("i32.add").tee(line).get(after).op("i32.lt_u").brIf(again);
  c.end();
  c.br(next);
  c.end();
}

/** (record, end behind it, position, persisting) → the record that TypeScript must look at, or the end. */
export function takeFunction(functions: CoreFunctions): Code {
  const c = new Code(["i32", "i32", "i32", "i32"]);
  const local = () => c.local("i32");
  const locals = { code: local(), state: local(), afterLocked: local(), flags: local() };
  const lines = { line: local(), entry: local(), base: local() };
  const loop: Loop = { at: 0, position: 2, persisting: 3, ...locals, ...lines, functions };
  const { at, position, persisting, code } = loop;
  emitAfterLocked(c, loop);
  const again = c.loop();
  const next = c.block();
  c.get(at).memory("i32.load8_u").tee(code).i32(firstNote).op("i32.ge_u").if_();
  emitRequests(c, loop, next);
  leave(c, loop);
  c.end();
  emitThread(c, loop);
  c.get(code).i32(codeOf.store).op("i32.ge_u").if_();
  emitStores(c, loop, next);
  c.end();
  emitIsCode(c, loop, codeOf.locked).if_();
  c.get(at).i32(recordBytes).op("i32.add").set(loop.afterLocked);
  c.end();
  c.get(persisting).op("i32.eqz").brIf(next);
  c.get(code).i32(codeOf.clwb).op("i32.le_u").if_();
  emitFlushes(c, loop);
  c.br(next);
  c.end();
  emitIsCode(c, loop, codeOf.lfence).brIf(next);
  emitIsCode(c, loop, codeOf.locked).if_();
  emitLocked(c, loop);
  c.br(next);
  c.end();
  emitFences(c, loop);
  c.end();
  c.get(position).i32(1).op("i32.add").set(position);
  c.get(at).i32(recordBytes).op("i32.add").tee(at).get(1).op("i32.lt_u").brIf(again);
  c.end();
  return c.get(at);
}
