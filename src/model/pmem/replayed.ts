/**
 * A trace in the operational model: every operation leaves its thread's buffer at once, which is how the machine runs
 * programs. The slow twin of the tracker: it says what a crash may leave of a line without sharing anything with it.
 */
import { assert, type Line, type ThreadId } from "../../base/index.ts";
import { px86 } from "./model.ts";
import {
  addThread,
  countUpTo,
  createPmState,
  departures,
  executeLocked,
  executeMfence,
  issueFlush,
  issueSfence,
  issueStore,
  leave,
} from "./operational/index.ts";

/** A store of at most eight bytes, or a piece of a wider one. The line's log has it at the same place. */
export interface ReplayedStore {
  readonly nonTemporal: boolean;
  readonly thread: number;
  /** In its line. */
  readonly offset: number;
  readonly size: number;
  readonly low: number;
  readonly high: number;
  readonly seq: number;
  readonly further: boolean;
}

interface ReplayedLine {
  /** Without the stores below. */
  base: Uint8Array;
  readonly pieces: ReplayedStore[];
}

/** Whenever a log has grown by so many, it is shortened by what is persisted: the model itself never forgets. */
const longLog = 256;

const equal = (a: Uint8Array, b: Uint8Array): boolean => a.every((byte, at) => byte === b[at]);

function put(contents: Uint8Array, { offset, size, low, high }: ReplayedStore): void {
  const bytes = new Uint8Array(Uint32Array.of(low, high).buffer);
  contents.set(bytes.subarray(0, size), offset);
}

export class ReplayedTrace {
  readonly #state = createPmState(0);
  readonly #threads = new Map<number, ThreadId>();
  readonly #lines = new Map<Line, ReplayedLine>();
  readonly #maybeOpen = new Set<Line>();
  /** Of stores that are forgotten since they are persisted: the newest. */
  #persistedSeq = -1;

  get lines(): Iterable<Line> {
    return this.#lines.keys();
  }

  has(line: Line): boolean {
    return this.#lines.has(line);
  }

  /** The line holds this and nothing is known to have been stored to it. */
  begin(line: Line, contents: Uint8Array): void {
    this.#lines.set(line, { base: contents.slice(), pieces: [] });
    this.#state.lines.delete(line);
  }

  // ── What happens ────────────────────────────────────────────────────────────────────────────────────────────

