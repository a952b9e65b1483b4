/**
 * Loads and stores that the fast check turned away: accesses that fault, cross pages, hit persistent memory, a page
 * unchanged since the snapshot, translated code, a shared file page, or a watched one. A nonzero stop code means that
 * nothing was done.
 */

import { Code, type ModuleBuilder, type ValueType } from "../../isa/wasm/index.ts";
import { codeOf, toVolatile } from "../../trace/record/index.ts";
import { type EventFunctions, emitStoreEvents, emitWholeStoreEvent } from "./events.ts";
import { cell, cpuAddress, info, layout, pageBits, pageSize, stop } from "./layout.ts";
import { type SchedulingFunctions, storedWords, usedBits } from "./scheduling.ts";
import { branchUnlessNoted, branchUnlessUsed, type WatchFunctions } from "./watch.ts";

export const loads = {
  load8: { size: 1, type: "i32", op: "i32.load8_u" },
  load16: { size: 2, type: "i32", op: "i32.load16_u" },
  load32: { size: 4, type: "i32", op: "i32.load" },
  load64: { size: 8, type: "i64", op: "i64.load" },
  load128: { size: 16, type: "v128", op: "v128.load" },
} as const;
export type LoadName = keyof typeof loads;

export const stores = {
  store8: { size: 1, type: "i32", op: "i32.store8", nonTemporal: false },
  store16: { size: 2, type: "i32", op: "i32.store16", nonTemporal: false },
  store32: { size: 4, type: "i32", op: "i32.store", nonTemporal: false },
  store64: { size: 8, type: "i64", op: "i64.store", nonTemporal: false },
  store128: { size: 16, type: "v128", op: "v128.store", nonTemporal: false },
  store8nt: { size: 1, type: "i32", op: "i32.store8", nonTemporal: true },
  store32nt: { size: 4, type: "i32", op: "i32.store", nonTemporal: true },
  store64nt: { size: 8, type: "i64", op: "i64.store", nonTemporal: true },
  store128nt: { size: 16, type: "v128", op: "v128.store", nonTemporal: true },
  store256: { size: 32, type: "v128", op: "v128.store", nonTemporal: false },
  store256nt: { size: 32, type: "v128", op: "v128.store", nonTemporal: true },
} as const;
export type StoreName = keyof typeof stores;

export const vectorBytes = 16;
/** Whether a store is of two vectors, the lower one first. */
export const isWide = ({ size }: { readonly size: number }): boolean => size > vectorBytes;
const storeParams = (row: (typeof stores)[StoreName]): readonly ValueType[] =>
  isWide(row) ? ["i64", row.type, row.type, "i32"] : ["i64", row.type, "i32"];

export interface MemoryImports {
  /** (page): before the first store to a clean page. */
  readonly touch: number;
  /** (address, size): after a store to a shared file page. */
  readonly mirror: number;
}

export interface MemoryFunctions {
  readonly load: Readonly<Record<LoadName, number>>;
  readonly store: Readonly<Record<StoreName, number>>;
  readonly probe: number;
  /** (address i64, size i32, needed info bits i32, write i32) → 0 or stop.fault. */
  readonly check: number;
}

/** From a guest address on the stack to its page's info bits. */
const loadPageInfo = (c: Code) =>
  c.i32(pageBits).op("i32.shr_u").i32(1).op("i32.shl").memory("i32.load16_u", layout.pageInfo);

const pageInfoOf = (c: Code, address: number) => loadPageInfo(c.get(address));

/** Info bits of the page or pages that `size` bytes at an address lie on. */
const bitsOf = (c: Code, address: number, size: number) => {
  pageInfoOf(c, address);
  c.get(address)
    .i32(size - 1)
    .op("i32.add");
  return loadPageInfo(c).op("i32.or");
};

/** Returns from the function, if these bytes on pages with these info bits may not be used now. */
function returnIfStopped(c: Code, bits: number, stops: number, pushBytes: () => void): void {
  c.get(bits).i32(info.watched).op("i32.and").if_();
  pushBytes();
  c.call(stops).if_();
  c.i32(stop.watched).return_();
  c.end();
  c.end();
}

