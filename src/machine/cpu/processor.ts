/**
 * Runs guest instructions on the CPU block until something happens that is not the processor's business. It keeps an
 * exact count: `run(n)` retires at most n instructions, in whatever tier, and says how many it did.
 */
import { assert } from "../../base/index.ts";
import { cpuOffset, type HelperName } from "../../isa/ir/index.ts";
import { usualLevel } from "../../isa/x86/index.ts";
import { type ComplexContext, complexSemantics, createComplexContext } from "../complex/index.ts";
import type { GuestMemory } from "../memory/index.ts";
import {
  cell,
  cpuAddress,
  createRuntime,
  layout,
  pageBits,
  type Runtime,
  requestBytes,
  type StopCode,
  stop,
} from "../runtime/index.ts";
import { workUnits } from "./alarm.ts";
import { PatchedInstructions } from "./patched-instructions.ts";
import { PhaseClock } from "./phases.ts";
import { Translator, type TranslatorOptions } from "./translator.ts";

/** Why `run` came back. Addresses are guest addresses as the guest computed them, 64 bits wide. */
export type Event =
  /** All the instructions asked for have run. */
  | { readonly kind: "done" }
  /** rip is an address to stop at. */
  | { readonly kind: "address" }
  | { readonly kind: "syscall" }
  /** The instruction at rip is about to use a watched page (cell `stopAtUse`). */
  | { readonly kind: "use" }
  /** The instruction at rip is about to make an access that ends the turn (cell `points`). */
  | { readonly kind: "switch" }
  | { readonly kind: "fault"; readonly access: "read" | "write" | "execute"; readonly address: bigint }
  | {
      readonly kind: "trap";
      readonly trap: "protection" | "divide" | "breakpoint" | "undefined" | "float";
      readonly reason: string;
    };

export interface ProcessorOptions extends TranslatorOptions {
  readonly helpers: Readonly<Record<HelperName, (...args: never[]) => number | bigint>>;
  /** Executions after which a block is compiled; 0 never compiles. */
  readonly hotAfter: number;
  /** Takes the PM events out of the buffer: called when it is full. */
  readonly drainEvents: () => void;
  readonly mirror: (address: number, size: number) => void;
  readonly usesFull?: () => void;
  /** The time-stamp counter, given the instructions retired since `run` was called. */
  readonly tsc: (retired: number) => bigint;
  readonly phases?: PhaseClock;
  /** Answers a Valgrind client request. */
  readonly request?: () => void;
  /** Told of work that takes longer than the instructions that it is for; it may throw to end the run there. */
  readonly worked?: (units: number) => void;
}

/** Of a store that hits translated code, from `cell.faultAddress` on. */
const maxStoreBytes = 16;

/** More noticeable accesses than any instruction makes. */
const uncounted = 0x7fff_ffff;

/** Few enough that a loop soon gets into V8's optimised code, many enough that coming back costs nothing. */
const fuelPortion = 2_000_000;

type Tier = {
  compile(header: number, rip: number): void;
  slow(entry: number, rip: number): void;
  dropPage(page: number): void;
  drop(): void;
};

const trapNames = {
  [stop.protection]: "protection",
  [stop.divide]: "divide",
  [stop.breakpoint]: "breakpoint",
  [stop.float]: "float",
} as const;

export class Processor {
  readonly #view: DataView;
  readonly runtime: Runtime;
  readonly translator: Translator;
  readonly #options: ProcessorOptions;
  readonly #context: ComplexContext;
  #dropPending = false;
  readonly #stalePages = new Set<number>();
  #limit = 0;
  /** Instructions that may run but are not yet handed out as fuel. */
  #held = 0;
  #stops: "exactly" | "about" = "exactly";
  readonly patched: PatchedInstructions;
  /** The compiling tier, once there is one. */
  tier: Tier | undefined;

