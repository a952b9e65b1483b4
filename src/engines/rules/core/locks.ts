/** Lock words, compiled (../locks.ts). */

import { Code } from "../../../isa/wasm/index.ts";
import { inHead, inRecord, pieceBytes, recordBytes } from "../../../trace/record/index.ts";
import { inLock, lockHashes } from "../locks.ts";
import { table } from "../memory.ts";
import { load, store } from "./lines.ts";

/** Leaves where the last lock word lies whose address has the same hash as the record's; 0 for none. */
export function emitLockAt(c: Code, at: number): Code {
  load(c, at, inRecord.address).i32(2).op("i32.shr_u");
  load(c, at, inRecord.address).i32(16).op("i32.shr_u").op("i32.xor");
  return c
    .i32(lockHashes - 1)
    .op("i32.and")
    .i32(2)
    .op("i32.shl")
    .memory("i32.load", table.lockWords);
}

const loadWide = (c: Code, base: number, word: number): Code => c.get(base).memory("i64.load", 4 * word);

/** Whether the word is given back by this value: it is what it held before, or the next number. */
function emitIsBack(c: Code, word: number, value: number): Code {
  loadWide(c, word, inLock.before).get(value).op("i64.eq");
  c.get(value).i64(1n).op("i64.sub");
  loadWide(c, word, inLock.value).op("i64.eq").get(value).op("i64.eqz").op("i32.eqz").op("i32.and").op("i32.or");
  return load(c, word, inLock.isTaken).op("i32.and");
}

/** (record, lock word, is it a locked operation's, position): follows the store of a record to the word, once. */
export function followLockFunction(): Code {
  const [at, word, isLocked, position] = [0, 1, 2, 3];
  const c = new Code(["i32", "i32", "i32", "i32"]);
  const value = c.local("i64");
  load(c, word, inLock.followed).get(position).op("i32.eq").if_();
  c.return_();
  c.end();
  store(c, word, inLock.followed, position);
  loadWide(c, at, inRecord.low).set(value);
  emitIsBack(c, word, value).if_();
  c.get(word)
    .i32(0)
    .memory("i32.store", 4 * inLock.isTaken);
  load(c, word, inLock.since).op("i32.eqz").if_();
  store(c, word, inLock.since, position);
  c.end();
  c.else_();
  c.get(isLocked).if_();
  loadWide(c.get(word), word, inLock.value).memory("i64.store", 4 * inLock.before);
  c.get(word)
    .i32(1)
    .memory("i32.store", 4 * inLock.isTaken);
  c.end();
  c.end();
  c.get(word)
    .get(value)
    .memory("i64.store", 4 * inLock.value);
  return c;
}

/** Leaves whether the store of a record behind that of a locked operation belongs to it: thread and site are the same. */
function emitBelongs(c: Code, at: number): void {
  const before = c.local("i32");
  c.get(at).i32(recordBytes).op("i32.sub").set(before);
  c.get(at).memory("i32.load16_u", 2).get(before).memory("i32.load16_u", 2).op("i32.eq");
  load(c, at, inRecord.site);
  load(c, before, inRecord.site).op("i32.eq").op("i32.and");
}

/** (record, does it follow a locked operation's, position) → 1 if its store is to no lock word, or to one and was followed. */
export function lockStoreFunction(follow: number): Code {
  const [at, isLocked, position] = [0, 1, 2];
  const c = new Code(["i32", "i32", "i32"]);
  const word = c.local("i32");
  c.get(isLocked).if_();
  emitBelongs(c, at);
  c.set(isLocked);
  c.end();
  emitLockAt(c, at).tee(word).op("i32.eqz").if_();
  c.get(isLocked).op("i32.eqz").return_();
  c.end();
  load(c, word, inLock.address);
  load(c, at, inRecord.address).op("i32.eq");
  load(c, word, inLock.bytes);
  c.get(at).memory("i32.load8_u", inHead.size).i32(pieceBytes).op("i32.and").op("i32.eq").op("i32.and").if_("i32");
  c.get(at).get(word).get(isLocked).get(position).call(follow).i32(1);
  c.else_().i32(0);
  c.end();
  return c;
}
