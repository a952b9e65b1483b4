/**
 * Terms against the runtime: every form of every instruction is evaluated with all that it reads unknown, and each term that comes up is
 * worth what the numbers beside it are, when the unknown is what it was. The numbers agree with the runtime (test/ir/evaluate.test.ts).
 */
import { expect, test } from "vitest";
import { assert, type RandomState, seedRandom } from "../../src/base/index.ts";
import { MixedAlgebra } from "../../src/engines/symbolic/mixed-algebra.ts";
import { known, type Value } from "../../src/engines/symbolic/value.ts";
import {
  type Access,
  accessSize,
  allFlags,
  type Domain,
  evaluate,
  type LoadKind,
  type MacroName,
  type NotedFlags,
  type Register,
  type Store,
} from "../../src/isa/ir/index.ts";
import { liftBlock } from "../../src/isa/lift/index.ts";
import { createFloatHelpers, createRuntime } from "../../src/machine/runtime/index.ts";
import { evaluateTerm, type Term, Terms } from "../../src/smt/index.ts";
import { HarnessGuest } from "../../tools/cpu-harness/guest.ts";
import {
  drawGroup,
  drawSingle,
  type Form,
  Numbers,
  supportedForms,
  type TestBlock,
} from "../../tools/cpu-harness/index.ts";
import { applyPatches } from "../../tools/cpu-harness/inputs.ts";
import { pristine } from "../../tools/cpu-harness/places.ts";
import { asCase, type Case, inputLayout } from "../../tools/cpu-harness/records.ts";

const level = "v3";
const seed = Number(process.env.SEED ?? 0);
const widths = { i32: 32, i64: 64, f32: 32, f64: 64, v128: 128 } as const;
const unused = (): never => assert(false, "nobody runs the interpreter") as never;

/** The harness's guest, all of which is unknown; every term that is made is compared at once. */
class UnknownGuest extends MixedAlgebra implements Domain<Value, unknown> {
  readonly #numbers: Numbers;
  readonly #worth = new Map<Term, bigint>();
  readonly #known = new Map<Term, bigint>();
  #flags: NotedFlags<Value>;
  compared = 0;

  constructor(terms: Terms, numbers: Numbers) {
    super(terms, () => {});
    this.#numbers = numbers;
    const bits = this.#unknown("flags", 32, 0x8d5n & 0x41n);
    this.#flags = { kind: "raw", width: 32, left: bits, right: bits, result: bits };
  }

  #unknown(name: string, width: number, bits: bigint): Value {
    const term = this.terms.variable(width, name);
    this.#worth.set(term, bits);
    return { bits, term };
  }
  protected override made(bits: bigint, term: Term): Value {
    this.compared++;
    expect(evaluateTerm(term, (variable) => this.#worth.get(variable)!, this.#known)).toBe(bits);
    return super.made(bits, term);
  }
  override macro(name: MacroName, args: readonly Value[]): Value {
    const value = super.macro(name, args);
    return value.bits === undefined
      ? known(
          this.#numbers.macro(
            name,
            args.map(({ bits }) => bits!),
          ) /* one state */,
        )
      : value;
  }
  override helper(...[name, args]: Parameters<MixedAlgebra["helper"]>): Value {
    return known(this.#numbers.helper(name, args.map(({ bits }) => bits!))); // biome-ignore format: one call
  }

  get(register: Register): Value {
    const bits = this.#numbers.get(register);
    return this.#unknown(`${register.name} ${bits}`, widths[register.type], bits);
  }
  put(register: Register, value: Value): void {
    this.#numbers.put(register, value.bits!);
  }
  get flags(): NotedFlags<Value> {
    return this.#flags;
  }
  set flags(noted: NotedFlags<Value>) {
    this.#flags = noted;
  }
  check({ address, ...access }: Access<Value>): unknown {
    return this.#numbers.check({ ...access, address: address.bits! });
  }
  load(access: LoadKind, address: Value): Value {
    const bits = this.#numbers.load(access, address.bits!);
    const width = 8 * accessSize[access];
    const { term } = this.#unknown(`memory ${address.bits} ${access} ${bits}`, width, bits);
    return this.made(bits, this.terms.extend(term!, Math.max(width, 32)));
  }
  store({ address, value, upper, when, ...store }: Store<Value>): void {
    this.#numbers.store({ ...store, address: address.bits!, value: value.bits!, upper: upper?.bits, when: when?.bits });
  }
  decide({ bits }: Value): boolean {
    return bits !== 0n;
  }
  begin(): void {}
  flush(): void {}
  fence(): void {}
  patch(): void {}
  frames(): void {}
}

const guest = new HarnessGuest();
const runtime = createRuntime(guest.memory.wasm, {
  touch: (page) => guest.memory.touch(page),
  mirror: unused,
  emptyEvents: unused,
  usesFull: unused,
  complex: unused,
  slow: unused,
  helpers: createFloatHelpers(guest.memory.wasm.buffer),
});
guest.connect(runtime);
const numbers = new Numbers(guest.memory, runtime);
const forms = supportedForms(level);

/** Evaluates one instruction on an input; how many terms were compared. */
function compare(drawn: TestBlock, input: Case, kind = UnknownGuest): number {
  const lifted = liftBlock(drawn.bytes, drawn.address, undefined, { traced: false, level });
  if (lifted === undefined) return 0;
  guest.data.set(pristine);
  applyPatches(input, guest.data);
  guest.loadFloat(input);
  guest.loadState(input);
  const domain = new kind(new Terms(), numbers);
  evaluate(lifted, domain);
  // Whatever it left noted, worked out.
  allFlags(domain, domain.flags);
  return domain.compared;
}

/** Draws inputs for a form. */
function eachInput(form: Form, random: RandomState, use: (drawn: TestBlock, input: Case) => void): void {
  const drawn = drawSingle(form, random);
  if (drawn === undefined) return;
  guest.load(drawn);
  const { inputs } = drawGroup(drawn, 3, random);
  for (let i = 0; i < 3; i++) use(drawn, asCase(inputs.subarray(i * inputLayout.size, (i + 1) * inputLayout.size)));
}

test.each([...new Set(forms.map(({ mnemonic }) => mnemonic[0]!))])("every form of %s…", (letter) => {
  const random = seedRandom(seed);
  let compared = 0;
  for (const form of forms.filter(({ mnemonic }) => mnemonic.startsWith(letter)))
    eachInput(form, random, (drawn, input) => {
      compared += compare(drawn, input);
    });
  expect(compared, `seed ${seed}`).toBeGreaterThan(20);
});

test("a number that is not its term's is noticed", () => {
  class Wrong extends UnknownGuest {
    override numeric(...[name, args, lane]: Parameters<UnknownGuest["numeric"]>): Value {
      const { bits, term } = super.numeric(name, args, lane);
      return name === "i64.add" && term !== undefined ? this.made(bits! ^ 1n, term) : { bits, term };
    }
  }
  const random = seedRandom(seed);
  let noticed = 0;
  // An input may fault before it adds.
  for (const form of forms.filter(({ mnemonic }) => mnemonic === "add"))
    eachInput(form, random, (drawn, input) => {
      try {
        compare(drawn, input, Wrong);
      } catch {
        noticed++;
      }
    });
  expect(noticed).toBeGreaterThan(0);
});