  store(line: Line, store: ReplayedStore): void {
    const known = this.#lines.get(line);
    assert(known !== undefined, "a line's contents are known before it is stored to");
    this.#shorten(line, known);
    this.#maybeOpen.add(line);
    known.pieces.push(store);
    const thread = this.#thread(store.thread);
    const { offset: address, size } = store;
    issueStore(this.#state, thread, { line, address, size, payload: 0 }, store.nonTemporal);
    this.#drain(thread);
  }

  flush(op: "clflush" | "clflushopt" | "clwb", number: number, line: Line): void {
    const thread = this.#thread(number);
    issueFlush(this.#state, thread, op, line, px86);
    this.#drain(thread);
  }

  fence(op: "sfence" | "mfence" | "lfence" | "locked", number: number): void {
    const thread = this.#thread(number);
    if (op === "sfence") issueSfence(this.#state, thread);
    if (op === "mfence") executeMfence(this.#state, thread, px86);
    // Its store follows as an event of its own; the line it goes to does not matter to an empty buffer.
    if (op === "locked") executeLocked(this.#state, thread, 0 as Line, undefined, px86);
    this.#drain(thread);
  }

  #thread(number: number): ThreadId {
    const thread = this.#threads.get(number) ?? addThread(this.#state);
    this.#threads.set(number, thread);
    return thread;
  }

  #drain(thread: ThreadId): void {
    for (let free = departures(this.#state, thread, px86); free.length > 0; ) {
      leave(this.#state, thread, free[0]!, px86);
      free = departures(this.#state, thread, px86);
    }
  }

  #shorten(line: Line, known: ReplayedLine): void {
    if (known.pieces.length === 0 || known.pieces.length % longLog !== 0) return;
    const { from } = this.window(line);
    this.#persistedSeq = Math.max(this.#persistedSeq, this.#lastPersisted(line));
    for (const piece of known.pieces.splice(0, from)) put(known.base, piece);
    this.#state.lines.get(line)!.log.splice(0, from);
  }

  // ── What a crash may leave ──────────────────────────────────────────────────────────────────────────────────

  /** How many of the stores that are remembered survive: at least and at most. */
  window(line: Line): { readonly from: number; readonly to: number } {
    const state = this.#state.lines.get(line);
    if (state === undefined) return { from: 0, to: 0 };
    return { from: countUpTo(state.log, state.persisted), to: state.log.length };
  }

  /** Lines with stores that a crash may lose. */
  *open(): Iterable<Line> {
    for (const line of this.#maybeOpen) {
      const { from, to } = this.window(line);
      if (from === to) this.#maybeOpen.delete(line);
      else yield line;
    }
  }

  /**
   * strict: whether a crash now can leave these lines so, and all others with every store: one cut through the stores of all lines, not
   * before anything that is persisted.
   */
  mayHoldInOrder(contents: ReadonlyMap<Line, Uint8Array>): boolean {
    const all = [...this.#lines].flatMap(([line, { pieces }]) => pieces.map((piece) => ({ line, seq: piece.seq })));
    const least = Math.max(this.#persistedSeq, ...[...this.#lines.keys()].map((line) => this.#lastPersisted(line)));
    const ends = [Number.POSITIVE_INFINITY, ...all.map(({ seq }) => seq)].filter((end) => end > least);
    return ends.some((end) =>
      [...this.#lines].every(([line, { base, pieces }]) => {
        const kept = base.slice();
        for (const piece of pieces) if (piece.seq < end) put(kept, piece);
        return equal(kept, contents.get(line) ?? this.full(line));
      }),
    );
  }

  /** The newest store of the line that is persisted for sure, by its position in the trace. */
  #lastPersisted(line: Line): number {
    return this.#lines.get(line)!.pieces[this.window(line).from - 1]?.seq ?? -1;
  }

  /** With every store. */
  full(line: Line): Uint8Array {
    const { base, pieces } = this.#lines.get(line)!;
    const contents = base.slice();
    for (const piece of pieces) put(contents, piece);
    return contents;
  }

  /** Whether a crash now can leave the line so. */
  mayHold(line: Line, contents: Uint8Array): boolean {
    const { base, pieces } = this.#lines.get(line)!;
    const { from, to } = this.window(line);
    const kept = base.slice();
    for (const piece of pieces.slice(0, from)) put(kept, piece);
    for (let cut = from; cut <= to; cut++) {
      const torn = piecesOfStore(pieces, cut);
      for (let mask = 0; mask < 2 ** torn.length; mask++) if (equal(withSome(kept, torn, mask), contents)) return true;
      if (cut < to) put(kept, pieces[cut]!);
    }
    return false;
  }
}

/** The pieces of the store that begins at a place of the log; none in the middle of one. */
function piecesOfStore(pieces: readonly ReplayedStore[], at: number): readonly ReplayedStore[] {
  const isFurther = (index: number): boolean => {
    const [before, piece] = [pieces[index - 1], pieces[index]];
    return piece?.further === true && before !== undefined && piece.seq === before.seq + 1;
  };
  if (isFurther(at)) return [];
  let end = at + 1;
  while (isFurther(end)) end++;
  return pieces.slice(at, end);
}

function withSome(contents: Uint8Array, pieces: readonly ReplayedStore[], mask: number): Uint8Array {
  if (mask === 0) return contents;
  const some = contents.slice();
  for (const [i, piece] of pieces.entries()) if ((mask >>> i) & 1) put(some, piece);
  return some;
}
