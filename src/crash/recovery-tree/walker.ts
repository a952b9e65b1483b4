/**
 * Goes every way through the tree of recoveries that some crash state takes, and asks for the runs that are not known yet.
 * Always:
 * - Along a way, each line has the contents that agree with all that was answered of it: a set of cuts, not an interval
 *   (x=1; x=2; x=1 read as 1 leaves two). At a question that they answer in several ways, each answer is a way of its own.
 * - One run is asked for each way that no state has gone before, whatever points its states are of.
 * - At a point, only ways are gone that ask for something which is not as it was at the point before: all others were gone
 *   there. Not so where a round looks at some of the point's states only: nobody knows which of them were gone before.
 * - Each way that is yet to be gone is an item: what waits costs no more than its own choices. Ways on which few lines lost a store come
 *   first, whatever points they are of (ways-ahead.ts).
 */
import type { RecoveryEnd } from "../states/index.ts";
import { AgreedPieces } from "./agreed-pieces.ts";
import type { AnsweredReader } from "./answered-questions.ts";
import { type Asked, foldedBit } from "./asked.ts";
import { wordsPerLine } from "./content-words.ts";
import { DistinctContents, range } from "./distinct-contents.ts";
import { type Folds, foldedWays, plainWays } from "./folds.ts";
import type { OrderedState } from "./ordered-states.ts";
import type { OtherAnswers } from "./other-answers.ts";
import { PointView } from "./point-view.ts";
import type { Held } from "./runner.ts";
import type { TracePoints } from "./trace-points.ts";
import { type AnswerNumber, type Question, RecoveryTree, type Stretch } from "./tree.ts";
import type { Item, Narrowed, Round, UnknownWay, WalkerHooks } from "./walks.ts";
import { WaysAhead } from "./ways-ahead.ts";

/** Questions about other things than lines share one class. */
const otherBit = 1 << 31;
const lineBit = (line: number): number => 1 << ((Math.imul(line, 0x9e3779b1) >>> 27) % 31);

const open = 1;
const fresh = 2;

export class TreeWalker {
  readonly tree: RecoveryTree;
  readonly #points: TracePoints;
  readonly #others: OtherAnswers;
  readonly #hooks: WalkerHooks;
  readonly #view: PointView;
  readonly #distinct: DistinctContents;
  readonly #agreed = new AgreedPieces();
  readonly #firstOther: Question;
  readonly #ahead: WaysAhead;
  readonly #waiting = new Map<Stretch, Item[]>();
  /** By round: items ahead and waiting. */
  readonly #items = new Map<Round, number>();
  #round: Round | undefined;
  /** By line: `open` where it may hold several contents, `fresh` where one of them is new at this point. */
  readonly #flags: Uint8Array;
  #fresh: number[] = [];
  /** By line that is fresh: the last content that it could have at the point before. */
  readonly #oldHigh: Int32Array;
  #newBits = 0;
  #narrowed: Narrowed | undefined;
  readonly #sets: (ArrayLike<number> | undefined)[];
  #news = 0;
  #depth = 0;
  #folds: Folds = "none";
  /** Lines that cannot have every store on the way to here. */
  #lost = 0;
  #state: OrderedState | undefined;
  #end: Stretch | undefined;
  /** Questions that were gone along. */
  walked = 0;

  constructor(points: TracePoints, others: OtherAnswers, hooks: WalkerHooks, room?: number, mostDeferred?: number) {
    this.#ahead = new WaysAhead(mostDeferred);
    this.#points = points;
    this.#others = others;
    this.#hooks = hooks;
    this.#view = new PointView(points);
    this.#distinct = new DistinctContents(points);
    this.#firstOther = points.lines * wordsPerLine;
    const bitOf = (question: Question) => {
      const plain = question & ~foldedBit;
      return plain >= this.#firstOther ? otherBit : lineBit(plain >>> 4);
    };
    this.tree = new RecoveryTree(bitOf, room);
    this.#flags = new Uint8Array(points.lines);
    this.#oldHigh = new Int32Array(points.lines);
    this.#sets = new Array<undefined>(points.lines).fill(undefined);
  }

  // ── Work ────────────────────────────────────────────────────────────────────────────────────────────────────

