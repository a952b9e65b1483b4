/** The prove command on litmus files: verdicts, exit codes, and proofs that hold, are damaged or say something else. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, expect, test, vi } from "vitest";
import type { Proof } from "../../engines/index.ts";
import { proveCommand } from "./prove.ts";

const folder = mkdtempSync(join(tmpdir(), "blackout-prove-"));
afterAll(() => rmSync(folder, { recursive: true }));

let output = "";
beforeEach(() => {
  output = "";
});
vi.mock("../../host/index.ts", async (importOriginal) => ({
  ...(await importOriginal<object>()),
  stdoutLine: (text: string) => {
    output += `${text}\n`;
  },
}));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

/** Message passing with a flush: the flag is never found without what it stands for. */
const passing = (verdict: string) =>
  `{"tests":[{"name":"passing","locs":{"d":0,"f":1,"g":2},"threads":[["W d 1","FO d","SF","W f 1"],["R r f","JZ r 1","W g 1"]],
    "checks":[{"crash":{"g":1,"d":0},"verdict":"${verdict}"},{"crash":{"g":1,"f":0},"verdict":"ALLOWED"}]}]}`;

test("as written: 0, by both encodings", async () => {
  expect(await proveCommand([file("good.json", passing("FORBIDDEN")), "--encoding", "both"])).toBe(0);
  expect(output).toContain("FORBIDDEN g=1 d=0  proven  as expected");
  expect(output).toContain("ALLOWED   g=1 f=0  shown  as expected");
  expect(output).toContain("1 tests, 2 outcomes, 0 not as written");
});

test("not as written: 1; the other platform may differ", async () => {
  expect(await proveCommand([file("wrong.json", passing("ALLOWED")), "--json"])).toBe(1);
  expect(JSON.parse(output)[0].outcomes[0]).toMatchObject({ verdict: "FORBIDDEN", expected: "ALLOWED" });
  expect(JSON.parse(output)[0].outcomes[1].execution).toContain("T1: W g 1");
  output = "";
  expect(await proveCommand([file("good.json", passing("FORBIDDEN")), "--platform", "eadr"])).toBe(0);
  expect(output).toContain("FORBIDDEN g=1 f=0");
});

test.each(["full", "partial"])("a proof of %s executions holds, and no less than it does", async (encoding) => {
  const path = join(folder, `${encoding}.proof`);
  const source = file("good.json", passing("FORBIDDEN"));
  expect(await proveCommand([source, "--encoding", encoding, "--proof", path])).toBe(0);
  expect(await proveCommand(["--check", path])).toBe(0);
  expect(output).toContain("passing: never g=1 d=0: holds");
  const proof = () => JSON.parse(readFileSync(path, "utf8")) as Proof;
  const damaged = async (change: (refutation: Proof["claims"][number]["refutations"][number]) => void) => {
    const changed = proof();
    change(changed.claims[0]!.refutations[0]!);
    output = "";
    return await proveCommand(["--check", file("damaged.proof", JSON.stringify(changed))]);
  };
  expect(proof().claims[0]!.refutations[0]!.lemmas.length).toBeGreaterThan(0);
  expect(await damaged((refutation) => void refutation.lemmas.splice(0))).toBe(1);
  expect(output).toContain("has a solution");
  expect(await damaged(({ lemmas }) => void lemmas.push([1]))).toBe(1);
  expect(output).toContain("does not follow from the graph");
  expect(await damaged(({ graph }) => void graph.edges.splice(0))).toBe(1);
  expect(await damaged((refutation) => void Object.assign(refutation, { formula: "(assert" }))).toBe(1);
  expect(output).toContain("cannot be read");
  await expect(damaged(({ lemmas }) => void lemmas.push([4000]))).rejects.toThrow("is no proof");
  await expect(damaged(({ graph }) => void graph.reads.push({ reader: 999, piece: 0, literal: 1 }))).rejects.toThrow(
    "is no proof",
  );
});

test("what cannot be read is refused", async () => {
  await expect(proveCommand([join(folder, "nowhere.json")])).rejects.toThrow("nowhere.json");
  await expect(proveCommand(["--check", file("other.json", "{}")])).rejects.toThrow("is no proof");
  const good = file("good.json", passing("FORBIDDEN"));
  await expect(proveCommand([good, "--test", "other"])).rejects.toThrow("There is no test named other");
  await expect(proveCommand([good, "--max-host-memory", "1"])).rejects.toThrow("--max-host-memory");
});
