/**
 * The compiling tier: hot blocks become WebAssembly regions (jit/), installed in the runtime's table. A region's slot
 * is given out when somebody first calls it, so regions can call what is compiled later, one after the other, so that
 * what V8 knows of them lies close together. Kept regions come with the slots that they name.
 */
import { compileModule } from "../../base/index.ts";
import { cpuOffset, mxcsr } from "../../isa/ir/index.ts";
import {
  type CodeSource,
  type CompiledRegion,
  type Compiler,
  computedGotos,
  createCompiler,
  hubTargets,
} from "../jit/index.ts";
import {
  cell,
  cpuAddress,
  header,
  info,
  layout,
  pageBits,
  pageInfoBytes,
  type Runtime,
  regionTableSize,
  slowPathsAt,
  targetsSeen,
} from "../runtime/index.ts";
import { GotoLoops } from "./goto-loops.ts";
import type { KeptRegion, KeptRegions } from "./kept-regions.ts";
import type { PhaseClock } from "./phases.ts";
import type { Translation, Translator } from "./translator.ts";

/** So often an access is left to the interpreter before the region is compiled anew, with a slow path for it. */
const slowAfter = 100;
/** A region that is being compiled treats an access as slow sooner than that: else it would soon be compiled again. */
const slowWhenCompiled = 25;
/** Or if the interpreter took its slow path so often: a region is compiled after some thousand rounds. */
const slowWhenInterpreted = 200;
/** A region compiled so often for its slow accesses gets slow paths for all of them. */
const maxRewrites = 8;

/**
 * A region whose code has changed so often is compiled again only if it runs longer than it takes to compile: each further
 * change doubles how often its block must have been hot since, up to a bound.
 */
const patientAfter = 8;
const mostPatience = 64;

/** A hub's region is compiled anew when hot places outside are this part of those inside. */
const extendAt = 4;

export class CompiledTier {
  readonly #view: DataView;
  readonly #runtime: Runtime;
  readonly #translator: Translator;
  readonly #phases: PhaseClock;
  readonly #compiler: Compiler = createCompiler();
  readonly #kept: KeptRegions | undefined;
  readonly #slots: Map<number, number>;
  /** Slots that hold something: a region, or that there is none yet. */
  readonly #filled = new Set<number>();
  /** Instructions of the regions that there are, by entry. */
  readonly #sizes = new Map<number, number>();
  /** How often the instruction at an address was left to the interpreter because of an access. */
  readonly #slow = new Map<number, number>();
  /** Regions that start at a hub (machine/jit/targets.ts), and the blocks they cover. */
  readonly #hubs = new Map<number, ReadonlySet<number>>();
  readonly #loops = new GotoLoops();
  readonly #rewrites = new Map<number, number>();
  /** How often the code of a region changed, and how often its block was hot since, by its entry. */
  readonly #changes = new Map<number, { readonly count: number; hot: number }>();
  /** Regions with code on a page, by their entries. */
  readonly #onPage = new Map<number, Set<number>>();
  /** Entries whose kept region was not used at once, since it has code that had not run here. */
  readonly #putOff = new Set<number>();
  /** Blocks of hubs' kept regions in use: they run in compiled code from the start, and nobody counts them. */
  readonly #inKept = new Set<number>();
  /** Regions that MXCSR kept from running as they were. */
  readonly #callsFloats = new Set<number>();
  /** Regions compiled since the machine began, dropped ones included. */
  regions = 0;

  constructor(view: DataView, runtime: Runtime, translator: Translator, phases: PhaseClock, kept?: KeptRegions) {
    this.#kept = kept;
    this.#slots = kept?.slots ?? new Map();
    this.#view = view;
    this.#runtime = runtime;
    this.#translator = translator;
    this.#phases = phases;
  }

  readonly #source: CodeSource = {
    blockAt: (address) => (this.#heat(address) > 0 ? this.#translated(address)?.block : undefined),
    executions: (address) => this.#heat(address),
    slotOf: (address) => this.#slotOf(address),
    sizeOf: (address) => this.#sizes.get(address) ?? 0,
    targetsOf: (address) => this.#targetsOf(address),
    peek: (address) => this.#peek(address),
    registerNow: ({ type, offset }) => (type === "i64" ? this.#view.getBigUint64(cpuAddress(offset), true) : undefined),
    entriesOf: (entry) => this.#loops.entriesOf(entry),
    isAlone: (entry) => this.#loops.isMissed(entry),
    callsFloats: (entry) => this.#callsFloats.has(entry),
  };

  #targetsOf(address: number): readonly number[] {
    const translation = this.#translator.get(address);
    const exit = translation?.block.exit;
    const isIndirect = exit?.kind === "jump" || (exit?.kind === "call" && exit.known === undefined);
    if (!translation || !isIndirect) return [];
    const seen = targetsSeen(this.#view, translation);
    if (seen.length === 0) return this.#loops.targetsWithin(address);
    return seen.sort((a, b) => this.#heat(b) - this.#heat(a) || a - b);
  }

  #peek(address: number): bigint | undefined {
    const infoOf = (at: number) => this.#view.getUint16(layout.pageInfo + pageInfoBytes * (at >>> pageBits), true);
    const isReadable = (at: number) => (infoOf(at) & info.read) !== 0;
    if (address + 8 > layout.guestEnd || !isReadable(address) || !isReadable(address + 7)) return undefined;
    return this.#view.getBigUint64(address, true);
  }

  #executions(address: number): number {
    const translation = this.#translator.get(address);
    return translation ? this.#view.getUint32(translation.header + header.executions, true) : 0;
  }