  /** What a whole point has in common with the point before was gone through, unless the round is alone or judged otherwise. */
  begin(round: Round, isAlone = round.point === 0): void {
    const isNews = isAlone || round.open !== undefined || this.#hooks.isJudgedAnew(round.point);
    const news = isNews ? 1 : 0;
    this.#push({ round, folds: "none", stretch: this.tree.root, narrowed: undefined, lost: 0, depth: 0, news });
  }

  /** Each of these states of the point by itself. */
  beginStates(round: Round, states: Iterable<OrderedState>): void {
    const { root: stretch } = this.tree;
    for (const state of states)
      this.#push({ round, folds: "none", stretch, narrowed: undefined, lost: 0, depth: 0, news: 1, state });
    if (!this.#items.has(round)) this.#hooks.covered(round);
  }

  /**
   * Goes on until runs are needed; returns the next of them, or undefined when nothing is left but to wait. `hasMore`: rounds are left to
   * begin with, and combinations wait until they are.
   */
  next(hasMore = false): UnknownWay | undefined {
    for (let item = this.#ahead.pop(hasMore); item !== undefined; item = this.#ahead.pop(hasMore)) {
      this.#turnTo(item);
      const way = this.#go(item);
      this.#done(item.round);
      if (way !== undefined) return way;
    }
    return undefined;
  }

  /** Ways that are yet to be gone. */
  get waiting(): number {
    return this.#ahead.size;
  }

  /** The fewest lines that lost a store on a way that is not at its end, of at least one; undefined where all are. */
  get fewestLost(): number | undefined {
    const waiting = [...this.#waiting.values()].flatMap((items) => items.map(({ lost }) => Math.max(1, lost)));
    const all = [...waiting, this.#ahead.fewestLost ?? Number.POSITIVE_INFINITY];
    const fewest = all.reduce((least, lost) => Math.min(least, lost));
    return Number.isFinite(fewest) ? fewest : undefined;
  }

  /** A run that was asked for has told how it goes on from there. */
  told({ point, held, stretch }: UnknownWay, { questions, texts }: Asked, ended: RecoveryEnd): void {
    this.#at(point);
    const asked = this.#answersOf(questions, texts, held);
    this.tree.fill(stretch, asked.questions, asked.answers, ended);
    const waiting = this.#waiting.get(stretch) ?? [];
    this.#waiting.delete(stretch);
    // Earlier points go first: what a point has in common with the one before is left to that one, which must have parted it by then.
    for (const item of waiting.sort((a, b) => b.round.point - a.round.point)) this.#ahead.push(item);
  }

  /** The way that a state takes, as far as it is known: to a run that is awaited, or to an end. */
  find(point: number, held: readonly Held[]): { readonly stretch: Stretch; readonly depth: number } {
    this.#at(point);
    const holds = new Map(held);
    const answer = (question: Question) => this.#answerOf(question, holds);
    let [stretch, depth] = [this.tree.root, 0];
    for (;;) {
      const asked = this.tree.read(stretch);
      while (asked.isMore && answer(asked.question) === asked.answer) asked.pass();
      depth += asked.passed;
      if (asked.isMore) this.tree.part(stretch, asked);
      if (stretch.next.kind !== "fork") return { stretch, depth };
      stretch = this.tree.way(stretch, answer(stretch.next.question));
      depth++;
    }
  }

  /** The lines that cannot have every store on the way to where the walker stands, and the most that they can have. */
  held(): readonly Held[] {
    if (this.#state !== undefined) return [...this.#state];
    const held: Held[] = [];
    for (const [line, contents] of this.narrowed()) {
      const best = this.#best(contents);
      if (best !== this.#view.high[line]) held.push([line, best]);
    }
    return held;
  }

  /** Of each line that was asked for and could have several contents: those that agree with the answers. */
  *narrowed(): Iterable<readonly [line: number, contents: ArrayLike<number>]> {
    const seen = new Set<number>();
    for (let node = this.#narrowed; node !== undefined; node = node.above) {
      if (seen.has(node.line)) continue;
      seen.add(node.line);
      yield [node.line, node.contents];
    }
  }

  get view(): PointView {
    return this.#view;
  }

  /** Whether a checksum that was taken on the way is assumed to be wrong: not all that went into it was kept. */
  get failsChecksum(): boolean {
    return this.#folds === "one" || this.#folds === "old";
  }

  /** The stretches of a way, the first one first; of the way that was last gone to its end if none is given. */
  way(end = this.#end): readonly Stretch[] {
    const way: Stretch[] = [];
    for (let stretch = end; stretch !== undefined; stretch = stretch.parent) way.push(stretch);
    return way.reverse();
  }

  /** Whose states come to where the walker stands. */
  get round(): Round | undefined {
    return this.#round;
  }

  #push(item: Item): void {
    this.#items.set(item.round, (this.#items.get(item.round) ?? 0) + 1);
    this.#ahead.push(item);
  }

  #done(round: Round): void {
    const left = this.#items.get(round)! - 1;
    this.#items.set(round, left);
    if (left > 0) return;
    this.#items.delete(round);
    this.#hooks.covered(round);
  }

  /** The most stores that a way leaves the line; whole ones rather than pieces. */
  #best(contents: ArrayLike<number>): number {
    const { cuts } = this.#points.tables;
    for (let i = contents.length - 1; i >= 0; i--) if (cuts[2 * contents[i]! + 1] === 0) return contents[i]!;
    return contents[contents.length - 1]!;
  }

  // ── Where it stands ─────────────────────────────────────────────────────────────────────────────────────────

  #turnTo({ round, folds, narrowed, lost, depth, news, state }: Item): void {
    this.#folds = folds;
    this.#lost = lost;
    this.#state = state;
    this.#at(round.point);
    this.#round = round;
    this.#narrowTo(narrowed);
    this.#depth = depth;
    this.#news = news;
  }

  #at(point: number): void {
    if (this.#view.point === point) return;
    this.#narrowTo(undefined);
    for (const line of this.#fresh) this.#flags[line]! &= ~fresh;
    const { low, high } = this.#view;
    this.#view.moveTo(point, (line) => {
      this.#flags[line] = low[line] === high[line] ? 0 : open;
    });
    this.#findFresh(point);
  }

