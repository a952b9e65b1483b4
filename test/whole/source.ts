/**
 * Programs as one source in C or C++: `whole N PREFIX` runs the one of that number, `whole N PREFIX setup` makes its pools,
 * `whole N PREFIX check` is its recovery, `repair` the half of it that writes, `judge` the other half.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  type Block,
  type Field,
  isWord,
  type Node,
  type Program,
  poolBytes,
  type Rule,
  type Step,
  type Term,
  type Value,
  type Word,
} from "./program.ts";
import { isSetUp } from "./twin.ts";

const head = readFileSync(join(import.meta.dirname, "head.c"), "utf8")
  .split("\n")
  .slice(0, -1);

export interface Written {
  readonly text: string;
  /** Of each program, the steps on each line of the source. */
  readonly steps: readonly ReadonlyMap<number, readonly Node[]>[];
}

export function sourceOf(programs: readonly Program[]): Written {
  const text = [...head];
  const steps = programs.map((program, number) => new Writer(text, program, number).write());
  const table = (kind: string) => programs.map((_, number) => `${kind}${number}`).join(", ");
  text.push(
    `static void (*const runs[])(void) = { ${table("run")} };`,
    `static void (*const setups[])(void) = { ${table("setup")} };`,
    `static int (*const repairs[])(void) = { ${table("repair")} };`,
    `static int (*const checks[])(void) = { ${table("check")} };`,
    `static int (*const judges[])(void) = { ${table("judge")} };`,
    "int main(int argc, char **argv) {",
    "  int n = atoi(argv[1]);",
    "  prefix = argv[2];",
    "  if (argc > 3 && argv[3][0] == 's') { setups[n](); return 0; }",
    "  char what = argc > 3 ? argv[3][0] : 0;",
    "  if (what) { look(); return what == 'r' ? repairs[n]() : what == 'j' ? judges[n]() : checks[n](); }",
    "  side = open(prefix, O_RDWR | O_CREAT, 0600);",
    "  runs[n]();",
    "  return 0;",
    "}",
  );
  return { text: `${text.join("\n")}\n`, steps };
}

const typeOf = ({ size }: Field): string => `uint${size * 8}_t`;
const valueText = (value: Value): string =>
  typeof value === "number"
    ? `${value}`
    : value.more === 0
      ? "round"
      : `round ${value.more < 0 ? "-" : "+"} ${Math.abs(value.more)}`;

class Writer {
  readonly #text: string[];
  readonly #program: Program;
  readonly #number: number;
  readonly #steps = new Map<number, Node[]>();
  #functions = 0;

  constructor(text: string[], program: Program, number: number) {
    this.#text = text;
    this.#program = program;
    this.#number = number;
  }

  write(): ReadonlyMap<number, readonly Node[]> {
    const { pools, nodes } = this.#program;
    for (const pool of pools.keys()) this.#struct(pool);
    this.#helper();
    const run = this.#body(nodes);
    const setUp = pools.flatMap((_, pool) => this.#magics(pool));
    this.#function(`void setup${this.#number}(void)`, setUp);
    this.#function(`void run${this.#number}(void)`, [
      "enum { round = 1 };",
      ...pools.flatMap((_, pool) => this.#opened(pool)),
      ...run,
    ]);
    this.#recovery();
    return this.#steps;
  }

