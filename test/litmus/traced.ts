/**
 * A litmus phase as a trace: its threads run one instruction at a time, each taking effect at once, which is how the machine
 * runs programs. What the tracker and the rules' compiled pass say of the trace is held against the operational model.
 */
import { pick, type RandomState, type ThreadId } from "../../src/base/index.ts";
import { FindingTally } from "../../src/crash/finding/index.ts";
import { defaultRulesOptions, rulesFor } from "../../src/engines/rules/engine.ts";
import { atPersisted, entryAt } from "../../src/engines/rules/lines.ts";
import { connectRules } from "../../src/engines/rules/signals.ts";
import { Tracker } from "../../src/engines/rules/tracker.ts";
import { evaluate, type Instruction, updatedValue } from "../../src/model/litmus/index.ts";
import {
  apply,
  executions,
  type Machine,
  type MachineState,
  type Move,
  nextInstruction,
  startMachine,
} from "../../src/model/litmus/machine.ts";
import {
  type CrashWindow,
  contentsAt,
  crashWindows,
  departures,
  lineCuts,
  lineKey,
  type Platform,
  PmTracker,
  px86,
  storedValue,
  withPlatform,
} from "../../src/model/pmem/index.ts";
import { type EventBody, encodeEvent, newTables } from "../../src/trace/events/index.ts";
import { inRecord, recordWords } from "../../src/trace/record/index.ts";
import { pm } from "../trace/builder.ts";

/** Wrong ways to note what a program does; tests show that each is noticed. */
export type Noting = "right" | "drains late" | "failed CAS stores";

/** Where each location lies: on its line, eight bytes each. */
export function addressesOf({ locations }: Pick<Machine, "locations">): number[] {
  const used = new Map<number, number>();
  return locations.map(({ line }) => {
    const before = used.get(line) ?? 0;
    used.set(line, before + 1);
    return pm + 64 * line + 8 * before;
  });
}

// ── Running ───────────────────────────────────────────────────────────────────────────────────────────────────

interface Step {
  readonly thread: number;
  readonly bodies: readonly EventBody[];
  /** After the instruction, with nothing left in a buffer. */
  readonly state: MachineState;
}

function bodiesOf(
  instruction: Instruction,
  { value: found }: Move & { kind: "execute" },
  registers: readonly number[],
  addresses: readonly number[],
  noting: Noting,
): EventBody[] {
  const stored = (kind: "store" | "non-temporal", location: number, value: number): EventBody => ({
    kind,
    address: addresses[location]!,
    size: 8,
    value: BigInt.asUintN(64, BigInt(value)),
  });
  switch (instruction.kind) {
    case "store": {
      const kind = instruction.nonTemporal ? "non-temporal" : "store";
      return [stored(kind, instruction.location, evaluate(instruction.value, registers))];
    }
    case "flush":
      return [{ kind: instruction.op, address: addresses[instruction.location]! }];
    case "fence":
      return [{ kind: instruction.op }];
    case "update": {
      const failed = noting === "failed CAS stores" ? found : undefined;
      const written = updatedValue(instruction, found!, registers) ?? failed;
      const drained: EventBody = { kind: "locked" };
      if (written === undefined) return [drained];
      const store = stored("store", instruction.location, written);
      return noting === "drains late" ? [store, drained] : [drained, store];
    }
    default:
      return [];
  }
}

/** Runs the phase by a schedule of chance. */
export function* steps(machine: Machine, random: RandomState, noting: Noting = "right"): Iterable<Step> {
  const addresses = addressesOf(machine);
  const state = startMachine(machine);
  const unfinished = () =>
    machine.phase.flatMap((_, thread) => (nextInstruction(machine, state, thread) === undefined ? [] : [thread]));
  for (let left = unfinished(); left.length > 0; left = unfinished()) {
    const thread = pick(random, left) as ThreadId;
    const instruction = nextInstruction(machine, state, thread)!;
    const [move] = executions(machine, state, thread) as (Move & { kind: "execute" })[];
    const bodies = bodiesOf(instruction, move!, state.registers[thread]!, addresses, noting);
    apply(machine, state, move!);
    for (let free = departures(state.pm, thread, machine.model); free.length > 0; )
      free = (apply(machine, state, { kind: "leave", thread, index: free[0]! }), departures(state.pm, thread, px86));
    yield { thread, bodies, state };
  }
}

