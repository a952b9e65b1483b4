/**
 * The machine: one guest process on one processor under one kernel. Always:
 * - Deterministic: the same program, options and inputs retire the same instructions and make the same output.
 * - A snapshot is plain data and holds everything: memory, registers, threads, files, clocks, the rest of a thread's turn.
 */
import { assert } from "../../base/index.ts";
import type { EventPlace } from "../../trace/events/index.ts";
import {
  createFiles,
  defaultFileLimits,
  exportFiles,
  type FileContents,
  type FilesSnapshot,
  type FileVersion,
  importFiles,
  type KnownEntries,
} from "../files/index.ts";
import { Kernel, type KernelHooks, type Outcome, type Step } from "../kernel/index.ts";
import { GuestMemory, type PageChange } from "../memory/index.ts";
import type { PoolNames } from "../process/index.ts";
import { cell, cpuAddress, createFloatHelpers, pageSize } from "../runtime/index.ts";
import type { ScheduleChoice, ScheduleOptions, ThreadOrder } from "../schedule/index.ts";
import { AlarmPause, bytesMoved, workUnits } from "./alarm.ts";
import { kernelOptions, levelOf } from "./kernel-options.ts";
import type { LineContents, MachineOptions, MachineSnapshot, RunResult, Statistics } from "./machine-types.ts";
import { mirrorStore } from "./mirror.ts";
import { changesMappings, Patches } from "./patches.ts";
import { PhaseClock } from "./phases.ts";
import * as pools from "./pools.ts";
import { MachinePort } from "./port.ts";
import { type Event, Processor } from "./processor.ts";
import { NotedCode } from "./ran-code.ts";
import { ScheduledThreads } from "./scheduled-threads.ts";
import { stateDigest, threadState } from "./state-digest.ts";
import { symbolAddress, symbolNames } from "./symbols.ts";
import { CompiledTier } from "./tier.ts";
import { tracedStreams } from "./traced-streams.ts";
import { Tracer } from "./tracer.ts";
import { Watcher, type WatchOptions } from "./watcher.ts";

/**
 * Executions of a block after which it is compiled. At first where interpreting has cost about as much as compiling would;
 * sooner when a program runs again, since what is made of it then is kept for the runs after (docs/adr/0030-when-to-compile.md).
 */
const hotAfter = { firstRun: 40_000, again: 8000 } as const;
const syscallBytes = 2;

export class Machine {
  readonly #memory: GuestMemory;
  readonly #kernel: Kernel;
  readonly #processor: Processor;
  readonly #tier: CompiledTier;
  readonly #phases: PhaseClock;
  readonly #hooks: KernelHooks;
  readonly #tracer: Tracer | undefined;
  readonly #watcher: Watcher;
  readonly #patches: Patches | undefined;
  readonly #schedule: ScheduledThreads | undefined;
  /** Instructions left in the current thread's turn; 0: ask the scheduler. */
  #turn = 0;
  readonly #alarm: AlarmPause;