  /** A line, or a step's line, which is remembered. */
  #function(head: string, lines: readonly (string | { readonly text: string; readonly step: Node })[]): void {
    this.#text.push(`static ${head} {`);
    for (const line of lines) {
      if (typeof line === "string") this.#text.push(`  ${line}`);
      else if (isJoined(line.step) && this.#steps.has(this.#text.length)) {
        this.#text[this.#text.length - 1] += ` ${line.text}`;
        this.#steps.get(this.#text.length)!.push(line.step);
      } else this.#steps.set(this.#text.push(`  ${line.text}`), [line.step]);
    }
    this.#text.push("}");
  }

  #struct(pool: number): void {
    const fields = this.#program.fields.filter((field) => field.pool === pool).sort((a, b) => a.at - b.at);
    const lines: string[] = [];
    let at = 0;
    const groupOf = ({ bits, name }: Field) => bits?.group ?? name;
    for (const group of new Set(fields.map(groupOf))) {
      const inGroup = fields.filter((field) => groupOf(field) === group);
      const [first] = inGroup;
      if (first!.at > at) lines.push(`char gap${at}[${first!.at - at}];`);
      const members = inGroup.sort((a, b) => (a.bits?.shift ?? 0) - (b.bits?.shift ?? 0));
      lines.push(
        first!.bits === undefined
          ? `${typeOf(first!)} ${group}${first!.count > 1 ? `[${first!.count}]` : ""};`
          : `struct { ${members.map(({ name, bits }) => `uint32_t ${name} : ${bits!.width};`).join(" ")} } ${group};`,
      );
      at = first!.at + first!.size * first!.count;
    }
    if (at < poolBytes) lines.push(`char gap${at}[${poolBytes - at}];`);
    const type = this.#name(pool);
    this.#text.push(`struct ${type} {`, ...lines.map((line) => `  ${line}`), "} __attribute__((aligned(64)));");
    this.#text.push(`static volatile struct ${type} *${type};`);
  }

  #name(pool: number): string {
    return `p${this.#number}${["a", "b"][pool]}`;
  }

  #helper(): void {
    const { own } = this.#program;
    const loop = "for (uintptr_t at = (uintptr_t)p & ~63ul; at < (uintptr_t)p + n; at += 64) _mm_clwb((void *)at);";
    const flushes = own === "first line" ? "_mm_clwb((void *)p); (void)n;" : loop;
    const name = `void own${this.#number}(const volatile void *p, size_t n)`;
    if (this.#program.nodes.some(usesOwn))
      this.#function(name, [flushes, ...(own === "no fence" ? [] : ["_mm_sfence();"])]);
  }

  #magics(pool: number): string[] {
    if (this.#program.pools[pool]!.made !== "before") return [];
    const type = this.#name(pool);
    const magics = this.#program.fields.flatMap((field, at) =>
      field.pool === pool && isSetUp(this.#program, at) ? [`${this.#place({ field: at, index: 0 })} = 1;`] : [],
    );
    return [...this.#opened(pool), `${type} = (volatile struct ${type} *)map(${pool}, 0, 0);`, ...magics];
  }

  #opened(pool: number): string[] {
    const { named, made } = this.#program.pools[pool]!;
    if (named === "symlinked") {
      const link = `symlink(name(${pool}, ".real"), name(${pool}, ""))`;
      return [`make(${pool}, ".real");`, `if (access(name(${pool}, ""), F_OK) && ${link}) exit(9);`];
    }
    return [`make(${pool}, "${named === "plain" || made === "before" ? "" : ".new"}");`];
  }

  #body(nodes: readonly Node[]): (string | { readonly text: string; readonly step: Node })[] {
    return nodes.flatMap((node) => {
      if (node.kind === "block") return this.#block(node);
      if (node.kind !== "parallel") return [{ text: this.#statement(node), step: node }];
      const names = node.bodies.map((body) => this.#named(body, true));
      const made = names.map(
        (name, at) => `if (pthread_create(&thread[${at}], 0, ${name}, (void *)(uintptr_t)round)) exit(9);`,
      );
      return [
        `{ pthread_t thread[${names.length}];`,
        ...made,
        ...names.map((_, at) => `pthread_join(thread[${at}], 0);`),
        "}",
      ];
    });
  }

  #named(body: readonly Node[], isThread = false): string {
    const lines = this.#body(body);
    const name = `part${this.#number}_${++this.#functions}`;
    if (isThread)
      this.#function(`void *${name}(void *given)`, [
        "uint64_t round = (uintptr_t)given;",
        "(void)round;",
        ...lines,
        "return 0;",
      ]);
    else this.#function(`void ${name}(uint64_t round)`, ["(void)round;", ...lines]);
    return name;
  }

  #block(block: Block): (string | { readonly text: string; readonly step: Node })[] {
    const name = this.#named(block.body, block.how === "thread");
    if (block.how === "call") return [{ text: `${name}(round);`, step: block }];
    if (block.how === "loop")
      return [{ text: `for (uint64_t round = 1; round <= ${block.rounds}; round++) ${name}(round);`, step: block }];
    return [
      "{ pthread_t thread;",
      { text: `if (pthread_create(&thread, 0, ${name}, (void *)(uintptr_t)round)) exit(9);`, step: block },
      "pthread_join(thread, 0); }",
    ];
  }

  /** What can be assigned to, and what has an address. */
  #place({ field, index }: Word): string {
    const { name, pool, bits, count } = this.#program.fields[field]!;
    return `${this.#name(pool)}->${bits === undefined ? "" : `${bits.group}.`}${name}${count > 1 ? `[${index}]` : ""}`;
  }
  #object(word: Word): string {
    const { pool, bits } = this.#program.fields[word.field]!;
    return bits === undefined ? this.#place(word) : `${this.#name(pool)}->${bits.group}`;
  }

  #statement(step: Step): string {
    switch (step.kind) {
      case "store":
        return this.#store(step);
      case "fill":
        return `for (int i = 0; i < ${this.#program.fields[step.field]!.count}; i++) ${this.#place({ field: step.field, index: 0 }).replace("[0]", "[i]")} = ${valueText(step.value)};`;
      case "flush":
        return `_mm_${step.op}((void *)&${this.#object(step.word)});`;
      case "fence":
        return `_mm_${step.op}();`;
      case "persist":
        return this.#persist(step);
      case "acknowledge":
        return step.how === "printf" ? 'printf("done\\n"), fflush(stdout);' : "acknowledge();";
      case "side":
        return `note(${valueText(step.value)});`;
      case "publish":
        return `if (${this.#program.pools[step.pool]!.named === "linked" ? "link" : "rename"}(name(${step.pool}, ".new"), name(${step.pool}, ""))) exit(9);`;
      case "map":
        return this.#map(step);
    }
  }

  #store({ word, value, via }: Step & { kind: "store" }): string {
    const [place, what] = [this.#place(word), valueText(value)];
    if (via === "helper") return `put(&${place}, ${what});`;
    if (via === "exchange") return `__atomic_exchange_n(&${place}, ${what}, __ATOMIC_SEQ_CST);`;
    if (via === "stream") return `_mm_stream_si64((long long *)&${place}, ${what});`;
    return `${place} = ${what};`;
  }

  #persist({ word, how }: Step & { kind: "persist" }): string {
    const object = this.#object(word);
    if (how === "function") return `persist(&${object});`;
    if (how === "macro") return `PERSIST(${object});`;
    const whole = this.#program.fields[word.field]!.count > 1 ? object.replace(/\[\d+\]$/, "") : object;
    return `${how === "own" ? `own${this.#number}` : "persist_range"}(&${whole}, sizeof ${whole});`;
  }

  #map({ pool, how }: Step & { kind: "map" }): string {
    const type = this.#name(pool);
    const mapped = {
      first: `map(${pool}, 0, 0)`,
      over: `map(${pool}, pool[${pool}], 0)`,
      anew: `map_anew(${pool})`,
      second: `map(${pool}, 0, 0)`,
    };
    if (how === "part") return `map(${pool}, (char *)pool[${pool}] + 4096, 4096);`;
    return `pool[${pool}] = ${mapped[how]}; ${type} = (volatile struct ${type} *)pool[${pool}];`;
  }

  #recovery(): void {
    const { pools, repairs, rules } = this.#program;
    const found = pools.map((_, pool) => `${this.#name(pool)} = (volatile struct ${this.#name(pool)} *)pool[${pool}];`);
    const repairing = repairs.map(({ when, set, to }) => {
      const place = this.#place(set);
      return `if (${this.#place(when)}) { ${place} = ${isWord(to) ? this.#place(to) : to}; persist(&${this.#object(set)}); }`;
    });
    this.#function(`int repair${this.#number}(void)`, [...found, ...repairing, "return 0;"]);
    const lines = rules.map((rule, index) => this.#rule(rule, index));
    this.#function(`int judge${this.#number}(void)`, [...found, ...lines, "return 0;"]);
    this.#function(`int check${this.#number}(void)`, [...found, ...repairing, `return judge${this.#number}();`]);
  }

  #rule({ test, left, right, when, how }: Rule, index: number): string {
    const text = (term: Term) =>
      isWord(term)
        ? this.#place(term)
        : term === "acknowledged"
          ? "acknowledged"
          : term === "side"
            ? "noted"
            : `${term}u`;
    const pool = isWord(left) ? this.#program.fields[left.field]!.pool : 0;
    const compared =
      test === "absent"
        ? `!missing[${pool}] && !${text(left)}`
        : `${text(left)} ${test === "ahead" ? ">" : "!="} ${text(right)}`;
    const condition = when === undefined ? compared : `${this.#place(when)} && ${compared}`;
    const said = `fprintf(stderr, "rule ${index} is broken\\n");`;
    const ends = {
      exit: `{ ${said} return 1; }`,
      abort: `{ ${said} abort(); }`,
      fault: "*(volatile int *)8 = 1;",
      early: `{ puts("rule ${index} is broken"); exit(0); }`,
      hang: ";",
    };
    return `${how === "hang" ? "while" : "if"} (${condition}) ${ends[how]}`;
  }
}

const isJoined = (node: Node): boolean => "joined" in node && node.joined === true;

function usesOwn(node: Node): boolean {
  if (node.kind === "block") return node.body.some(usesOwn);
  if (node.kind === "parallel") return node.bodies.flat().some(usesOwn);
  return node.kind === "persist" && node.how === "own";
}