/** One event as the words of its record. */
function recordOf(thread: number, site: number, body: EventBody): Uint32Array {
  const words = new Uint32Array(recordWords);
  encodeEvent(words, 0, { thread: thread + 1, site, stack: 0 }, body, tables.texts);
  return words;
}
const tables = newTables();

// ── Followers ─────────────────────────────────────────────────────────────────────────────────────────────────

function trackerFor({ memory, locations }: Machine, platform: Platform): PmTracker {
  const addresses = addressesOf({ locations });
  return new PmTracker({
    platform,
    history: true,
    place: (address) => ({ file: 0, offset: address - pm }),
    readBase: (_file, index) => {
      const line = new DataView(new ArrayBuffer(64));
      for (const [location, address] of addresses.entries())
        if (Math.floor((address - pm) / 64) === index) line.setBigInt64(address % 64, BigInt(memory[location]!), true);
      return new Uint8Array(line.buffer);
    },
  });
}

/** The rules' pass, asked for windows. One serves many runs: each has a page of its own, and begins with nothing under way. */
class RulesFollower {
  readonly #tracker = new Tracker(tables, connectRules(rulesFor(defaultRulesOptions), new FindingTally()), "dax");
  readonly #stores = new Map<number, number[]>();
  #seen = 0;
  #shift = 0;

  begin(): this {
    this.#stores.clear();
    this.#shift += 0x1000;
    const range = { start: pm + this.#shift, length: 0x1000, path: "/pm", offset: 0 };
    this.#events(recordOf(0, 0, { kind: "map", ...range, persistent: true, executable: false }));
    for (let thread = 0; thread < 8; thread++) this.#events(recordOf(thread, 0, { kind: "sfence" }));
    return this;
  }

  #events(words: Uint32Array): void {
    this.#tracker.events(words, this.#seen++);
  }

  take(words: Uint32Array, line: number | undefined): void {
    const moved = words.slice();
    moved[inRecord.address]! += this.#shift;
    this.#events(moved);
    if (line !== undefined) this.#stores.set(line, [...(this.#stores.get(line) ?? []), this.#seen]);
  }

  /** A locked operation counts when its thread goes on; until then nothing can be said. */
  get isSettled(): boolean {
    return this.#tracker.threads.every((state) => state === undefined || state.get("lockedAt") === 0);
  }

  /** How many of the line's stores surely survive. */
  durable(line: number): number {
    const stores = this.#stores.get(line) ?? [];
    const entry = this.#tracker.lines.find((pm + this.#shift) / 64 + line);
    if (entry === 0) return stores.length;
    const persisted = this.#tracker.lines.words[entryAt(entry) + atPersisted]!;
    return stores.filter((position) => position <= persisted).length;
  }
}
const rulesFollower = new RulesFollower();

// ── Windows ───────────────────────────────────────────────────────────────────────────────────────────────────

const storedLine = (body: EventBody): number | undefined =>
  body.kind === "store" || body.kind === "non-temporal" ? Math.floor((body.address - pm) / 64) : undefined;

const shown = ({ stores, from, to }: CrashWindow): string =>
  `${from}..${to} of ${stores.map(({ address, payload }) => `${address}=${payload}`).join(" ")}`;

/** The tracker's window of a line, told like the model's. */
function windowOf(tracker: PmTracker, line: number, addresses: readonly number[]): string {
  const known = tracker.lines.get(lineKey(0, line));
  if (known === undefined) return "0..0 of ";
  const stores = [...known.settled, ...known.pending].map((store) => {
    const value = BigInt.asIntN(64, storedValue(store));
    return `${addresses.indexOf(pm + 64 * line + store.offset)}=${value}`;
  });
  return `${known.durable}..${stores.length} of ${stores.join(" ")}`;
}

