/**
 * What instructions that the machine makes itself (machine/complex) do to the shadow. Strings take their terms along, element after
 * element; FXSAVE and FXRSTOR those of the vector registers; comparisons decide at every element. Whatever has no row here has the
 * thread's registers fixed, and memory when it is used.
 */
import { type NotedFlags, type Width, xmms } from "../../isa/ir/index.ts";
import type { Term } from "../../smt/index.ts";
import { bitsIn, clearRegisters, fixBytes, fixRegisters, fixThread, type Guest, termIn } from "./guest.ts";
import { bytesOf } from "./shadow-domain.ts";
import type { Value } from "./value.ts";

/** Makes the instruction: runs it, and says what has become of the shadow. */
type Row = (guest: Guest, run: () => void, size: number) => void;

const address = (guest: Guest, name: "rsi" | "rdi"): number => Number(bitsIn(guest, name));
/** DF never depends on input: it is set by instructions that say so. */
const isBackward = (guest: Guest, before: number, name: "rsi" | "rdi"): boolean => address(guest, name) < before;

/** Elements that were worked through, and the addresses of each in turn. */
function walked(guest: Guest, name: "rsi" | "rdi", before: number, counter: bigint, size: number): readonly number[] {
  const done = Number(counter - bitsIn(guest, "rcx"));
  const step = isBackward(guest, before, name) ? -size : size;
  return Array.from({ length: done }, (_, i) => before + i * step);
}

const copied: Row = (guest, run, size) => {
  fixRegisters(guest, ["rcx", "rsi", "rdi"]);
  const { shadow } = guest;
  const [counter, from, to] = [bitsIn(guest, "rcx"), address(guest, "rsi"), address(guest, "rdi")];
  run();
  const sources = walked(guest, "rsi", from, counter, size);
  const targets = walked(guest, "rdi", to, counter, size);
  for (const [i, source] of sources.entries()) {
    const terms = Array.from({ length: size }, (_, at) => shadow.byte(source + at));
    for (const [at, term] of terms.entries()) shadow.setByte(targets[i]! + at, term);
  }
};

const filled: Row = (guest, run, size) => {
  fixRegisters(guest, ["rcx", "rdi"]);
  const { shadow, terms } = guest;
  const [counter, to] = [bitsIn(guest, "rcx"), address(guest, "rdi")];
  const bytes = bytesOf(terms, termIn(guest, "rax"), size).map((term) => (term?.op === "constant" ? undefined : term));
  run();
  for (const target of walked(guest, "rdi", to, counter, size))
    for (const [at, term] of bytes.entries()) shadow.setByte(target + at, term);
};

/** A string's element as a value. */
function element({ port, shadow, terms }: Guest, at: number, size: number): Value {
  const bits = port.read(at, size);
  const own = Array.from({ length: size }, (_, i) => shadow.byte(at + i));
  if (own.every((term) => term === undefined)) return { bits, term: undefined };
  const all = own.map((term, i) => term ?? terms.constant(8, BigInt(port.byteAt(at + i))));
  return { bits, term: all.reduceRight((high, low) => terms.concat(high, low)) };
}

const asTerm = ({ terms }: Guest, { bits, term }: Value, size: number): Term => term ?? terms.constant(8 * size, bits!);

/** As IR has it: narrow operands in an i32. */
function notedDifference(guest: Guest, left: Value, right: Value, size: number): NotedFlags<Value> {
  const { terms } = guest;
  const width = (8 * size) as Width;
  const wide = (value: Value): Value => ({
    bits: value.bits,
    term: value.term && terms.extend(value.term, Math.max(32, width)),
  });
  const bits = BigInt.asUintN(width, left.bits! - right.bits!);
  const term = terms.compute("subtract", asTerm(guest, left, size), asTerm(guest, right, size));
  return { kind: "sub", width, left: wide(left), right: wide(right), result: wide({ bits, term }) };
}

/** Every pair that was looked at was equal or not, which decided whether to go on. */
function compared(guest: Guest, pairs: readonly (readonly [Value, Value])[], size: number): void {
  const { terms, path, shadow, port } = guest;
  for (const [left, right] of pairs) {
    if (left.term === undefined && right.term === undefined) continue;
    const isEqual = terms.equal(asTerm(guest, left, size), asTerm(guest, right, size));
    path.branch(left.bits === right.bits ? isEqual : terms.not(isEqual));
  }
  const last = pairs.at(-1);
  if (last === undefined) return;
  const depends = last.some(({ term }) => term !== undefined);
  shadow.setFlags(port.thread, depends ? notedDifference(guest, last[0], last[1], size) : undefined);
}

