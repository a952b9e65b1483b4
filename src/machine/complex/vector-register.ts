/** An XMM or YMM register in the CPU block, element by element. */
import { cpuOffset } from "../../isa/ir/index.ts";
import type { Operand } from "../../isa/x86/index.ts";
import { cpuAddress } from "../runtime/index.ts";
import type { ComplexContext } from "./context.ts";

const registerBytes = 32;

export class VectorRegister {
  readonly #view: DataView;
  readonly #at: number;
  /** 16 or 32. */
  readonly bytes: number;

  constructor(machine: ComplexContext, operand: Operand) {
    const { kind, index } = operand as Operand & { kind: "xmm" | "ymm" };
    this.#view = machine.view;
    this.#at = cpuAddress(cpuOffset.xmm + registerBytes * index);
    this.bytes = kind === "ymm" ? registerBytes : registerBytes / 2;
  }

  get(element: number, size: 4 | 8): bigint {
    const at = this.#at + element * size;
    return size === 8 ? this.#view.getBigUint64(at, true) : BigInt(this.#view.getUint32(at, true));
  }
  set(element: number, size: 4 | 8, value: bigint): void {
    const at = this.#at + element * size;
    if (size === 8) this.#view.setBigUint64(at, value, true);
    else this.#view.setUint32(at, Number(value), true);
  }
  isNegative(element: number, size: 4 | 8): boolean {
    return this.get(element, size) >> BigInt(8 * size - 1) === 1n;
  }
  /** All of the YMM register from a byte on. */
  clear(from = 0): void {
    for (let at = from; at < registerBytes; at += 4) this.#view.setUint32(this.#at + at, 0, true);
  }
}
