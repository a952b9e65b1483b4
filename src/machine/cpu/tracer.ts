/**
 * Joins the machine to a trace: empties the buffer of records into the recorder, notes what the kernel does among those of
 * compiled code, keeps each thread's shadow stack, and answers Valgrind client requests. Always: contexts are handed over
 * before the records that name them; snapshots are taken of an empty buffer.
 */

import { assert } from "../../base/index.ts";
import {
  answerRequest,
  DeclaredMemory,
  type EventBody,
  type EventPlace,
  encodeEvent,
  type Recorder,
  type RequestArguments,
  type RequestContext,
  unknownBytesRequest,
} from "../../trace/events/index.ts";
import { codeIn, codeOfLoad, inRecord, piecesOf, recordBytes, recordWords, sizeIn } from "../../trace/record/index.ts";
import { textFromPath } from "../files/index.ts";
import type { AlternateStack, Kernel, KernelHooks } from "../kernel/index.ts";
import type { GuestMemory } from "../memory/index.ts";
import { gpr } from "../process/index.ts";
import { cell, contextBytes, cpuAddress, fast, layout, pageSize, type Runtime } from "../runtime/index.ts";
import type { Interleaving } from "../schedule/index.ts";
import { HeldFlushes, type WaitingFlushes } from "./held-flushes.ts";
import type { Patch } from "./patches.ts";
import { type RemovedOp, withoutRemoved } from "./removed.ts";
import { writeRequestRows } from "./request-rows.ts";

export interface TraceOptions {
  readonly recorder: Recorder;
  /** Answer client requests, as Valgrind would. */
  readonly annotations: boolean;
  /** Told of every load of persistent memory; every load is slow then. */
  readonly loads?: ((load: TracedLoad) => void) | undefined;
  /** Flushes and fences that are taken out. */
  readonly removed?: readonly RemovedOp[];
  /** The program says that bytes are unknown: what is put there, and nobody is told; undefined leaves them. */
  readonly unknownBytes?: ((address: number, size: number, name: string) => Uint8Array | undefined) | undefined;
}

/** A load, and how many events of the trace come before it. */
export interface TracedLoad {
  readonly event: number;
  readonly address: number;
  readonly size: number;
}

/** A thread's shadow stack: its frames as bytes, and where it is on an alternate stack (machine/runtime/contexts.ts). */
interface ShadowStack {
  readonly frames: Uint8Array;
  readonly base: number;
  readonly alternateStart: number;
  readonly alternateBytes: number;
}
type Frames = ReadonlyMap<number, ShadowStack>;
export interface TracerSnapshot {
  readonly frames: Frames;
  readonly held: WaitingFlushes;
}

const protExecute = 4;

export class Tracer {
  readonly #memory: GuestMemory;
  readonly #view: DataView;
  readonly #recorder: Recorder;
  #kernel: Kernel | undefined;
  #runtime: Runtime | undefined;
  #frames = new Map<number, ShadowStack>();
  readonly #declared = new DeclaredMemory();
  /** The buffer, and whether it holds anything that compiled code did not write. */
  readonly #records: Uint32Array;
  #holdsNotes = false;
  readonly #loads: TraceOptions["loads"];
  /** Where persistent memory was mapped at any time. */
  readonly #persistent: { readonly start: number; readonly end: number }[] = [];
  #thread = 0;
  #contexts = 1;
  readonly #answers: boolean;
  readonly #removed: readonly RemovedOp[];
  readonly #unknownBytes: TraceOptions["unknownBytes"];
  readonly #held: HeldFlushes;
  /** Who the records go through while threads run by a schedule. */
  interleaving: Interleaving | undefined;
  madeRequests = false;

