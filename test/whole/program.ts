/**
 * Small programs on persistent memory as people write them: what they are, and their steps one by one. A program has sections (a log,
 * a pair, a record of several lines), each with fields of its own on lines of its own, and rules that recovery holds them to.
 */

/** Where a pool comes from, and the name that recovery knows it by. */
export interface Pool {
  /** In the run, or by a set-up before it. */
  readonly made: "run" | "before";
  readonly named: "plain" | "renamed" | "linked" | "symlinked";
}

/** A variable of a pool's structure, or an array of them; bit-fields of one name share four bytes. */
export interface Field {
  readonly name: string;
  readonly section: number;
  readonly pool: number;
  /** Of the first byte, in the pool. */
  readonly at: number;
  readonly size: 1 | 2 | 4 | 8;
  readonly count: number;
  readonly bits?: { readonly group: string; readonly shift: number; readonly width: number };
}

/** One element of a field. */
export interface Word {
  readonly field: number;
  readonly index: number;
}

/** A number, or so much more than the number of the round. */
export type Value = number | { readonly more: number };

export type Step =
  | { readonly kind: "store"; readonly word: Word; readonly value: Value; readonly via: StoreWay }
  /** All elements, in a loop. */
  | { readonly kind: "fill"; readonly field: number; readonly value: Value }
  | { readonly kind: "flush"; readonly word: Word; readonly op: "clwb" | "clflushopt" | "clflush" }
  | { readonly kind: "fence"; readonly op: "sfence" | "mfence" }
  /** Flush and fence: by a function, by a macro, of the whole field, or by the program's own helper, which may be wrong. */
  | { readonly kind: "persist"; readonly word: Word; readonly how: PersistWay }
  /** A line of output, or a number in a file beside the pools. */
  | { readonly kind: "acknowledge"; readonly how: "write" | "printf" }
  | { readonly kind: "side"; readonly value: Value }
  /** A pool gets the name that recovery knows it by. */
  | { readonly kind: "publish"; readonly pool: number }
  | { readonly kind: "map"; readonly pool: number; readonly how: MapWay };

export type StoreWay = "direct" | "helper" | "exchange" | "stream";
export type PersistWay = "function" | "macro" | "range" | "own";
/** At first; once more in its place, its second page alone, at another place, or at a second place that is used from then on. */
export type MapWay = "first" | "over" | "part" | "anew" | "second";

/** Steps in a function of their own: called, called in rounds, or run by a thread that is waited for. */
export interface Block {
  readonly kind: "block";
  readonly how: "call" | "loop" | "thread";
  readonly rounds: number;
  readonly body: readonly Node[];
}

/** Threads that run at once. They touch nothing of each other. */
export interface Parallel {
  readonly kind: "parallel";
  readonly bodies: readonly (readonly Node[])[];
}

/** `joined`: on the same line of source as the one before. */
export type Node = (Step & { readonly joined?: boolean }) | Block | Parallel;

/** What recovery compares: an element, a number, how many lines were printed, the number beside the pools. */
export type Term = Word | number | "acknowledged" | "side";

/** Recovery fails where the left is larger, or other, than the right, or is zero: in which way, and unless this is zero. */
export interface Rule {
  readonly section: number;
  readonly test: "ahead" | "differs" | "absent";
  readonly left: Term;
  readonly right: Term;
  readonly when?: Word;
  readonly how: FailWay;
}

/** The last one says so and exits with 0, as if all were well. */
export type FailWay = "exit" | "abort" | "hang" | "fault" | "early";

/** Where `when` is not zero, recovery sets a word. */
export interface Repair {
  readonly when: Word;
  readonly set: Word;
  readonly to: Word | number;
}

export interface Program {
  readonly language: "c" | "c++";
  readonly pools: readonly Pool[];
  readonly fields: readonly Field[];
  readonly nodes: readonly Node[];
  readonly repairs: readonly Repair[];
  readonly rules: readonly Rule[];
  /** Repairs are one command, and the rules the next one. */
  readonly isSplit: boolean;
  /** How the program's own helper for flushes is wrong, if it is. */
  readonly own: "right" | "no fence" | "first line";
}

export const isWord = (term: Term): term is Word => typeof term === "object";
export const poolBytes = 8192;

