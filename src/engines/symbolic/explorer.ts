/**
 * Goes through a program's paths: runs one to its end, and for each decision that unknown input made on the way keeps the opposite as a
 * path to be gone. Always:
 * - Every input satisfies the conditions of exactly one path that was gone, or of one that is still to be gone, or was dropped.
 * - A path that begins at a checkpoint takes the way to its own decision again, by the conditions that it satisfies.
 */
import { addWords, type Digest, digestText, newDigest, seedRandom } from "../../base/index.ts";
import { allFlags, type NotedFlags } from "../../isa/ir/index.ts";
import type { Machine, MachineSnapshot, Outcome } from "../../machine/index.ts";
import { type Term, Terms } from "../../smt/index.ts";
import { filledBy, isOutput, isReading } from "./calls.ts";
import { fixFile, pageEmptied, showInMemory, termsOfFile } from "./file-terms.ts";
import { fixBytes, fixThread, type Guest } from "./guest.ts";
import { MixedAlgebra } from "./mixed-algebra.ts";
import { NamesMet } from "./named-bytes.ts";
import { type Conditions, type Decision, eachCondition, Path } from "./path.ts";
import { nextOf, type SearchPolicy } from "./search.ts";
import { Shadow } from "./shadow.ts";
import { Solving } from "./solving.ts";
import { Stepper } from "./stepper.ts";
import { type Model, Unknowns } from "./unknowns.ts";
import type { Value } from "./value.ts";

/** What is unknown of the program's input, as the explorer asks for it. */
export interface Inputs {
  /** Marks what lies in memory when the program is loaded. */
  begin(guest: Guest, unknowns: Unknowns): void;
  /** Byte of standard input; undefined where it is known. */
  stdinByte(unknowns: Unknowns, offset: number): Term | undefined;
}

export interface ExploreLimits {
  /** Instructions of one path. */
  readonly instructions: number;
  /** Values that are followed one by one where something has to be one value. */
  readonly values: number;
  readonly search: SearchPolicy;
}

export interface PathEnd {
  /** An input that takes this path. */
  readonly model: Model;
  readonly conditions: Conditions | undefined;
  /** Undefined: it was given up, since it took too many instructions. */
  readonly outcome: Outcome | undefined;
  /** A digest of what it did to persistent memory: of paths with the same one, trace engines say the same. */
  readonly events: string;
}

/** Where paths may begin: a machine's state, and what of it depends on input. */
interface Checkpoint {
  readonly snapshot: MachineSnapshot;
  readonly shadow: Shadow;
  readonly events: Digest;
  readonly names: NamesMet;
  readonly instructions: number;
  /** Paths that are to begin here, and the one that runs. */
  users: number;
}

/** A path that is still to be gone: like another one up to a decision, which goes the other way. */
interface Pending {
  readonly checkpoint: Checkpoint;
  readonly before: Conditions | undefined;
  readonly wanted: Term;
  readonly model: Model;
  readonly decision: Decision;
}

/** What was not followed, and how much work there was. */
export interface ExploreCounts {
  paths: number;
  impossible: number;
  /** Values that were left out: more than `limits.values` at one place. */
  dropped: number;
  undecided: number;
  unfinished: number;
  /** Decisions that fixed a value, of operations without a formula and of addresses. */
  fixed: number;
  evaluatedBlocks: number;
}

/** A new checkpoint is worth its memory after so many instructions. */
const checkpointEvery = 20_000;

export class Explorer {
  readonly counts: ExploreCounts = {
    paths: 0,
    impossible: 0,
    dropped: 0,
    undecided: 0,
    unfinished: 0,
    fixed: 0,
    evaluatedBlocks: 0,
  };
  readonly unknowns: Unknowns;
  readonly solving: Solving;
  readonly #guest: Guest;
  readonly #inputs: Inputs;
  readonly #limits: ExploreLimits;
  readonly #terms = new Terms();
  #pending: Pending[] = [];
  /** Ways that decisions have gone: an instruction, and its condition's. */
  readonly #seen = new Set<string>();
  /** Where the program begins; it stays. */
  readonly #root: Checkpoint;
  #checkpoint: Checkpoint;
  #picks = 0;
  readonly #random = seedRandom(0);
  #isFollowing = false;
  /** Of the path's events so far. */
  #events = newDigest();
  #names = new NamesMet();
  #model: Model = new Map();
  /** What the call under way has read of standard input and of files. */
  #read: { readonly terms: Map<number, Term>; length: number } = { terms: new Map(), length: 0 };

