/**
 * Persistent subprograms in the source (Hippocrates, section 3.4.2.4): `update_PM`, a copy of `update` that flushes what it stores.
 * Always: a function is copied once, whoever calls the copy; a copy stands right behind what it is of, in the file that that is in, and
 * nothing of the original changes but the call that leads to the copy. Where the copy is not yet known at the call, it is declared before
 * the function that calls it.
 */
import {
  applyInsertions,
  type Insertion,
  languageOf,
  type SourceCall,
  type SourceFunction,
  type SourceNode,
} from "../../program/source/index.ts";
import type { OpenSource, OpenSources } from "./open-sources.ts";

const SUFFIX = "_PM";

interface Copy {
  readonly of: SourceFunction;
  /** By what they are and where, in the file's offsets. */
  readonly insertions: Map<string, Insertion>;
}

export class Copies {
  readonly #sources: OpenSources;
  readonly #copies = new Map<string, Copy>();
  /** Declarations by file and text. */
  readonly #declared = new Map<string, { readonly path: string; readonly insertion: Insertion }>();

  constructor(sources: OpenSources) {
    this.#sources = sources;
  }

  /** What goes into the copy of a function, too. */
  add(of: SourceFunction, insertions: readonly Insertion[]): void {
    const key = `${of.path} ${of.name}`;
    if (!this.#copies.has(key)) this.#copies.set(key, { of, insertions: new Map() });
    const copy = this.#copies.get(key)!;
    for (const one of insertions) copy.insertions.set(`${one.offset} ${one.text}`, one);
  }

  /** The copy of a function is called there, or in the copy of what calls it there. */
  call(of: SourceFunction, call: SourceCall): void {
    if (isKnownAt(of, call)) return;
    const { path, definition } = call.caller;
    const declaration = `${headOf(of)};`;
    const key = `${path} ${declaration}`;
    const offset = startWithComments(definition);
    const before = this.#declared.get(key);
    if (before === undefined || before.insertion.offset > offset)
      this.#declared.set(key, { path, insertion: { offset, text: `${declaration}\n\n` } });
  }

  /** Files that copies or their declarations go into. */
  get paths(): ReadonlySet<string> {
    const declared = [...this.#declared.values()].map(({ path }) => path);
    return new Set([...[...this.#copies.values()].map(({ of }) => of.path), ...declared]);
  }

  /** In a file, as insertions. What is there already, word for word, is used as it is. */
  insertionsIn({ path, text }: OpenSource): readonly Insertion[] {
    const declared = [...this.#declared.values()]
      .filter((one) => one.path === path && !squeezed(text).includes(one.insertion.text.trim()))
      .map(({ insertion }) => insertion);
    const copies = [...this.#copies.values()]
      .filter(({ of }) => of.path === path)
      .flatMap(({ of, insertions }) => {
        const { startIndex, endIndex } = of.definition;
        const named = [...insertions.values(), { offset: nameEnd(of), text: SUFFIX }];
        const inside = named.map((one) => ({ ...one, offset: one.offset - startIndex }));
        const copy = applyInsertions(text.slice(startIndex, endIndex), inside);
        const there = this.#sources.functions.named(of.name + SUFFIX)?.definition.text;
        return there !== undefined && squeezed(there) === squeezed(copy)
          ? []
          : [{ offset: endIndex, text: `\n\n${copy}` }];
      });
    return [...declared, ...copies];
  }

  /** Why a function cannot be called as a copy from there; undefined where it can. */
  whyNot(callee: SourceFunction, call: SourceCall): string | undefined {
    const { name, path, definition } = callee;
    const isElsewhere = call.caller.path !== path && !isHeader(path);
    if (isElsewhere && isStatic(definition)) return `${name} is static in another file`;
    if (!isKnownAt(callee, call) && isCpp(call.caller.path) !== isCpp(path))
      return `${name} is in a file of another language`;
    return this.#sources.functions.whyNotCopied(callee);
  }
}

const isHeader = (path: string): boolean => /\.(?:h|hh|hpp|hxx|ipp|tcc)$/i.test(path);
const isCpp = (path: string): boolean => languageOf(path) === "cpp";
const isStatic = (definition: SourceNode): boolean =>
  definition.namedChildren.some((one) => one?.type === "storage_class_specifier" && one.text === "static");

/** Whether a copy behind its original stands before the call: in the same file, or in a header, which is included before. */
const isKnownAt = ({ path, definition }: SourceFunction, { caller, node }: SourceCall): boolean =>
  caller.path === path ? node.startIndex > definition.endIndex : isHeader(path);

/** `void update_PM(char *to)`: the definition without its body. */
function headOf(of: SourceFunction): string {
  const { definition, body } = of;
  const named = { offset: nameEnd(of) - definition.startIndex, text: SUFFIX };
  return squeezed(applyInsertions(definition.text.slice(0, body.startIndex - definition.startIndex), [named])).trim();
}

/** With the comment that stands right above it. */
function startWithComments(definition: SourceNode): number {
  let first = definition;
  for (let above = definition.previousSibling; isRightAbove(above, first); above = above.previousSibling) first = above;
  return first.startIndex;
}

/** A comment on lines of its own. */
const isRightAbove = (node: SourceNode | null, below: SourceNode): node is SourceNode =>
  node?.type === "comment" &&
  node.endPosition.row === below.startPosition.row - 1 &&
  node.previousSibling?.endPosition.row !== node.startPosition.row;

/** The call of a copy: its name in the place of the original's. */
export const calledCopy = ({ node }: SourceCall): Insertion => ({
  offset: node.childForFieldName("function")!.endIndex,
  text: SUFFIX,
});

function nameEnd({ definition, name }: SourceFunction): number {
  const declarator = definition.descendantsOfType("function_declarator")[0]!;
  return declarator.childForFieldName("declarator")?.endIndex ?? definition.startIndex + name.length;
}

const squeezed = (text: string): string => text.replace(/\s+/g, " ");
