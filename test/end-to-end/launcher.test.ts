/** What the build did ahead is an aid alone: without it, and with a damaged one, the command does the same. And the bundle, a script, loads rules. */
import { spawnSync } from "node:child_process";
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { compileGuest } from "../support/programs.ts";
import { blackout, inTemporaryDirectory, runBlackout } from "./command.ts";

const built = join(dirname(blackout), "dist");

/** The newest build, apart, where its cache may be damaged. */
function withCopy(use: (folder: string, cache: string) => void): void {
  inTemporaryDirectory((folder) => {
    const [, bundle] = /"(blackout-\w+)\.cjs"/.exec(readFileSync(join(built, "blackout.mjs"), "utf8"))!;
    const files = [
      "blackout.mjs",
      "iced_x86_bg.wasm",
      ...readdirSync(built).filter((name) => name.startsWith(bundle!)),
    ];
    for (const name of files) cpSync(join(built, name), join(folder, name));
    use(folder, join(folder, `${bundle}.ahead`));
  });
}

const program = compileGuest("bench/hello.c", ["-O2", "-no-pie"]);

function hello(folder: string): string {
  const { status, stdout, stderr } = spawnSync("node", [join(folder, "blackout.mjs"), "run", "--", program]);
  return `${status} ${stdout} ${stderr}`;
}

it.each<[string, (cache: string) => void]>([
  ["as it was built", () => {}],
  ["missing", (cache) => rmSync(cache)],
  ["empty", (cache) => writeFileSync(cache, "")],
  ["cut short", (cache) => writeFileSync(cache, readFileSync(cache).subarray(0, 1_000_000))],
  [
    "with other bytes in it",
    (cache) => {
      const bytes = readFileSync(cache);
      for (let at = 1000; at < bytes.length; at += 5000) bytes[at] = ~bytes[at]!;
      writeFileSync(cache, bytes);
    },
  ],
])("runs a program when the cache is %s", (_, change) =>
  withCopy((folder, cache) => {
    change(cache);
    expect(hello(folder)).toBe("0 hello\n ");
  }),
);

it("loads a rule that is a module", () =>
  inTemporaryDirectory((folder) => {
    writeFileSync(join(folder, "rule.mjs"), "export const rule = 5;");
    const { code, stderr } = runBlackout(["trace", "--rule", join(folder, "rule.mjs"), "--", program]);
    expect(code).toBe(2);
    expect(stderr).toContain("exports no rule");
  }));
