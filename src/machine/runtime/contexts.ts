/**
 * Calling contexts without frame pointers or debug information. Translated code tells of every call (`enter`) and of
 * every return and indirect jump (`prune`); the frames alive are kept in a shadow stack, and a context — a path of
 * call sites — gets its number only when an event asks for it. Always:
 * - Frames are ordered by stack address, the outermost first: a frame at or below the stack pointer of a new one is over,
 *   however it ended (return, longjmp, exception).
 * - A handler on an alternate stack starts afresh behind the frame of what it interrupted, at `frameBase`; the frames
 *   before are left alone until the stack pointer is off that stack again (return, longjmp).
 * - A context's number never changes; 0 is the root. When the table is full new paths share their parent's number.
 */
import { Code, type ModuleBuilder } from "../../isa/wasm/index.ts";
import { cell, cpuAddress, layout } from "./layout.ts";

/** Frame: stack address of the return address, that address, context number (0: not asked for yet). */
export const frameBytes = 12;
/** Context: parent, return address. */
export const contextBytes = 8;

export interface ContextFunctions {
  /** (stack address i32, site i32). */
  readonly enter: number;
  /** (stack pointer i32): frames below it are over. */
  readonly prune: number;
  /** () → the number of the present context. */
  readonly current: number;
}

const next = (c: Code) => c.i32(0).memory("i32.load", cpuAddress(cell.frameNext));

const setNext = (c: Code, at: number) => c.i32(0).get(at).memory("i32.store", cpuAddress(cell.frameNext));

/** Parameter 0, a stack address, lies off the alternate stack: the handler's frames and what it interrupted are over. */
function leaveAlternate(c: Code): void {
  const base = c.local("i32");
  c.i32(0).memory("i32.load", cpuAddress(cell.frameBase)).tee(base).i32(layout.frames).op("i32.ne").if_();
  c.get(0).i32(0).memory("i32.load", cpuAddress(cell.alternateStart)).op("i32.sub");
  c.i32(0).memory("i32.load", cpuAddress(cell.alternateBytes)).op("i32.gt_u").if_();
  setNext(c, base);
  c.i32(0).i32(layout.frames).memory("i32.store", cpuAddress(cell.frameBase));
  c.end();
  c.end();
}

/** Drops frames while the newest one's address compares to parameter 0 as `over` says; leaves the new end in `at`. */
function dropFrames(c: Code, at: number, over: "i32.le_u" | "i32.lt_u"): void {
  leaveAlternate(c);
  next(c).set(at);
  const done = c.block();
  const again = c.loop();
  c.get(at).i32(0).memory("i32.load", cpuAddress(cell.frameBase)).op("i32.le_u").brIf(done);
  c.get(at).i32(frameBytes).op("i32.sub").memory("i32.load").get(0).op(over).op("i32.eqz").brIf(done);
  c.get(at).i32(frameBytes).op("i32.sub").set(at).br(again);
  c.end();
  c.end();
}

function enterFunction(): Code {
  const c = new Code(["i32", "i32"]);
  const at = c.local("i32");
  dropFrames(c, at, "i32.le_u");
  c.get(at).i32(layout.framesEnd).op("i32.lt_u").if_();
  c.get(at).get(0).memory("i32.store");
  c.get(at).get(1).memory("i32.store", 4);
  c.get(at).i32(0).memory("i32.store", 8);
  c.get(at).i32(frameBytes).op("i32.add").set(at);
  c.end();
  setNext(c, at);
  return c;
}

function pruneFunction(): Code {
  const c = new Code(["i32"]);
  const at = c.local("i32");
  dropFrames(c, at, "i32.lt_u");
  setNext(c, at);
  return c;
}

/** (parent, site) → the number of the context, a new one if it has none. Open addressing over numbers. */
function internFunction(): Code {
  const [parent, site] = [0, 1];
  const c = new Code(["i32", "i32"]);
  const slot = c.local("i32");
  const known = c.local("i32");
  const hashBytes = layout.contextHashEnd - layout.contextHash;
  c.get(parent)
    .i32(0x9e3779b1 | 0)
    .op("i32.mul")
    .get(site)
    .op("i32.xor")
    .i32(0x85ebca6b | 0)
    .op("i32.mul");
  c.i32(13)
    .op("i32.shr_u")
    .i32(2)
    .op("i32.shl")
    .i32(hashBytes - 4)
    .op("i32.and")
    .set(slot);
  const again = c.loop();
  const isNew = c.block();
  c.get(slot).memory("i32.load", layout.contextHash).tee(known).op("i32.eqz").brIf(isNew);
  const other = c.block();
  const record = () => c.get(known).i32(3).op("i32.shl");
  record().memory("i32.load", layout.contexts).get(parent).op("i32.ne").brIf(other);
  record()
    .memory("i32.load", layout.contexts + 4)
    .get(site)
    .op("i32.ne")
    .brIf(other);
  c.get(known).return_();
  c.end();
  c.get(slot)
    .i32(4)
    .op("i32.add")
    .i32(hashBytes - 4)
    .op("i32.and")
    .set(slot)
    .br(again);
  c.end();
  c.i32(0).memory("i32.load", cpuAddress(cell.contextCount)).tee(known).i32(layout.maxContexts).op("i32.ge_u").if_();
  c.get(parent).return_();
  c.end();
  record().get(parent).memory("i32.store", layout.contexts);
  record()
    .get(site)
    .memory("i32.store", layout.contexts + 4);
  c.get(slot).get(known).memory("i32.store", layout.contextHash);
  c.i32(0).get(known).i32(1).op("i32.add").memory("i32.store", cpuAddress(cell.contextCount));
  c.get(known).return_();
  c.end();
  c.unreachable();
  return c;
}

/** Numbers the frames that have none yet, from the outermost of them inwards. */
function currentFunction(intern: number): Code {
  const c = new Code([]);
  const end = c.local("i32");
  const at = c.local("i32");
  const context = c.local("i32");
  next(c).tee(end).set(at);
  const known = c.block();
  const back = c.loop();
  c.get(at).i32(layout.frames).op("i32.le_u").brIf(known);
  c.get(at).i32(frameBytes).op("i32.sub").memory("i32.load", 8).tee(context).brIf(known);
  c.get(at).i32(frameBytes).op("i32.sub").set(at).br(back);
  c.end();
  c.end();
  c.get(at).i32(layout.frames).op("i32.le_u").if_();
  c.i32(0).set(context);
  c.end();
  const done = c.block();
  const forward = c.loop();
  c.get(at).get(end).op("i32.ge_u").brIf(done);
  c.get(at);
  c.get(context).get(at).memory("i32.load", 4).call(intern).tee(context);
  c.memory("i32.store", 8);
  c.get(at).i32(frameBytes).op("i32.add").set(at).br(forward);
  c.end();
  c.end();
  c.get(context);
  return c;
}

export function addContextFunctions(module: ModuleBuilder): ContextFunctions {
  const intern = module.function({ params: ["i32", "i32"], results: ["i32"] }, internFunction());
  return {
    enter: module.function({ params: ["i32", "i32"], results: [] }, enterFunction()),
    prune: module.function({ params: ["i32"], results: [] }, pruneFunction()),
    current: module.function({ params: [], results: ["i32"] }, currentFunction(intern)),
  };
}
