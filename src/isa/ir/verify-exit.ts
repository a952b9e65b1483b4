/** The verifier's part about a block's end (verify.ts, 15 to 17). */
import type { ValueType } from "../wasm/index.ts";
import type { Block, Exit, Op, Value } from "./block.ts";
import { opType } from "./types.ts";

/** What an exit says that can be held against the block. */
interface Claims {
  /** The value it looks at, and the type it must have. */
  readonly value?: readonly [Value | undefined, ValueType];
  /** Addresses that must be those of the last instruction, or of the one behind it. */
  readonly last?: number;
  readonly next?: number;
}

function claimsOf(exit: Exit): Claims {
  switch (exit.kind) {
    case "branch":
      return { value: [exit.when, "i32"], next: exit.otherwise };
    case "jump":
    case "return":
      return { value: [exit.target, "i64"] };
    case "call":
      if (exit.known !== undefined) return { next: exit.returnTo };
      return { value: [exit.target, "i64"], next: exit.returnTo };
    case "syscall":
      return { next: exit.next };
    case "complex":
      return { last: exit.address, next: exit.next };
    case "trap":
      return { last: exit.address };
    default:
      return {};
  }
}

const addressesOf = (exit: Exit): readonly number[] =>
  Object.values(exit).filter((part): part is number => typeof part === "number");

export function exitProblems(block: Block): readonly string[] {
  const { ops, exit, end } = block;
  const { value, last, next } = claimsOf(exit);
  const problems: string[] = [];
  const say = (text: string) => problems.push(`the exit (${exit.kind}) ${text}`);
  if (value) {
    const op = value[0] === undefined ? undefined : ops[value[0]];
    const type = op && opType(op);
    if (type !== value[1]) say(`uses an ${type} where it needs an ${value[1]}`);
  }
  if (exit.kind === "call" && exit.target !== undefined && exit.known !== undefined) say("has two targets");
  if (next !== undefined && next !== end) say(`goes on at 0x${next.toString(16)}, not at its end`);
  if (last !== undefined && last !== lastInstruction(ops)) say("names another instruction than the last");
  if (!addressesOf(exit).every((address) => Number.isSafeInteger(address) && address >= 0)) say("names no address");
  return [...problems, ...frameProblems(block)];
}

const lastInstruction = (ops: readonly Op[]): number | undefined =>
  ops.findLast((op): op is Op & { kind: "inst" } => op.kind === "inst")?.address;

/** After what ends a block, and with the return address if that is a call. */
function frameProblems({ ops, exit }: Block): readonly string[] {
  return ops.flatMap((op, index) => {
    if (op.kind !== "frames") return [];
    const site = exit.kind === "call" ? exit.returnTo : undefined;
    const isLeft = exit.kind === "call" || exit.kind === "return" || exit.kind === "jump";
    return isLeft && op.site === site && index === ops.length - 1
      ? []
      : [`op ${index} (frames) tells of no call or return`];
  });
}
