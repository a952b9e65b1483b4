/** A random program: sections that work one after another or at once, on pools with a history, and up to two mistakes of some kind. */
import { below, pick, type RandomState, seedRandom } from "../../src/base/index.ts";
import type { Field, Node, Pool, Program, Rule, Step, Word } from "./program.ts";
import { makeSection, type Section, type SectionKind, sectionKinds, sectionLines } from "./sections.ts";

export interface Made {
  readonly program: Program;
  /** What is in it, for who wants some of each. */
  readonly kinds: readonly string[];
}

const often = (random: RandomState, percent: number): boolean => below(random, 100) < percent;

export function makeProgram(seed: number): Made {
  const random = seedRandom(seed);
  const pools = Array.from({ length: often(random, 25) ? 2 : 1 }, () => makePool(random));
  const kinds: SectionKind[] = [pick(random, sectionKinds)];
  if (often(random, 40))
    kinds.push(
      pick(
        random,
        sectionKinds.filter((kind) => kind !== "magic"),
      ),
    );
  const fields: Field[] = [];
  const sections = kinds.map((kind, number) => {
    // Of a pool's two pages either may be used.
    const firstLine = number * sectionLines + (often(random, 30) ? 64 : 0);
    const section = makeSection(random, kind, number, fields.length, below(random, pools.length), firstLine);
    fields.push(...section.fields);
    return section;
  });
  const marks: string[] = [...kinds];
  const acknowledged = pick(random, ["write", "write", "write", "printf", "side", "none"] as const);
  const promise = (section: Section, number: number): Rule[] =>
    section.promised === undefined || acknowledged === "none" || (number > 0 && section.isOnce)
      ? []
      : [
          {
            section: number,
            test: "ahead",
            left: acknowledged === "side" ? "side" : "acknowledged",
            right: section.promised,
            how: pick(random, ["exit", "exit", "abort", "hang"] as const),
          },
        ];
  const promises = sections
    .flatMap(promise)
    .filter(({ section }) => !sections[section]!.isOnce || sections.length === 1);
  const rounds = sections.some(({ isOnce }) => isOnce) ? 1 : 1 + below(random, 2);
  const nodes = arrange(random, { sections, pools, rounds, acknowledged, marks });
  const rules = [...sections.flatMap((section) => section.rules), ...promises];
  const program: Program = {
    ...{ language: often(random, 12) ? "c++" : "c", pools, fields, rules },
    repairs: sections.flatMap((section) => section.repairs),
    isSplit: often(random, 25) && sections.some((section) => section.repairs.length > 0),
    own: pick(random, ["right", "right", "right", "no fence", "first line"] as const),
    nodes,
  };
  const mistakes = pick(random, [0, 1, 1, 1, 2]);
  const made = Array.from({ length: mistakes }).reduce<Program>((before) => mistaken(before, random), program);
  return {
    program: made,
    kinds: [
      ...marks,
      program.language,
      `ack ${acknowledged}`,
      ...pools.flatMap(({ named, made: when }) => [named, `made ${when}`]),
      ...(program.isSplit ? ["split"] : []),
    ],
  };
}

function makePool(random: RandomState): Pool {
  const made = often(random, 25) ? "before" : "run";
  const named = pick(random, ["plain", "plain", "plain", "renamed", "linked", "symlinked"] as const);
  return { made, named: made === "before" && named !== "symlinked" ? "plain" : named };
}

interface Plan {
  readonly sections: readonly Section[];
  readonly pools: readonly Pool[];
  readonly rounds: number;
  readonly acknowledged: "write" | "printf" | "side" | "none";
  readonly marks: string[];
}

function arrange(random: RandomState, { sections, pools, rounds, acknowledged, marks }: Plan): Node[] {
  const nodes: Node[] = [];
  const isLate = pools.map(() => often(random, 20));
  const first = (pool: number): Node => ({ kind: "map", pool, how: "first" });
  const mapped = new Set<number>();
  const mapOnce = (pool: number) => {
    if (!mapped.has(pool)) nodes.push(first(pool));
    mapped.add(pool);
  };
  for (const [pool, late] of isLate.entries()) if (!late) mapOnce(pool);
  const touch = (section: Section) => mapOnce(section.fields[0]!.pool);
  const publish = () => {
    for (const [pool, { named }] of pools.entries())
      if (named === "renamed" || named === "linked") nodes.push({ kind: "publish", pool });
  };
  const promise = (): Node[] =>
    acknowledged === "none"
      ? []
      : acknowledged === "side"
        ? [{ kind: "side", value: { more: 0 } }]
        : [{ kind: "acknowledge", how: acknowledged }];
  const isParallel = sections.length > 1 && often(random, 20);
  const whole = sections.flatMap(({ round }) => round);
  const publishesFirst = often(random, 50);
  if (isParallel) {
    marks.push("parallel");
    for (const section of sections) touch(section);
    if (publishesFirst) publish();
    nodes.push({ kind: "parallel", bodies: sections.map(({ round }) => round) }, ...promise());
  } else if (rounds > 1 && often(random, 50)) {
    marks.push("loop");
    for (const section of sections) touch(section);
    if (publishesFirst) publish();
    nodes.push({ kind: "block", how: "loop", rounds, body: [...whole, ...promise()] });
  } else {
    if (publishesFirst) publish();
    for (let round = 1; round <= rounds; round++) {
      for (const section of sections) {
        touch(section);
        const steps = section.round.map((node) => atRound(node, round));
        nodes.push(...wrapped(random, again(random, section, steps, marks), marks));
      }
      nodes.push(...promise().map((node) => atRound(node, round)));
      if (round === 1 && !publishesFirst) publish();
    }
  }
  if (!publishesFirst && (isParallel || !nodes.some(({ kind }) => kind === "publish"))) publish();
  return joined(random, nodes, marks);
}

