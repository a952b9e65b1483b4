/**
 * What a helper of the program flushes, found by running its body on numbers: a helper may itself be the mistake (no loop over the
 * lines, a loop that begins or ends too late), and a patch that calls it again would cure nothing. C and C++. Always: a body that
 * does anything which is not understood here says nothing, and nobody is blamed.
 */
import { bytesOf, combined, isNumberType, NotUnderstood, plain, strideOf, truth, type Value } from "./c-values.ts";
import { flushingAssembly, primitiveDoing } from "./flush-words.ts";
import type { HelperBodies } from "./helper-bodies.ts";
import type { SourceNode } from "./syntax.ts";

const LINE_BYTES = 64n;
const MAX_STEPS = 20_000;

/** Where the preprocessor chooses: what it takes if a condition holds, and what if not. */
const choices = ["first", "last"] as const;
type Choice = (typeof choices)[number];

/** A call of a helper for a range. */
export interface HelperCall {
  readonly name: string;
  readonly address: number;
  readonly size: number;
  /** It is given the object itself. */
  readonly isObject?: boolean;
}

/** The numbers of the lines that a call flushes, whatever the preprocessor chose. */
export function linesFlushed(bodies: HelperBodies, call: HelperCall): ReadonlySet<number> | undefined {
  const [first, last] = choices.map((choice) => linesBy(bodies, call, choice));
  if (first === undefined || last === undefined) return undefined;
  return new Set([...first].filter((line) => last.has(line)).map(Number));
}

function linesBy(bodies: HelperBodies, { name, address, size, isObject = false }: HelperCall, choice: Choice) {
  const run = new HelperRun(bodies, choice);
  const [from, length] = [plain(BigInt(address)), BigInt(size)];
  try {
    run.call(name, [isObject ? { ...from, objectBytes: length } : from, plain(length)]);
    return run.lines;
  } catch (error) {
    if (error instanceof NotUnderstood) return undefined;
    throw error;
  }
}

class HelperRun {
  readonly lines = new Set<bigint>();
  readonly #bodies: HelperBodies;
  readonly #choice: Choice;
  #variables = new Map<string, Value>();
  #steps = 0;
  #hasReturned = false;

  constructor(bodies: HelperBodies, choice: Choice) {
    this.#bodies = bodies;
    this.#choice = choice;
  }