/** What differs from the model's windows after some instruction; undefined when nothing does. */
export function windowMismatch(machine: Machine, random: RandomState, noting: Noting = "right"): string | undefined {
  const addresses = addressesOf(machine);
  const tracker = trackerFor(machine, "px86");
  const strict = trackerFor(machine, "strict");
  const rules = rulesFollower.begin();
  let seq = 0;
  for (const { thread, bodies, state } of steps(machine, random, noting)) {
    for (const body of bodies) {
      const words = recordOf(thread, 0x1000 + seq, body);
      tracker.take(words, 0, seq);
      strict.take(words, 0, seq++);
      rules.take(words, storedLine(body));
    }
    for (const [line, { log, persisted }] of state.pm.lines) {
      const model = { stores: log, from: log.filter(({ seq: at }) => at <= persisted).length, to: log.length };
      const found = windowOf(tracker, line, addresses);
      if (found !== shown(model))
        return `event ${seq}, line ${line}: the tracker says ${found}, the model ${shown(model)}`;
      if (rules.isSettled && rules.durable(line) !== model.from)
        return `event ${seq}, line ${line}: the rules say ${rules.durable(line)} survive, the model ${model.from}`;
    }
    const [whole] = crashWindows(state.pm, withPlatform(px86, "strict")) as [CrashWindow];
    if (strict.lines.inOrder.length !== whole.to - whole.from)
      return `event ${seq}: strict, ${strict.lines.inOrder.length} open stores, the model has ${whole.to - whole.from}`;
  }
  return undefined;
}

// ── Crash states ──────────────────────────────────────────────────────────────────────────────────────────────

type Contents = ReadonlyMap<number, Uint8Array>;

/** Every crash state there is now: one cut in every open line, or under strict one through all. */
function* crashContents({ lines }: PmTracker, platform: Platform): Iterable<Contents> {
  const kept = new Map<number, Uint8Array>([...lines.tracked].map((line) => [line.index, line.persisted.slice()]));
  if (platform === "strict") {
    yield kept;
    for (const { line, store } of lines.inOrder) {
      const full = kept.get(line.index)!.slice();
      kept.set(line.index, contentsAt({ ...line, persisted: full, pending: [store] }, { kept: 1, pieces: 0 }));
      yield kept;
    }
    return;
  }
  let choices: Map<number, Uint8Array>[] = [kept];
  for (const line of lines.open) {
    const cuts = [...lineCuts(line)].map((cut) => contentsAt(line, cut));
    choices = choices.flatMap((contents) => cuts.map((bytes) => new Map(contents).set(line.index, bytes)));
  }
  yield* choices;
}

/** The memories that crashes anywhere in one run leave, each once. */
export function tracedStates(
  machine: Machine,
  platform: Platform,
  random: RandomState,
  noting: Noting = "right",
): ReadonlyMap<string, readonly number[]> {
  const addresses = addressesOf(machine);
  const tracker = trackerFor(machine, platform);
  const memories = new Map<string, readonly number[]>();
  const look = () => {
    for (const contents of crashContents(tracker, platform)) {
      const memory = addresses.map((address, location) => {
        const bytes = contents.get(Math.floor((address - pm) / 64));
        if (bytes === undefined) return machine.memory[location]!;
        return Number(new DataView(bytes.buffer).getBigInt64(address % 64, true));
      });
      memories.set(memory.join(), memory);
    }
  };
  look();
  let seq = 0;
  for (const { thread, bodies } of steps(machine, random, noting))
    for (const body of bodies) {
      tracker.take(recordOf(thread, 0, body), 0, seq++);
      look();
    }
  return memories;
}

export const isThreaded = ({ phase }: Machine): boolean => phase.filter(({ code }) => code.length > 0).length > 1;
export const hasNonTemporal = ({ phase }: Machine): boolean =>
  phase.some(({ code }) => code.some((each) => each.kind === "store" && each.nonTemporal));