  constructor(memory: GuestMemory, options: ProcessorOptions) {
    this.#view = memory.view;
    this.#options = options;
    this.translator = new Translator(memory, options.phases ?? new PhaseClock(() => 0), options);
    this.runtime = createRuntime(memory.wasm, {
      touch: (page) => memory.touch(page >>> 0),
      mirror: (address, size) => options.mirror(address >>> 0, size),
      emptyEvents: () => this.#emptyEvents(),
      usesFull: () => options.usesFull?.(),
      complex: () => this.#complexInstruction(),
      slow: (entry) => this.tier?.slow(entry >>> 0, Number(this.rip)),
      helpers: options.helpers,
    });
    this.translator.whenFull = () => this.#dropAll();
    this.#context = createComplexContext(
      memory,
      this.runtime,
      () => options.tsc(this.#retired),
      options.lift?.level ?? usualLevel,
      options.worked,
    );
    this.patched = new PatchedInstructions(this.#context, this.runtime);
    this.#setCell(cell.hotAfter, options.hotAfter);
    this.#setCell(cell.hostMakes, options.lift?.patches ? 1 : 0);
    this.#setCell(cell.eventNext, layout.events);
  }

  #setCell(offset: number, value: number): void {
    this.#view.setUint32(cpuAddress(offset), value, true);
  }
  #cell(offset: number): number {
    return this.#view.getUint32(cpuAddress(offset), true);
  }
  get #fuel(): number {
    return Number(this.#view.getBigInt64(cpuAddress(cell.fuel), true));
  }
  get rip(): bigint {
    return this.#view.getBigUint64(cpuAddress(cpuOffset.rip), true);
  }

  /** Translated code on this page is stale: drop it before anything runs again. */
  codeChanged(page: number): void {
    this.#stalePages.add(page);
  }

  /** `run` stops before the instruction at each of these. */
  setStops(addresses: readonly number[]): void {
    this.translator.setStops(addresses);
    this.#dropPending = true;
  }

  /** Runs at most `limit` instructions, or up to the block before that would be too many; `retired` is how many did run. */
  run(limit: number, stops: "exactly" | "about" = "exactly"): { readonly event: Event; readonly retired: number } {
    this.#limit = limit;
    this.#stops = stops;
    this.#held = limit;
    this.#view.setBigInt64(cpuAddress(cell.fuel), 0n, true);
    this.#refuel();
    this.#setCell(cell.depth, 0);
    // An instruction that was stopped at before runs now.
    let block = this.translator.isStop(Number(this.rip)) ? this.#alone() : 0;
    for (;;) {
      if (this.dropStale()) block = block === 0 ? 0 : this.#alone();
      const code = this.runtime.run(block);
      block = 0;
      const outcome = this.#handle(code);
      if (typeof outcome === "number") block = outcome;
      else return { event: outcome, retired: this.#retired };
    }
  }

  /** The instruction at rip as a block of its own; 0 if there is none. */
  #alone(): number {
    return this.translator.translateShort(Number(this.rip), 1) ?? 0;
  }

  get #retired(): number {
    return this.#limit - this.#held - this.#fuel;
  }

  /** Hands out the next portion of what may still run. */
  #refuel(): void {
    const portion = Math.min(this.#held, fuelPortion);
    this.#held -= portion;
    this.#view.setBigInt64(cpuAddress(cell.fuel), BigInt(this.#fuel + portion), true);
  }

  /** What was made of code that is another now goes; whether there was any. */
  dropStale(): boolean {
    if (!this.#dropPending && this.#stalePages.size === 0) return false;
    this.#drop();
    return true;
  }

  #drop(): void {
    if (this.#dropPending) this.#dropAll();
    for (const page of this.#stalePages)
      for (const dropped of this.translator.dropPage(page)) this.tier?.dropPage(dropped);
    this.#dropPending = false;
    this.#stalePages.clear();
  }
  #dropAll(): void {
    this.translator.drop();
    this.tier?.drop();
  }

  /** An event for the caller, or the block to go on with (0: look rip up). */
  #handle(code: number): Event | number {
    switch (code) {
      case stop.miss:
        return this.#miss();
      case stop.fuel:
        return this.#outOfFuel();
      case stop.hot: {
        const header = this.#cell(cell.stopBlock);
        this.#options.worked?.(workUnits.compiled);
        this.tier?.compile(header, Number(this.rip));
        return header;
      }
      case stop.syscall:
        return { kind: "syscall" };
      case stop.watched:
        return { kind: "use" };
      case stop.switch:
        return { kind: "switch" };
      case stop.complex: {
        const code = this.#complexInstruction();
        if (code === stop.none) return 0;
        // It was counted, and did not run to its end.
        this.#view.setBigInt64(cpuAddress(cell.fuel), BigInt(this.#fuel + 1), true);
        return this.#handle(code);
      }
      case stop.fault:
        return {
          kind: "fault",
          access: this.#cell(cell.faultWrite) ? "write" : "read",
          address: this.#view.getBigUint64(cpuAddress(cell.faultAddress), true),
        };
      case stop.codeStore:
        this.#options.worked?.(workUnits.translated);
        // The storing instruction may lie on the very page: it runs alone, before that page is translated again.
        this.#storeToCode(this.#view.getUint32(cpuAddress(cell.faultAddress), true));
        return this.#alone();
      case stop.eventsFull:
        this.#emptyEvents();
        return 0;
      case stop.undefined:
        return { kind: "trap", trap: "undefined", reason: this.#whyUndefined() };
      default: {
        const trap = trapNames[code as keyof typeof trapNames];
        assert(trap !== undefined, `processor: ${code} is a stop code`);
        return { kind: "trap", trap, reason: trap };
      }
    }
  }

  #storeToCode(address: number): void {
    this.codeChanged(address >>> pageBits);
    this.codeChanged((address + maxStoreBytes - 1) >>> pageBits);
    this.#drop();
  }

  #emptyEvents(): void {
    this.#options.worked?.(workUnits.recorded);
    this.#options.drainEvents();
    this.#setCell(cell.eventNext, layout.events);
  }

  /**
   * The portion is used up. A loop that ran on it is entered anew, from the interpreter: V8 enters its optimised code
   * only when a function is called. If no region starts where it stands, its blocks soon are hot.
   */
  #outOfFuel(): Event | number {
    const rip = Number(this.rip);
    if (this.#held > 0) {
      this.#refuel();
      return 0;
    }
    const fuel = this.#fuel;
    if (fuel === 0 || this.#stops === "about") return { kind: "done" };
    return this.translator.translateShort(rip, fuel) ?? this.#fetchFault();
  }

  /** Makes the instruction at rip (machine/complex) and moves rip on; a stop code if it must be run again, or faults. */
  #complexInstruction(): number {
    const rip = Number(this.rip);
    this.#options.worked?.(workUnits.complex);
    if (this.#isRequest(rip)) {
      this.#request();
      this.#goOn(rip + requestBytes.length);
      return stop.none;
    }
    const instruction = this.translator.decode(rip);
    assert(instruction !== undefined, "processor: a machine-made instruction can be decoded again");
    const semantics = instruction.mnemonic === "xchg" ? this.#request : complexSemantics[instruction.mnemonic];
    assert(semantics !== undefined, `processor: ${instruction.mnemonic} has semantics`);
    const patches = this.#options.lift?.patches?.at(rip) ?? [];
    const make = () => this.#inOneTurn(() => semantics(this.#context, instruction));
    const code = patches.length === 0 ? make() : this.patched.run(instruction, patches, make);
    if (code === stop.none) this.#goOn(instruction.next);
    return code;
  }

  /** A turn ends before such an instruction or after it: half of one has no place among counted instructions. */
  #inOneTurn(make: () => StopCode): StopCode {
    const points = this.#cell(cell.points);
    if (points === 0) return make();
    this.#setCell(cell.points, uncounted);
    const code = make();
    this.#setCell(cell.points, Math.max(1, points - (uncounted - this.#cell(cell.points))));
    return code;
  }

  #goOn(rip: number): void {
    this.#view.setBigUint64(cpuAddress(cpuOffset.rip), BigInt(rip), true);
  }

  /** `xchg rbx, rbx` is machine-made only as the end of a client request. */
  readonly #request = (): StopCode => {
    this.#options.request?.();
    return stop.none;
  };

  /** Whether it is written there as compilers do: then it need not be decoded. */
  #isRequest(rip: number): boolean {
    for (let at = 0; at < requestBytes.length; at++)
      if (this.#view.getUint8(rip + at) !== requestBytes[at]) return false;
    return true;
  }

  #miss(): Event | number {
    const rip = this.rip;
    if (rip >= BigInt(layout.guestEnd)) return this.#fetchFault();
    if (this.translator.isStop(Number(rip))) return { kind: "address" };
    this.#options.worked?.(workUnits.translated);
    return this.translator.translate(Number(rip))?.header ?? this.#fetchFault();
  }

  #fetchFault(): Event {
    return { kind: "fault", access: "execute", address: this.rip };
  }

  #whyUndefined(): string {
    const exit = this.translator.lift(Number(this.rip), 1)?.exit;
    return exit?.kind === "trap" ? exit.reason : "the instruction is undefined";
  }
}
