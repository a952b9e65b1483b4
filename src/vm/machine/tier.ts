/**
 * The compiling tier: hot blocks become WebAssembly regions (jit/), installed in the runtime's table. A region's slot
 * is given out when somebody first calls it, so regions can call what is compiled later.
 */
import { type CodeSource, type Compiler, createCompiler } from "../../jit/index.ts";
import { cell, cpuAddress, header, type Runtime, regionTableSize, targetsSeen } from "../../runtime/index.ts";
import type { PhaseClock } from "./phases.ts";
import type { Translator } from "./translator.ts";

/** So often an access is left to the interpreter before the region is compiled anew, with a slow path for it. */
const slowAfter = 100;
/** A region that is being compiled treats an access as slow sooner than that: else it would soon be compiled again. */
const slowWhenCompiled = 25;
/** A region compiled so often for its slow accesses gets slow paths for all of them. */
const maxRewrites = 8;

/**
 * The more regions there are, the less another one is likely to bring: after each so many of them a block must have run
 * once more as often as at first, up to a limit.
 */
const regionsPerStep = 100;
const maxSteps = 4;

export class CompiledTier {
  readonly #view: DataView;
  readonly #runtime: Runtime;
  readonly #translator: Translator;
  readonly #phases: PhaseClock;
  readonly #hotAtFirst: number;
  readonly #compiler: Compiler = createCompiler();
  readonly #slots = new Map<number, number>();
  /** Instructions of the regions that there are, by entry. */
  readonly #sizes = new Map<number, number>();
  /** How often the instruction at an address was left to the interpreter because of an access. */
  readonly #slow = new Map<number, number>();
  readonly #rewrites = new Map<number, number>();
  /** Regions compiled since the machine began, dropped ones included. */
  regions = 0;

  constructor(view: DataView, runtime: Runtime, translator: Translator, phases: PhaseClock) {
    this.#view = view;
    this.#runtime = runtime;
    this.#translator = translator;
    this.#phases = phases;
    this.#hotAtFirst = view.getUint32(cpuAddress(cell.hotAfter), true);
  }

  readonly #source: CodeSource = {
    blockAt: (address) => (this.#executions(address) > 0 ? this.#translator.get(address)?.block : undefined),
    executions: (address) => this.#executions(address),
    slotOf: (address) => this.#slotOf(address),
    sizeOf: (address) => this.#sizes.get(address) ?? 0,
    targetsOf: (address) => this.#targetsOf(address),
    isSlow: (address) => (this.#slow.get(address) ?? 0) >= slowWhenCompiled,
  };

  #targetsOf(address: number): readonly number[] {
    const translation = this.#translator.get(address);
    const exit = translation?.block.exit;
    const isIndirect = exit?.kind === "jump" || (exit?.kind === "call" && exit.known === undefined);
    if (!translation || !isIndirect) return [];
    return targetsSeen(this.#view, translation).sort((a, b) => this.#executions(b) - this.#executions(a) || a - b);
  }

  #executions(address: number): number {
    const translation = this.#translator.get(address);
    return translation ? this.#view.getUint32(translation.header + header.executions, true) : 0;
  }

  #slotOf(address: number): number | undefined {
    const known = this.#slots.get(address);
    if (known !== undefined) return known;
    const slot = this.#slots.size;
    if (slot >= regionTableSize) return undefined;
    this.#runtime.table.set(slot, this.#runtime.exports.empty);
    this.#slots.set(address, slot);
    return slot;
  }

  /** Compiles the region that starts at `rip` and lets its block lead there from now on. */
  compile(block: number, rip: number): void {
    if (this.#translator.get(rip)?.header !== block || this.#view.getUint32(block + header.slot, true) !== 0) return;
    const slot = this.#slotOf(rip);
    if (slot === undefined) return;
    for (const address of this.#install(rip, slot)) this.#coolDown(address);
    this.#view.setUint32(block + header.slot, slot + 1, true);
  }

  /** Compiles the region and puts it into its slot; the blocks it covers. */
  #install(entry: number, slot: number): readonly number[] {
    const isRewrittenOften = (this.#rewrites.get(entry) ?? 0) >= maxRewrites;
    const source = isRewrittenOften ? { ...this.#source, isSlow: () => true } : this.#source;
    const module = this.#phases.measure("compile", () => this.#compiler.compile([entry], source));
    const instance = this.#phases.measure(
      "compile",
      () => new WebAssembly.Instance(new WebAssembly.Module(module.bytes), { runtime: this.#runtime.exports }),
    );
    const [region] = module.regions;
    this.#runtime.table.set(slot, instance.exports[region!.exportName]);
    this.#sizes.set(entry, region!.instructions);
    this.regions++;
    const steps = Math.min(1 + Math.floor(this.regions / regionsPerStep), maxSteps);
    this.#view.setUint32(cpuAddress(cell.hotAfter), this.#hotAtFirst * steps, true);
    return region!.blocks;
  }

  /**
   * The region left an access at `rip` to the interpreter: persistent memory, a page's end, a page not yet changed. Where
   * that happens again and again, the access gets a way of its own.
   */
  slow(entry: number, rip: number): void {
    const count = (this.#slow.get(rip) ?? 0) + 1;
    this.#slow.set(rip, count);
    const slot = this.#slots.get(entry);
    if (count < slowAfter || slot === undefined) return;
    this.#rewrites.set(entry, (this.#rewrites.get(entry) ?? 0) + 1);
    this.#install(entry, slot);
  }

  /**
   * A block that runs once for each time the region's entry does is about to be hot as well. As part of the region it
   * needs one of its own only if it goes on being entered from elsewhere.
   */
  #coolDown(address: number): void {
    const translation = this.#translator.get(address);
    if (!translation || this.#view.getUint32(translation.header + header.slot, true) !== 0) return;
    const half = this.#view.getUint32(cpuAddress(cell.hotAfter), true) >>> 1;
    const executions = Math.min(this.#executions(address), Math.max(half, 1));
    this.#view.setUint32(translation.header + header.executions, executions, true);
  }

  drop(): void {
    for (const slot of this.#slots.values()) this.#runtime.table.set(slot, this.#runtime.exports.empty);
    this.#slots.clear();
    this.#sizes.clear();
    this.#slow.clear();
    this.#rewrites.clear();
  }
}
