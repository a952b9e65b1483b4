/**
 * Persistent subprograms in the source (Hippocrates, section 3.4.2.4): `update_PM`, a copy of `update` that flushes what it stores.
 * Always: a function is copied once, whoever calls the copy; a copy stands right behind what it is of, and nothing of the original
 * changes but the call that leads to the copy.
 */
import { applyInsertions, type Insertion, type SourceCall, type SourceFunction } from "../../source/index.ts";
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

  /** In a file, as insertions. What is there already, word for word, is used as it is. */
  insertionsIn({ path, text }: OpenSource): readonly Insertion[] {
    return [...this.#copies.values()]
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
  }

  /** Why a function cannot be called as a copy from there; undefined where it can. */
  whyNot(callee: SourceFunction, { caller, node }: SourceCall): string | undefined {
    const { name } = callee;
    const isBehind = caller.path === callee.path && node.startIndex > callee.definition.endIndex;
    if (!isBehind) return `${name} is defined behind its call, or in another file`;
    return this.#sources.functions.whyNotCopied(callee);
  }
}

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
