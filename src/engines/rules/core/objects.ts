/** Objects given out and freed where no transaction has a say, compiled (../objects.ts). */

import { Code } from "../../../isa/wasm/index.ts";
import { inRecord } from "../../../trace/record/index.ts";
import { cell, flaggedLines, lineFlags, table } from "../memory.ts";
import { inObject, objectHashes, objectShift } from "../objects.ts";
import { inThread } from "../threads.ts";
import { load, store } from "./lines.ts";

/** Longer ones are left to TypeScript. */
const mostBytes = 4096;

const answerUnless = (c: Code): void => {
  c.op("i32.eqz").if_();
  c.i32(0).return_();
  c.end();
};

function emitPlace(c: Code, at: number, place: number): void {
  load(c, at, inRecord.address).i32(6).op("i32.shr_u");
  load(c, at, inRecord.address).i32(16).op("i32.shr_u").op("i32.xor");
  c.i32(objectHashes - 1)
    .op("i32.and")
    .i32(objectShift)
    .op("i32.shl");
  c.i32(table.objects).op("i32.add").set(place);
}

/** Answers 0 if a line of the object ever had one of these flags, or if it is empty, long or at the end of memory. */
function emitPlain(c: Code, at: number, length: number, flags: readonly number[]): void {
  const [line, after] = [c.local("i32"), c.local("i32")];
  c.get(length).i32(1).op("i32.sub").i32(mostBytes).op("i32.lt_u");
  load(c, at, inRecord.address)
    .i32(-2 * mostBytes)
    .op("i32.lt_u")
    .op("i32.and");
  answerUnless(c);
  load(c, at, inRecord.address).i32(6).op("i32.shr_u").set(line);
  load(c, at, inRecord.address).get(length).op("i32.add").i32(63).op("i32.add").i32(6).op("i32.shr_u").set(after);
  const again = c.loop();
  for (const [index, flag] of flags.entries()) {
    c.get(line)
      .i32(flaggedLines - 1)
      .op("i32.and")
      .memory("i32.load8_u", flag);
    if (index > 0) c.op("i32.or");
  }
  c.op("i32.eqz");
  answerUnless(c);
  c.get(line).i32(1).op("i32.add").tee(line).get(after).op("i32.lt_u").brIf(again);
  c.end();
}

const flagTables = Object.values(lineFlags);

/** (record, state) → 1 if the object was noted, and no transaction or object of transactions has to know. */
export function allocatedFunction(): Code {
  const [at, state] = [0, 1];
  const c = new Code(["i32", "i32"]);
  const [place, length, start] = [c.local("i32"), c.local("i32"), c.local("i32")];
  load(c, state, inThread.transactions).op("i32.eqz");
  answerUnless(c);
  load(c, at, inRecord.low).set(length);
  emitPlain(c, at, length, flagTables);
  emitPlace(c, at, place);
  load(c, at, inRecord.address).set(start);
  load(c, place, inObject.start).op("i32.eqz");
  load(c, place, inObject.start).get(start).op("i32.eq").op("i32.or");
  answerUnless(c);
  store(c, place, inObject.start, start);
  store(c, place, inObject.length, length);
  return c.i32(1);
}

/** (record) → 1 if the object is forgotten, and there is nothing else to do for it. */
export function freedFunction(): Code {
  const at = 0;
  const c = new Code(["i32"]);
  const [place, length] = [c.local("i32"), c.local("i32")];
  for (const running of [cell.simpleState, cell.runningTransactions]) {
    c.i32(0).memory("i32.load", running).op("i32.eqz");
    answerUnless(c);
  }
  emitPlace(c, at, place);
  load(c, place, inObject.start);
  load(c, at, inRecord.address).op("i32.eq");
  answerUnless(c);
  load(c, place, inObject.length).set(length);
  emitPlain(c, at, length, flagTables);
  c.get(place)
    .i32(0)
    .memory("i32.store", 4 * inObject.start);
  c.i32(0).i32(0).memory("i32.store", cell.allowedLength);
  return c.i32(1);
}