/** Notes the fault in the machine's cells: which byte, and whether it was a store. */
function checkFunction(): Code {
  const [address, size, needed, write] = [0, 1, 2, 3];
  const c = new Code(["i64", "i32", "i32", "i32"]);
  const low = c.local("i32");
  const bad = c.local("i64");
  const ok = c.block();
  const fault = c.block();
  c.get(address).set(bad);
  c.get(address).i64(32n).op("i64.shr_u").i64(0n).op("i64.ne").brIf(fault);
  c.get(address).op("i32.wrap_i64").set(low);
  pageInfoOf(c, low).get(needed).op("i32.and").get(needed).op("i32.ne").brIf(fault);
  c.get(low)
    .i32(pageSize - 1)
    .op("i32.and")
    .get(size)
    .op("i32.add")
    .i32(pageSize)
    .op("i32.le_u")
    .brIf(ok);
  // The access runs into the next page: its first byte is the one that faults there.
  c.get(low).i32(pageSize).op("i32.add").i32(-pageSize).op("i32.and").set(low);
  c.get(low).op("i64.extend_i32_u").set(bad);
  pageInfoOf(c, low).get(needed).op("i32.and").get(needed).op("i32.eq").brIf(ok);
  c.end();
  c.i32(0).get(bad).memory("i64.store", cpuAddress(cell.faultAddress));
  c.i32(0).get(write).memory("i32.store", cpuAddress(cell.faultWrite));
  c.i32(stop.fault).return_();
  c.end();
  c.i32(0);
  return c;
}

const pushCell = (c: Code, offset: number) => c.i32(0).memory("i32.load", cpuAddress(offset));

/** The common reason to be here in a recovery. Loads, and returns from the function, if that is so and the list of uses has room. */
function emitWatchedLoad(c: Code, name: LoadName, low: number): void {
  const { size, op } = loads[name];
  const other = c.block();
  c.get(0).i64(32n).op("i64.shr_u").i64(0n).op("i64.ne").brIf(other);
  c.get(0).op("i32.wrap_i64").set(low);
  if (name === "load128") branchUnlessUsed(c, low, size, other);
  else {
    const [shift, fresh, next] = [c.local("i32"), c.local("i32"), c.local("i32")];
    branchUnlessNoted(c, low, size, other, { shift, fresh, next });
  }
  c.get(low).memory(op).return_();
  c.end();
}

function loadFunction(name: LoadName, check: number, { watch, scheduling }: Noted): Code {
  const { size, type, op } = loads[name];
  const c = new Code(["i64", "i32"]);
  const code = c.local("i32");
  const low = c.local("i32");
  const bits = c.local("i32");
  emitWatchedLoad(c, name, low);
  // The common reason to be here otherwise: the last page of a mapping, whose successor cannot be vouched for.
  const slow = c.block();
  pushCell(c, cell.points);
  pushCell(c, cell.loads).op("i32.or").brIf(slow);
  c.get(0).i64(32n).op("i64.shr_u").i64(0n).op("i64.ne").brIf(slow);
  c.get(0)
    .op("i32.wrap_i64")
    .tee(low)
    .i32(pageSize - 1)
    .op("i32.and")
    .i32(pageSize - size)
    .op("i32.gt_u")
    .brIf(slow);
  pageInfoOf(c, low)
    .i32(info.read | info.watched)
    .op("i32.and")
    .i32(info.read)
    .op("i32.ne")
    .brIf(slow);
  c.get(low).memory(op).return_();
  c.end();
  const giveUp = c.block();
  c.get(0).i32(size).i32(info.read).i32(0).call(check).tee(code).brIf(giveUp);
  c.get(0).op("i32.wrap_i64").set(low);
  c.get(low).call(scheduling.visit).tee(code).brIf(giveUp);
  c.i32(size).get(low).get(1).call(scheduling.logLoad).tee(code).brIf(giveUp);
  bitsOf(c, low, size).tee(bits).i32(info.watched).op("i32.and").if_();
  c.i32(stop.watched).set(code);
  c.get(low).i32(size).call(watch.stops).brIf(giveUp);
  c.get(low).i32(size).call(watch.read);
  c.end();
  c.get(low).memory(op).return_();
  c.end();
  c.i32(0).get(code).memory("i32.store", cpuAddress(cell.stop));
  if (type === "v128") c.v128(0n);
  else if (type === "i64") c.i64(0n);
  else c.i32(0);
  return c;
}