  /** How often a block ran, as far as choosing a region goes: those of a hub's kept region ran before they were counted here. */
  #heat(address: number): number {
    const counted = this.#executions(address);
    return this.#inKept.has(address)
      ? Math.max(counted, this.#view.getUint32(cpuAddress(cell.hotAfter), true) >>> 1)
      : counted;
  }

  #translated(address: number): Translation | undefined {
    return (
      this.#translator.get(address) ?? (this.#inKept.has(address) ? this.#translator.translate(address) : undefined)
    );
  }

  #slotOf(address: number): number | undefined {
    const slot = this.#slots.get(address) ?? this.#slots.size;
    if (slot >= regionTableSize) return undefined;
    this.#slots.set(address, slot);
    if (!this.#filled.has(slot)) this.#runtime.table.set(slot, this.#runtime.exports.empty);
    this.#filled.add(slot);
    return slot;
  }

  /** Compiles the region that starts at `rip` and lets its block lead there from now on. */
  compile(block: number, rip: number): void {
    if (this.#translator.get(rip)?.header !== block) return;
    if (this.#view.getUint32(block + header.slot, true) !== 0) return this.#declined(rip);
    if (!this.#isWorthwhile(rip)) return this.#view.setUint32(block + header.executions, 0, true);
    const slot = this.#slotOf(rip);
    if (slot === undefined) return;
    const kept = this.#keptRegion(rip);
    if (kept === "new" && !this.#putOff.has(rip)) return this.#waitFor(rip, block);
    const isKept = kept !== undefined && kept !== "new";
    const home = isKept ? this.#kept!.homeOf(rip) : this.#homeFor(rip);
    this.#install(home, isKept ? kept : this.#compile(home));
    // The run that compiled a kept region has seen to the hubs there are.
    if (isKept) return;
    for (const [hub, covered] of this.#hubs) if (!covered.has(rip)) this.#extend(hub, covered);
  }

  /** The entry to compile from: a loop with computed gotos that has become larger is compiled anew, as a whole. */
  #homeFor(rip: number): number {
    const gotos = this.#loops.isEmpty ? undefined : computedGotos(rip, this.#source);
    return (gotos && this.#loops.miss(rip, gotos.targets)) ?? rip;
  }

  /** Whether a hot block stays as it is for long enough, as far as one can tell from how it was before. */
  #isWorthwhile(entry: number): boolean {
    const changes = this.#changes.get(entry);
    if (changes === undefined || changes.count < patientAfter) return true;
    return ++changes.hot >= Math.min(mostPatience, 2 ** (changes.count - patientAfter));
  }

  /** The region at `rip` is there and its block was interpreted until it was hot. Is MXCSR not what its code is for? */
  #declined(rip: number): void {
    const home = this.#loops.homeOf(rip);
    const register = this.#view.getUint32(cpuAddress(cpuOffset.mxcsr), true);
    const isUsual = (register & mxcsr.mode) === mxcsr.initial;
    if (isUsual || this.#callsFloats.has(home)) return;
    this.#callsFloats.add(home);
    this.#install(home, this.#compile(home));
  }

  /** Hot places that a hub leads to and that its region does not cover: where there are some of them, it is written anew. */
  #extend(hub: number, covered: ReadonlySet<number>): void {
    const targets = hubTargets(this.#translator.get(hub)!.block, this.#source);
    // What looked like a loop's start may turn out to be one of many jumps by the same table.
    if (targets.length === 0) return void this.#hubs.delete(hub);
    const missed = targets.filter((target) => !covered.has(target) && this.#sizes.has(target));
    const inside = targets.filter((target) => covered.has(target));
    if (missed.length === 0 || missed.length * extendAt < inside.length) return;
    this.#install(hub, this.#compile(hub));
  }

  #install(entry: number, { bytes, code, instructions, blocks, isHub, entries }: KeptRegion): void {
    const { module, region } = this.#phases.measure("compile", () => {
      const module = compileModule(bytes, code);
      const instance = new WebAssembly.Instance(module, { runtime: this.#runtime.exports });
      return { module, region: Object.values(instance.exports)[0] };
    });
    this.#kept?.noteUse(entry, module);
    const starts = blocks.map(({ start }) => start);
    if (entries.length > 0) this.#loops.note(entry, entries, starts);
    else if (isHub) this.#hubs.set(entry, new Set(starts));
    for (const { start, code } of blocks) {
      this.#coolDown(start);
      for (let page = start >>> pageBits; page <= (start + code.length - 1) >>> pageBits; page++)
        this.#onPage.set(page, (this.#onPage.get(page) ?? new Set()).add(entry));
    }
    // Once cooled down: a block that leads to a region is left as hot as it is.
    for (const at of entries.length > 0 ? entries : [entry]) {
      this.#lead(at, region);
      this.#sizes.set(at, instructions);
    }
    this.regions++;
  }

  /** Lets the block at an address lead to the region from now on. */
  #lead(address: number, region: unknown): void {
    const slot = this.#slotOf(address);
    if (slot === undefined) return;
    this.#runtime.table.set(slot, region);
    // Translating what kept regions cover may have used up all room, and dropped everything.
    const translation = this.#translator.get(address);
    if (translation) this.#view.setUint32(translation.header + header.slot, slot + 1, true);
  }

  /** By the time that its entry is hot without regard to earlier runs, the rest of a kept region may have run here too. */
  #waitFor(entry: number, block: number): void {
    this.#putOff.add(entry);
    this.#view.setUint32(block + header.executions, 0, true);
  }

  /**
   * What an earlier machine compiled, if code and slots are the same here. "new": it covers code that has not run here yet,
   * where it is noted what runs: that would run unseen.
   */
  #keptRegion(entry: number): KeptRegion | "new" | undefined {
    const region = this.#kept?.get(entry);
    if (!region?.blocks.every(({ start, code }) => this.#translator.isThere(start, code))) return undefined;
    if (region.blocks.some(({ start }) => this.#translator.isNew(start))) return "new";
    for (const [address, slot] of region.slots) if (this.#slotOf(address) !== slot) return undefined;
    for (const address of region.slow)
      this.#slow.set(address, Math.max(this.#slow.get(address) ?? 0, slowWhenCompiled));
    if (region.isHub) for (const { start } of region.blocks) this.#inKept.add(start);
    return region;
  }

  #compile(entry: number): KeptRegion {
    const slots = new Map<number, number>();
    const slow = new Set<number>();
    const areAllSlow = (this.#rewrites.get(entry) ?? 0) >= maxRewrites;
    const source: CodeSource = {
      ...this.#source,
      slotOf: (address) => {
        const slot = this.#slotOf(address);
        if (slot !== undefined) slots.set(address, slot);
        return slot;
      },
      isSlow: (address) => {
        const isSlow =
          areAllSlow ||
          (this.#slow.get(address) ?? 0) >= slowWhenCompiled ||
          slowPathsAt(this.#view, address) >= slowWhenInterpreted;
        if (isSlow) slow.add(address);
        return isSlow;
      },
    };
    const { bytes, regions } = this.#phases.measure("compile", () => this.#compiler.compile([entry], source));
    const [{ instructions, isHub, entries, blocks: starts }] = regions as [CompiledRegion];
    const blocks = [...new Set(starts)].map((start) => ({ start, code: this.#translator.codeAt(start) }));
    const region = { bytes, instructions, isHub, entries, blocks, slots, slow: [...slow] };
    const isPatched = blocks.some(({ start, code }) => this.#translator.isPatched(start, start + code.length));
    // One that was put off holds more than this run's code, and stays.
    if (!this.#callsFloats.has(entry) && !isPatched && !this.#putOff.has(entry)) this.#kept?.add(entry, region);
    return region;
  }

  /**
   * The region left an access at `rip` to the interpreter: persistent memory, a page's end, a page not yet changed. Where
   * that happens again and again, the access gets a way of its own.
   */
  slow(entry: number, rip: number): void {
    const count = (this.#slow.get(rip) ?? 0) + 1;
    this.#slow.set(rip, count);
    if (count < slowAfter || !this.#slots.has(entry)) return;
    this.#rewrites.set(entry, (this.#rewrites.get(entry) ?? 0) + 1);
    this.#install(entry, this.#compile(entry));
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

  /** The code on this page has changed; the translator knows it already. */
  dropPage(page: number): void {
    for (const entry of this.#onPage.get(page) ?? []) {
      for (const at of new Set([entry, ...this.#loops.forget(entry)])) this.#leadNowhere(at);
      this.#hubs.delete(entry);
      this.#callsFloats.delete(entry);
      this.#changes.set(entry, { count: (this.#changes.get(entry)?.count ?? 0) + 1, hot: 0 });
    }
    this.#onPage.delete(page);
    for (const start of this.#inKept) if (start >>> pageBits === page) this.#inKept.delete(start);
  }

  #leadNowhere(entry: number): void {
    this.#runtime.table.set(this.#slots.get(entry)!, this.#runtime.exports.empty);
    this.#sizes.delete(entry);
    const translation = this.#translator.get(entry);
    if (!translation) return;
    this.#view.setUint32(translation.header + header.slot, 0, true);
    this.#coolDown(entry);
  }

  drop(): void {
    for (const slot of this.#filled) this.#runtime.table.set(slot, this.#runtime.exports.empty);
    this.#sizes.clear();
    this.#slow.clear();
    this.#rewrites.clear();
    this.#changes.clear();
    this.#hubs.clear();
    this.#loops.clear();
    this.#callsFloats.clear();
    this.#onPage.clear();
    this.#inKept.clear();
  }
}