const comparedStrings: Row = (guest, run, size) => {
  fixRegisters(guest, ["rcx", "rsi", "rdi"]);
  const [counter, from, to] = [bitsIn(guest, "rcx"), address(guest, "rsi"), address(guest, "rdi")];
  run();
  const rights = walked(guest, "rdi", to, counter, size);
  const lefts = walked(guest, "rsi", from, counter, size);
  compared(guest, lefts.map((at, i) => [element(guest, at, size), element(guest, rights[i]!, size)]), size); // biome-ignore format: one call
};

const searched: Row = (guest, run, size) => {
  fixRegisters(guest, ["rcx", "rdi"]);
  const [counter, to] = [bitsIn(guest, "rcx"), address(guest, "rdi")];
  const own = termIn(guest, "rax");
  const sought: Value = {
    bits: BigInt.asUintN(8 * size, bitsIn(guest, "rax")),
    term: own && guest.terms.extract(own, 0, 8 * size),
  };
  run();
  const places = walked(guest, "rdi", to, counter, size);
  compared(guest, places.map((at) => [sought, element(guest, at, size)]), size); // biome-ignore format: one call
};

/** Where FXSAVE's image has the vector registers (machine/process/fxsave.ts). */
const vectorsAt = 160;

const stateSaved: Row = (guest, run) => {
  const { shadow, port, terms } = guest;
  const image = port.operandAddress();
  run();
  shadow.clear(image, vectorsAt);
  for (const [i, xmm] of xmms.entries())
    for (const [at, term] of bytesOf(terms, shadow.register(port.thread, xmm), 16).entries())
      shadow.setByte(image + vectorsAt + 16 * i + at, term?.op === "constant" ? undefined : term);
};

const stateRestored: Row = (guest, run) => {
  const { shadow, port } = guest;
  const image = port.operandAddress();
  fixBytes(guest, image, vectorsAt);
  run();
  for (const [i, xmm] of xmms.entries())
    shadow.setRegister(port.thread, xmm, element(guest, image + vectorsAt + 16 * i, 16).term);
};

const leavesKnown =
  (...names: readonly ("rax" | "rbx" | "rcx" | "rdx")[]): Row =>
  (guest, run) => {
    run();
    clearRegisters(guest, names);
  };

const elementSizes = { b: 1, w: 2, d: 4, q: 8 } as const;
const strings: Readonly<Record<string, Row>> = {
  movs: copied,
  stos: filled,
  cmps: comparedStrings,
  scas: searched,
};

const others: Readonly<Record<string, Row>> = {
  fxsave: stateSaved,
  fxsave64: stateSaved,
  fxrstor: stateRestored,
  fxrstor64: stateRestored,
  rdtsc: leavesKnown("rax", "rdx"),
  rdtscp: leavesKnown("rax", "rcx", "rdx"),
  cpuid: (guest, run) => {
    fixRegisters(guest, ["rax", "rcx"]);
    leavesKnown("rax", "rbx", "rcx", "rdx")(guest, run, 0);
  },
  // A client request: its arguments lie in memory, where rax says, and its answer is rdx.
  request: (guest, run) => {
    fixRegisters(guest, ["rax", "rdx"]);
    run();
  },
};

/** Another segment than DS and ES, or addresses of 32 bits: prefixes that compilers do not put before strings. */
const rarePrefixes = [0x64, 0x65, 0x67] as const;

/** Runs the machine-made instruction of this name, which comes next. */
export function runMachineMade(guest: Guest, name: string, run: () => void): void {
  const family = strings[name.slice(0, -1)];
  const isUsual = !rarePrefixes.some((prefix) => guest.port.byteAt(guest.machine.rip) === prefix);
  const size = elementSizes[name.slice(-1) as keyof typeof elementSizes];
  if (family !== undefined && isUsual) family(guest, run, size);
  else if (others[name] !== undefined) others[name](guest, run, 0);
  else runFixed(guest, run);
}

function runFixed(guest: Guest, run: () => void): void {
  const { port } = guest;
  fixThread(guest, port.thread);
  port.uses = "stopsAtMarks";
  const before = guest.machine.instructions;
  run();
  port.uses = "plain";
  if (guest.machine.instructions !== before) return;
  // It stands before memory with terms: all that is near has them no more.
  for (const at of [...guest.shadow.bytes.keys()]) fixBytes(guest, at, 1);
  run();
}
