/**
 * What programs are made of: protocols as people write them, each right. A round of a section stores, makes durable and goes on; its rules
 * are what its recovery would say of it.
 */
import { below, pick, type RandomState } from "../../src/base/index.ts";
import {
  type FailWay,
  type Field,
  type Node,
  type PersistWay,
  poolBytes,
  type Repair,
  type Rule,
  type Step,
  type Value,
  type Word,
} from "./program.ts";

export interface Section {
  readonly kind: SectionKind;
  readonly fields: readonly Field[];
  readonly round: readonly Node[];
  readonly rules: readonly Rule[];
  readonly repairs: readonly Repair[];
  /** What an acknowledgement of a round promises. */
  readonly promised: Word | undefined;
  /** It makes sense once only. */
  readonly isOnce: boolean;
}

/** A section that is being written. */
class Draft {
  readonly fields: Field[] = [];
  readonly rules: Rule[] = [];
  readonly repairs: Repair[] = [];
  readonly #random: RandomState;
  readonly #section: number;
  readonly #firstField: number;
  readonly #pool: number;
  readonly #firstLine: number;
  readonly #taken = new Set<number>();
  readonly #ends: readonly FailWay[];

  constructor(random: RandomState, section: number, firstField: number, pool: number, firstLine: number) {
    this.#random = random;
    this.#section = section;
    this.#firstField = firstField;
    this.#pool = pool;
    this.#firstLine = firstLine;
    // Few recoveries are of one mind only.
    this.#ends = pick(random, [
      ["exit"],
      ["exit"],
      ["exit", "abort"],
      ["hang"],
      ["exit", "hang"],
      ["fault"],
      ["exit", "early"],
    ] as const);
  }

  often(percent: number): boolean {
    return below(this.#random, 100) < percent;
  }
  pick<T>(items: readonly T[]): T {
    return pick(this.#random, items);
  }

  /** Of eight bytes, or fewer, on a line of the section's; `from`, if it has to begin there. */
  field(
    name: string,
    line: number,
    {
      count = 1,
      from,
      size = this.often(80) ? 8 : 4,
    }: Partial<{ count: number; from: number; size: Field["size"] }> = {},
  ): Word {
    let at: number;
    do at = (this.#firstLine + line) * 64 + (from ?? below(this.#random, 64 / size)) * size;
    while (from === undefined && this.#taken.has(at - (at % 8)));
    for (let byte = at; byte < at + size * count; byte += 8) this.#taken.add(byte - (byte % 8));
    this.fields.push({
      name: `${name}${this.#section}`,
      section: this.#section,
      pool: this.#pool,
      at: at % poolBytes,
      size,
      count,
    });
    return { field: this.#firstField + this.fields.length - 1, index: 0 };
  }

  bit(name: string, group: string, line: number, shift: number, width: number): Word {
    const bits = { group: `${group}${this.#section}`, shift, width };
    const at = (this.#firstLine + line) * 64 + 8;
    this.fields.push({ ...{ name, section: this.#section, pool: this.#pool, at, size: 4, count: 1 }, bits });
    return { field: this.#firstField + this.fields.length - 1, index: 0 };
  }

  sizeOf({ field }: Word): Field {
    return this.fields[field - this.#firstField]!;
  }

  store(word: Word, value: Value): Node {
    const { size, bits } = this.sizeOf(word);
    const isPlain = size !== 8 || bits !== undefined || this.often(70);
    return {
      kind: "store",
      word,
      value,
      via: isPlain ? "direct" : this.pick(["helper", "helper", "exchange", "stream"] as const),
    };
  }

  persist(word: Word): Node[] {
    const how = this.pick(["function", "macro", "range", "own", "flush", "flush"] as const);
    const isLong = this.sizeOf(word).count > 1;
    if (how !== "flush")
      return [{ kind: "persist", word, how: isLong ? this.pick<PersistWay>(["range", "own"]) : how }];
    if (isLong) return [{ kind: "persist", word, how: "range" }];
    return [this.flush(word), this.fence()];
  }
  flush = (word: Word): Node => ({ kind: "flush", word, op: this.pick(["clwb", "clflushopt", "clflush"] as const) });
  fence = (): Step => ({ kind: "fence", op: this.often(80) ? "sfence" : "mfence" });

  rule(test: Rule["test"], left: Rule["left"], right: Rule["right"], when?: Word): void {
    this.rules.push({ section: this.#section, test, left, right, how: this.pick(this.#ends), ...(when && { when }) });
  }
}

const round: Value = { more: 0 };
type Parts = { readonly round: readonly Node[]; readonly promised?: Word; readonly isOnce?: boolean };

const protocols = {
  /** Words one after another, each durable before the next. */
  chain(draft: Draft): Parts {
    const isNarrow = draft.often(30);
    const words = Array.from({ length: draft.pick([2, 2, 3]) }, (_, at) =>
      draft.field(["head", "body", "tail"][at]!, isNarrow ? 0 : at),
    );
    for (const [at, word] of words.slice(1).entries()) draft.rule("ahead", word, words[at]!);
    return {
      round: words.flatMap((word) => [draft.store(word, round), ...draft.persist(word)]),
      promised: draft.pick(words),
    };
  },
  /** Data and then its flag, on one line, with one flush. */
  pair(draft: Draft): Parts {
    const [data, flag] = [draft.field("data", 0), draft.field("flag", 0)];
    draft.rule("ahead", flag, data);
    return { round: [draft.store(data, round), draft.store(flag, round), ...draft.persist(flag)], promised: flag };
  },
  /** Text over two lines, and then how many there are. */
  text(draft: Draft): Parts {
    const text = draft.field("text", 0, { size: 8, count: draft.pick([3, 4]), from: draft.pick([5, 6]) });
    const count = draft.field("count", draft.pick([0, 2]), { size: 8, from: draft.pick([0, 1, 2]) });
    const { count: length } = draft.sizeOf(text);
    draft.rule("ahead", count, text);
    draft.rule("ahead", count, { ...text, index: length - 1 });
    return {
      round: [
        { kind: "fill", field: text.field, value: round },
        ...draft.persist(text),
        draft.store(count, round),
        ...draft.persist(count),
      ],
      promised: count,
    };
  },
  /** Two cells change together, one of them twice; what they were is logged first. */
  undo(draft: Draft): Parts {
    const [old, valid] = [draft.field("old", 0, { size: 8 }), draft.field("valid", 0, { size: 8 })];
    const [one, other] = [draft.field("one", 1, { size: 8 }), draft.field("other", draft.pick([1, 2]), { size: 8 })];
    for (const cell of [one, other]) draft.repairs.push({ when: valid, set: cell, to: old });
    draft.repairs.push({ when: valid, set: valid, to: 0 });
    draft.rule("differs", one, other);
    const log = [draft.store(old, { more: -1 }), ...draft.persist(old), draft.store(valid, 1), ...draft.persist(valid)];
    const changes = [
      draft.store(one, 9),
      ...(draft.often(50) ? draft.persist(one) : []),
      draft.store(one, round),
      draft.store(other, round),
    ];
    const end = [draft.flush(one), draft.flush(other), draft.fence(), draft.store(valid, 0), ...draft.persist(valid)];
    return { round: [...log, ...changes, ...end], promised: draft.often(50) ? one : other };
  },
  /** Bit-fields of one word, the one that counts last. */
  seat(draft: Draft): Parts {
    const [guest, taken] = [draft.bit("guest", "seat", 0, 4, 12), draft.bit("taken", "seat", 0, 0, 3)];
    draft.rule("ahead", taken, guest);
    return { round: [draft.store(guest, round), draft.store(taken, round), ...draft.persist(taken)], promised: taken };
  },
  /** Two fields that belong together, and a word that says whether they do. */
  guarded(draft: Draft): Parts {
    const [one, other] = [draft.field("left", 0), draft.field("right", draft.pick([0, 1]))];
    const whole = draft.field("whole", 2);
    draft.rule("differs", one, other, whole);
    const change = [
      draft.store(one, round),
      draft.store(other, round),
      draft.flush(one),
      draft.flush(other),
      draft.fence(),
    ];
    return {
      round: [
        draft.store(whole, 0),
        ...draft.persist(whole),
        ...change,
        draft.store(whole, 1),
        ...draft.persist(whole),
      ],
      promised: one,
    };
  },
  /** Two fields that belong together, on one word or not at all: nothing says whether they do. */
  together(draft: Draft): Parts {
    const [one, other] = [draft.field("first", 0), draft.field("second", draft.pick([0, 1]))];
    draft.rule("ahead", one, other);
    return {
      round: [draft.store(other, round), ...draft.persist(other), draft.store(one, round), ...draft.persist(one)],
      promised: one,
    };
  },
  /** A payload, and then the number that a complete pool begins with. */
  magic(draft: Draft): Parts {
    const [payload, magic] = [draft.field("payload", draft.pick([0, 1])), draft.field("magic", 0)];
    draft.rule("absent", magic, 0);
    draft.rule("ahead", magic, payload);
    return {
      round: [draft.store(payload, 1), ...draft.persist(payload), draft.store(magic, 1), ...draft.persist(magic)],
      promised: payload,
      isOnce: true,
    };
  },
  /** A lock and a counter that nobody looks at after a crash, about a word that is looked at. */
  locked(draft: Draft): Parts {
    const lock = draft.field("lock", draft.pick([0, 1]));
    const [seen, counted] = [draft.field("seen", 1), draft.field("counted", 2)];
    const isReset = draft.often(50);
    if (isReset) draft.repairs.push({ when: lock, set: lock, to: 0 });
    draft.rule("ahead", seen, 3);
    return {
      round: [
        draft.store(lock, 1),
        draft.store(counted, round),
        draft.store(seen, round),
        ...draft.persist(seen),
        draft.store(lock, 0),
      ],
      promised: seen,
    };
  },
} as const satisfies Readonly<Record<string, (draft: Draft) => Parts>>;

export type SectionKind = keyof typeof protocols;
export const sectionKinds = Object.keys(protocols) as readonly SectionKind[];

/** Lines that a section may take. */
export const sectionLines = 3;

export function makeSection(
  random: RandomState,
  kind: SectionKind,
  number: number,
  firstField: number,
  pool: number,
  firstLine: number,
): Section {
  const draft = new Draft(random, number, firstField, pool, firstLine);
  const parts: Parts = protocols[kind](draft);
  const { fields, rules, repairs } = draft;
  return { kind, fields, rules, repairs, round: parts.round, promised: parts.promised, isOnce: parts.isOnce ?? false };
}