/** What a step does, one thing after another. */
export type Deed =
  | { readonly kind: "store"; readonly field: number; readonly index: number; readonly value: number }
  | { readonly kind: "flush"; readonly line: number; readonly isAtOnce: boolean }
  | { readonly kind: "fence" }
  | { readonly kind: "print" }
  | { readonly kind: "side"; readonly value: number }
  | { readonly kind: "publish"; readonly pool: number }
  /** Calls into the C library that may or may not have a locked instruction. */
  | { readonly kind: "library" };

export interface Event {
  readonly deed: Deed;
  readonly thread: number;
  readonly step: Node;
}

/** Of a byte of a pool: lines of all pools have numbers of their own. */
const lineOf = (pool: number, at: number): number => ((pool * poolBytes + at) / 64) | 0;

export const lineOfWord = ({ fields }: Pick<Program, "fields">, { field, index }: Word): number => {
  const { pool, at, size } = fields[field]!;
  return lineOf(pool, at + index * size);
};

const linesOfField = (program: Program, field: number): number[] => [
  ...new Set(Array.from({ length: program.fields[field]!.count }, (_, index) => lineOfWord(program, { field, index }))),
];

/** All that a program does, in order. Threads that run at once come one after another. */
export function eventsOf(program: Program): readonly Event[] {
  const events: Event[] = [];
  let threads = 0;
  const walk = (nodes: readonly Node[], thread: number, round: number): void => {
    for (const step of nodes) {
      if (step.kind === "block") {
        const runner = step.how === "thread" ? ++threads : thread;
        if (runner !== thread) events.push({ deed: library, thread, step });
        for (let at = 1; at <= (step.how === "loop" ? step.rounds : 1); at++)
          walk(step.body, runner, step.how === "loop" ? at : round);
        if (runner !== thread) events.push({ deed: library, thread: runner, step });
      } else if (step.kind === "parallel") {
        events.push({ deed: library, thread, step });
        for (const body of step.bodies) {
          walk(body, ++threads, round);
          events.push({ deed: library, thread: threads, step });
        }
      } else events.push(...deedsOf(program, step, round).map((deed) => ({ deed, thread, step })));
    }
  };
  walk(program.nodes, 0, 1);
  return events;
}

const library: Deed = { kind: "library" };

/** Where there are threads, the C library's calls may be cancelled, and look whether they are. */
const hasThreads = (nodes: readonly Node[]): boolean =>
  nodes.some(
    (node) => node.kind === "parallel" || (node.kind === "block" && (node.how === "thread" || hasThreads(node.body))),
  );

const valueIn = (value: Value, round: number): number => (typeof value === "number" ? value : round + value.more);

function deedsOf(program: Program, step: Step, round: number): Deed[] {
  const flush = (line: number, isAtOnce = false): Deed => ({ kind: "flush", line, isAtOnce });
  switch (step.kind) {
    case "store": {
      const store: Deed = { kind: "store", ...step.word, value: valueIn(step.value, round) };
      if (step.via === "exchange") return [{ kind: "fence" }, store];
      return step.via === "stream" ? [store, flush(lineOfWord(program, step.word))] : [store];
    }
    case "fill":
      return Array.from({ length: program.fields[step.field]!.count }, (_, index) => ({
        ...{ kind: "store" as const, field: step.field, index },
        value: valueIn(step.value, round),
      }));
    case "flush":
      return [flush(lineOfWord(program, step.word), step.op === "clflush")];
    case "persist": {
      const all = linesOfField(program, step.word.field).map((line) => flush(line));
      if (step.how === "range" || (step.how === "own" && program.own === "right")) return [...all, { kind: "fence" }];
      if (step.how !== "own") return [flush(lineOfWord(program, step.word)), { kind: "fence" }];
      return program.own === "no fence" ? all : [all[0]!, { kind: "fence" }];
    }
    case "acknowledge":
      return [...(step.how === "printf" || hasThreads(program.nodes) ? [library] : []), { kind: "print" }];
    case "side":
      return [...(hasThreads(program.nodes) ? [library] : []), { kind: "side", value: valueIn(step.value, round) }];
    case "publish":
      return [{ kind: "publish", pool: step.pool }];
    case "fence":
      return [{ kind: "fence" }];
    case "map":
      return [];
  }
}