/**
 * The common reason to be here while tracing: a page of persistent memory, and nothing else about it. Stores, and returns
 * from the function, if that is so and the store lies within an aligned eight bytes.
 */
function emitPersistentStore(c: Code, name: StoreName, events: EventFunctions): void {
  const { size, op } = stores[name];
  const [address, value, rip] = [0, 1, 2];
  const low = c.local("i32");
  const other = c.block();
  pushCell(c, cell.scheduling).brIf(other);
  c.get(address).i64(32n).op("i64.shr_u").i64(0n).op("i64.ne").brIf(other);
  c.get(address).op("i32.wrap_i64").tee(low).i32(7).op("i32.and");
  c.i32(8 - size)
    .op("i32.gt_u")
    .brIf(other);
  pageInfoOf(c, low)
    .i32(info.write | info.persistent | info.code | info.clean | info.shared | info.watched)
    .op("i32.and")
    .i32(info.write | info.persistent)
    .op("i32.ne")
    .brIf(other);
  emitWholeStoreEvent(c, stores[name], { address: low, value, rip }, events);
  c.get(low).get(value).memory(op);
  c.i32(0).return_();
  c.end();
}

/** The store at the address in this local is not done: translated code lies there. */
function emitCodeStore(c: Code, address: number): void {
  c.i32(0).get(address).memory("i64.store", cpuAddress(cell.faultAddress));
  c.i32(stop.codeStore).return_();
}

interface Noted {
  readonly events: EventFunctions;
  readonly scheduling: SchedulingFunctions;
  readonly watch: WatchFunctions;
}

/** The stored bytes as four words. */
function emitWords(c: Code, type: (typeof stores)[StoreName]["type"], values: readonly number[]): void {
  if (type === "i32") c.get(values[0]!).op("i64.extend_i32_u");
  else if (type === "i64") c.get(values[0]!);
  else for (const value of values) for (const lane of [0, 1]) c.get(value).op("i64x2.extract_lane", lane);
  const words = type === "v128" ? 2 * values.length : 1;
  for (let i = words; i < storedWords; i++) c.i64(0n);
}

interface StoreLocals {
  readonly low: number;
  /** One, or two vectors. */
  readonly values: readonly number[];
  readonly rip: number;
  readonly bits: number;
}

/** What a wide store does beyond the first unit of what threads are known to have used. */
function emitVisitOfEnd(c: Code, size: number, low: number, code: number, scheduling: SchedulingFunctions): void {
  const last = () =>
    c
      .get(low)
      .i32(size - 1)
      .op("i32.add");
  c.get(low).i32(usedBits).op("i32.shr_u");
  last().i32(usedBits).op("i32.shr_u").op("i32.ne").if_();
  last().call(scheduling.visitStore).tee(code).if_();
  c.get(code).return_();
  c.end();
  c.end();
}

/** While threads run by a schedule: returns from the function if the thread's turn ends here, or for want of room. */
function emitScheduledStore(c: Code, name: StoreName, locals: StoreLocals, scheduling: SchedulingFunctions): void {
  const { size, type, nonTemporal } = stores[name];
  const kind = codeOf[nonTemporal ? "non-temporal" : "store"];
  const code = c.local("i32");
  c.get(locals.low).call(scheduling.visitStore).tee(code).if_();
  c.get(code).return_();
  c.end();
  if (isWide(stores[name])) emitVisitOfEnd(c, size, locals.low, code, scheduling);
  c.i32(kind).i32(kind + toVolatile);
  c.get(locals.bits).i32(info.persistent).op("i32.and").select("i32");
  c.i32(size).get(locals.low).get(locals.rip);
  emitWords(c, type, locals.values);
  c.call(scheduling.logStore).tee(code).if_();
  c.get(code).return_();
  c.end();
}