  constructor(
    memory: GuestMemory,
    { recorder, annotations, loads, removed = [], unknownBytes }: TraceOptions,
    patches: readonly Patch[] = [],
  ) {
    assert(loads === undefined || removed.length === 0, "tracer: loads are numbered among all events, none taken out");
    this.#removed = removed;
    this.#unknownBytes = unknownBytes;
    this.#held = new HeldFlushes(patches);
    this.#answers = annotations;
    this.#loads = loads;
    this.#memory = memory;
    this.#view = memory.view;
    this.#recorder = recorder;
    this.#records = new Uint32Array(memory.bytes.buffer, layout.events, (layout.eventsEnd - layout.events) / 4);
    this.#set(cell.tracing, 1);
    this.#set(cell.contextCount, 1);
    this.#install(undefined);
    this.#set(cell.eventNext, layout.events);
    writeRequestRows(memory.view);
    if (loads === undefined) return;
    memory.withhold(fast.read | fast.readAlone | fast.write, []);
    this.#set(cell.loads, 1);
  }

  /** The program is loaded: tells of the code that is there already. */
  begin(kernel: Kernel, runtime: Runtime): void {
    this.#kernel = kernel;
    this.#runtime = runtime;
    for (const { start } of kernel.areas) this.#noteCode(start);
    this.drain();
  }