  /** What may be otherwise than at the point before. */
  #findFresh(point: number): void {
    const points = this.#points;
    this.#fresh = [];
    this.#newBits = 0;
    if (point === 0) return;
    const [from, to] = points.changesAt(point);
    for (let at = from; at < to; at += 3) {
      const line = points.tables.changes[at]!;
      const [, before] = points.window(line, point - 1);
      if (this.#view.high[line] === before) continue;
      this.#flags[line]! |= fresh;
      this.#oldHigh[line] = before;
      this.#newBits |= lineBit(line);
      this.#fresh.push(line);
    }
    if (this.#others.mayDiffer(point)) this.#newBits |= otherBit;
  }

  /** Sets are those along this way; what two ways have in common stays. */
  #narrowTo(target: Narrowed | undefined): void {
    const ahead: Narrowed[] = [];
    let to = target;
    let now = this.#narrowed;
    while (to !== now) {
      if (to !== undefined && (now === undefined || to.level > now.level)) {
        ahead.push(to);
        to = to.above;
      } else {
        this.#sets[now!.line] = now!.before;
        now = now!.above;
      }
    }
    for (let node = ahead.pop(); node !== undefined; node = ahead.pop()) this.#sets[node.line] = node.contents;
    this.#narrowed = target;
  }

  #narrow(line: number, contents: ArrayLike<number>): void {
    const before = this.#sets[line];
    const above = this.#narrowed;
    this.#narrowed = { above, level: (above?.level ?? 0) + 1, line, contents, before };
    this.#sets[line] = contents;
  }

  // ── Going ───────────────────────────────────────────────────────────────────────────────────────────────────

  /** Goes one way to its end, and puts those that part from it ahead. A run that is needed is returned. */
  #go(item: Item): UnknownWay | undefined {
    for (let stretch: Stretch | undefined = item.stretch; stretch !== undefined; ) {
      if (this.#isOld(stretch)) return undefined;
      const { next } = stretch;
      if (next.kind === "awaited") return this.#wait(stretch, item.round);
      this.#pass(stretch);
      if (stretch.next.kind === "fork") stretch = this.#choose(stretch, stretch.next.question, item.round);
      else {
        this.#end = stretch;
        if (this.#news > 0 && stretch.next.kind === "leaf") this.#hooks.reached(stretch.next, item.round.point);
        return undefined;
      }
    }
    return undefined;
  }

  /** Whether nothing of it and below can be otherwise than at the point before. */
  #isOld({ asks, awaited }: Stretch): boolean {
    return this.#news === 0 && awaited === 0 && (asks & this.#newBits) === 0;
  }

  #wait(stretch: Stretch, round: Round): UnknownWay | undefined {
    const { next } = stretch;
    if (next.kind !== "awaited") return undefined;
    const [folds, narrowed, lost, depth, news] = [this.#folds, this.#narrowed, this.#lost, this.#depth, this.#news];
    const item = { round, folds, stretch, narrowed, lost, depth, news, state: this.#state };
    this.#items.set(round, this.#items.get(round)! + 1);
    const waiting = this.#waiting.get(stretch) ?? [];
    waiting.push(item);
    this.#waiting.set(stretch, waiting);
    if (next.requested) return undefined;
    next.requested = true;
    return { point: round.point, held: this.held(), depth: this.#depth, stretch };
  }

  /** Goes along a stretch while its answers are the only ones; where others are possible, it is parted. */
  #pass(stretch: Stretch): void {
    const asked = this.tree.read(stretch);
    while (asked.isMore) {
      const piece = asked.wholePiece;
      if (piece !== undefined && this.#agreed.agrees(piece, this.#view.high, this.#flags)) asked.passPiece();
      else if (!this.#passPiece(asked, piece)) break;
    }
    this.#depth += asked.passed;
    this.walked += asked.passed;
    if (asked.isMore) this.tree.part(stretch, asked);
  }

  /** Word by word; false where it is not passed to its end. */
  #passPiece(asked: AnsweredReader, piece: number | undefined): boolean {
    const { contents } = this.#points;
    const { high } = this.#view;
    const [flags, firstOther] = [this.#flags, this.#firstOther];
    const questions = piece === undefined ? undefined : asked.restOfPiece;
    let isClosed = true;
    for (; asked.isMoreOfPiece; asked.pass()) {
      const { question, answer } = asked;
      if (question < firstOther && flags[question >>> 4] === 0) {
        if (contents.word(high[question >>> 4]!, question & 15) !== answer) return false;
      } else {
        isClosed = false;
        if (this.#only(question) !== answer) return false;
      }
    }
    if (isClosed && questions !== undefined) this.#agreed.note(piece!, questions, high);
    return true;
  }

  /** The one answer that is possible; undefined when there are several. */
  #only(asked: Question): AnswerNumber | undefined {
    const question = asked & ~foldedBit;
    if (question >= this.#firstOther) return this.#other(question - this.#firstOther);
    const line = question >>> 4;
    const contents = this.#contentsOf(line);
    const words = this.#points.contents;
    const half = question & 15;
    const first = words.word(contents[0]!, half);
    for (let i = 1; i < contents.length; i++) if (words.word(contents[i]!, half) !== first) return undefined;
    return first;
  }

  #other(id: number): AnswerNumber {
    const point = this.#view.point;
    const answer = this.#others.answer(id, point);
    if (point > 0 && this.#others.answer(id, point - 1) !== answer) this.#news++;
    return answer;
  }

  /** What the line may hold along this way. A line that may hold something new counts from its first question on. */
  #contentsOf(line: number): ArrayLike<number> {
    const known = this.#sets[line];
    if (known !== undefined) return known;
    const contents = this.#possible(line);
    this.#narrow(line, contents);
    if (this.#isNew(line, contents)) this.#news++;
    return contents;
  }

  /** What the line may hold in this round. */
  #possible(line: number): readonly number[] {
    const [low, high] = [this.#view.low[line]!, this.#view.high[line]!];
    const { open } = this.#round!;
    if (this.#state !== undefined) return [this.#state.get(line) ?? high];
    if (open === undefined)
      return this.#hooks.tellsStoresApart ? range(low, high) : this.#distinct.within(line, low, high);
    const [from, to] = open.get(line) ?? [high, high];
    const contents = range(Math.max(low, from), Math.min(to, high));
    if (contents.at(-1) !== high) contents.push(high);
    return contents;
  }

  #isNew(line: number, contents: ArrayLike<number>): boolean {
    return (this.#flags[line]! & fresh) !== 0 && contents[contents.length - 1]! > this.#oldHigh[line]!;
  }

  /** Takes one of the ways at a fork, and puts the others ahead. */
  #choose(stretch: Stretch, asked: Question, round: Round): Stretch {
    this.#depth++;
    this.walked++;
    const question = asked & ~foldedBit;
    const line = question >>> 4;
    if (question >= this.#firstOther || (this.#flags[line] === 0 && this.#sets[line] === undefined))
      return this.tree.way(stretch, this.#answerOf(question, undefined, true));
    const contents = this.#contentsOf(line);
    const groups = this.#groups(contents, question & 15);
    if (groups.size === 1) return this.tree.way(stretch, groups.keys().next().value!);
    const wasNew = this.#isNew(line, contents) ? 1 : 0;
    const above = this.#narrowed;
    const news = this.#news - wasNew;
    const [first, ...others] = question === asked ? plainWays(groups, this.#folds) : foldedWays(groups, this.#folds);
    const hadAll = this.#mayHaveAll(line, contents);
    for (const { answer, contents: left, folds } of others) {
      this.#narrow(line, left);
      const isNew = this.#isNew(line, left) ? 1 : 0;
      const way = this.tree.way(stretch, answer);
      const [narrowed, depth] = [this.#narrowed, this.#depth];
      const lost = this.#lost + (hadAll && !this.#mayHaveAll(line, left) ? 1 : 0);
      this.#push({ round, folds, stretch: way, narrowed, lost, depth, news: news + isNew });
      this.#narrowTo(above);
    }
    this.#narrow(line, first!.contents);
    this.#news = news + (this.#isNew(line, first!.contents) ? 1 : 0);
    this.#folds = first!.folds;
    return this.tree.way(stretch, first!.answer);
  }

  #mayHaveAll(line: number, contents: ArrayLike<number>): boolean {
    return contents[contents.length - 1] === this.#view.high[line];
  }

  /** The contents by what they answer, in the order in which answers first come. */
  #groups(contents: ArrayLike<number>, half: number): Map<AnswerNumber, number[]> {
    const words = this.#points.contents;
    const groups = new Map<AnswerNumber, number[]>();
    for (let i = 0; i < contents.length; i++) {
      const answer = words.word(contents[i]!, half);
      const group = groups.get(answer);
      if (group === undefined) groups.set(answer, [contents[i]!]);
      else group.push(contents[i]!);
    }
    return groups;
  }

  // ── Answers of one state ────────────────────────────────────────────────────────────────────────────────────

  #answerOf(asked: Question, held?: ReadonlyMap<number, number>, counts = false): AnswerNumber {
    const question = asked & ~foldedBit;
    if (question >= this.#firstOther)
      return counts
        ? this.#other(question - this.#firstOther)
        : this.#others.answer(question - this.#firstOther, this.#view.point);
    const line = question >>> 4;
    const content = held?.get(line) ?? this.#view.high[line]!;
    return this.#points.contents.word(content, question & 15);
  }

  /** A run's questions by the tree's numbers, with the answers that it got. */
  #answersOf(asked: Int32Array, texts: readonly string[], held: readonly Held[]) {
    const questions = asked.slice();
    const answers = new Int32Array(asked.length);
    const { high } = this.#view;
    const { contents } = this.#points;
    const before = held.map(([line]) => high[line]!);
    const others = texts.map((text) => this.#firstOther + this.#others.id(text));
    // The lines that hold something else do so while answers are looked up.
    for (const [line, content] of held) high[line] = content;
    for (let i = 0; i < questions.length; i++) {
      if (questions[i]! < 0) questions[i] = others[-1 - questions[i]!]!;
      const question = questions[i]! & ~foldedBit;
      answers[i] =
        question >= this.#firstOther ? this.#answerOf(question) : contents.word(high[question >>> 4]!, question & 15);
    }
    for (const [i, [line]] of held.entries()) high[line] = before[i]!;
    return { questions, answers };
  }
}