  call(name: string, args: readonly Value[]): Value {
    const made = this.#bodies.calls.get(name)?.at(this.#choice === "first" ? 0 : -1);
    if (made === undefined) throw new NotUnderstood(name);
    const outer = this.#variables;
    this.#variables = new Map();
    for (const [at, { name: parameter, stride }] of made.parameters.entries()) {
      const given = args[at];
      if (given === undefined) throw new NotUnderstood(parameter);
      this.#variables.set(parameter, stride === undefined ? given : { number: given.number, stride });
    }
    const value = this.#statement(made.body);
    [this.#variables, this.#hasReturned] = [outer, false];
    return value;
  }

  /** The value of what was returned, or of the last expression: a macro's. */
  #statement(node: SourceNode): Value {
    if (++this.#steps > MAX_STEPS) throw new NotUnderstood("it has no end");
    const act = statements[node.type];
    return act === undefined ? this.value(node) : act(this, node);
  }

  block(node: SourceNode, without: readonly (SourceNode | null)[] = []): Value {
    let last = plain(0n);
    for (const child of node.namedChildren) {
      if (child === null || child.type === "comment" || without.some((one) => one?.equals(child))) continue;
      last = this.#statement(child);
      if (this.#hasReturned) return last;
    }
    return last;
  }

  /** `#if`, of which one part is there. */
  chosen(node: SourceNode): Value {
    const otherwise = node.childForFieldName("alternative");
    if (this.#choice === "last") return otherwise === null ? plain(0n) : this.#statement(otherwise);
    return this.block(node, [node.childForFieldName("name"), node.childForFieldName("condition"), otherwise]);
  }

  return(node: SourceNode): Value {
    const given = node.namedChild(0);
    const value = given === null ? plain(0n) : this.value(given);
    this.#hasReturned = true;
    return value;
  }

  loop(node: SourceNode, tests: "first" | "last"): Value {
    const [start, condition, update] = ["initializer", "condition", "update"].map((one) => node.childForFieldName(one));
    if (start != null) this.#statement(start);
    let last = plain(0n);
    const goesOn = () => condition == null || this.value(condition).number !== 0n;
    for (let isFirst = true; (isFirst && tests === "last") || goesOn(); isFirst = false) {
      last = this.#statement(node.childForFieldName("body")!);
      if (this.#hasReturned) return last;
      if (update != null) this.value(update);
      if (++this.#steps > MAX_STEPS) throw new NotUnderstood("it has no end");
    }
    return last;
  }

  choice(node: SourceNode): Value {
    const isSo = this.value(node.childForFieldName("condition")!).number !== 0n;
    const taken = node.childForFieldName(isSo ? "consequence" : "alternative");
    return taken === null ? plain(0n) : this.#statement(taken);
  }

  declare(node: SourceNode): Value {
    const type = node.childForFieldName("type")?.text ?? "";
    for (const one of node.childrenForFieldName("declarator")) {
      if (one === null) continue;
      const value = one.childForFieldName("value");
      const named = value === null ? one : one.childForFieldName("declarator")!;
      const isPointer = named.type === "pointer_declarator";
      const name = isPointer ? (named.childForFieldName("declarator")?.text ?? "") : named.text;
      const given = value === null ? plain(0n) : this.value(value);
      const stride = isPointer ? strideOf(`${type}*`) : type === "auto" ? given.stride : 0n;
      this.#variables.set(name, { number: given.number, stride });
    }
    return plain(0n);
  }

  value(node: SourceNode): Value {
    if (++this.#steps > MAX_STEPS) throw new NotUnderstood("it has no end");
    const made = expressions[node.type];
    if (made === undefined) throw new NotUnderstood(node.type);
    const value = made(this, node);
    return value;
  }

  named(name: string): Value {
    const value = this.#variables.get(name);
    if (value !== undefined) return value;
    const constant = this.#bodies.constants.get(name);
    if (constant === undefined) throw new NotUnderstood(name);
    return this.value(constant);
  }

  /** `i = 1`, `i += 64` and `i++`: of variables alone. */
  assign(target: SourceNode | null, operator: string, given: Value, isBefore = false): Value {
    if (target?.type !== "identifier") throw new NotUnderstood(`assignment to ${target?.text}`);
    const old = this.named(target.text);
    const value = operator === "" ? { ...given, stride: old.stride } : combined(operator, old, given);
    this.#variables.set(target.text, value);
    return isBefore ? old : value;
  }

  /** Where the object is that an expression names. */
  address(node: SourceNode): Value {
    if (node.type === "parenthesized_expression") return this.address(node.namedChild(0)!);
    if (node.type === "pointer_expression" && node.text.startsWith("*"))
      return this.value(node.childForFieldName("argument")!);
    if (node.type === "subscript_expression") {
      const index = node.childForFieldName("index") ?? node.childForFieldName("indices")?.namedChild(0);
      return combined("+", this.value(node.childForFieldName("argument")!), this.value(index!));
    }
    const object = node.type === "identifier" ? this.#variables.get(node.text) : undefined;
    if (object?.objectBytes === undefined) throw new NotUnderstood(`address of ${node.text}`);
    return { number: object.number, stride: object.objectBytes };
  }

  /** A type, or an object that was handed over. */
  sizeOf(node: SourceNode): Value {
    const type = node.childForFieldName("type");
    const operand = node.childForFieldName("value");
    const inner = operand?.type === "parenthesized_expression" ? operand.namedChild(0) : operand;
    const object = inner?.type === "identifier" ? this.#variables.get(inner.text)?.objectBytes : undefined;
    if (object !== undefined) return plain(object);
    const said = type?.text ?? inner?.text ?? "";
    return plain(said.includes("*") ? 8n : bytesOf(said));
  }

  called(node: SourceNode): Value {
    const callee = node.childForFieldName("function");
    const name = callee?.text ?? "";
    const args = (node.childForFieldName("arguments")?.namedChildren ?? []).filter((one) => one !== null);
    const cast = /^(?:reinterpret_cast|static_cast|const_cast)\s*<(.*)>$/.exec(name)?.[1];
    if (cast !== undefined) return { number: this.value(args[0]!).number, stride: strideOf(cast) };
    if (isNumberType(name)) return plain(this.value(args[0]!).number);
    const doing = primitiveDoing(name);
    if (doing === undefined)
      return this.call(
        name,
        args.map((one) => this.#argument(one)),
      );
    if (doing.flushes) this.#flush(this.value(args[0]!).number, args[1] && this.value(args[1]).number);
    return plain(0n);
  }

  /** Objects are handed over as what they are: macros and references take them so. */
  #argument(node: SourceNode): Value {
    const object = node.type === "identifier" ? this.#variables.get(node.text) : undefined;
    return object?.objectBytes === undefined ? this.value(node) : object;
  }

  assembly(node: SourceNode): Value {
    if (!flushingAssembly.test(node.childForFieldName("assembly_code")?.text ?? "")) return plain(0n);
    const operands = node.descendantsOfType(["gnu_asm_output_operand", "gnu_asm_input_operand"]);
    const [operand] = operands.filter((one) => one !== null);
    const value = operand?.childForFieldName("value");
    if (value == null) throw new NotUnderstood("assembly");
    const isMemory = /m/.test(operand!.childForFieldName("constraint")?.text ?? "");
    this.#flush((isMemory ? this.address(value) : this.value(value)).number, undefined);
    return plain(0n);
  }

  #flush(address: bigint, size = 1n): void {
    if (size > BigInt(MAX_STEPS)) throw new NotUnderstood("size");
    for (let line = address / LINE_BYTES; line * LINE_BYTES < address + size; line++) this.lines.add(line);
  }
}

type Act = (run: HelperRun, node: SourceNode) => Value;

const statements: Readonly<Record<string, Act>> = {
  compound_statement: (run, node) => run.block(node),
  expression_statement: (run, node) => run.block(node),
  declaration: (run, node) => run.declare(node),
  return_statement: (run, node) => run.return(node),
  for_statement: (run, node) => run.loop(node, "first"),
  while_statement: (run, node) => run.loop(node, "first"),
  do_statement: (run, node) => run.loop(node, "last"),
  if_statement: (run, node) => run.choice(node),
  else_clause: (run, node) => run.block(node),
  preproc_if: (run, node) => run.chosen(node),
  preproc_ifdef: (run, node) => run.chosen(node),
  preproc_else: (run, node) => run.block(node),
};

const field = (node: SourceNode, name: string): SourceNode => {
  const child = node.childForFieldName(name);
  if (child === null) throw new NotUnderstood(node.type);
  return child;
};

const expressions: Readonly<Record<string, Act>> = {
  number_literal: (_run, { text }) => {
    const digits = text.replace(/[uUlL]+$/, "").replaceAll("'", "");
    if (!/^(?:0[xX][\da-fA-F]+|0|[1-9]\d*)$/.test(digits)) throw new NotUnderstood(text);
    return plain(BigInt(digits));
  },
  identifier: (run, node) => {
    const value = run.named(node.text);
    if (value.objectBytes !== undefined) throw new NotUnderstood(`value of ${node.text}`);
    return value;
  },
  parenthesized_expression: (run, node) => run.value(node.namedChild(0)!),
  condition_clause: (run, node) => run.value(field(node, "value")),
  cast_expression: (run, node) => ({
    number: run.value(field(node, "value")).number,
    stride: strideOf(field(node, "type").text),
  }),
  binary_expression: (run, node) =>
    combined(field(node, "operator").text, run.value(field(node, "left")), run.value(field(node, "right"))),
  unary_expression: (run, node) => {
    const { number } = run.value(field(node, "argument"));
    const operator = field(node, "operator").text;
    return operator === "!" ? truth(number === 0n) : plain(operator === "~" ? ~number : -number);
  },
  assignment_expression: (run, node) =>
    run.assign(
      node.childForFieldName("left"),
      field(node, "operator").text.slice(0, -1),
      run.value(field(node, "right")),
    ),
  update_expression: (run, node) => {
    const isAfter = node.text.endsWith("+") || node.text.endsWith("-");
    return run.assign(node.childForFieldName("argument"), field(node, "operator").text.slice(1), plain(1n), isAfter);
  },
  conditional_expression: (run, node) =>
    run.value(field(node, run.value(field(node, "condition")).number !== 0n ? "consequence" : "alternative")),
  comma_expression: (run, node) => {
    run.value(field(node, "left"));
    return run.value(field(node, "right"));
  },
  pointer_expression: (run, node) => {
    if (!node.text.startsWith("&")) throw new NotUnderstood(node.text);
    return run.address(field(node, "argument"));
  },
  sizeof_expression: (run, node) => run.sizeOf(node),
  call_expression: (run, node) => run.called(node),
  gnu_asm_expression: (run, node) => run.assembly(node),
};
