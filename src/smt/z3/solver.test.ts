/** Terms, their simplification and Z3 against the plainest evaluation, at widths where everything can be tried. */
import { beforeAll, describe, expect, test } from "vitest";
import { below, pick, type RandomState, seedRandom } from "../../base/index.ts";
import {
  type Arithmetic,
  arithmetic,
  evaluateTerm,
  held,
  meanings,
  type StartSolver,
  startZ3,
  type Term,
  Terms,
} from "../index.ts";

const SEED = 2041;
const WIDTH = 3;

let start: StartSolver;
beforeAll(async () => {
  start = await startZ3();
});

/** A term, and what it is worth by a reading of its own that knows no simplification. */
interface Pair {
  readonly term: Term;
  readonly worth: (values: readonly bigint[]) => bigint;
}

const operators = Object.keys(arithmetic) as Arithmetic[];

function randomVector(terms: Terms, random: RandomState, depth: number): Pair {
  const choice = depth === 0 ? below(random, 2) : below(random, 7);
  const inner = () => randomVector(terms, random, depth - 1);
  if (choice === 0) {
    const index = below(random, 2);
    return { term: terms.variable(WIDTH, `v${index}`), worth: (values) => values[index]! };
  }
  if (choice === 1) {
    const value = BigInt(below(random, 1 << WIDTH));
    return { term: terms.constant(WIDTH, value), worth: () => value };
  }
  const [a, b] = [inner(), inner()];
  if (choice < 5) {
    const op = pick(random, operators);
    const worth = (values: readonly bigint[]) => held(WIDTH, meanings[op]([a.worth(values), b.worth(values)], WIDTH));
    return { term: terms.compute(op, a.term, b.term), worth };
  }
  if (choice === 5) {
    const low = below(random, WIDTH);
    const width = 1 + below(random, WIDTH - low);
    const kind = pick(random, ["extend", "extendSigned"] as const);
    const term = terms.extend(terms.extract(terms.concat(a.term, b.term), WIDTH + low, width), WIDTH, kind);
    const bits = (values: readonly bigint[]) => held(width, a.worth(values) >> BigInt(low));
    return {
      term,
      worth: (values) => held(WIDTH, kind === "extend" ? bits(values) : BigInt.asIntN(width, bits(values))),
    };
  }
  const condition = randomTruth(terms, random, depth - 1);
  return {
    term: terms.choose(condition.term, a.term, b.term),
    worth: (values) => (condition.worth(values) === 1n ? a : b).worth(values),
  };
}

function randomTruth(terms: Terms, random: RandomState, depth: number): Pair {
  if (depth <= 0 || below(random, 3) === 0) {
    const [a, b] = [randomVector(terms, random, depth), randomVector(terms, random, depth)];
    const op = pick(random, ["equal", "below", "belowSigned"] as const);
    const worth = (values: readonly bigint[]) => meanings[op]([a.worth(values), b.worth(values)], WIDTH);
    return { term: terms.compare(op, a.term, b.term), worth };
  }
  const parts = Array.from({ length: 2 + below(random, 2) }, () => randomTruth(terms, random, depth - 1));
  if (below(random, 4) === 0)
    return { term: terms.not(parts[0]!.term), worth: (values) => 1n - parts[0]!.worth(values) };
  const op = pick(random, ["and", "or"] as const);
  const worth = (values: readonly bigint[]) =>
    meanings[op](
      parts.map((part) => part.worth(values)),
      1,
    );
  return { term: terms[op](...parts.map(({ term }) => term)), worth };
}

const everyPair = Array.from({ length: 1 << (2 * WIDTH) }, (_, index) => [
  BigInt(index & ((1 << WIDTH) - 1)),
  BigInt(index >> WIDTH),
]);

describe(`random terms (seed ${SEED})`, () => {
  test("simplifying changes no value", () => {
    const random = seedRandom(SEED);
    for (let round = 0; round < 400; round++) {
      const terms = new Terms();
      const { term, worth } = randomTruth(terms, random, 4);
      for (const values of everyPair)
        expect(evaluateTerm(term, ({ name }) => values[Number(name.slice(1))]!)).toBe(worth(values));
    }
  });

  test("Z3 says what trying everything says, and its values hold", () => {
    const random = seedRandom(SEED + 1);
    let unsatisfiable = 0;
    for (let round = 0; round < 120; round++) {
      const terms = new Terms();
      const { term, worth } = randomTruth(terms, random, 4);
      const known = everyPair.some((values) => worth(values) === 1n);
      const solver = start();
      solver.assert(term);
      expect(solver.check()).toBe(known ? "satisfiable" : "unsatisfiable");
      if (known) {
        const values = [0, 1].map((index) => solver.value(terms.variable(WIDTH, `v${index}`)));
        expect(worth(values)).toBe(1n);
        expect(solver.value(term)).toBe(1n);
      } else unsatisfiable++;
      solver.dispose();
    }
    expect(unsatisfiable).toBeGreaterThan(5);
  });
});

describe("a theory of our own inside Z3", () => {
  /** At most two of the atoms may hold. */
  class AtMostTwo {
    readonly atoms: number;
    readonly #held: number[] = [];
    readonly #levels: number[] = [];
    told = 0;
    constructor(atoms: number) {
      this.atoms = atoms;
    }
    push(): void {
      this.#levels.push(this.#held.length);
    }
    pop(levels: number): void {
      for (let level = 0; level < levels; level++) this.#held.length = this.#levels.pop()!;
    }
    assign(literal: number): void {
      this.told++;
      if (literal > 0) this.#held.push(literal);
    }
    next() {
      return this.#held.length > 2 ? { because: this.#held.slice(0, 3), implied: 0 } : undefined;
    }
  }

  test.each([2, 3])("at least %i of six, at most two", (least) => {
    const terms = new Terms();
    const atoms = Array.from({ length: 6 }, (_, index) => terms.variable("bool", `a${index}`));
    const theory = new AtMostTwo(6);
    const solver = start({ theory, atoms });
    const counted = atoms.reduce((sum, atom) => terms.compute("add", sum, terms.bit(atom, 4)), terms.constant(4, 0n));
    solver.assert(terms.not(terms.compare("below", counted, terms.constant(4, BigInt(least)))));
    let solutions = 0;
    while (solver.check() === "satisfiable") {
      const held = atoms.map((atom) => solver.value(atom));
      expect(held.filter((value) => value === 1n)).toHaveLength(2);
      solver.assert(terms.or(...atoms.map((atom, index) => (held[index] === 1n ? terms.not(atom) : atom))));
      solutions++;
    }
    expect(solutions).toBe(least === 2 ? 15 : 0);
    expect(theory.told).toBeGreaterThan(0);
    solver.dispose();
  });

  test("an error inside a callback comes out of the check", () => {
    const terms = new Terms();
    const atom = terms.variable("bool", "a");
    const theory = new AtMostTwo(1);
    theory.assign = () => {
      throw new Error("from inside");
    };
    const solver = start({ theory, atoms: [atom] });
    solver.assert(atom);
    expect(() => solver.check()).toThrow("from inside");
    solver.dispose();
  });
});
