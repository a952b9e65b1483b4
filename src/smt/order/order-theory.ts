/**
 * The theory of order: which of a graph's edges hold follows from literals, and a cycle contradicts them (after He, Sun and Fan,
 * "Satisfiability modulo Ordering Consistency Theory", 2021, with from-reads, and with what recovery saw). Always:
 * - What holds after `assign` and `pop` depends on the literals that hold, not on the way there.
 * - An edge has as many supports as there are reasons for it; each is added and taken back alone.
 */
import type { Consequence, Literal, Theory } from "../theory.ts";
import { AcyclicGraph } from "./acyclic.ts";
import { fewestReasons } from "./fewest.ts";
import { Forced } from "./forced.ts";
import { GuardedEdges } from "./guarded.ts";
import { WaysTo } from "./observed.ts";
import type { OrderProblem } from "./problem.ts";
import { Rereads } from "./rereads.ts";

interface Level {
  readonly literals: number;
  readonly edges: number;
  readonly steps: number;
  readonly joined: number;
}

export interface OrderOptions {
  /** Literals that would close a cycle are ruled out before they are decided. */
  readonly eager: boolean;
}

export class OrderTheory implements Theory {
  readonly atoms: number;
  readonly #problem: OrderProblem;
  readonly #graph: AcyclicGraph;
  readonly #edges: GuardedEdges;
  readonly #steps: GuardedEdges;
  readonly #rereads: Rereads;
  readonly #ways: WaysTo | undefined;
  readonly #forced: Forced | undefined = undefined;
  /** Reasons of the graph's edges, by number, and of the steps. */
  readonly #reasons: (readonly Literal[])[] = [];
  readonly #stepReasons: (readonly Literal[])[] = [];
  readonly #unseen: readonly Literal[][];
  readonly #unseenNode: ReadonlyMap<Literal, readonly number[]>;
  /** 1 holds, -1 does not, 0 undecided. */
  readonly #value: Int8Array;
  readonly #trail: Literal[] = [];
  readonly #levels: Level[] = [];
  #due: Consequence[] = [];
  #contradicted = false;

  constructor(problem: OrderProblem, { eager }: OrderOptions = { eager: true }) {
    this.atoms = problem.atoms;
    this.#problem = problem;
    this.#graph = new AcyclicGraph(problem.nodes);
    this.#edges = new GuardedEdges(problem.atoms, problem.edges);
    this.#steps = new GuardedEdges(problem.atoms, problem.steps);
    this.#rereads = new Rereads(problem);
    this.#ways = problem.seen === undefined ? undefined : new WaysTo(problem.nodes, problem.seen);
    this.#value = new Int8Array(problem.atoms + 1);
    this.#unseen = Array.from({ length: problem.nodes }, () => []);
    const nodes = new Map<Literal, number[]>();
    for (const { node, literal } of problem.unseen) {
      this.#unseen[node]!.push(literal);
      nodes.set(literal, [...(nodes.get(literal) ?? []), node]);
    }
    this.#unseenNode = nodes;
    for (const edge of this.#edges.static()) this.#addEdge(problem.edges[edge]!.from, problem.edges[edge]!.to, []);
    for (const [from, to, because] of this.#rereads.start()) this.#relate(from, to, because);
    for (const step of this.#steps.static()) this.#addStep(step);
    this.#assume(0);
    // Edges that always hold force nothing: what they alone rule out is no atom to begin with.
    if (eager) this.#forced = new Forced(problem, this.#graph, this.#edges, this.#rereads);
  }

  push(): void {
    this.#levels.push({
      literals: this.#trail.length,
      edges: this.#graph.count,
      steps: this.#ways?.edges ?? 0,
      joined: this.#ways?.joined ?? 0,
    });
  }

  pop(levels: number): void {
    const [level] = this.#levels.splice(this.#levels.length - levels);
    if (level === undefined) return;
    while (this.#trail.length > level.literals) this.#release(this.#trail.pop()!);
    this.#graph.shrinkTo(level.edges);
    this.#reasons.length = level.edges;
    this.#ways?.shrinkTo(level.steps, level.joined);
    this.#stepReasons.length = level.steps;
    this.#due = [];
    this.#contradicted = false;
  }

  assign(literal: Literal): void {
    this.#trail.push(literal);
    this.#value[Math.abs(literal)] = literal > 0 ? 1 : -1;
    this.#edges.hold(literal, (edge) => {
      const { from, to } = this.#problem.edges[edge]!;
      this.#addEdge(from, to, this.#edges.reasons[edge]!);
    });
    for (const [from, to, because] of this.#rereads.hold(literal)) this.#relate(from, to, because);
    this.#steps.hold(literal, (step) => this.#addStep(step));
    this.#assume(literal);
  }

  next(): Consequence | undefined {
    return this.#due.shift();
  }

  #release(literal: Literal): void {
    this.#value[Math.abs(literal)] = 0;
    this.#edges.release(literal);
    this.#rereads.release(literal);
    this.#steps.release(literal);
  }

