/**
 * How often accesses of the interpreter could not go straight to memory, in a byte for each hash of an instruction's
 * address. Whoever compiles the instruction later knows by it that the access wants a slow path. Two instructions may share
 * a byte; then one of them gets a slow path that it does not need.
 */
import { Code } from "../../isa/wasm/index.ts";
import { layout } from "./layout.ts";

const multiplier = 0x9e3779b1;
const hashShift = 16;
const most = 255;

/** (address of the instruction). */
export function noteSlowFunction(): Code {
  const c = new Code(["i32"]);
  const at = c.local("i32");
  const count = c.local("i32");
  c.get(0)
    .i32(multiplier | 0)
    .op("i32.mul")
    .i32(hashShift)
    .op("i32.shr_u")
    .tee(at);
  c.memory("i32.load8_u", layout.slowSites).tee(count).i32(most).op("i32.lt_u").if_();
  c.get(at).get(count).i32(1).op("i32.add").memory("i32.store8", layout.slowSites);
  c.end();
  return c;
}

/** So often the interpreter took a slow path there, up to 255 times. */
export const slowPathsAt = (view: DataView, address: number): number =>
  view.getUint8(layout.slowSites + (Math.imul(address, multiplier) >>> hashShift));
