/**
 * Bodies of the floating-point macros: unusual MXCSR control bits go to the helper `sse` in JavaScript, with operands
 * and result in memory because vectors cannot cross; so does what may raise a status flag where these are kept. Else the
 * short way, and a NaN result is repaired.
 */
import { cpuOffset, type FloatMacroName, floatMacroNames, floatMacros, mxcsr } from "../../../isa/ir/index.ts";
import { Code, type MemoryOp, type ValueType } from "../../../isa/wasm/index.ts";
import { cell, cpuAddress, floatTrap } from "../layout.ts";
import type { MacroBody, MacroContext } from "./context.ts";
import { emitOperandsMayRaise, emitResultMayRaise, flagRuleOf } from "./float-flags.ts";
import { type FloatPath, floatPaths } from "./float-paths.ts";
import { emitIsNan, lanesOf, repairs } from "./float-repair.ts";

const emitMxcsr = (c: Code, bits: number): Code =>
  c.i32(0).memory("i32.load", cpuAddress(cpuOffset.mxcsr)).i32(bits).op("i32.and");

/** Leaves i32 1 when MXCSR's control bits are not the default ones, or its status flags are kept. */
export const emitModeIsUnusual = (c: Code): Code => emitMxcsr(c, mxcsr.mode).i32(mxcsr.initial).op("i32.ne");

/** Leaves i32 1 when some exception is not masked. */
export const emitMayTrap = (c: Code): Code => emitMxcsr(c, mxcsr.masks).i32(mxcsr.masks).op("i32.ne");

/** Leaves i32 1 when status flags are kept under default control bits and the one that may be raised anyhow is set. */
const emitIsSettled = (c: Code, rounds: boolean): Code => {
  const inexact = rounds ? mxcsr.inexact : 0;
  return emitMxcsr(c, mxcsr.control | inexact)
    .i32(mxcsr.initial | inexact)
    .op("i32.eq");
};

const operandCells = [cell.floatLeft, cell.floatRight, cell.floatAddend] as const;

function emitHelperCall(c: Code, name: FloatMacroName, controlled: boolean, { helper }: MacroContext): void {
  const { params, result } = floatMacros[name];
  const operands: readonly ValueType[] = controlled ? params.slice(0, -1) : params;
  for (const [i, type] of operands.entries())
    c.i32(0)
      .get(i)
      .memory(`${type}.store` as MemoryOp, cpuAddress(operandCells[i]!));
  c.i32(floatMacroNames.indexOf(name));
  if (controlled) c.get(operands.length);
  else c.i32(0);
  c.call(helper("sse")).drop();
  c.i32(0)
    .memory(`${result}.load` as MemoryOp, cpuAddress(cell.floatResult))
    .return_();
}

/** The short way for a control value known only when the macro runs: one test after another. */
function emitByControl(c: Code, path: FloatPath, args: readonly number[], control: number, value: number): void {
  const [count, emit] = [path.controls!, path.emit!];
  const done = c.block();
  for (let candidate = 0; candidate < count; candidate++) {
    const skip = c.block();
    c.get(control).i32(candidate).op("i32.ne").brIf(skip);
    emit(c, args, candidate);
    c.set(value).br(done);
    c.end();
  }
  c.end();
}

/** The control value as the short way knows it, in a local; bit 2 of a rounding control means MXCSR's mode. */
function emitNormalized(c: Code, path: FloatPath, control: number): number {
  const normalized = c.local("i32");
  if (path.controls === 4) c.i32(0).get(control).i32(3).op("i32.and").get(control).i32(4).op("i32.and").select("i32");
  else
    c.get(control)
      .i32(path.controls! - 1)
      .op("i32.and");
  c.set(normalized);
  return normalized;
}

const hasControl = (name: FloatMacroName): boolean => /\.(round|compare|order|to_f16x4)$/.test(name);

const body =
  (name: FloatMacroName): MacroBody =>
  (context) => {
    const { params, result } = floatMacros[name];
    const path = floatPaths[name];
    const c = new Code(params);
    const controlled = hasControl(name);
    const args = params.map((_, i) => i).slice(0, controlled ? -1 : undefined);
    const { emit } = path;
    if (emit === undefined) {
      emitHelperCall(c, name, controlled, context);
      return c.unreachable();
    }
    const value = c.local(result);
    const unusual = c.local("i32");
    const helperIf = () => {
      c.if_("none", 0);
      emitHelperCall(c, name, controlled, context);
      c.end();
    };
    emitModeIsUnusual(c).tee(unusual).if_("none", 0);
    emitIsSettled(c, flagRuleOf(name).rounds).op("i32.eqz");
    emitOperandsMayRaise(c, name, args);
    c.op("i32.or");
    helperIf();
    c.end();
    if (path.controls) emitByControl(c, path, args, emitNormalized(c, path, params.length - 1), value);
    else {
      emit(c, args, 0);
      c.set(value);
    }
    c.get(unusual).if_("none", 0);
    emitResultMayRaise(c, name, args, value);
    helperIf();
    c.end();
    if (!path.nan) return c.get(value);
    emitIsNan(c, value, lanesOf(name));
    c.if_("none", 0);
    if (path.nan === "helper") emitHelperCall(c, name, controlled, context);
    else {
      repairs[path.nan](c, args, value, lanesOf(name), context);
      c.set(value);
    }
    c.end();
    return c.get(value);
  };

export const floatBodies = Object.fromEntries(floatMacroNames.map((name) => [name, body(name)])) as Record<
  FloatMacroName,
  MacroBody
>;

/** Reads and clears `cell.floatTrap`. */
const trapBody =
  (param: ValueType): MacroBody =>
  () => {
    const c = new Code([param]);
    c.i32(0).memory("i32.load", cpuAddress(cell.floatTrap)).i32(floatTrap.pending).op("i32.and");
    return c.i32(0).i32(0).memory("i32.store", cpuAddress(cell.floatTrap));
  };

const laneBody: MacroBody = () => {
  const c = new Code(["v128", "v128"]);
  c.i32(0).i32(0).memory("i32.load", cpuAddress(cell.floatTrap)).i32(floatTrap.otherLane).op("i32.or");
  return c.memory("i32.store", cpuAddress(cell.floatTrap)).get(1);
};

/** The x87 status word's error summary. */
const errorSummary = 7;

/** At `x87 + 4` lies the status word (isa/x87/state.ts). */
const pendingBody: MacroBody = () =>
  new Code([])
    .i32(0)
    .memory("i32.load", cpuAddress(cpuOffset.x87 + 4))
    .i32(errorSummary)
    .op("i32.shr_u")
    .i32(1)
    .op("i32.and");

export const trapBodies = {
  "x86.x87_pending": pendingBody,
  "x86.float_lane": laneBody,
  "x86.float_trap": trapBody("v128"),
  "x86.float_trap_i32": trapBody("i32"),
};
