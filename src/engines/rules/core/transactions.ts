/** The simple transaction, compiled (../simple-transaction.ts): each function tells whether it could follow. */

import { Code } from "../../../isa/wasm/index.ts";
import { inHead, inRecord, pieceBytes, type RequestKind, requestKinds } from "../../../trace/record/index.ts";
import { cell, table } from "../memory.ts";
import {
  addedBytes,
  addingBytes,
  coveredLines,
  inAdded,
  inAdding,
  mostAdded,
  mostAddings,
} from "../simple-transaction.ts";
import { inThread } from "../threads.ts";
import { load, store } from "./lines.ts";

const loadCell = (c: Code, address: number): Code => c.i32(0).memory("i32.load", address);
const setCell = (c: Code, address: number, value: () => Code): Code => {
  c.i32(0);
  return value().memory("i32.store", address);
};
const answer = (c: Code, value: 0 | 1): Code => c.i32(value).return_();
const answerIf = (c: Code, value: 0 | 1): void => {
  c.if_();
  answer(c, value);
  c.end();
};

/** Where the element of a table lies that a cell counts. */
const emitElement = (c: Code, first: number, bytes: number, count: () => Code): Code => {
  count();
  return c.i32(bytes).op("i32.mul").i32(first).op("i32.add");
};

/** Runs `look` for the address of each range, from the last to the first. */
function emitForAdded(c: Code, look: (range: number) => void): void {
  const [range, left] = [c.local("i32"), c.local("i32")];
  loadCell(c, cell.simpleAdded).set(left);
  const done = c.block();
  const again = c.loop();
  c.get(left).op("i32.eqz").brIf(done);
  c.get(left).i32(1).op("i32.sub").set(left);
  emitElement(c, table.simpleAdded, addedBytes, () => c.get(left)).set(range);
  look(range);
  c.br(again);
  c.end();
  c.end();
}

/** (record, state) → 1 if the simple transaction of the state's thread holds the store, which is noted for the next ones. */
export function holdsFunction(): Code {
  const [at, state] = [0, 1];
  const c = new Code(["i32", "i32"]);
  const [offset, room] = [c.local("i32"), c.local("i32")];
  loadCell(c, cell.simpleState).get(state).op("i32.ne");
  answerIf(c, 0);
  emitForAdded(c, (range) => {
    load(c, at, inRecord.address);
    load(c, range, inAdded.start).op("i32.sub").set(offset);
    load(c, range, inAdded.end);
    load(c, range, inAdded.start).op("i32.sub").set(room);
    c.get(offset).get(room).op("i32.lt_u").get(room).get(offset).op("i32.sub");
    c.get(at).memory("i32.load8_u", inHead.size).i32(pieceBytes).op("i32.and").op("i32.ge_u").op("i32.and").if_();
    setCell(c, cell.allowedState, () => c.get(state));
    setCell(c, cell.allowedStart, () => load(c, range, inAdded.start));
    setCell(c, cell.allowedLength, () => c.get(room));
    answer(c, 1);
    c.end();
  });
  return c.i32(0);
}

/** (start, length) → 1 if all of a range is known to be in objects of transactions. */
export function coveredFunction(): Code {
  const [start, length] = [0, 1];
  const c = new Code(["i32", "i32"]);
  const [line, last, place, needed] = [c.local("i32"), c.local("i32"), c.local("i32"), c.local("i32")];
  const end = length;
  c.get(start).get(length).op("i32.add").i32(1).op("i32.sub").tee(end).i32(6).op("i32.shr_u").set(last);
  c.get(start).i32(6).op("i32.shr_u").set(line);
  const again = c.loop();
  c.get(line)
    .i32(coveredLines - 1)
    .op("i32.and")
    .i32(3)
    .op("i32.shl")
    .i32(table.coveredLines)
    .op("i32.add")
    .set(place);
  load(c, place, 0).get(line).i32(1).op("i32.add").op("i32.ne");
  answerIf(c, 0);
  // The eights of this line from the first one on, and up to the last.
  c.i32(0xff).get(start).i32(3).op("i32.shr_u").i32(7).op("i32.and").op("i32.shl");
  c.i32(0xff).get(line).get(start).i32(6).op("i32.shr_u").op("i32.eq").select("i32");
  c.i32(0xff).i32(7).get(end).i32(3).op("i32.shr_u").i32(7).op("i32.and").op("i32.sub").op("i32.shr_u");
  c.i32(0xff).get(line).get(last).op("i32.eq").select("i32");
  c.op("i32.and").i32(0xff).op("i32.and").tee(needed);
  load(c, place, 1).op("i32.and").get(needed).op("i32.ne");
  answerIf(c, 0);
  c.get(line).i32(1).op("i32.add").tee(line).get(last).op("i32.le_u").brIf(again);
  c.end();
  return c.i32(1);
}

