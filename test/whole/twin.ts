/**
 * Whether a crash can leave what a program's recovery fails on: every crash state, one by one, in plain code that shares nothing with
 * what is tested. A line holds some beginning of what was stored to it; no less than what a flush and then a fence, or clflush alone,
 * made sure of. What was printed, written beside the pools or named is there at once.
 */
import { type Event, eventsOf, isWord, lineOfWord, type Program, type Rule, type Term, type Word } from "./program.ts";

/** A crash that recovery fails after. */
export interface Failure {
  readonly rule: number;
  readonly section: number;
  /** How many events came before the power was cut. */
  readonly after: number;
  /** Of each event that is a store: whether the crash keeps it. */
  isKept(event: number): boolean;
  readonly losesNothing: boolean;
  /** Nothing that is lost was stored before what is kept. */
  readonly isInOrder: boolean;
}

export interface Judgement {
  /** Sections that a crash breaks, with the first failure of each. */
  readonly broken: ReadonlyMap<number, Failure>;
  /** Sections that fail with every store kept. */
  readonly strict: ReadonlySet<number>;
  /** Recovery fails while the run makes its pools, and that is all. */
  readonly creates: boolean;
  /** Recovery is wrong after the program has ended well. */
  readonly isWrongAtEnd: boolean;
  /** Failures at states that keep all, lose all, or lose or keep one line alone. */
  readonly hasPlain: boolean;
  readonly states: number;
}

export interface Ways {
  /** Whether calls into the C library wait for flushes. */
  readonly libraryFences: boolean;
  /** Whether recovery that fails before anything is complete tells of creation after every event, or at failure points only. */
  readonly everyEvent: boolean;
}

interface Line {
  /** Event numbers of its stores. */
  readonly stores: number[];
  sure: number;
  readonly asked: Map<number, number>;
}

/** The words that a recovery sees, `field:index`. */
type Values = Map<string, number>;
const keyOf = ({ field, index }: Word): string => `${field}:${index}`;

/** What stands beside the lines. */
interface Beside {
  printed: number;
  side: number;
  readonly named: boolean[];
}

const mostStates = 100_000;

class TooMany extends Error {}

/** A program on its way, and what has been found of it. */
class Walk {
  readonly #program: Program;
  readonly #events: readonly Event[];
  readonly #ways: Ways;
  readonly #watch: (failure: Failure) => void;
  readonly #lines = new Map<number, Line>();
  readonly #beside: Beside;
  readonly creation: CreationTwin;
  readonly broken = new Map<number, Failure>();
  readonly strict = new Set<number>();
  hasPlain = false;
  creates = false;
  states = 0;

  constructor(program: Program, events: readonly Event[], ways: Ways, watch: (failure: Failure) => void) {
    this.#program = program;
    this.#events = events;
    this.#ways = ways;
    this.#watch = watch;
    this.#beside = { printed: 0, side: 0, named: namedAtFirst(program) };
    this.creation = new CreationTwin(program, events);
  }