  constructor(machine: Machine, inputs: Inputs, limits: ExploreLimits) {
    this.#inputs = inputs;
    this.#limits = limits;
    this.unknowns = new Unknowns(this.#terms);
    this.solving = new Solving(this.unknowns);
    const { port } = machine;
    port.uses = "plain";
    this.#guest = {
      terms: this.#terms,
      machine,
      port,
      shadow: new Shadow(port),
      path: this.#newPath(undefined, new Map()),
      stands: false,
    };
    port.listen({
      kernelReads: (address, length) => {
        if (!isOutput(this.#guest)) fixBytes(this.#guest, address, length);
      },
      kernelStored: (address, length) => this.#guest.shadow.clear(address, length),
      emptied: (page) => pageEmptied(this.#guest, page),
      fileRead: (file, offset, length) => this.#noteRead(length, termsOfFile(this.#guest, file, offset, length)),
      fileChanged: (file) => fixFile(this.#guest, file),
    });
    inputs.begin(this.#guest, this.unknowns);
    this.#root = this.#newCheckpoint();
    this.#checkpoint = this.#root;
  }

  /** The input at hand. */
  get model(): Model {
    return this.#model;
  }
  get pending(): number {
    return this.#pending.length;
  }
  /** Whether every input was followed. */
  get isComplete(): boolean {
    const { dropped, undecided, unfinished } = this.counts;
    return this.#pending.length + dropped + undecided + unfinished === 0;
  }

  /** Goes the next path; undefined when there is none left. The first one is that of the input as given. */
  async next(): Promise<PathEnd | undefined> {
    if (this.counts.paths === 0) {
      this.#root.users++;
      return this.#go();
    }
    for (let pending = this.#pick(); pending !== undefined; pending = this.#pick()) {
      const found = await this.solving.solve(pending);
      if (typeof found === "string") {
        this.counts[found]++;
        this.#leave(pending.checkpoint);
        continue;
      }
      this.#begin(pending, found);
      return this.#go();
    }
    return undefined;
  }

  /** The path that this very input takes, from the beginning; it is no new one. */
  follow(model: Model): PathEnd {
    const before = this.counts.paths;
    this.#start(this.#root, undefined, model);
    this.#isFollowing = true;
    const end = this.#go();
    this.#isFollowing = false;
    this.counts.paths = before;
    return end;
  }

  // ── What the machine tells ──────────────────────────────────────────────────────────────────────────────────

  /** Records that the machine has made. */
  recorded(words: Uint32Array): void {
    addWords(this.#events, words);
  }

  /** Bytes of standard input that the program is given. */
  readInput(offset: number, known: Uint8Array): Uint8Array {
    const worth = this.unknowns.assignment(this.#model);
    const terms = new Map<number, Term>();
    for (const i of known.keys()) {
      const term = this.#inputs.stdinByte(this.unknowns, offset + i);
      if (term !== undefined) terms.set(i, term);
    }
    this.#noteRead(known.length, terms);
    return known.map((byte, i) => (terms.has(i) ? Number(worth(terms.get(i)!)) : byte));
  }

  /** A call reads so many bytes more. */
  #noteRead(length: number, terms: ReadonlyMap<number, Term>): void {
    for (const [at, term] of terms) this.#read.terms.set(this.#read.length + at, term);
    this.#read.length += length;
  }

  /** The program says that bytes are unknown; what is to be put there. */
  unknownBytes(address: number, size: number, name: string): Uint8Array {
    const { port, shadow, path } = this.#guest;
    const of = this.#names.meet(name);
    return Uint8Array.from({ length: size }, (_, i) => {
      const term = this.unknowns.byte(of, i, port.byteAt(address + i));
      shadow.setByte(address + i, term);
      return Number(path.worth(term));
    });
  }

  /** A call has come to its end. */
  returned(name: string, result: bigint): void {
    const { terms, length } = this.#read;
    this.#read = { terms: new Map(), length: 0 };
    if (name === "mmap" || name === "mremap" || name === "madvise")
      showInMemory(this.#guest, name === "mmap" ? Number(result) : undefined);
    const { path, shadow } = this.#guest;
    if (terms.size === 0) return;
    if (isReading(name)) {
      let done = 0;
      for (const [address, size] of filledBy(this.#guest, name, length))
        for (let i = 0; i < size; i++) shadow.setByte(address + i, terms.get(done++));
    } else for (const term of terms.values()) path.fix({ bits: path.worth(term), term });
  }

  /** A handler begins: the thread's registers lie on its stack. */
  signalEntered(tid: number): void {
    fixThread(this.#guest, tid);
  }

  // ── One path ────────────────────────────────────────────────────────────────────────────────────────────────

  #go(): PathEnd {
    const stepper = new Stepper(this.#guest);
    const { machine } = this.#guest;
    let outcome: Outcome | undefined;
    this.counts.paths++;
    while (outcome === undefined && machine.instructions < this.#limits.instructions) outcome = stepper.step();
    this.counts.evaluatedBlocks += stepper.evaluated;
    if (outcome === undefined || outcome.kind === "limit") this.counts.unfinished++;
    this.#leave(this.#checkpoint);
    machine.drainTrace();
    const events = `${digestText(this.#events)} ${outcome?.kind}`;
    return { model: this.#model, conditions: this.#guest.path.conditions, outcome, events };
  }

  #newPath(conditions: Conditions | undefined, model: Model): Path {
    const worth = this.unknowns.assignment(model);
    const { influence, values } = this.solving;
    const tools = {
      terms: this.#terms,
      unknownsOf: (term: Term) => influence.of(term),
      valuesOf: (condition: Term) => values.of(condition),
    };
    return new Path(tools, conditions, worth, (decision, before) => this.#decided(decision, before));
  }

  #begin({ checkpoint, before, wanted, decision }: Pending, model: Model): void {
    this.#seen.add(wayOf(decision.site, wanted));
    this.#start(checkpoint, { term: wanted, before, count: (before?.count ?? 0) + 1 }, model);
    this.#leave(checkpoint);
  }

  #start(checkpoint: Checkpoint, conditions: Conditions | undefined, model: Model): void {
    const guest = this.#guest;
    guest.shadow.hide();
    guest.machine.restore(checkpoint.snapshot);
    guest.shadow = checkpoint.shadow.copy();
    guest.shadow.show();
    this.#events = { ...checkpoint.events };
    this.#names = new NamesMet(checkpoint.names);
    this.#read = { terms: new Map(), length: 0 };
    this.#checkpoint = checkpoint;
    checkpoint.users++;
    this.#model = model;
    guest.path = this.#newPath(conditions, model);
    this.#layOut();
  }

  /** The state at a checkpoint as it is for the input at hand; of other threads nothing depends on it. */
  #layOut(): void {
    const { port, shadow, path } = this.#guest;
    for (const [address, term] of shadow.bytes) port.writeByte(address, Number(path.worth(term)));
    for (const [file, bytes] of shadow.files.all)
      for (const [offset, term] of bytes) port.writeFileByte(file, offset, Number(path.worth(term)));
    const own = shadow.threads.get(port.thread);
    for (const [register, term] of own?.registers ?? []) port.put(register, path.worth(term));
    if (own?.flags === undefined) return;
    const flags = flagsUnder(own.flags, (term) => path.worth(term));
    shadow.setFlags(port.thread, flags);
    port.putFlags(allFlags(new MixedAlgebra(this.#terms, (value) => path.fix(value)), flags).bits!);
  }

  // ── Paths to be gone ────────────────────────────────────────────────────────────────────────────────────────

  #decided(decision: Decision, before: Conditions | undefined): void {
    if (this.#isFollowing) return;
    const { kind, condition, of } = decision;
    if (kind === "value") {
      this.counts.fixed++;
      if (this.#othersTried(of!, before) >= this.#limits.values) {
        this.counts.dropped++;
        return;
      }
    }
    this.#seen.add(wayOf(decision.site, condition));
    this.#keepUp();
    const checkpoint = this.#checkpoint;
    checkpoint.users++;
    this.#pending.push({ checkpoint, before, wanted: this.#terms.not(condition), model: this.#model, decision });
  }

  /** How many other values of the term were followed before this one. */
  #othersTried(term: Term, before: Conditions | undefined): number {
    let count = 0;
    for (const condition of eachCondition(before)) {
      const [inner] = condition.operands;
      if (condition.op === "not" && inner?.op === "equal" && inner.operands.includes(term)) count++;
    }
    return count;
  }

  #pick(): Pending | undefined {
    if (this.#pending.length === 0) return undefined;
    const waiting = this.#pending.map(({ decision, wanted }) => ({
      isFresh: () => !this.#seen.has(wayOf(decision.site, wanted)),
    }));
    return this.#pending.splice(nextOf(this.#limits.search, waiting, this.#picks++, this.#random), 1)[0];
  }

  // ── Checkpoints ─────────────────────────────────────────────────────────────────────────────────────────────

  #newCheckpoint(): Checkpoint {
    const { machine, shadow } = this.#guest;
    const snapshot = machine.snapshot();
    const { instructions } = machine;
    const [events, names] = [{ ...this.#events }, new NamesMet(this.#names)];
    return { snapshot, shadow: shadow.copy(), events, names, instructions, users: 1 };
  }
  /** What is decided now is far from the last checkpoint: paths that differ from here on need not go all that way again. */
  #keepUp(): void {
    const { machine, port, shadow, stands } = this.#guest;
    if (!stands || machine.instructions - this.#checkpoint.instructions < checkpointEvery) return;
    if ([...shadow.threads].some(([tid, { isEmpty }]) => tid !== port.thread && !isEmpty)) return;
    const earlier = this.#checkpoint;
    this.#checkpoint = this.#newCheckpoint();
    this.#leave(earlier);
  }
  #leave(checkpoint: Checkpoint): void {
    checkpoint.users--;
    if (checkpoint.users === 0) this.#guest.machine.release(checkpoint.snapshot);
  }
}

const wayOf = (site: number, condition: Term): string => `${site} ${condition.op !== "not"}`;

/** Noted flags as they are for another input. */
function flagsUnder({ carry, ...noted }: NotedFlags<Value>, worth: (term: Term) => bigint): NotedFlags<Value> {
  const under = ({ bits, term }: Value): Value => ({ bits: term === undefined ? bits : worth(term), term });
  const [left, right, result] = [noted.left, noted.right, noted.result].map(under) as [Value, Value, Value];
  return { ...noted, left, right, result, ...(carry && { carry: under(carry) }) };
}