function emitStart(c: Code, at: number, state: number): void {
  loadCell(c, cell.simpleState).op("i32.eqz").if_();
  setCell(c, cell.simpleState, () => c.get(state));
  setCell(c, cell.simpleName, () => load(c, at, inRecord.high));
  for (const word of [cell.simpleDepth, cell.simpleAdded, cell.simpleAddings, cell.simpleHasFresh])
    setCell(c, word, () => c.i32(word === cell.simpleDepth ? 1 : 0));
  c.get(state)
    .i32(1)
    .memory("i32.store", 4 * inThread.transactions);
  answer(c, 1);
  c.end();
  loadCell(c, cell.simpleState).get(state).op("i32.ne");
  loadCell(c, cell.simpleName);
  load(c, at, inRecord.high).op("i32.ne").op("i32.or");
  answerIf(c, 0);
  setCell(c, cell.simpleDepth, () => loadCell(c, cell.simpleDepth).i32(1).op("i32.add"));
  answer(c, 1);
}

interface Bounds {
  readonly start: number;
  readonly end: number;
}

/** A range that is not empty and ends before the end of memory; others are not followed. */
function emitBounds(c: Code, at: number): Bounds {
  const [start, end] = [c.local("i32"), c.local("i32")];
  load(c, at, inRecord.address).tee(start);
  load(c, at, inRecord.low).op("i32.add").tee(end).get(start).op("i32.le_u");
  answerIf(c, 0);
  return { start, end };
}

function emitOverlaps(c: Code, range: number, { start, end }: Bounds): void {
  c.get(start);
  load(c, range, inAdded.end).op("i32.lt_u");
  load(c, range, inAdded.start).get(end).op("i32.lt_u").op("i32.and");
}

function emitAdd(c: Code, at: number, state: number, position: number): void {
  const bounds = emitBounds(c, at);
  const place = c.local("i32");
  loadCell(c, cell.simpleState).get(state).op("i32.ne");
  loadCell(c, cell.simpleAdded).i32(mostAdded).op("i32.eq").op("i32.or");
  loadCell(c, cell.simpleAddings).i32(mostAddings).op("i32.eq").op("i32.or");
  answerIf(c, 0);
  emitForAdded(c, (range) => {
    emitOverlaps(c, range, bounds);
    answerIf(c, 0);
  });
  emitElement(c, table.simpleAdded, addedBytes, () => loadCell(c, cell.simpleAdded)).set(place);
  store(c, place, inAdded.start, bounds.start);
  store(c, place, inAdded.end, bounds.end);
  loadCell(c.get(place), cell.simpleAddings).memory("i32.store", 4 * inAdded.adding);
  emitElement(c, table.simpleAddings, addingBytes, () => loadCell(c, cell.simpleAddings)).set(place);
  store(c, place, inAdding.start, bounds.start);
  const words = [["length", "low"] as const, ["site", "site"] as const, ["stack", "stack"] as const];
  for (const [to, from] of words) load(c.get(place), at, inRecord[from]).memory("i32.store", 4 * inAdding[to]);
  store(c, place, inAdding.position, position);
  for (const count of [cell.simpleAdded, cell.simpleAddings])
    setCell(c, count, () => loadCell(c, count).i32(1).op("i32.add"));
  setCell(c, cell.allowedState, () => c.get(state));
  setCell(c, cell.allowedStart, () => c.get(bounds.start));
  setCell(c, cell.allowedLength, () => load(c, at, inRecord.low));
  answer(c, 1);
}

