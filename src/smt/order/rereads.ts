/**
 * From-reads (fr): reads and orders of stores that hold, joined at the piece they share. Always: what is taken back was given
 * last, so each piece's lists are stacks.
 */
import type { Literal } from "../theory.ts";
import { ByLiteral } from "./guarded.ts";
import type { GuardedOrder, GuardedRead, OrderProblem } from "./problem.ts";

/** A reader before a store, and why. */
export type FromReadEdge = readonly [reader: number, store: number, because: readonly Literal[]];

export class Rereads {
  /** All of them: by the piece overwritten, and by the reader. */
  readonly ordersOf: readonly GuardedOrder[][];
  readonly readsBy: readonly GuardedRead[][];
  readonly #reads: ByLiteral<GuardedRead>;
  readonly #orders: ByLiteral<GuardedOrder>;
  /** Those that hold, by piece. */
  readonly #heldReads: GuardedRead[][];
  readonly #heldOrders: GuardedOrder[][];

  constructor({ atoms, nodes, pieces, reads, orders }: OrderProblem) {
    const lists = <Item>(length: number): Item[][] => Array.from({ length }, () => []);
    this.#reads = new ByLiteral(atoms);
    this.#orders = new ByLiteral(atoms);
    this.#heldReads = lists(pieces);
    this.#heldOrders = lists(pieces);
    this.ordersOf = lists(pieces);
    this.readsBy = lists(nodes);
    for (const read of reads) {
      this.#reads.add(read.literal, read);
      this.readsBy[read.reader]!.push(read);
    }
    for (const order of orders) {
      this.#orders.add(order.literal, order);
      this.ordersOf[order.piece]!.push(order);
    }
  }

  /** What holds without any literal. */
  start(): FromReadEdge[] {
    return this.hold(0);
  }

  heldOrdersOf(piece: number): readonly GuardedOrder[] {
    return this.#heldOrders[piece]!;
  }

  hold(literal: Literal): FromReadEdge[] {
    const found: FromReadEdge[] = [];
    for (const read of this.#reads.of(literal)) {
      this.#heldReads[read.piece]!.push(read);
      for (const order of this.#heldOrders[read.piece]!) this.#join(read, order, found);
    }
    for (const order of this.#orders.of(literal)) {
      this.#heldOrders[order.piece]!.push(order);
      for (const read of this.#heldReads[order.piece]!) this.#join(read, order, found);
    }
    return found;
  }

  /** A locked update is no reader of what comes before itself. */
  #join(read: GuardedRead, order: GuardedOrder, found: FromReadEdge[]): void {
    if (read.reader === order.later) return;
    const because = [read.literal, order.literal].filter((literal) => literal !== 0);
    found.push([read.reader, order.later, because]);
  }

  release(literal: Literal): void {
    for (const read of this.#reads.of(literal)) this.#heldReads[read.piece]!.pop();
    for (const order of this.#orders.of(literal)) this.#heldOrders[order.piece]!.pop();
  }
}
