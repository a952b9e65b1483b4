/** Every option that a page speaks of is one of some command: what a reader copies is understood. The roadmap may dream. */
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { commands } from "../../src/app/commands/commands.ts";
import { litmusUsage } from "../../src/app/commands/litmus.ts";

const root = resolve(import.meta.dirname, "../..");
/** Of other programs that pages name: Valgrind's, git's, npm's, Redis' and those of our own tools. */
const others = new Set([
  "--log-stores",
  "--log-stores-stacktraces",
  "--log-stores-stacktraces-depth",
  "--detach",
  "--appendonly",
  "--requirepass",
  "--global",
  "--quick",
  "--time",
  "--update",
  "--version",
  "--help",
]);

async function known(): Promise<ReadonlySet<string>> {
  const lines = await Promise.all(Object.values(commands).map(({ line }) => line?.()));
  const own = lines.flatMap((line) => line?.options ?? []).map(({ long }) => long ?? "");
  const negated = own.map((option) => option.replace(/^--no-/, "--"));
  return new Set([...own, ...negated, ...(litmusUsage.match(/--[a-z][a-z-]+/g) ?? []), ...others]);
}

it("has no page that names another", async () => {
  const pages = [
    "README.md",
    ...readdirSync(join(root, "docs"))
      .filter((name) => name.endsWith(".md") && name !== "ROADMAP.md")
      .map((name) => `docs/${name}`),
  ];
  const options = await known();
  const unknown = pages.flatMap((page) => {
    // Code spans and blocks; words between dashes in prose are none.
    const code = readFileSync(join(root, page), "utf8").match(/```[\s\S]*?```|`[^`\n]+`/g) ?? [];
    const named = code.flatMap((text) => text.match(/(?<![\w-])--[a-z][a-z-]*[a-z]\b(?!-)/g) ?? []);
    return [...new Set(named)].filter((option) => !options.has(option)).map((option) => `${page}: ${option}`);
  });
  expect(unknown).toEqual([]);
});
