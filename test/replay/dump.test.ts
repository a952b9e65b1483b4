/** The script that `replay --dump` writes runs what the witness says, and shows nothing else, whatever the words hold. */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { dumpFiles } from "../../src/app/commands/dump.ts";
import type { Witness } from "../../src/crash/states/index.ts";
import { writeTree } from "../../src/host/index.ts";
import { inTemporaryDirectory } from "../end-to-end/command.ts";

const nothing = { files: new Map(), acknowledged: new Uint8Array(), input: new Uint8Array(), mappings: [] };

/** Prints its own name and its arguments, each behind a zero byte. */
const program = `#!/bin/sh\nprintf '%s' "\${0##*/}"\nfor word; do printf '\\0%s' "$word"; done\n`;

it.each([
  ["plain", ["one", "two words", "it's", ""]],
  ["a=b", ["id", "-u"]],
  ["$(id)", ["`id`", "$HOME", "\\", "*"]],
  ["esc", ["\u001b[31mred\u001b[0m", "a\u202eb\u{e0041}c", "two\nlines\n", "\u0007\n\u009b"]],
])("%s %j", (name, words) => {
  inTemporaryDirectory((base) => {
    mkdirSync(join(base, "work"));
    writeFileSync(join(base, "work", name), program);
    chmodSync(join(base, "work", name), 0o755);
    const subject = { program: [`./${name}`, ...words], directory: join(base, "work"), env: ["A=\u001bx"] };
    writeTree(join(base, "out"), dumpFiles("1", { subject } as unknown as Witness, nothing));
    const script = join(base, "out/1/open.sh");
    expect(readFileSync(script, "utf8")).not.toMatch(/[^\P{C}\n]/u);
    expect(execFileSync("/bin/sh", [script], { encoding: "utf8" })).toBe([name, ...words].join("\0"));
  });
});