  constructor(options: MachineOptions) {
    this.#alarm = new AlarmPause(options.alarm, options.spent);
    this.#phases = new PhaseClock(options.clock ?? (() => 0));
    const limits = options.limits ?? {};
    const memory = new GuestMemory();
    this.#memory = memory;
    this.#tracer = options.trace && new Tracer(memory, options.trace, options.patches);
    this.#watcher = new Watcher(memory);
    const isPatched = options.trace !== undefined && (options.patches?.length ?? 0) > 0;
    this.#patches = isPatched ? new Patches(options.patches!, memory.view) : undefined;
    const outer: KernelHooks = { ...options.hooks, watchedGoes: () => this.#watcher.unmapped() };
    const isWatched = options.schedule !== undefined || options.meetings === true;
    this.#schedule = isWatched ? new ScheduledThreads(options, memory, this.#tracer, () => this.#kernel) : undefined;
    const traced = this.#tracer?.hooks(outer) ?? outer;
    this.#hooks = this.#patchedHooks(this.#schedule?.hooks(traced) ?? traced);
    this.#kernel = new Kernel(
      memory,
      (ports) =>
        createFiles({
          ...ports,
          host: options.host,
          root: options.root ?? "/",
          grants: options.grants ?? [],
          workingDirectory: options.workingDirectory,
          uid: 1000,
          gid: 1000,
          umask: 0o022,
          limits: { ...defaultFileLimits, ...limits },
          streams: this.#tracer ? tracedStreams(options.streams, this.#tracer) : options.streams,
          uses: this.#watcher,
          worked: this.#alarm.work,
        }),
      kernelOptions(options, (inode) => this.#watcher.isWatched(inode)),
      this.#hooks,
    );
    const [level, isTraced] = [levelOf(options), options.trace !== undefined];
    const lifting = `${isTraced ? "traced" : "plain"}-${level}` as const;
    const kept = options.keptCode?.(lifting);
    this.#processor = new Processor(memory, {
      helpers: createFloatHelpers(memory.wasm.buffer, () => this.#alarm.work(workUnits.complex)),
      worked: this.#alarm.work,
      hotAfter: options.hotAfter ?? hotAfter[kept === undefined || kept.regions.isEmpty ? "firstRun" : "again"],
      drainEvents: () => this.#tracer?.drain(),
      lift: { traced: isTraced, level, patches: this.#patches },
      kept,
      noted: options.ranCode && new NotedCode(options.ranCode, () => this.#kernel),
      request: () => this.#tracer?.request(),
      mirror: (address, size) => mirrorStore(memory, this.#kernel, address, size),
      usesFull: this.#watcher.drain,
      tsc: (retired) => this.#kernel.now() + BigInt(retired),
      phases: this.#phases,
    });
    const { runtime, translator } = this.#processor;
    this.#tier = new CompiledTier(memory.view, runtime, translator, this.#phases, kept?.regions);
    this.#processor.tier = this.#tier;
    memory.hooks = {
      codeChanged: (page) => this.#processor.codeChanged(page),
      persistentStore: (address, length) => this.#tracer?.kernelStore(address, length),
      kernelStored: (address, length) => this.#schedule?.kernelStored(address, length),
      forgotten: (page) => this.#schedule?.forgotten(page),
      emptied: () => {},
      watchedUsed: (what, address, length) => this.#watcher.memoryUsed(what, address, length),
      aliasesOf: (page) => this.#kernel.aliasesOf(page),
      appear: (page) => this.#kernel.appear(page),
    };
  }

  /** For who looks into the machine between two runs. */
  get port(): MachinePort {
    return new MachinePort(this.#memory, this.#kernel, this.#processor, this.#watcher, () => this.#turn);
  }

  /** What was decided about threads, where a schedule was asked for; and the first decision that did not fit. */
  get scheduled(): { readonly choices: readonly ScheduleChoice[]; readonly misfit: number | undefined } {
    return { choices: this.#schedule?.interleaving.choices ?? [], misfit: this.#schedule?.interleaving.misfit };
  }
  /** What threads read of each other, where that was asked for. */
  get threadOrder(): ThreadOrder | undefined {
    return this.#schedule?.order;
  }
  /** From here on, where one thread is alive, by another schedule: after a snapshot was restored, say. */
  scheduleBy(options: ScheduleOptions): void {
    assert(this.#schedule !== undefined, "machine: it was made to run by a schedule");
    this.#schedule.begin(options);
  }

  /** Mappings may have changed: patches that hold below a call are told where it is. */
  #patchedHooks(outer: KernelHooks): KernelHooks {
    const patches = this.#patches;
    if (!patches) return outer;
    return {
      ...outer,
      returned: (tid, name, result) => {
        if (changesMappings.has(name)) patches.locate();
        outer.returned?.(tid, name, result);
      },
    };
  }

  /** The address of the next instruction of the current thread. */
  get rip(): number {
    return Number(this.#kernel.cpu.rip);
  }
  /** A general register of the current thread, by its number in instructions. */
  register(number: number): bigint {
    return this.#kernel.cpu.gpr(number);
  }
  /** A copy of the guest's memory, read as a system call would; undefined where some of it may not be read. */
  readMemory(address: number, length: number): Uint8Array | undefined {
    return this.#memory.read(address, length);
  }
  get instructions(): number {
    return Number(this.#kernel.instructions);
  }

  /** Puts a program into the machine. Throws InputError if it cannot run here. Strings hold a byte per character. */
  load(path: string, argv: readonly string[], environment: readonly string[]): void {
    this.#phases.measure("start", () => this.#kernel.boot(path, argv, environment));
    this.#tracer?.begin(this.#kernel, this.#processor.runtime);
    this.#patches?.begin(this.#kernel);
    this.#watcher.begin(this.#kernel, this.#processor.runtime);
  }

  /** Whether a dynamic linker starts the program that is loaded. */
  get isDynamic(): boolean {
    return this.#kernel.isDynamic;
  }

  /** What runs use from now on is told; undefined: nobody wants to know. Mappings keep what they were made with. */
  watch(options: WatchOptions | undefined): void {
    this.#watcher.watch(options);
  }

  /** Whether a traced program made Valgrind client requests, answered or not. */
  get madeRequests(): boolean {
    return this.#tracer?.madeRequests ?? false;
  }

  /** The address of a symbol of the program's own, once it is loaded. */
  symbol(name: string): number | undefined {
    return symbolAddress(this.#kernel, this.#kernel.executable, name);
  }

  /** Names of the program's own symbols that begin so. */
  symbolsLike(prefix: string): readonly string[] {
    return symbolNames(this.#kernel, this.#kernel.executable).filter((name) => name.startsWith(prefix));
  }

  /** The address of an offset in a file that is mapped to be run, by its last name. */
  addressIn(module: string, offset: number): number | undefined {
    const { areas, files } = this.#kernel;
    const area = areas.find(({ start, end, file }) => {
      if (file === undefined || files.pathOf(file.inode).split("/").at(-1) !== module.split("/").at(-1)) return false;
      return offset >= file.offset && offset < file.offset + end - start;
    });
    return area?.file && area.start + offset - area.file.offset;
  }

  /** An instruction, the next one if none is named, as people look for it: file, and offset in it. */
  site(address = this.rip): string {
    return this.#kernel.site(address);
  }

  // ── Running ─────────────────────────────────────────────────────────────────────────────────────────────────

  /** Stops `run` before the instruction at each of these addresses. */
  stopAt(addresses: readonly number[]): void {
    this.#processor.setStops(addresses);
  }

  run(instructions = Number.MAX_SAFE_INTEGER): RunResult {
    const before = this.instructions;
    const result = this.#phases.measure("run", () => this.#run(instructions));
    if (result.kind === "ended") this.#schedule?.interleaving.finish();
    else this.#tracer?.drain();
    this.#watcher.drain();
    this.#alarm.tell(this.instructions - before);
    return result;
  }

  /**
   * Runs up to the first use of a watched file's contents or of such a name, by an instruction or a call, which is the
   * next thing to run then. Undefined: a call that had waited used something when it went on; nothing can be said.
   */
  runToUse(stopsAtName: (name: string) => boolean, instructions: number): RunResult | undefined {
    this.#watcher.stopBeforeUse(stopsAtName);
    const result = this.run(instructions);
    const late = this.#watcher.met && result.kind !== "use";
    this.#watcher.stopBeforeUse(undefined);
    return late ? undefined : result;
  }

  #run(instructions: number): RunResult {
    let left = instructions;
    const ended = this.#kernel.outcome;
    if (ended) return { kind: "ended", outcome: ended };
    for (;;) {
      const over = this.beginTurn();
      if (over) return { kind: "ended", outcome: over };
      if (left === 0) return { kind: "limit" };
      this.#alarm.askIfDue();
      const most = Math.min(this.#turn, left);
      // A pause need not come at an exact instruction, for which code would have to be translated each time.
      const { event, retired } =
        this.#alarm.left < most ? this.#processor.run(this.#alarm.left, "about") : this.#processor.run(most);
      this.#schedule?.interleaving.ran(retired);
      this.#alarm.spend(retired + workUnits.event);
      this.#kernel.chargeInstructions(retired);
      this.#turn = Math.max(0, this.#turn - retired);
      left -= retired;
      if (event.kind === "address") return { kind: "address", address: this.rip };
      if (event.kind === "use") return { kind: "use" };
      const step = event.kind === "syscall" && this.#watcher.stopping ? this.#watchedSyscall() : this.#handle(event);
      if (step === "use") return { kind: "use" };
      if (typeof step !== "string") return { kind: "ended", outcome: step };
      if (step === "switch") this.#turn = 0;
    }
  }

  /** Where a turn is over, the next one begins, as it would in a run; the run's end if there is none. */
  beginTurn(): Outcome | undefined {
    if (this.#turn > 0 || this.#kernel.outcome) return this.#kernel.outcome;
    this.#schedule?.interleaving.endTurn();
    const turn = this.#kernel.schedule();
    if (turn.kind !== "run") return turn;
    this.#turn = turn.fuel;
    this.#memory.view.setUint32(cpuAddress(cell.thread), turn.tid, true);
    this.#tracer?.switchTo(turn.tid);
    this.#schedule?.interleaving.beginTurn(turn.tid);
    return undefined;
  }

  /** A call that is taken back when it turns out to use what is watched. */
  #watchedSyscall(): Step | "use" {
    this.#rewind(1);
    const before = this.snapshot();
    this.#rewind(-1);
    const step = this.#kernel.syscall();
    if (this.#watcher.met) this.restore(before);
    this.release(before);
    return this.#watcher.met ? "use" : step;
  }

  /** To before the system call instruction (1), or past it again (-1). */
  #rewind(direction: 1 | -1): void {
    this.#kernel.cpu.rip -= BigInt(direction * syscallBytes);
    this.#kernel.chargeInstructions(-direction);
    this.#turn += direction;
  }

  /** What a call gives often says how many bytes it moved; an address asks at once. */
  #syscall(): Step {
    const step = this.#kernel.syscall();
    this.#alarm.work(bytesMoved(this.#kernel.cpu.gpr(0)));
    return step;
  }

  #handle(event: Event): Step {
    if (event.kind === "switch") return this.#schedule?.interleaving.endsTurn() ? "switch" : "continue";
    if (event.kind !== "done") this.#schedule?.enterKernel(event.kind === "syscall");
    switch (event.kind) {
      case "done":
      case "use":
      case "address":
        return "continue";
      case "syscall":
        return this.#syscall();
      case "fault":
        return this.#kernel.raise({
          kind: "access",
          address: event.address,
          write: event.access === "write",
          fetch: event.access === "execute",
        });
      case "trap": {
        if (event.trap === "undefined") this.#hooks.notice?.(`${event.reason} (at ${this.#kernel.site(this.rip)})`);
        if (event.trap === "breakpoint") this.#kernel.cpu.rip += 1n;
        return this.#kernel.raise({ kind: event.trap });
      }
    }
  }

  /** Hands over what compiled code has recorded, so that the recorder's count is the present position. */
  drainTrace(): void {
    this.#tracer?.drain();
  }

  /** Where a traced program is, with all that was recorded handed over. */
  tracePlace(): EventPlace | undefined {
    const place = this.#tracer?.place();
    this.#tracer?.drain();
    return place;
  }

  /** The run is over, or nobody wants more of it: closes the trace. */
  endTrace(): void {
    const outcome = this.#kernel.outcome;
    this.#tracer?.end(outcome?.kind === "exit" ? outcome.code : outcome?.kind === "signal" ? 128 + outcome.signal : -1);
  }

  // ── Files ───────────────────────────────────────────────────────────────────────────────────────────────────

  /** A file as its readers see it, mapped pages included; undefined when there is none. */
  readFile(path: string): Uint8Array | undefined {
    const bytes = this.#kernel.files.readFile(path);
    return typeof bytes === "number" ? undefined : bytes;
  }
  /** Replaces a whole file, made when missing, as the guest's user. */
  writeFile(path: string, bytes: Uint8Array): void {
    this.#kernel.files.writeFile(path, bytes);
  }
  /** Where a pool is found now; undefined when no name leads to it. */
  poolPath(name: string): string | undefined {
    return pools.poolPath(this.#kernel, name);
  }
  /** A file's own contents as a value that stays, by its path; undefined when there is none. */
  fileContents(path: string): FileContents | undefined {
    return pools.contentsOf(this.#kernel, this.#kernel.files.find(path));
  }
  /** The pool's own contents, whatever mapped pages hold, as a value that stays; undefined when there is none. */
  poolContents(name: string): FileContents | undefined {
    return pools.contentsOf(this.#kernel, this.#kernel.pool(name));
  }
  /** Bytes of such a value, zeros beyond its end. */
  readContents(contents: FileContents, offset: number, into: Uint8Array): void {
    this.#kernel.files.readValue(contents, offset, into);
  }
  /** Bytes for a pool's file itself; what lies beyond its end is dropped. */
  writeStored(name: string, offset: number, bytes: Uint8Array): void {
    pools.writeStored(this.#kernel, name, offset, bytes);
  }
  /** Lines become what they might always have been, in their pools and wherever those are mapped. */
  layLines(lines: Iterable<LineContents>): void {
    pools.layLines(this.#kernel, lines);
  }
  /** Addresses of mapped files at which pages came on use since this was last asked. */
  takeAppeared(): readonly number[] {
    return this.#kernel.takeAppeared();
  }
  /** Lets pages come that a run will use: it is the same run, and need not fault for them. */
  bringPages(addresses: Iterable<number>): void {
    for (const address of addresses) this.#kernel.appear(address / pageSize);
  }
  /** Hands shared mappings back to their files: for after the end, when files are to be looked at or kept. */
  writeBack(): void {
    this.#kernel.writeBack();
  }
  /** What differs from the host's tree, as plain data for another machine. Entries in `known` keep their numbers. */
  exportFiles(known?: KnownEntries): FileVersion {
    return exportFiles(this.#kernel.files, (inode) => this.#kernel.poolName(inode), known);
  }
  importFiles(version: FileVersion): void {
    importFiles(this.#kernel.files, version, (inode, pool) => this.#kernel.namePool(inode, pool));
  }
  /** The files alone, as they are now; costs nothing. */
  noteFiles(): FilesSnapshot {
    return this.#kernel.files.snapshot();
  }
  /** What files of this run are pools, for `turnFilesBack` once another run has named its own. */
  get poolNames(): PoolNames {
    return this.#kernel.poolNames;
  }
  /** Only for a machine whose run is over: nothing else of it is turned back. */
  turnFilesBack(note: FilesSnapshot, names: PoolNames): void {
    this.#kernel.files.restore(note);
    this.#kernel.poolNames = names;
  }
  /** Bytes read from stdin and written to stdout and stderr. */
  get streamOffsets(): readonly [number, number, number] {
    const [stdin, stdout, stderr] = this.#kernel.files.snapshot().streamOffsets;
    return [stdin, stdout, stderr];
  }

  // ── Snapshots ───────────────────────────────────────────────────────────────────────────────────────────────

  snapshot(): MachineSnapshot {
    assert(
      !this.#schedule?.interleaving.isOn,
      "machine: while threads run by a schedule, no snapshot holds everything",
    );
    this.#tracer?.drain();
    return {
      kernel: this.#kernel.snapshot(),
      memory: this.#memory.snapshot(),
      turn: this.#turn,
      tracer: this.#tracer?.snapshot(),
      unfinished: this.#processor.patched.unfinished,
    };
  }
  restore(snapshot: MachineSnapshot): void {
    this.#tracer?.drain();
    this.#memory.restore(snapshot.memory);
    this.#kernel.restore(snapshot.kernel);
    this.#turn = snapshot.turn;
    this.#processor.patched.unfinished = snapshot.unfinished;
    this.#patches?.locate();
    if (snapshot.tracer) this.#tracer?.restore(snapshot.tracer, this.#kernel.currentThread);
  }
  /** Pages that are not as they were at the snapshot, by their addresses; nothing was restored or kept since it was. */
  changesSince(snapshot: MachineSnapshot): ReadonlyMap<number, PageChange> {
    return this.#memory.changesSince(snapshot.memory);
  }
  release(snapshot: MachineSnapshot): void {
    this.#memory.release(snapshot.memory);
  }

  /** Whether nothing but its own instructions can change what the program does: one thread, no timer, nobody who listens. */
  get isAlone(): boolean {
    return this.#tracer === undefined && this.#schedule === undefined && this.#kernel.isAlone;
  }
  /** The current thread's registers. */
  threadState(): Uint32Array {
    return threadState(this.#memory, this.#kernel);
  }
  /** Whether memory is as it was at the newest snapshot. */
  isMemoryAsAt({ memory }: MachineSnapshot): boolean {
    return this.#memory.isAsAt(memory);
  }

  /** A digest of the current thread's registers and all of memory: equal states, equal digests. */
  digest(): string {
    return stateDigest(this.#memory, this.#kernel);
  }

  statistics(): Statistics {
    const seconds = Object.fromEntries(
      Object.entries(this.#phases.milliseconds).map(([phase, ms]) => [phase, ms / 1000]),
    );
    return {
      instructions: this.instructions,
      seconds,
      regions: this.#tier.regions,
      peakBytes: this.#memory.peakPages * pageSize,
    };
  }
}