const atRound = (node: Node, round: number): Node => {
  if (!("value" in node) || typeof node.value === "number") return node;
  return { ...node, value: round + node.value.more };
};

/** Steps in a function of their own, or in a thread's. */
function wrapped(random: RandomState, steps: readonly Node[], marks: string[]): readonly Node[] {
  const how = pick(random, ["call", "thread", "none", "none"] as const);
  if (how === "none") return steps;
  marks.push(how);
  return [{ kind: "block", how, rounds: 1, body: steps }];
}

/** Now and then the pool is mapped once more, between any two steps. */
function again(random: RandomState, { fields }: Section, steps: readonly Node[], marks: string[]): readonly Node[] {
  if (!often(random, 18)) return steps;
  const how = pick(random, ["over", "part", "anew", "second"] as const);
  marks.push(`map ${how}`);
  const at = 1 + below(random, steps.length);
  return [...steps.slice(0, at), { kind: "map", pool: fields[0]!.pool, how }, ...steps.slice(at)];
}

/** Some stores and flushes share a line of source with what comes before. */
function joined(random: RandomState, nodes: readonly Node[], marks: string[]): Node[] {
  const isShared = often(random, 25);
  if (isShared) marks.push("joined");
  const visit = (node: Node, at: number, row: readonly Node[]): Node => {
    if (node.kind === "block") return { ...node, body: node.body.map(visit) };
    if (node.kind === "parallel") return { ...node, bodies: node.bodies.map((body) => body.map(visit)) };
    const before = row[at - 1];
    const mayJoin =
      before !== undefined &&
      before.kind === "store" &&
      (node.kind === "store" || node.kind === "flush" || node.kind === "persist");
    return isShared && mayJoin && often(random, 40) ? { ...node, joined: true } : node;
  };
  return nodes.map(visit);
}

/** One step is left out, comes too early, or is of something else. What is mapped and named stays where it is. */
export function mistaken(program: Program, random: RandomState): Program {
  const rows = rowsOf(program.nodes);
  const row = rows[below(random, rows.length)]!;
  const at = below(random, row.length);
  const [one, next] = [row[at]!, row[at + 1]];
  const isFixed = ({ kind }: Node) => kind === "map" || kind === "block" || kind === "parallel";
  if (isFixed(one)) return program;
  const changed = (replacement: readonly Node[], count: number): Program => ({
    ...program,
    nodes: replaceRow(program.nodes, row, [...row.slice(0, at), ...replacement, ...row.slice(at + count)]),
  });
  const isNeeded =
    one.kind === "store" ||
    one.kind === "fill" ||
    one.kind === "acknowledge" ||
    one.kind === "side" ||
    one.kind === "publish";
  const way = below(random, 3);
  if (way === 0 && !isNeeded) return changed([], 1);
  if (way === 1 && (one.kind === "flush" || one.kind === "persist"))
    return changed([ofAnother(program, one, random)], 1);
  if (next === undefined || isFixed(next)) return program;
  return changed([{ ...next, joined: false } as Node, { ...one, joined: false } as Node], 2);
}

function ofAnother(program: Program, step: Node & (Step & { kind: "flush" | "persist" }), random: RandomState): Node {
  const { section, pool } = program.fields[step.word.field]!;
  const others = program.fields.flatMap((field, at) => (field.section === section && field.pool === pool ? [at] : []));
  const word: Word = { field: pick(random, others), index: 0 };
  return { ...step, word };
}

/** Every list of steps, the outermost first. */
export function rowsOf(nodes: readonly Node[]): (readonly Node[])[] {
  const inner = nodes.flatMap((node) =>
    node.kind === "block"
      ? rowsOf(node.body)
      : node.kind === "parallel"
        ? node.bodies.flatMap((body) => rowsOf(body))
        : [],
  );
  return [nodes, ...inner].filter(({ length }) => length > 0);
}

export function replaceRow(nodes: readonly Node[], row: readonly Node[], by: readonly Node[]): readonly Node[] {
  if (nodes === row) return by;
  return nodes.map((node) => {
    if (node.kind === "block") return { ...node, body: replaceRow(node.body, row, by) };
    if (node.kind === "parallel") return { ...node, bodies: node.bodies.map((body) => replaceRow(body, row, by)) };
    return node;
  });
}