  /** Contradictions go before everything else, and nothing is looked for after one. */
  #contradict(because: readonly Literal[]): void {
    if (this.#contradicted) return;
    this.#contradicted = true;
    this.#due = [{ because: [...new Set(because)], implied: 0 }];
  }

  #relate(reader: number, store: number, because: readonly Literal[]): void {
    const relation = this.#problem.fromRead(reader, store);
    if (relation === "impossible") this.#contradict(because);
    else if (relation === "edge") this.#addEdge(reader, store, because);
  }

  #addEdge(from: number, to: number, because: readonly Literal[]): void {
    if (this.#contradicted) return;
    if (!this.#graph.add(from, to)) {
      this.#contradict([...because, ...this.#reasonsBetween(to, from)]);
      return;
    }
    this.#reasons.push(because);
    if (this.#forced === undefined) return;
    for (const { literal, from: start, to: end, because: others } of this.#forced.after(from, to, this.#value))
      this.#due.push({ because: [...new Set([...others, ...this.#reasonsBetween(end, start)])], implied: literal });
  }

  #reasonsBetween(from: number, to: number): Literal[] {
    if (from === to) return [];
    const way = fewestReasons(this.#graph, from, to, (edge) => this.#reasons[edge]!.length) ?? [];
    return way.flatMap((edge) => this.#reasons[edge]!);
  }

  #addStep(step: number): void {
    if (this.#ways === undefined || this.#contradicted) return;
    const { from, to } = this.#problem.steps[step]!;
    const before = this.#ways.joined;
    this.#stepReasons.push(this.#steps.reasons[step]!);
    this.#ways.add(from, to);
    for (let at = before; at < this.#ways.joined && !this.#contradicted; at++) this.#see(this.#ways.joinedAt(at));
  }

  /** A node is seen: who says that it is unseen is wrong. */
  #see(node: number): void {
    for (const literal of this.#unseen[node]!) {
      if (this.#holds(literal)) this.#contradict([...this.#wayOf(node), literal]);
      else if (literal === 0 || this.#value[Math.abs(literal)] === 0)
        this.#due.push({ because: this.#wayOf(node), implied: -literal });
    }
  }

  /** A literal that says nodes are unseen holds. */
  #assume(literal: Literal): void {
    for (const node of this.#unseenNode.get(literal) ?? [])
      if (this.#ways?.has(node) === true) this.#contradict([...this.#wayOf(node), ...(literal === 0 ? [] : [literal])]);
  }

  #wayOf(node: number): Literal[] {
    return [...new Set((this.#ways?.wayFrom(node) ?? []).flatMap((edge) => this.#stepReasons[edge]!))];
  }

  #holds(literal: Literal): boolean {
    return literal === 0 || this.#value[Math.abs(literal)] === Math.sign(literal);
  }
}
