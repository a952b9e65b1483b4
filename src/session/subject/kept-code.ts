/**
 * Kept code in files, one for each program and way of lifting, so that a program's next run begins with what its last
 * one made of its code (docs/adr/0014-kept-code.md).
 */
import type { HostPorts } from "../../base/index.ts";
import { KeptCode, type Lifting } from "../../machine/index.ts";

/** A process that looks at one program after another does not hold the code of all. */
export const mostInUse = 16;
/** What this thread's machines use, by file, with the cache that it came from; used last, last. */
const inUse = new Map<string, { readonly code: KeptCode; readonly cache: HostPorts["cache"] }>();

function read(file: string, { cache }: HostPorts): KeptCode | undefined {
  const bytes = cache.read(file);
  return bytes && KeptCode.from(bytes);
}

/** A new program often has its libraries where another one has them, and what is not the same is not used. */
function ofAnother(lifting: Lifting, ports: HostPorts): KeptCode | undefined {
  const file = ports.cache.newest(lifting);
  return file === undefined ? undefined : read(file, ports);
}

/** For machines that run the program which lies at `program` on the host. */
export const keptCodeOf =
  (program: string, ports: HostPorts) =>
  (lifting: Lifting): KeptCode => {
    if (inUse.size === 0) ports.atEnd(keepCode);
    const file = ports.cache.name(program, lifting);
    const code = inUse.get(file)?.code ?? read(file, ports) ?? ofAnother(lifting, ports) ?? new KeptCode();
    inUse.delete(file);
    inUse.set(file, { code, cache: ports.cache });
    const [oldest] = inUse.keys();
    if (inUse.size > mostInUse) letGo(oldest!);
    return code;
  };

/** Machines that still run it have it for themselves. */
function letGo(file: string): void {
  keep(file);
  inUse.delete(file);
}

/** Writes what has come to the files in use. */
export function keepCode(): void {
  for (const file of inUse.keys()) keep(file);
}

/** A full one, much of which is of no use to anybody by then, is begun anew. */
function keep(file: string): void {
  const { code, cache } = inUse.get(file)!;
  if (cache.keeps) code.takeNativeCode();
  if (code.isFull) cache.remove(file);
  else if (code.hasGrown) cache.write(file, code.toParts());
}