/** A range as it was added, or one that shares nothing with any. */
function emitRemove(c: Code, at: number): void {
  const bounds = emitBounds(c, at);
  const last = c.local("i32");
  setCell(c, cell.allowedLength, () => c.i32(0));
  emitForAdded(c, (range) => {
    emitOverlaps(c, range, bounds);
    c.if_();
    load(c, range, inAdded.start).get(bounds.start).op("i32.ne");
    load(c, range, inAdded.end).get(bounds.end).op("i32.ne").op("i32.or");
    answerIf(c, 0);
    setCell(c, cell.simpleAdded, () => loadCell(c, cell.simpleAdded).i32(1).op("i32.sub"));
    emitElement(c, table.simpleAdded, addedBytes, () => loadCell(c, cell.simpleAdded)).set(last);
    for (const word of Object.values(inAdded)) load(c.get(range), last, word).memory("i32.store", 4 * word);
    answer(c, 1);
    c.end();
  });
  answer(c, 1);
}

/** Ends it if nothing becomes an object that is none yet. What is one already is no longer among its addings. */
function emitEnd(c: Code, covered: number): void {
  const [from, to, after] = [c.local("i32"), c.local("i32"), c.local("i32")];
  loadCell(c, cell.simpleDepth).i32(1).op("i32.gt_u").if_();
  setCell(c, cell.simpleDepth, () => loadCell(c, cell.simpleDepth).i32(1).op("i32.sub"));
  answer(c, 1);
  c.end();
  c.i32(table.simpleAddings).tee(from).set(to);
  emitElement(c, table.simpleAddings, addingBytes, () => loadCell(c, cell.simpleAddings)).set(after);
  const done = c.block();
  const again = c.loop();
  c.get(from).get(after).op("i32.eq").brIf(done);
  load(c, from, inAdding.start);
  load(c, from, inAdding.length).call(covered).op("i32.eqz").if_();
  for (const word of Object.values(inAdding)) load(c.get(to), from, word).memory("i32.store", 4 * word);
  c.get(to).i32(addingBytes).op("i32.add").set(to);
  c.end();
  c.get(from).i32(addingBytes).op("i32.add").set(from).br(again);
  c.end();
  c.end();
  setCell(c, cell.simpleAddings, () =>
    c.get(to).i32(table.simpleAddings).op("i32.sub").i32(addingBytes).op("i32.div_u"),
  );
  loadCell(c, cell.simpleAddings);
  answerIf(c, 0);
  loadCell(c, cell.simpleState)
    .i32(0)
    .memory("i32.store", 4 * inThread.transactions);
  for (const word of [cell.simpleState, cell.allowedLength]) setCell(c, word, () => c.i32(0));
  answer(c, 1);
}

/** (record, state, position) → 1 if the request is about the simple transaction, or about none, and was followed. */
export function requestFunction(covered: number): Code {
  const [at, state, position] = [0, 1, 2];
  const c = new Code(["i32", "i32", "i32"]);
  const when = (kind: RequestKind, emit: () => void) => {
    c.get(at).memory("i32.load8_u", inHead.size).i32(requestKinds.indexOf(kind)).op("i32.eq").if_();
    emit();
    c.end();
  };
  loadCell(c, cell.runningTransactions);
  answerIf(c, 0);
  when("tx-start", () => emitStart(c, at, state));
  loadCell(c, cell.simpleState).op("i32.eqz");
  loadCell(c, cell.simpleName);
  load(c, at, inRecord.high).op("i32.ne").op("i32.or");
  answerIf(c, 1);
  when("tx-add", () => emitAdd(c, at, state, position));
  when("tx-remove", () => emitRemove(c, at));
  emitEnd(c, covered);
  return c.unreachable();
}