  #set(offset: number, value: number): void {
    this.#view.setUint32(cpuAddress(offset), value, true);
  }
  #get(offset: number): number {
    return this.#view.getUint32(cpuAddress(offset), true);
  }

  // ── Events ──────────────────────────────────────────────────────────────────────────────────────────────────

  drain(): void {
    const count = this.#get(cell.contextCount);
    if (count > this.#contexts) {
      const pairs = this.#memory.bytes.slice(
        layout.contexts + this.#contexts * contextBytes,
        layout.contexts + count * contextBytes,
      );
      this.#recorder.tables.contexts.addAll(new Uint32Array(pairs.buffer));
      this.#contexts = count;
    }
    const end = this.#get(cell.eventNext);
    const all = this.#records.subarray(0, (end - layout.events) / 4);
    const told = this.#loads === undefined ? all : this.#withoutLoads(all);
    const left = this.#removed.length === 0 ? told : withoutRemoved(told, this.#removed, this.#recorder.tables);
    const words = this.#held.placed(left);
    const content = this.#holdsNotes ? "with notes" : "machine's own";
    this.#holdsNotes = false;
    this.#set(cell.eventNext, layout.events);
    if (this.interleaving?.isOn) this.interleaving.take(words);
    else this.#recorder.append(words, content);
  }

  /** What stays when those who ask are told of the loads. */
  #withoutLoads(words: Uint32Array): Uint32Array {
    let kept = 0;
    for (let at = 0; at < words.length; at += recordWords)
      if (codeIn(words[at]!) !== codeOfLoad) {
        words.copyWithin(kept, at, at + recordWords);
        kept += recordWords;
      } else {
        const address = words[at + inRecord.address]!;
        if (!this.#persistent.some(({ start, end }) => start <= address && address < end)) continue;
        this.#loads!({ event: this.events + kept / recordWords, address, size: sizeIn(words[at]!) });
      }
    return words.subarray(0, kept);
  }

  /** Events that have left the buffer. */
  get events(): number {
    return this.#recorder.count;
  }

  /** Records in the order in which stores became visible. */
  readonly emit = (words: Uint32Array): void => this.#recorder.append(words);

  note(body: EventBody, thread = this.#thread): void {
    const place = this.place();
    if (place === undefined) return;
    if (this.#get(cell.eventNext) + recordBytes > layout.eventsEnd) this.drain();
    const next = this.#get(cell.eventNext);
    const { texts } = this.#recorder.tables;
    const { site, stack } = place;
    encodeEvent(this.#records, (next - layout.events) / recordBytes, { thread, site, stack }, body, texts);
    this.#set(cell.eventNext, next + recordBytes);
    this.#holdsNotes = true;
  }

  /** Where the running thread is; its context is known once the buffer is emptied. */
  place(): EventPlace | undefined {
    if (!this.#kernel || !this.#runtime) return undefined;
    const stack = (this.#runtime.exports.context as () => number)();
    return { thread: this.#thread, site: Number(BigInt.asUintN(32, this.#kernel.cpu.rip)), stack };
  }

  end(status: number): void {
    this.note({ kind: "exit", status });
    this.drain();
    this.#recorder.end();
  }

  /** The kernel stored to persistent memory: as if by a store for each aligned eight bytes, one after another. */
  kernelStore(start: number, length: number): void {
    for (const { address, bytes: size } of piecesOf(start, length)) {
      let value = 0n;
      for (let i = size - 1; i >= 0; i--) value = (value << 8n) | BigInt(this.#memory.bytes[address + i]!);
      this.note({ kind: "store", address, size, value });
    }
  }

  output(stream: 1 | 2, bytes: Uint8Array): void {
    this.note({ kind: "output", stream, bytes });
  }

  #noteCode(address: number): void {
    const area = this.#kernel?.areaAt(address);
    if (!area?.file || !(area.protection & protExecute)) return;
    const path = textFromPath(this.#kernel!.files.pathOf(area.file.inode));
    this.note({
      kind: "map",
      start: area.start,
      length: area.end - area.start,
      path,
      offset: area.file.offset,
      persistent: false,
      executable: true,
    });
  }

  /** The kernel's hooks, with ours before the caller's. */
  hooks(outer: KernelHooks): KernelHooks {
    return {
      ...outer,
      persistentChanged: (what, start, length, path, offset) => {
        if (what === "map") this.#persistent.push({ start, end: start + length });
        if (what === "map")
          this.note({
            kind: "map",
            start,
            length,
            path: textFromPath(path),
            offset,
            persistent: true,
            executable: false,
          });
        else this.note({ kind: what === "sync" ? "msync" : "unmap", start, length });
        outer.persistentChanged?.(what, start, length, path, offset);
      },
      persistentWritten: (path, offset, written) => {
        const to = { kind: "written", path: textFromPath(path), offset } as const;
        this.note(typeof written === "number" ? { ...to, zeros: written } : { ...to, bytes: written });
        outer.persistentWritten?.(path, offset, written);
      },
      persistentSynced: (path) => {
        this.note({ kind: "fsync", path: textFromPath(path) });
        outer.persistentSynced?.(path);
      },
      threadStarted: (tid, parent) => {
        this.note({ kind: "thread-start", parent }, tid);
        outer.threadStarted?.(tid, parent);
      },
      threadEnded: (tid) => {
        this.note({ kind: "thread-end" });
        this.#frames.delete(tid);
        outer.threadEnded?.(tid);
      },
      signalEntered: (tid, stack, rip, alternate) => {
        this.switchTo(tid);
        this.#signalEntered(stack, rip, alternate);
        outer.signalEntered?.(tid, stack, rip, alternate);
      },
      signalLeft: (tid) => {
        this.#signalLeft();
        outer.signalLeft?.(tid);
      },
      returned: (tid, name, result) => {
        if ((name === "mmap" || name === "mprotect") && result > 0n) this.#noteCode(Number(result));
        if (name === "execve") this.#replaced();
        outer.returned?.(tid, name, result);
      },
    };
  }

  // ── Threads ─────────────────────────────────────────────────────────────────────────────────────────────────

  #present(): ShadowStack {
    return {
      frames: this.#memory.bytes.slice(layout.frames, this.#get(cell.frameNext)),
      base: this.#get(cell.frameBase),
      alternateStart: this.#get(cell.alternateStart),
      alternateBytes: this.#get(cell.alternateBytes),
    };
  }
  #install(stack: ShadowStack | undefined): void {
    if (stack) this.#memory.bytes.set(stack.frames, layout.frames);
    this.#set(cell.frameNext, layout.frames + (stack?.frames.length ?? 0));
    this.#set(cell.frameBase, stack?.base ?? layout.frames);
    this.#set(cell.alternateStart, stack?.alternateStart ?? 0);
    this.#set(cell.alternateBytes, stack?.alternateBytes ?? 0);
  }

  /** Another thread runs from now on. */
  switchTo(tid: number): void {
    if (tid === this.#thread) return;
    if (this.#thread !== 0) this.#frames.set(this.#thread, this.#present());
    this.#install(this.#frames.get(tid));
    this.#thread = tid;
  }

  snapshot(): TracerSnapshot {
    const frames = new Map(this.#frames).set(this.#thread, this.#present());
    return { frames, held: this.#held.snapshot() };
  }
  restore({ frames, held }: TracerSnapshot, tid: number): void {
    this.#held.restore(held);
    this.#frames = new Map(frames);
    this.#thread = tid;
    this.#install(frames.get(tid));
  }

  // ── Signals ─────────────────────────────────────────────────────────────────────────────────────────────────

  /** A handler begins: what it interrupted is its caller, as if it had called at the interrupted instruction. */
  #signalEntered(stack: number, rip: number, alternate: AlternateStack | undefined): void {
    const runtime = this.#runtime;
    if (!runtime) return;
    const enter = runtime.exports.enter as (stack: number, site: number) => void;
    // An address on no stack goes behind all frames there are; the handler's own come after it.
    enter(alternate === undefined ? stack : 0, rip + 1);
    if (alternate === undefined) return;
    this.#set(cell.frameBase, this.#get(cell.frameNext));
    this.#set(cell.alternateStart, alternate.base);
    this.#set(cell.alternateBytes, alternate.size);
  }

  /** Another program has taken the place of the one before: nothing of that calls any more. */
  #replaced(): void {
    for (const { start } of this.#kernel?.areas ?? []) this.#noteCode(start);
    this.#signalLeft();
  }

  /** The handler has returned; rsp is what it was before. */
  #signalLeft(): void {
    const prune = this.#runtime?.exports.prune as ((stack: number) => void) | undefined;
    prune?.(Number(BigInt.asIntN(32, this.#kernel!.cpu.gpr(gpr.rsp))));
  }

  // ── Client requests ─────────────────────────────────────────────────────────────────────────────────────────

  /** rax points at the request's number and five arguments; the answer goes to rdx, which holds the default. */
  request(): void {
    const cpu = this.#kernel?.cpu;
    if (!cpu || this.#isAboutUnknown(cpu.gpr(gpr.rax))) return;
    this.madeRequests = true;
    if (!this.#answers) return;
    // From now on the runtime records those that only become an event.
    this.#set(cell.requests, 1);
    const words = this.#memory.read(Number(BigInt.asUintN(32, cpu.gpr(gpr.rax))), 48);
    if (!words) return;
    const numbers = new BigUint64Array(words.buffer);
    const args = numbers.subarray(1) as unknown as RequestArguments;
    const answer = answerRequest(numbers[0]!, args, this.#requestContext());
    if (!answer) return;
    if (answer.event) {
      this.#declared.note(answer.event);
      this.note(answer.event);
    }
    cpu.setGpr(gpr.rdx, answer.result);
  }

  /** Whether the words say what is unknown; then it is put there. */
  #isAboutUnknown(words: bigint): boolean {
    const bytes = this.#memory.read(Number(BigInt.asUintN(32, words)), 32);
    if (bytes === undefined) return false;
    const [number, start, size, name] = new BigUint64Array(bytes.buffer) as unknown as bigint[];
    if (number !== BigInt(unknownBytesRequest)) return false;
    const [address, length] = [Number(start), Number(size)];
    if (this.#unknownBytes === undefined || !this.#memory.canWrite(address, length)) return true;
    const put = this.#unknownBytes(address, length, this.#text(name!));
    if (put !== undefined) this.#memory.put(address, put);
    return true;
  }

  #requestContext(): RequestContext {
    return {
      thread: this.#thread,
      readText: (address) => this.#text(address),
      persistence: (start, length) => this.#persistence(Number(start), Number(length)),
    };
  }

  #text(address: bigint): string {
    const bytes = this.#memory.readCString(Number(BigInt.asUintN(32, address)), 4096);
    return bytes instanceof Uint8Array ? new TextDecoder().decode(bytes) : "";
  }

  #persistence(start: number, length: number): 0 | 1 | 2 {
    const declared = this.#declared.persistence(start, length);
    if (declared !== undefined) return declared;
    let [some, all] = [false, true];
    for (let at = start; at < start + length; ) {
      const area = this.#kernel?.areaAt(at);
      some ||= area?.persistent === true;
      all &&= area?.persistent === true;
      at = area?.end ?? at + pageSize;
    }
    return some ? (all ? 1 : 2) : 0;
  }
}
