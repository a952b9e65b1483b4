/**
 * Functions of a program as threads, and a function that runs after a crash, as events: each thread's code over terms from the memory
 * that it starts with. Always:
 * - A thread's own memory is a piece of address space that nothing else knows of; no computed address leads there.
 * - An access of a thread to memory that is not mapped is a failure of that thread, and of no execution that goes on from there.
 */
import type { ThreadId } from "../../../base/index.ts";
import { gprs, registers } from "../../../isa/ir/index.ts";
import type { MachinePort } from "../../../machine/index.ts";
import type { Term, Terms } from "../../../smt/index.ts";
import type { EventGraph } from "../events/events.ts";
import type { CodeSurroundings } from "./code-domain.ts";
import type { SharedEvent } from "./code-events.ts";
import { codeGraph, type EventDraft } from "./code-graph.ts";
import { argumentNames, isWithin, ownBase, ownBytes, ownStart } from "./own-addresses.ts";
import { OwnMemory } from "./own-memory.ts";
import type { ProgramCode } from "./program-code.ts";
import { RecoveryMemory } from "./recovery-memory.ts";
import { bitsOf } from "./term-algebra.ts";
import type { CodeState } from "./thread-state.ts";
import { type Place as CodePlace, type Walked, walk } from "./walk.ts";

export interface ThreadCall {
  readonly name: string;
  readonly args: readonly bigint[];
}

export interface CodeProgram {
  readonly graph: EventGraph;
  readonly threads: readonly Walked[];
  readonly recovery: Walked;
  /** Where a thread uses memory that is not mapped. */
  readonly strays: readonly CodePlace[];
  /** What must not hold, or the proof says nothing. */
  readonly obligations: readonly CodePlace[];
}

const notMapped = "an access to memory that is not mapped";

export interface CodeQuestion {
  readonly code: ProgramCode;
  readonly port: MachinePort;
  readonly threads: readonly ThreadCall[];
  readonly recover: ThreadCall;
  readonly bound: number;
}

export function codeProgram(terms: Terms, question: CodeQuestion): CodeProgram {
  return new Assembly(terms, question).run();
}

class Assembly {
  readonly #terms: Terms;
  readonly #question: CodeQuestion;
  readonly #drafts: EventDraft[] = [];
  readonly #obligations: CodePlace[] = [];
  #unknowns = 0;

  constructor(terms: Terms, question: CodeQuestion) {
    this.#terms = terms;
    this.#question = question;
  }

  run(): CodeProgram {
    const { threads, recover } = this.#question;
    const walked = threads.map((call, thread) => this.#thread(call, thread));
    const memory = new RecoveryMemory(this.#terms, (size) => this.#unknown(size));
    const recovery = this.#walk(recover, threads.length, {
      find: memory.find,
      take: memory.take,
    });
    const failures = [...recovery.failures];
    const strays: CodePlace[] = [];
    const graph = codeGraph({
      ...{ terms: this.#terms, drafts: this.#drafts, recovery: memory.loads, ownStart },
      isMapped: (address, size) => this.#question.port.canRead(address, size),
      initial: (address, size) => this.#initial(address, size),
      nameOf: (address) => this.#question.code.nameOf(address),
      strayed: (access, here) => {
        const [reached, into] = "reached" in access ? [access.reached, strays] : [access.when, failures];
        into.push({ reached: this.#terms.and(reached, here), why: notMapped, at: access.at });
      },
    });
    return {
      ...{ graph, threads: walked, recovery: { ...recovery, failures } },
      ...{ strays, obligations: this.#obligations },
    };
  }

  #unknown(size: number): Term {
    return this.#terms.variable(8 * size, `found ${++this.#unknowns}`);
  }

  readonly #oblige: CodeSurroundings["oblige"] = (fails, why, at) => {
    if (fails !== this.#terms.false) this.#obligations.push({ reached: fails, why, at });
  };

  #thread(call: ThreadCall, thread: number): Walked {
    return this.#walk(call, thread, {
      find: (_address, size) => this.#unknown(size),
      take: (event, reached, at) => this.#take(thread as ThreadId, event, reached, at),
    });
  }

  #walk(call: ThreadCall, thread: number, { find, take }: Pick<CodeSurroundings, "find" | "take">): Walked {
    const { code, bound } = this.#question;
    const entry = code.named(call.name)!;
    const around: CodeSurroundings = {
      terms: this.#terms,
      isOwn: (address, size) => isWithin(thread, address, size),
      constantByte: (address) => this.#constantByte(address),
      ...{ find, take, oblige: this.#oblige },
    };
    return walk(entry, this.#start(call, thread, entry), { functions: code, around, bound });
  }

  /** As a call leaves registers and the stack; the return address is the function's own, which nothing returns to by chance. */
  #start({ args }: ThreadCall, thread: number, entry: number): CodeState {
    const { port } = this.#question;
    const terms = this.#terms;
    const stack = ownBase(thread) + ownBytes - 8;
    const own = new OwnMemory(terms, () => 0);
    own.store(stack, terms.constant(64, BigInt(entry)));
    const held = new Map(registers.map(({ name, type }) => [name, terms.constant(bitsOf[type], 0n)]));
    for (const each of registers)
      if (each.name === "fsBase" || each.name === "gsBase" || each.name === "mxcsr")
        held.set(each.name, terms.constant(bitsOf[each.type], port.get(each)));
    held.set(gprs[4]!.name, terms.constant(64, BigInt(stack)));
    for (const [index, value] of args.entries()) held.set(argumentNames[index]!, terms.constant(64, value));
    const zero = terms.constant(32, 0n);
    return {
      reached: terms.true,
      registers: held,
      own,
      flags: { kind: "raw", width: 32, left: zero, right: zero, result: zero },
    };
  }

  #constantByte(address: number): number | undefined {
    const { port } = this.#question;
    if (address >= ownStart) return undefined;
    return port.canRead(address, 1) && !port.canWrite(address, 1) ? port.byteAt(address) : undefined;
  }

  #take(thread: ThreadId, event: SharedEvent, reached: Term, at: number): void {
    const what = event.kind === "fence" || event.kind === "flush" ? event.op : event.kind;
    const text = `${what} in ${this.#question.code.describe(at)}`;
    const base = { thread, reached, at, text };
    if (event.kind === "fence") this.#drafts.push({ ...base, kind: event.op === "sfence" ? "SF" : "MF" });
    else if (event.kind === "flush")
      this.#drafts.push({ ...base, kind: event.op === "clflush" ? "FL" : "FO", address: event.address });
    else {
      const { address, size } = event;
      if (event.kind === "load") this.#drafts.push({ ...base, address, size, kind: "R", found: event.found });
      else if (event.kind === "store") {
        const happens = { ...base, reached: this.#terms.and(reached, event.when), address };
        this.#drafts.push({ ...happens, size, kind: event.nonTemporal ? "N" : "W", stored: event.stored });
        // PM-28. A non-temporal store is a store and a flush of its line.
        if (event.nonTemporal) this.#drafts.push({ ...happens, kind: "FO" });
      } else {
        const { found, stored, fails } = event;
        const update = { ...base, address, size, kind: "U" as const, found, stored };
        this.#drafts.push(fails === this.#terms.false ? update : { ...update, fails });
      }
    }
  }

  #initial(address: bigint, size: number): bigint {
    const { port } = this.#question;
    return port.canRead(Number(address), size) ? port.read(Number(address), size) : 0n;
  }
}
