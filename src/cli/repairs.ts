/** What `blackout fix` and `check --fix` share: what repair asks of a command, and the sources that it patches. */
import { dirname, relative, resolve } from "node:path";
import { type HostPorts, isBelow } from "../base/index.ts";
import {
  curedBy,
  OpenSources,
  Repair,
  type RepairPorts,
  SourcePatch,
  type SourcePorts,
  Syntax,
} from "../engines/index.ts";
import type { Finding } from "../report/index.ts";
import { programFile, type SubjectOptions } from "../subject/index.ts";
import { builtFile } from "./built-file.ts";
import { Sources } from "./sources.ts";

const wasmFile = (name: string): Uint8Array => builtFile(name, "The parser of sources");

const openSyntax = () =>
  Syntax.open({
    parser: wasmFile("web-tree-sitter.wasm"),
    grammars: {
      c: wasmFile("tree-sitter-c.wasm"),
      cpp: wasmFile("tree-sitter-cpp.wasm"),
      rust: wasmFile("tree-sitter-rust.wasm"),
    },
  });

/** What lies beside the program, in the working directory or in a tree that was named is the user's to change. */
export function ownCode(program: string, source: readonly string[]): (module: string) => boolean {
  const own = [dirname(program), process.cwd(), ...source.map((folder) => resolve(folder))];
  return (module) => own.some((folder) => isBelow(module, folder));
}

/** The sources as they are, and patches that start from them. */
export async function openSources(sources: Sources, isOwn: SourcePorts["isOwn"]) {
  const shownPath = (path: string) => relative(process.cwd(), path);
  const ports: SourcePorts = { syntax: await openSyntax(), readSource: sources.read, isOwn, shownPath };
  const open = new OpenSources(ports);
  return { open, shownPath, newPatch: () => new SourcePatch(ports, open) };
}

interface Repairable {
  readonly subject: SubjectOptions;
  readonly host: HostPorts;
  readonly errors: RepairPorts["errors"];
}

/** Each finding that repair cures, alone or with another, with the change of the source that does. */
export async function withRepairs(
  findings: readonly Finding[],
  { subject, host, errors }: Repairable,
  flags: { readonly source: readonly string[]; readonly root?: string },
): Promise<readonly Finding[]> {
  const program = programFile(subject, subject.program, host);
  const isOwn = ownCode(program, flags.source);
  const { open, newPatch } = await openSources(new Sources(flags, program), isOwn);
  const { fixes } = await new Repair(subject, { host, isOwn, errors, sources: open }).run();
  const diffs = new Map<string, string>();
  for (const fix of fixes) {
    const patch = newPatch();
    const isWhole = patch.add(fix).every(({ unplaced }) => unplaced === undefined);
    const diff = isWhole
      ? patch
          .changes()
          .map((change) => change.diff)
          .join("")
      : "";
    for (const fingerprint of curedBy(fix)) diffs.set(fingerprint, diff);
  }
  return findings.map((finding) => {
    const diff = diffs.get(finding.fingerprint);
    return diff === undefined ? finding : { ...finding, repair: { diff } };
  });
}
