import { expect, it } from "vitest";
import type { CachePort, HostPorts } from "../../base/index.ts";
import { keptCodeOf, mostInUse } from "./kept-code.ts";

it("holds the code of the programs that were used last, and no more", () => {
  const asked: string[] = [];
  const cache: CachePort = {
    keeps: true,
    name: (about, kind) => `${about} ${kind}`,
    newest: () => undefined,
    read: (name) => void asked.push(name),
    write: () => {},
    remove: () => {},
  };
  const ports = { cache, atEnd: () => {} } as Pick<HostPorts, "cache" | "atEnd"> as HostPorts;
  const codeOf = (program: number) => keptCodeOf(`/program-${program}`, ports)("plain-v2");
  const codes = Array.from({ length: mostInUse }, (_, program) => codeOf(program));
  expect(codes.map((_, program) => codeOf(program))).toEqual(codes);
  expect(asked.length).toBe(mostInUse);
  codeOf(0);
  codeOf(mostInUse);
  expect(codeOf(0)).toBe(codes[0]);
  expect(codeOf(1)).not.toBe(codes[1]);
  expect(asked.slice(mostInUse)).toEqual([`/program-${mostInUse} plain-v2`, "/program-1 plain-v2"]);
});
