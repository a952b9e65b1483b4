/** The dispatch cache as TypeScript sees it: direct-mapped, code address → block header; the interpreter reads it. */
import { hashShift } from "./interpreter.ts";
import { layout } from "./layout.ts";

const entryAddress = (rip: number): number =>
  layout.dispatch + (((rip ^ (rip >>> hashShift)) & (layout.dispatchEntries - 1)) << 4);

export function remember(view: DataView, rip: number, block: number): void {
  const entry = entryAddress(rip);
  view.setUint32(entry, rip, true);
  view.setUint32(entry + 4, block, true);
}

export function forgetAll(bytes: Uint8Array): void {
  bytes.fill(0, layout.dispatch, layout.dispatch + layout.dispatchEntries * 16);
}
