/** The pages of rules, and the command that prints them. */
import { readdirSync, readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { inTemporaryDirectory, runBlackout } from "../../../test/end-to-end/command.ts";
import { allRules } from "../pipeline/index.ts";

const folder = resolve(import.meta.dirname, "../../../docs/rules");
const ids = [...allRules().keys()];
/** What is mended on the command line, not in the program. */
const ofTheCommand: ReadonlySet<string> = new Set(["recovery-reads-nothing"]);
const sections = ["Example", "Why it matters", "How to fix", "When it is not a bug", "How to suppress"];

/** Sections that are not there or have nothing in them. */
const missingSections = (page: string) =>
  sections.filter((title) => !new RegExp(`^## ${title}\\n\\n[^#\\s]`, "m").test(page));

describe("the pages of rules", () => {
  it("are there for every rule, and for nothing else", () => {
    const pages = readdirSync(folder).map((name) => basename(name, ".md"));
    expect(new Set(pages)).toEqual(new Set([...ids, "README"]));
  });
  it("miss a section that has nothing in it", () => {
    const page = "# x: y\n\n## Example\n\nx\n\n## Why it matters\n\n## How to fix\n";
    expect(missingSections(page)).toEqual(sections.slice(1));
  });
  it.each(ids)("say all there is to say: %s", (id) => {
    const page = readFileSync(join(folder, `${id}.md`), "utf8");
    expect(page).toMatch(new RegExp(`^# ${id}: [^\n]+\n\n\\|`));
    expect(missingSections(page)).toEqual([]);
    const [before, after] = page.split("## How to fix");
    for (const part of [before, after]) expect(part).toMatch(ofTheCommand.has(id) ? /^```\n/m : /^```c(pp)?\n/m);
  });
});

describe("blackout explain", () => {
  it("prints a rule's page, from any folder", () => {
    inTemporaryDirectory((cwd) => {
      const { code, stdout } = runBlackout(["explain", "missing-flush"], { cwd });
      expect(code).toBe(0);
      expect(stdout).toMatch(/^missing-flush: store never flushed\n\n {2}severity: error\n/);
      expect(stdout).toContain("\n      pool->data = value; // missing-flush\n");
      for (const title of sections) expect(stdout).toContain(`\n\n${title}\n\n`);
      for (const line of stdout.split("\n"))
        expect(line.length, line).toBeLessThanOrEqual(line.startsWith("    ") ? 120 : 80);
    });
  });
  it("lists the rules, and guesses which one was meant", () => {
    const list = runBlackout(["explain"]).stdout;
    expect(
      list
        .trimEnd()
        .split("\n")
        .map((line) => line.split(" ")[0]),
    ).toEqual(ids);
    expect(runBlackout(["explain", "mising-flush"])).toMatchObject({
      code: 2,
      stderr: 'blackout: There is no rule "mising-flush". Did you mean missing-flush?\n',
    });
    expect(runBlackout(["explain", "toString"]).stderr).toContain("blackout explain lists them.");
  });
});
