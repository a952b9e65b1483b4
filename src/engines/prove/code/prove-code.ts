/**
 * Functions of a program as threads: is there a schedule in which one of them fails, or a schedule and a crash after which the function
 * that recovers does? Bounds are doubled until nothing is cut off, or the largest is reached. Always:
 * - "safe" is said only when no obligation can be broken, no loop was cut, and recovery can come to its end with something that a thread
 *   has stored.
 */
import type { PmModel } from "../../../model/pmem/index.ts";
import { type Term, Terms } from "../../../smt/index.ts";
import { type Encoded, encode } from "../encode/encode.ts";
import { isInitialEvent } from "../events/events.ts";
import type { AnyCrash } from "../litmus/litmus-questions.ts";
import { type Claim, refutationText } from "../proof/proof.ts";
import { type Answered, ask, type Refutation, type SolverPort } from "../solve/ask.ts";
import { type CodeProgram, type CodeQuestion, codeProgram } from "./code-program.ts";
import type { Place } from "./walk.ts";

export interface CodeVerdict {
  readonly answer: "safe" | "safe up to the bound" | "unsafe" | "no verdict" | "vacuous";
  readonly bound: number;
  readonly events: number;
  readonly atoms: number;
  /** Loops that were cut; what cannot be encoded; what fails. */
  readonly places: readonly { readonly at: number; readonly why: string }[];
  /** Of what is unsafe: who fails, and an execution. */
  readonly fails?: "a thread" | "recovery";
  readonly execution?: Extract<Answered, { possible: true }>["execution"];
  readonly claim?: Claim;
}

export interface CodeOptions {
  readonly question: Omit<CodeQuestion, "bound">;
  /** One bound, or doubled up to the most. */
  readonly bound: number | undefined;
  readonly model: PmModel;
  readonly encoding: AnyCrash;
}

const mostRounds = 8;

interface Encoding {
  readonly encoded: Encoded;
  readonly encoding: AnyCrash;
}

export function proveCode(options: CodeOptions, port: SolverPort): CodeVerdict {
  const { bound } = options;
  if (bound !== undefined) return new Attempt(options, bound, port).run();
  for (let rounds = 1; ; rounds *= 2) {
    const verdict = new Attempt(options, rounds, port).run();
    const isCut = verdict.answer === "safe up to the bound" || verdict.answer === "vacuous";
    if (!isCut || verdict.places.length === 0 || rounds >= mostRounds) return verdict;
  }
}

class Attempt {
  readonly #options: CodeOptions;
  readonly #port: SolverPort;
  readonly #terms = new Terms();
  readonly #program: CodeProgram;
  readonly #encoding: Encoding;
  readonly #bound: number;

  constructor(options: CodeOptions, bound: number, port: SolverPort) {
    this.#options = options;
    this.#port = port;
    this.#bound = bound;
    this.#program = codeProgram(this.#terms, { ...options.question, bound });
    this.#encoding = this.#encodedBy(options.encoding);
  }

