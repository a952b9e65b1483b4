/**
 * Small random programs as functions of one binary: up to three threads over a few words, and a function that looks at some of them after
 * a crash. What is hard for a proof comes often: each of `features` in a good third of the programs.
 */
import { below, pick, type RandomState } from "../../src/base/index.ts";

export const features = [
  "a conditional fence",
  "a compare-and-swap",
  "a shared line",
  "an address from a load",
  "a loop of two rounds",
  "a recovery that writes",
  "an access of another size",
] as const;
export type Feature = (typeof features)[number];

export interface RandomCode {
  readonly threads: readonly string[];
  readonly recover: string;
  readonly source: string;
  readonly has: ReadonlySet<Feature>;
}

const flushes = ["_mm_clflush", "_mm_clflushopt", "_mm_clwb"] as const;

export function randomCode(random: RandomState, number: number): RandomCode {
  return new CodeDraw(random, number).run();
}

class CodeDraw {
  readonly #random: RandomState;
  readonly #number: number;
  readonly #has: Set<Feature>;
  readonly #words: string[];

  constructor(random: RandomState, number: number) {
    this.#random = random;
    this.#number = number;
    this.#has = new Set(features.filter(() => below(random, 5) < 2));
    const stride = this.#has.has("a shared line") ? 1 : 8;
    this.#words = [0, 1, 2].map((index) => `page${number}[${index * stride}]`);
  }

  run(): RandomCode {
    const number = this.#number;
    const wanted = [...this.#has].filter((feature) => feature in this.#statements);
    const count = 1 + below(this.#random, 10 > number % 20 ? 2 : 3);
    const bodies = Array.from({ length: count }, (): string[] => this.#some(count === 3 ? 2 : 3, () => this.#plain()));
    for (const feature of wanted) {
      const body = pick(this.#random, bodies);
      body.splice(below(this.#random, body.length + 1), 0, this.#statements[feature]!());
    }
    const threads = bodies.map((body, thread) => [
      `void t${number}_${thread}(void) {`,
      "  uint64_t r = 0;",
      ...body,
      "  (void)r;",
      "}",
    ]);
    const recover = [`int after${number}(void) {`, ...this.#recovery(), "}"];
    return {
      threads: bodies.map((_, thread) => `t${number}_${thread}`),
      recover: `after${number}`,
      source: [
        `static volatile uint64_t page${number}[64] __attribute__((aligned(4096)));`,
        ...threads.flat(),
        ...recover,
      ].join("\n"),
      has: this.#has,
    };
  }

  readonly #statements: Readonly<Partial<Record<Feature, () => string>>> = {
    "a conditional fence": () =>
      `  r = ${this.#word()}; if (r ${pick(this.#random, ["==", "!="])} ${this.#value()}) { ${this.#flush()} ${this.#fence()} }`,
    "a compare-and-swap": () =>
      below(this.#random, 3) === 0
        ? `  r = __atomic_fetch_add(&${this.#word()}, 1, __ATOMIC_SEQ_CST);`
        : `  __atomic_compare_exchange_n(&${this.#word()}, &r, ${this.#value()}, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);`,
    "an address from a load": () =>
      `  r = ${this.#word()}; page${this.#number}[(r & 1) * 8] = ${this.#value()};` +
      (below(this.#random, 2) === 0 ? "" : ` _mm_clflush((const void *)&page${this.#number}[(r & 1) * 8]);`),
    "a loop of two rounds": () =>
      `  for (int round = 0; round < 2; round++) { ${this.#plain().trim()} ${this.#plain().trim()} }`,
    "an access of another size": () =>
      below(this.#random, 2) === 0
        ? `  ${this.#half()} = ${this.#value()};`
        : `  r = ${this.#half()}; ${this.#word()} = r;`,
  };

  #plain(): string {
    const statements = [
      () => `  ${this.#word()} = ${this.#value()};`,
      () => `  ${this.#word()} = ${this.#value()};`,
      () => `  ${this.#word()} = r;`,
      () => `  r = ${this.#word()};`,
      () => `  r = ${this.#word()}; if (r == ${this.#value()}) ${this.#word()} = ${this.#value()};`,
      () => `  ${this.#flush()}`,
      () => `  ${this.#flush()} ${this.#fence()}`,
    ];
    return pick(this.#random, statements)();
  }

  #recovery(): string[] {
    const repair = this.#has.has("a recovery that writes")
      ? [
          `  if (${this.#word()} == ${this.#value()}) ${below(this.#random, 4) === 0 ? this.#half() : this.#word()} = ${this.#value()};`,
        ]
      : [];
    const operand = () =>
      this.#has.has("an access of another size") && below(this.#random, 3) === 0 ? this.#half() : this.#word();
    const conditions = Array.from({ length: 2 + below(this.#random, 2) }, () => `${operand()} == ${this.#value()}`);
    return [...repair, `  return ${conditions.join(" && ")};`];
  }

  #some(most: number, make: () => string): string[] {
    return Array.from({ length: 1 + below(this.#random, most) }, make);
  }

  #word(): string {
    return pick(this.#random, this.#words);
  }

  #half(): string {
    return `((volatile uint32_t *)&${this.#word()})[${below(this.#random, 2)}]`;
  }

  #value(): number {
    return below(this.#random, 3);
  }

  #flush(): string {
    return `${pick(this.#random, flushes)}((void *)&${this.#word()});`;
  }

  #fence(): string {
    return pick(this.#random, ["_mm_sfence();", "_mm_sfence();", "_mm_mfence();"]);
  }
}

export const randomSource = (programs: readonly RandomCode[]): string =>
  [
    "#include <immintrin.h>",
    "#include <stdint.h>",
    ...programs.map(({ source }) => source),
    "int main(void) { return 0; }",
    "",
  ].join("\n");
