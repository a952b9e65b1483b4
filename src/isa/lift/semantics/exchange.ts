/**
 * Exchanges. A CMPXCHG that fails writes its memory operand back as it was (SDM vol. 2: CMPXCHG): the fault for read-only
 * memory comes in either case, but nobody can tell that write from none, so here it is a load (docs/MODEL.md, PM-9).
 */
import { eflagsBit, gprs, type Value } from "../../ir/index.ts";
import type { Lift } from "../builder.ts";
import { accumulator, atBit, base, counter, data } from "./operands.ts";

/** All arithmetic flags but ZF. */
const allButZero = 0x895;

const xchg: Lift = (b, { operands: [dst, src] }) => {
  const left = b.read(dst!);
  const right = b.read(src!);
  b.write(dst!, right);
  b.write(src!, left);
};

const xadd: Lift = (b, { operands: [dst, src] }) => {
  const width = b.width(dst!);
  const left = b.read(dst!);
  const right = b.read(src!);
  const result = b.narrow(width, b.int(width, "add", left, right));
  if (dst!.kind === "mem") b.write(dst!, result);
  b.write(src!, left);
  if (dst!.kind !== "mem") b.write(dst!, result);
  b.setFlags("add", width, left, right, result);
};

/** What is not exchanged keeps its register as it is: no zero extension. */
const cmpxchg: Lift = (b, { operands: [dst, src] }) => {
  const width = b.width(dst!);
  const expected = b.read(accumulator(width));
  const old = b.read(dst!);
  const fresh = b.read(src!);
  const equal = b.int(width, "eq", expected, old);
  const wholeAccumulator = b.get(gprs[0]!);
  if (dst!.kind === "gpr") {
    const whole = b.get(gprs[dst!.index]!);
    b.write(dst!, fresh);
    b.put(gprs[dst!.index]!, b.select(equal, b.get(gprs[dst!.index]!), whole));
  } else {
    b.write(dst!, fresh, { when: equal });
  }
  const targetIsAccumulator = dst!.kind === "gpr" && dst!.index === 0 && !dst!.high;
  if (!targetIsAccumulator) {
    const current = b.get(gprs[0]!);
    b.write(accumulator(width), old);
    b.put(gprs[0]!, b.select(equal, dst!.kind === "gpr" ? current : wholeAccumulator, b.get(gprs[0]!)));
  }
  b.setFlags("sub", width, expected, old, b.narrow(width, b.int(width, "sub", expected, old)));
};

const setZero = (b: Parameters<Lift>[0], equal: Value) =>
  b.setRawFlags(b.op("i32.or", b.flagBits(allButZero), atBit(b, equal, eflagsBit.z)));

/** EDX:EAX against eight bytes of memory, ECX:EBX into them. */
const cmpxchg8b: Lift = (b, { operands: [dst] }) => {
  if (dst?.kind !== "mem") return;
  const pair = (high: Value, low: Value) =>
    b.op("i64.or", b.op("i64.shl", b.op("i64.extend_i32_u", high), b.i64(32)), b.op("i64.extend_i32_u", low));
  const address = b.address(dst);
  const old = b.load("i64.load", address);
  const expected = pair(b.read(data(32)), b.read(accumulator(32)));
  const fresh = pair(b.read(counter(32)), b.read(base(32)));
  const equal = b.op("i64.eq", old, expected);
  b.store("i64.store", address, fresh, { when: equal });
  const low = b.op("i64.and", old, b.i64(0xffff_ffff));
  b.put(gprs[0]!, b.select(equal, b.get(gprs[0]!), low));
  b.put(gprs[2]!, b.select(equal, b.get(gprs[2]!), b.op("i64.shr_u", old, b.i64(32))));
  setZero(b, equal);
};

/** RDX:RAX against sixteen bytes of memory, RCX:RBX into them; #GP unless they are aligned. */
const cmpxchg16b: Lift = (b, { operands: [dst] }) => {
  if (dst?.kind !== "mem") return;
  const address = b.address(dst);
  const old = b.load("v128.load", address, true);
  const low = b.lane("i64x2.extract_lane", 0, old);
  const high = b.lane("i64x2.extract_lane", 1, old);
  const [rax, rcx, rdx, rbx] = gprs.slice(0, 4).map((register) => b.get(register));
  const equal = b.op("i32.and", b.op("i64.eq", low, rax!), b.op("i64.eq", high, rdx!));
  const fresh = b.lane("i64x2.replace_lane", 1, b.op("i64x2.splat", rbx!), rcx!);
  b.store("v128.store", address, fresh, { aligned: true, when: equal });
  b.put(gprs[0]!, b.select(equal, rax!, low));
  b.put(gprs[2]!, b.select(equal, rdx!, high));
  setZero(b, equal);
};

export const exchangeSemantics = { xchg, xadd, cmpxchg, cmpxchg8b, cmpxchg16b } satisfies Record<string, Lift>;