  run(): CodeVerdict {
    const { obligations, recovery, threads, strays } = this.#program;
    const refutations: Refutation[] = [];
    const whole = this.#whole();
    const ended = [...strays, ...threads.flatMap(({ failures }) => failures)];
    // An execution in which a thread has failed goes on from there as no program does: nothing later counts.
    const failing = [
      { fails: "a thread", places: ended, unless: obligations, encoding: whole },
      { fails: "recovery", places: this.#failing(), unless: [...obligations, ...strays], encoding: this.#encoding },
    ] as const;
    for (const { fails, places, unless, encoding } of failing) {
      const goal = this.#terms.and(this.#any(places), this.#terms.not(this.#any(unless)));
      if (goal === this.#terms.false) continue;
      const answer = this.#ask(goal, encoding, places);
      if (!answer.possible) refutations.push(answer.refutation);
      else return { ...this.#unsafe(answer, places), fails };
    }
    const broken = this.#ask(this.#any(obligations), whole);
    if (broken.possible) return this.#verdict("no verdict", obligations);
    const places = [...threads.flatMap((thread) => thread.cuts), ...recovery.cuts];
    const cut = this.#ask(this.#any(places), whole);
    if (!this.#ask(this.#reaches(whole), whole).possible) return this.#verdict("vacuous", cut.possible ? places : []);
    refutations.push(broken.refutation, ...(cut.possible ? [] : [cut.refutation]));
    const verdict = cut.possible ? this.#verdict("safe up to the bound", places) : this.#verdict("safe", []);
    return { ...verdict, claim: this.#claim(verdict, refutations) };
  }

  #unsafe({ told, execution }: Extract<Answered, { possible: true }>, places: readonly Place[]): CodeVerdict {
    const reached = places.filter(({ reached: place }) => told.has(place));
    return { ...this.#verdict("unsafe", reached), execution };
  }

  #any(places: readonly Place[]): Term {
    return this.#terms.or(...places.map(({ reached }) => reached));
  }

  /** A number other than 0, as a C function returns an int; or what ends recovery. */
  #failing(): readonly Place[] {
    const { recovery } = this.#program;
    const { returned, returns, failures } = recovery;
    if (returned === undefined) return failures;
    const result = this.#terms.extract(returned, 0, 32);
    const isBad = this.#terms.not(this.#terms.equal(result, this.#terms.constant(32, 0n)));
    const { code, recover } = this.#options.question;
    return [
      ...failures,
      { reached: this.#terms.and(returns, isBad), at: code.named(recover.name)!, why: "it returns what is not 0" },
    ];
  }

  /** Recovery comes to its end, and reads what a thread has stored. */
  #reaches({ encoded }: Encoding): Term {
    const stored = encoded.recovered.flat().filter(({ store }) => !isInitialEvent(store));
    return this.#terms.and(this.#program.recovery.returns, this.#terms.or(...stored.map(({ condition }) => condition)));
  }

  /** Executions that run to their end: where a thread may come is asked of these, since what a crash cut off finds anything. */
  #whole(): Encoding {
    if (this.#options.encoding === "full") return this.#encoding;
    return this.#encodedBy("full");
  }

  #encodedBy(encoding: AnyCrash): Encoding {
    const { model } = this.#options;
    return { encoded: encode(this.#terms, this.#program.graph, { model, encoding }), encoding };
  }

  #ask(goal: Term, { encoded, encoding } = this.#encoding, places: readonly Place[] = []): Answered {
    const options = { model: this.#options.model, encoding };
    const told = places.map(({ reached }) => reached);
    return ask({ graph: this.#program.graph, encoded, options, goal, told, numberOf: Number }, this.#port);
  }

  #verdict(answer: CodeVerdict["answer"], places: readonly Place[]): CodeVerdict {
    return {
      ...{ answer, bound: this.#bound, places: unique(places) },
      ...{ events: this.#program.graph.events.length, atoms: this.#encoding.encoded.atoms.length },
    };
  }

  #claim({ answer, bound }: CodeVerdict, refutations: readonly Refutation[]): Claim {
    const { question, model, encoding } = this.#options;
    const threads = question.threads.map(({ name, args }) => `${name}(${args.join(", ")})`).join(" || ");
    const upTo = answer === "safe" ? "" : `, loops gone through ${bound} times at most`;
    return {
      claim: `${question.recover.name} never fails after a crash of ${threads}, and no thread does${upTo}`,
      ...{ platform: model.platform, encoding, refutations: refutations.map(refutationText) },
      program: this.#program.graph.events.map(({ thread, text }) => `T${thread}: ${text}`),
    };
  }
}

/** One place in the code may be come to in many ways. */
function unique(places: readonly Place[]): CodeVerdict["places"] {
  const known = new Map(places.map(({ at, why }) => [`${at} ${why}`, { at, why }]));
  return [...known.values()];
}
