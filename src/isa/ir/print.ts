/**
 * A block as text, for people and golden files (test/ir/goldens): a line for each op, `vN` the value of op N.
 *
 *   block 0x400000 to 0x400005
 *   0x400000
 *     v1 = get rax
 *     v2 = i64.const 8
 *     v3 = i64.add v1, v2
 *     put rax, v3
 *   goto 0x400005
 */
import { unreachable } from "../../base/index.ts";
import type { Block, Exit, Op, Value } from "./block.ts";
import { opType } from "./types.ts";

const hex = (value: number | bigint): string => `0x${value.toString(16)}`;
const name = (value: Value): string => `v${value}`;
const list = (values: readonly Value[]): string => values.map(name).join(", ");

/** Small numbers as people count, others as bits. */
const numberText = (value: bigint): string =>
  value > -0x100n && value < 0x100n ? value.toString() : hex(value < 0n ? BigInt.asUintN(64, value) : value);

const optional = (word: string, value: Value | undefined): string =>
  value === undefined ? "" : ` ${word} ${name(value)}`;

/** The op without its value's name. */
function opText(op: Op): string {
  switch (op.kind) {
    case "inst":
      return hex(op.address);
    case "const":
      return `${op.type}.const ${numberText(op.value)}`;
    case "get":
      return `get ${op.register.name}`;
    case "put":
      return `put ${op.register.name}, ${name(op.value)}`;
    case "pure":
      return `${op.op}${op.lane === undefined ? "" : ` ${op.lane}`} ${list(op.args)}`.trimEnd();
    case "shuffle":
      return `shuffle ${list([op.left, op.right])} [${op.lanes.join(" ")}]`;
    case "select":
      return `select ${name(op.when)} ? ${name(op.then)} : ${name(op.otherwise)}`;
    case "call":
      return `call ${op.helper}(${list(op.args)})`;
    case "flag":
      return `flag ${op.flag}`;
    case "condition":
      return `condition ${op.condition}`;
    default:
      return effectText(op);
  }
}

type Effect = Exclude<Op, { kind: "inst" | "const" | "get" | "put" | "pure" | "shuffle" | "select" | "call" | "flag" | "condition" }>; // biome-ignore format: one line

function effectText(op: Effect): string {
  switch (op.kind) {
    case "load":
      return `${op.access} [${name(op.address)}]${op.aligned ? " aligned" : ""}`;
    case "store": {
      const how = `${op.aligned ? " aligned" : ""}${op.nonTemporal ? " non-temporal" : ""}`;
      const values = op.upper === undefined ? [op.value] : [op.value, op.upper];
      return `${op.access} [${name(op.address)}], ${list(values)}${how}${optional("when", op.when)}`;
    }
    case "probe":
      return `probe [${name(op.address)}], ${op.size} bytes`;
    case "flags":
      return `flags ${op.flags}${op.width} ${list([op.left, op.right, op.result])}${optional("when", op.when)}`;
    case "carry":
      return `carry ${name(op.bits)}${optional("when", op.when)}`;
    case "trap":
      return `trap ${op.trap} when ${name(op.when)}`;
    case "flush":
      return `${op.op} [${name(op.address)}]`;
    case "fence":
      return `${op.op}`;
    case "patch": {
      const operand = op.address === undefined ? "" : ` [${name(op.address)}], ${op.size} bytes`;
      return `patch ${op.number}: ${op.op}${operand}`;
    }
    case "frames":
      return op.site === undefined ? `left ${name(op.stack)}` : `called ${name(op.stack)}, back to ${hex(op.site)}`;
    default:
      return unreachable(op, "ir: every op has a text");
  }
}

function exitText(exit: Exit): string {
  switch (exit.kind) {
    case "goto":
      return `goto ${hex(exit.target)}`;
    case "branch":
      return `branch ${name(exit.when)} ? ${hex(exit.target)} : ${hex(exit.otherwise)}`;
    case "jump":
    case "return":
      return `${exit.kind} ${name(exit.target)}`;
    case "call": {
      const target = exit.known === undefined ? name(exit.target!) : hex(exit.known);
      return `call ${target}, back to ${hex(exit.returnTo)}`;
    }
    case "syscall":
      return `syscall, then ${hex(exit.next)}`;
    case "complex":
      return `machine-made ${exit.name}, then ${hex(exit.next)}`;
    case "trap":
      return `trap ${exit.trap}: ${exit.reason}`;
  }
}

function opLine(op: Op, index: number): string {
  if (op.kind === "inst") return opText(op);
  const value = opType(op) === undefined ? "" : `v${index} = `;
  return `  ${value}${opText(op)}`;
}

export const printBlock = ({ start, end, ops, exit }: Block): string =>
  [`block ${hex(start)} to ${hex(end)}`, ...ops.map(opLine), exitText(exit), ""].join("\n");