  /** The rule that recovery fails by with every store kept. */
  full(lines = [...this.#lines.values()]): number | undefined {
    const all = lines.map(({ stores }) => stores.length);
    return fails(this.#program, valuesOf(this.#program, this.#events, lines, all), this.#beside);
  }

  /** Every crash state after so many events; `isPoint`: what comes next is no store. */
  look(after: number, isPoint: boolean): void {
    const lines = [...this.#lines.values()];
    this.creation.arrive(this.full(lines), this.#beside, lines, isPoint || this.#ways.everyEvent);
    for (const cuts of everyCut(lines)) {
      if (++this.states > mostStates) throw new TooMany();
      const index = fails(this.#program, valuesOf(this.#program, this.#events, lines, cuts), this.#beside);
      const rule = this.#program.rules[index ?? -1];
      if (rule === undefined || rule.how === "early") continue;
      if (this.creation.has(rule, lines, cuts)) this.creates = true;
      else
        this.#found(
          { rule: index!, section: rule.section, after, ...lossOf(lines, cuts) },
          isPoint && isPlain(lines, cuts),
        );
    }
  }

  #found(failure: Failure, isPlain: boolean): void {
    if (!this.broken.has(failure.section)) this.broken.set(failure.section, failure);
    if (failure.losesNothing) this.strict.add(failure.section);
    this.hasPlain ||= isPlain;
    this.#watch(failure);
  }

  take({ deed, thread }: Event, at: number): void {
    if (deed.kind === "store") this.#line(lineOfWord(this.#program, deed)).stores.push(at);
    else if (deed.kind === "flush") {
      const line = this.#line(deed.line);
      line.asked.set(thread, line.stores.length);
      if (deed.isAtOnce) line.sure = line.stores.length;
    } else if (deed.kind === "fence" || (deed.kind === "library" && this.#ways.libraryFences)) this.#drain(thread);
    else if (deed.kind === "print") this.#beside.printed++;
    else if (deed.kind === "side") this.#beside.side = deed.value;
    else if (deed.kind === "publish") this.#beside.named[deed.pool] = true;
  }

  #line(number: number): Line {
    if (!this.#lines.has(number)) this.#lines.set(number, { stores: [], sure: 0, asked: new Map() });
    return this.#lines.get(number)!;
  }

  #drain(thread: number): void {
    for (const line of this.#lines.values()) line.sure = Math.max(line.sure, line.asked.get(thread) ?? 0);
  }
}

function lossOf(
  lines: readonly Line[],
  cuts: readonly number[],
): Pick<Failure, "losesNothing" | "isInOrder" | "isKept"> {
  const kept = new Set(lines.flatMap(({ stores }, at) => stores.slice(0, cuts[at])));
  const lost = lines.flatMap(({ stores }, at) => stores.slice(cuts[at]));
  const isInOrder = Math.max(-1, ...kept) < Math.min(Number.POSITIVE_INFINITY, ...lost);
  return { losesNothing: lost.length === 0, isInOrder, isKept: (event) => kept.has(event) };
}

const isOf = ({ deed }: Event, ...kinds: readonly Event["deed"]["kind"][]): boolean => kinds.includes(deed.kind);

export function judge(
  program: Program,
  ways: Ways = { libraryFences: true, everyEvent: true },
  watch: (failure: Failure) => void = () => {},
): Judgement {
  const events = eventsOf(program);
  const walk = new Walk(program, events, ways, watch);
  // What a flush or a fence leaves could be left before it, too.
  let isNew = true;
  for (const [at, event] of events.entries()) {
    if (isNew) walk.look(at, !isOf(event, "store", "library"));
    isNew = !isOf(event, "flush", "fence");
    walk.take(event, at);
  }
  walk.creation.end();
  walk.look(events.length, true);
  const { broken, strict, creates, hasPlain, states } = walk;
  return { broken, strict, creates, hasPlain, states, isWrongAtEnd: walk.full() !== undefined };
}

const namedAtFirst = ({ pools }: Program): boolean[] =>
  pools.map(({ made, named }) => made === "before" || named === "plain" || named === "symlinked");

/** What injection lays out by itself: all kept, all lost, one line lost or kept alone. */
function isPlain(lines: readonly Line[], cuts: readonly number[]): boolean {
  const open = lines.flatMap(({ stores, sure }, at) =>
    stores.length === sure ? [] : [cuts[at] === stores.length ? "kept" : cuts[at] === sure ? "lost" : "cut"],
  );
  const [kept, lost] = ["kept", "lost"].map((kind) => open.filter((one) => one === kind).length) as [number, number];
  return kept + lost === open.length && (kept <= 1 || lost <= 1);
}

function* everyCut(lines: readonly Line[], at = 0, cuts: number[] = []): Generator<readonly number[]> {
  if (at === lines.length) return yield cuts;
  for (let kept = lines[at]!.stores.length; kept >= lines[at]!.sure; kept--) {
    cuts[at] = kept;
    yield* everyCut(lines, at + 1, cuts);
  }
}

function valuesOf(program: Program, events: readonly Event[], lines: readonly Line[], cuts: readonly number[]): Values {
  const values: Values = new Map();
  for (const [field, { pool }] of program.fields.entries())
    if (program.pools[pool]!.made === "before" && isSetUp(program, field)) values.set(keyOf({ field, index: 0 }), 1);
  for (const [at, { stores }] of lines.entries())
    for (const store of stores.slice(0, cuts[at])) {
      const { deed } = events[store]!;
      if (deed.kind === "store") values.set(keyOf(deed), deed.value);
    }
  return values;
}

/** A field of a section that a pool has to have; a set-up makes it one. */
export const isSetUp = ({ rules, fields }: Program, field: number): boolean =>
  rules.some(({ test, section }) => test === "absent" && section === fields[field]!.section);

/** The rule that recovery fails by. A pool without its name is all zeros; that nothing is there is then no failure. */
function fails(program: Program, values: Values, { printed, side, named }: Beside): number | undefined {
  const isThere = ({ field }: Word) => named[program.fields[field]!.pool]!;
  const seen = (word: Word) => (isThere(word) ? (values.get(keyOf(word)) ?? 0) : 0);
  const repaired = new Map(values);
  for (const { when, set, to } of program.repairs) {
    const now = (word: Word) => (isThere(word) ? (repaired.get(keyOf(word)) ?? 0) : 0);
    if (now(when) !== 0) repaired.set(keyOf(set), isWord(to) ? now(to) : to);
  }
  for (const [key, value] of repaired) values.set(key, value);
  const termOf = (term: Term): number =>
    isWord(term) ? seen(term) : typeof term === "number" ? term : term === "side" ? side : printed;
  const index = program.rules.findIndex(({ test, left, right, when }) => {
    if (when !== undefined && seen(when) === 0) return false;
    if (test === "absent") return isWord(left) && isThere(left) && seen(left) === 0;
    return test === "ahead" ? termOf(left) > termOf(right) : termOf(left) !== termOf(right);
  });
  return index < 0 ? undefined : index;
}

/** Crashes before a program's pools are complete (docs/rules/creation-not-atomic.md). */
class CreationTwin {
  readonly #program: Program;
  #state: "creating" | "over" | "none";
  /** How much of each line was stored at moments at which recovery refused all there was. */
  readonly #refused = new Set<string>();
  #isPromised = false;

  constructor(program: Program, events: readonly Event[]) {
    this.#program = program;
    const before = events.slice(
      0,
      Math.max(
        0,
        events.findIndex(({ deed }) => deed.kind === "store"),
      ),
    );
    const named = namedAtFirst(program);
    for (const { deed } of before) if (deed.kind === "publish") named[deed.pool] = true;
    const isNew = program.pools.every(({ made }) => made === "run");
    this.#state =
      isNew && this.#refuses(fails(program, new Map(), { printed: 0, side: 0, named })) ? "creating" : "none";
  }

  #refuses(rule: number | undefined): boolean {
    return rule !== undefined && ["exit", "abort", "fault"].includes(this.#program.rules[rule]!.how);
  }

  /** Who sees a program end counts on what it did. */
  end(): void {
    this.#isPromised = true;
  }

  arrive(full: number | undefined, { printed, side }: Beside, lines: readonly Line[], mayEnd: boolean): void {
    const isBegun = lines.some(({ stores }) => stores.length > 0);
    this.#isPromised ||= isBegun && printed + side > 0;
    if (this.#state !== "creating") return;
    if (this.#isPromised || (full === undefined && mayEnd && isBegun)) this.#state = "over";
    else if (this.#refuses(full))
      this.#refused.add(
        shapeOf(
          lines,
          lines.map(({ stores }) => stores.length),
        ),
      );
  }

  has({ how }: Rule, lines: readonly Line[], cuts: readonly number[]): boolean {
    if (how === "hang" || this.#isPromised) return false;
    return this.#state === "creating" || (this.#state === "over" && this.#refused.has(shapeOf(lines, cuts)));
  }
}

/** The stores that are kept, whatever lines are not touched yet. */
const shapeOf = (lines: readonly Line[], cuts: readonly number[]): string =>
  lines
    .flatMap(({ stores }, at) => stores.slice(0, cuts[at]))
    .sort((a, b) => a - b)
    .join(" ");

/** Whether the twin can go through a program, and finds it right once it has ended well. */
export function isFit(program: Program): boolean {
  try {
    return program.fields.length > 0 && !judge(program).isWrongAtEnd;
  } catch (error) {
    if (error instanceof TooMany) return false;
    throw error;
  }
}
