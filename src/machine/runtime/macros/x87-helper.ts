/**
 * The helpers behind x87 and MMX instructions (isa/ir/helpers.ts), on the x87 unit in the CPU block. What is kept between
 * two calls (a staged image, a result) is kept only within one guest instruction.
 */
import { assert } from "../../../base/index.ts";
import { cpuOffset } from "../../../isa/ir/index.ts";
import { codeName } from "../../../isa/x86/index.ts";
import { PENDING, SUPPRESSED, type X87Operation, X87State, x87Operations } from "../../../isa/x87/index.ts";
import { cell, layout } from "../layout.ts";

export interface X87Helpers {
  readonly x87: (code: number, first: bigint, second: bigint, instruction: bigint, data: bigint) => number;
  readonly x87_result: (part: number) => bigint;
  readonly x87_stage: (part: number, value: bigint) => number;
  readonly x87_peek: (code: number) => number;
  readonly mmx_read: (index: number) => bigint;
  readonly mmx_write: (index: number, value: bigint) => number;
  readonly mmx_enter: () => number;
  readonly mmx_leave: () => number;
}

const byCode = new Map<number, X87Operation>();

function operationOf(code: number): X87Operation {
  let operation = byCode.get(code);
  if (!operation) {
    operation = x87Operations[codeName(code)];
    assert(operation !== undefined, "x87: every lifted instruction has an operation");
    byCode.set(code, operation);
  }
  return operation;
}

const allRegisters = 0xff;
const noOperand = -1n;
/** Sign and exponent of an x87 register that an MMX instruction wrote. */
const mmxExponent = 0xffff;

export function createX87Helpers(memory: ArrayBufferLike): X87Helpers {
  const view = new DataView(memory, layout.cpu, cell.temporaries);
  const state = new Uint8Array(memory, layout.cpu + cpuOffset.x87, cpuOffset.xmm - cpuOffset.x87);
  const unit = new X87State(view, 0);
  let result = 0n;
  let staged: bigint | undefined;

  const run = (operation: X87Operation, args: readonly bigint[]): number => {
    result = operation.run(unit, args);
    assert(result !== PENDING, "x87: a waiting exception is reported before the instruction runs");
    return result === SUPPRESSED ? 1 : 0;
  };
  const enter = (): number => {
    unit.top = 0;
    unit.tags = allRegisters;
    return 0;
  };
  return {
    x87: (code, first, second, instruction, data) => {
      const args = staged === undefined ? [BigInt.asUintN(64, first), BigInt.asUintN(64, second)] : [staged];
      staged = undefined;
      const operation = operationOf(code);
      const status = run(operation, args);
      if (!operation.recorded) return status;
      unit.lastInstruction = instruction;
      if (data !== noOperand) unit.lastData = data;
      return status;
    },
    x87_result: (part) => BigInt.asIntN(64, result >> BigInt(64 * part)),
    x87_stage: (part, value) => {
      const bits = BigInt.asUintN(64, value) << BigInt(64 * part);
      staged = part === 0 ? bits : (staged ?? 0n) | bits;
      return 0;
    },
    x87_peek: (code) => {
      const before = state.slice();
      run(operationOf(code), []);
      state.set(before);
      return 0;
    },
    mmx_read: (index) => view.getBigInt64(cpuOffset.x87Registers + 16 * index, true),
    mmx_write: (index, value) => {
      enter();
      unit.setBits(index, BigInt.asUintN(64, value), mmxExponent);
      return 0;
    },
    mmx_enter: enter,
    mmx_leave: () => {
      unit.top = 0;
      unit.tags = 0;
      return 0;
    },
  };
}
