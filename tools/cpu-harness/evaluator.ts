/** The IR's evaluator as an executor: blocks are lifted and evaluated over numbers; no bytecode, no compiled code. */
import { assert, Bug } from "../../src/base/index.ts";
import { allFlags, type Block, cpuOffset, type End, evaluate, flagsCode } from "../../src/isa/ir/index.ts";
import { liftBlock, maxBlockInstructions } from "../../src/isa/lift/index.ts";
import { decodeRun } from "../../src/isa/x86/index.ts";
import { type ComplexContext, complexSemantics } from "../../src/machine/complex/index.ts";
import type { Event } from "../../src/machine/cpu/processor.ts";
import { cell, cpuAddress, createFloatHelpers, createRuntime, stop } from "../../src/machine/runtime/index.ts";
import type { TestBlock } from "./blocks.ts";
import type { Executor } from "./executor.ts";
import { HarnessGuest } from "./guest.ts";
import { type NumberFault, Numbers } from "./numbers.ts";
import type { Outcome } from "./outcome.ts";
import { codePlace } from "./places.ts";
import type { Case } from "./records.ts";

const lifting = { traced: false, level: "v3" } as const;

const unused = (): never => {
  throw new Bug("evaluator: nobody runs the interpreter");
};

const stopEvents: Readonly<Record<number, Event>> = {
  [stop.protection]: { kind: "trap", trap: "protection", reason: "" },
  [stop.undefined]: { kind: "trap", trap: "undefined", reason: "" },
};

const faultEvent = (fault: NumberFault): Event =>
  fault.kind === "protection"
    ? { kind: "trap", trap: "protection", reason: "" }
    : { kind: "fault", access: fault.write ? "write" : "read", address: fault.address };

export class EvaluatorExecutor implements Executor {
  readonly name = "evaluator";
  readonly #guest = new HarnessGuest();
  readonly #context: ComplexContext;
  readonly #numbers: Numbers;
  /** Lifted blocks, for as long as the code is the same. */
  readonly #blocks = new Map<number, Block | undefined>();

  /** `domain`: numbers, or for tests of the tests some that are wrong. */
  constructor(domain: new (...args: ConstructorParameters<typeof Numbers>) => Numbers = Numbers) {
    const { memory } = this.#guest;
    const runtime = createRuntime(memory.wasm, {
      touch: (page) => memory.touch(page),
      mirror: unused,
      emptyEvents: unused,
      usesFull: unused,
      complex: unused,
      slow: unused,
      helpers: createFloatHelpers(memory.wasm.buffer),
    });
    this.#context = this.#guest.connect(runtime);
    this.#numbers = new domain(memory, runtime);
  }

  get data(): Uint8Array {
    return this.#guest.data;
  }
  load(block: TestBlock): void {
    this.#blocks.clear();
    this.#guest.load(block);
  }
  loadFloat(input: Case): void {
    this.#guest.loadFloat(input);
  }
  saveFloat(output: Case): void {
    this.#guest.saveFloat(output);
  }

  run(input: Case, output: Case): Outcome {
    this.#guest.loadState(input);
    this.#takeFlags();
    let event: Event | undefined;
    while (!event) event = this.#step();
    this.#giveFlags();
    this.#guest.saveState(output);
    return this.#guest.outcome(event);
  }

  /** One block; what happened, if that is not the processor's business. */
  #step(): Event | undefined {
    const { rip } = this.#guest;
    const block = this.#blockAt(rip);
    if (!block) return { kind: "fault", access: "execute", address: rip };
    const end = evaluate(block, this.#numbers);
    if (end.kind === "exit") return this.#leave(end);
    this.#guest.rip = BigInt(end.address);
    return end.kind === "trap" ? { kind: "trap", trap: end.trap, reason: "" } : faultEvent(end.fault);
  }

  #blockAt(rip: bigint): Block | undefined {
    const offset = Number(rip) - codePlace.start;
    if (offset < 0 || offset >= codePlace.size) return undefined;
    const address = Number(rip);
    if (!this.#blocks.has(address)) {
      const code = this.#guest.memory.bytes.subarray(address, codePlace.start + codePlace.size);
      this.#blocks.set(address, liftBlock(code.slice(0, 1024), address, maxBlockInstructions, lifting));
    }
    return this.#blocks.get(address);
  }

  #leave({ exit, value }: End<bigint, NumberFault> & { kind: "exit" }): Event | undefined {
    const go = (target: number | bigint): undefined => {
      this.#guest.rip = BigInt(target);
    };
    switch (exit.kind) {
      case "goto":
        return go(exit.target);
      case "branch":
        return go(value === 0n ? exit.otherwise : exit.target);
      case "jump":
      case "return":
        return go(value!);
      case "call":
        return go(exit.known ?? value!);
      case "complex":
        return this.#complex(exit.address);
      case "trap":
        go(exit.address);
        return { kind: "trap", trap: exit.trap, reason: exit.reason };
      case "syscall":
        go(exit.next);
        return { kind: "syscall" };
    }
  }

  /** As the machine does it, on the state in memory. */
  #complex(address: number): Event | undefined {
    this.#guest.rip = BigInt(address);
    this.#giveFlags();
    const { memory } = this.#guest;
    const [instruction] = decodeRun(memory.bytes.subarray(address, address + 16), address, 1);
    const code = complexSemantics[instruction!.mnemonic]!(this.#context, instruction!);
    this.#takeFlags();
    if (code === stop.none) this.#guest.rip = BigInt(instruction!.next);
    return code === stop.none ? undefined : this.#stopped(code);
  }

  #stopped(code: number): Event {
    const { view } = this.#guest.memory;
    const event = stopEvents[code];
    if (event) return event;
    assert(code === stop.fault, `evaluator: ${code} is a way to end`);
    const address = view.getBigUint64(cpuAddress(cell.faultAddress), true);
    return faultEvent({ kind: "access", address, write: view.getUint32(cpuAddress(cell.faultWrite), true) !== 0 });
  }

  // ── Flags: raw bits in the CPU block, noted ones in the domain ──────────────────────────────────────────────

  #takeFlags(): void {
    const { view } = this.#guest.memory;
    const kind = view.getUint32(cpuAddress(cpuOffset.flagsKind), true);
    assert(kind === flagsCode("raw", 32), "evaluator: flags in memory are raw between blocks");
    const left = BigInt(view.getUint32(cpuAddress(cpuOffset.flagsLeft), true));
    this.#numbers.flags = { kind: "raw", width: 32, left, right: left, result: left };
  }
  #giveFlags(): void {
    const { view } = this.#guest.memory;
    view.setUint32(cpuAddress(cpuOffset.flagsKind), flagsCode("raw", 32), true);
    view.setBigUint64(cpuAddress(cpuOffset.flagsLeft), allFlags(this.#numbers, this.#numbers.flags), true);
  }
}
