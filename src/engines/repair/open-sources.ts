/** The user's sources as they are needed: each file read and parsed once, with the words it has for durability. */
import {
  type BitFields,
  bitFieldsIn,
  type DurabilityHelper,
  HelperBodies,
  helpersIn,
  languageOf,
  type RepeatableCalls,
  repeatableCalls,
  SourceFunctions,
  type SourceNode,
  type Syntax,
  trusted,
} from "../../program/source/index.ts";
import type { Frame } from "../../trace/events/index.ts";

export interface SourcePorts {
  readonly syntax: Syntax;
  /** A file as debug information names it; undefined when it is not there or not to be read. */
  readSource(path: string): string | undefined;
  isOwn(module: string): boolean;
  /** How a path is told in a diff. */
  shownPath(path: string): string;
}

export interface OpenSource {
  readonly path: string;
  readonly text: string;
  readonly root: SourceNode;
  /** Those that flush what they are given. */
  readonly helpers: readonly DurabilityHelper[];
  /** Of all that flush or fence. */
  readonly helperNames: ReadonlySet<string>;
  readonly headers: readonly string[];
  readonly repeatable: RepeatableCalls;
  readonly bitFields: BitFields;
}

/** What a file includes, or the modules of Rust that it names, wherever those may lie. */
function includedBy(path: string, text: string): readonly string[] {
  const folder = path.slice(0, path.lastIndexOf("/") + 1);
  if (languageOf(path) !== "rust")
    return [...text.matchAll(/^[ \t]*#[ \t]*include[ \t]*"([^"]+)"/gm)].map(([, name]) => folder + name);
  const modules = [...text.matchAll(/\bmod\s+(\w+)\s*;|\b(?:crate|super)::(\w+)/g)].map(
    ([, own, other]) => own ?? other,
  );
  return [...new Set(modules)].flatMap((name) => [`${folder}${name}.rs`, `${folder}${name}/mod.rs`]);
}

/** `flush` of `journal::flush`, as which debug information of Rust and C++ knows it. */
const unqualified = (name: string | undefined): string | undefined => /\w+$/.exec(name ?? "")?.[0];

export class OpenSources {
  readonly #ports: SourcePorts;
  readonly #files = new Map<string, OpenSource | undefined>();
  /** Of all files that were opened. */
  readonly functions = new SourceFunctions();

  constructor(ports: SourcePorts) {
    this.#ports = ports;
  }

  open(path: string): OpenSource | undefined {
    if (!this.#files.has(path)) this.#files.set(path, this.#read(path));
    return this.#files.get(path);
  }

  /** The innermost call in source that is the user's to change, and that does more than flush or fence. */
  ownFrame(frames: readonly Frame[]): Frame | undefined {
    const own = frames.filter(
      ({ module, file, line }) =>
        module !== undefined && this.#ports.isOwn(module) && file !== undefined && line !== undefined,
    );
    const isHelper = ({ file, function: name }: Frame) =>
      this.open(file!)?.helperNames.has(unqualified(name) ?? "") ?? false;
    const patchable = own.filter(({ file }) => this.open(file!) !== undefined);
    return patchable.find((frame) => !isHelper(frame)) ?? patchable[0] ?? own[0];
  }

  #read(path: string): OpenSource | undefined {
    const language = languageOf(path);
    const text = this.#ports.readSource(path);
    if (language === undefined || text === undefined) return undefined;
    const { syntax } = this.#ports;
    const root = syntax.parse(text, language).rootNode;
    const headers = [...this.#headersOf(path, text, new Set([path]))];
    const roots = [root, ...headers.map((one) => syntax.parse(one, language).rootNode)];
    this.functions.add(path, root);
    const bodies = new HelperBodies(roots, (said) => syntax.parse(said, language).rootNode);
    const found = helpersIn(roots);
    const helpers = trusted(found, bodies);
    const helperNames = new Set(found.map(({ name }) => name));
    const facts = { helpers, helperNames, repeatable: repeatableCalls(roots), bitFields: bitFieldsIn(roots) };
    return { path, text, root, headers, ...facts };
  }

  /** The program's own headers, and theirs. */
  *#headersOf(path: string, text: string, seen: Set<string>): Iterable<string> {
    for (const header of includedBy(path, text)) {
      const contents = seen.has(header) ? undefined : this.#ports.readSource(header);
      seen.add(header);
      if (contents === undefined) continue;
      yield contents;
      yield* this.#headersOf(header, contents, seen);
    }
  }
}