function storeFunction(name: StoreName, check: number, imports: MemoryImports, noted: Noted): Code {
  const { events, watch, scheduling } = noted;
  const { size, type, op } = stores[name];
  const params = storeParams(stores[name]);
  const [address, rip] = [0, params.length - 1];
  const values = params.slice(1, -1).map((_, i) => 1 + i);
  const c = new Code(params);
  const code = c.local("i32");
  const low = c.local("i32");
  const last = c.local("i32");
  const bits = c.local("i32");
  if (type !== "v128") emitPersistentStore(c, name, events);
  c.get(address).i32(size).i32(info.write).i32(1).call(check).tee(code).if_();
  c.get(code).return_();
  c.end();
  c.get(address).op("i32.wrap_i64").set(low);
  c.get(low)
    .i32(size - 1)
    .op("i32.add")
    .set(last);
  bitsOf(c, low, size).set(bits);

  c.get(bits).i32(info.code).op("i32.and").if_();
  emitCodeStore(c, address);
  c.end();
  returnIfStopped(c, bits, watch.stops, () => c.get(low).i32(size));
  pushCell(c, cell.scheduling).if_();
  emitScheduledStore(c, name, { low, values, rip, bits }, scheduling);
  c.else_();
  c.get(bits).i32(info.persistent).op("i32.and").if_();
  emitStoreEvents(c, stores[name], { address: low, values, rip }, events);
  c.end();
  c.end();
  c.get(bits).i32(info.watched).op("i32.and").if_();
  c.get(low).i32(size).call(watch.write);
  c.end();
  c.get(bits).i32(info.clean).op("i32.and").if_();
  c.get(low).i32(pageBits).op("i32.shr_u").call(imports.touch);
  c.get(last).i32(pageBits).op("i32.shr_u").call(imports.touch);
  c.end();
  for (const [i, value] of values.entries())
    c.get(low)
      .get(value)
      .memory(op, i * vectorBytes);
  c.get(bits).i32(info.shared).op("i32.and").if_();
  c.get(low).i32(size).call(imports.mirror);
  c.end();
  c.i32(0);
  return c;
}

/** (address, size) → 0 or the stop code that a store of that size would give. */
function probeFunction(check: number, { events, watch, scheduling }: Noted): Code {
  const c = new Code(["i64", "i32"]);
  const code = c.local("i32");
  const bits = c.local("i32");
  c.get(0).get(1).i32(info.write).i32(1).call(check).tee(code).if_();
  c.get(code).return_();
  c.end();
  c.get(0).op("i32.wrap_i64").set(code);
  pageInfoOf(c, code).get(0).op("i32.wrap_i64").get(1).op("i32.add").i32(1).op("i32.sub").set(code);
  pageInfoOf(c, code).op("i32.or").tee(bits).i32(info.code).op("i32.and").if_();
  emitCodeStore(c, 0);
  c.end();
  returnIfStopped(c, bits, watch.stops, () => c.get(0).op("i32.wrap_i64").get(1));
  c.call(events.roomForInstruction).op("i32.eqz").if_();
  c.i32(stop.eventsFull).return_();
  c.end();
  c.get(0).op("i32.wrap_i64").call(scheduling.visitProbe);
  return c;
}

export function addMemoryFunctions(module: ModuleBuilder, imports: MemoryImports, noted: Noted): MemoryFunctions {
  const check = module.function({ params: ["i64", "i32", "i32", "i32"], results: ["i32"] }, checkFunction());
  const load = {} as Record<LoadName, number>;
  for (const name of Object.keys(loads) as LoadName[])
    load[name] = module.function(
      { params: ["i64", "i32"], results: [loads[name].type] },
      loadFunction(name, check, noted),
    );
  const store = {} as Record<StoreName, number>;
  for (const name of Object.keys(stores) as StoreName[])
    store[name] = module.function(
      { params: storeParams(stores[name]), results: ["i32"] },
      storeFunction(name, check, imports, noted),
    );
  const probe = module.function({ params: ["i64", "i32"], results: ["i32"] }, probeFunction(check, noted));
  return { load, store, probe, check };
}
