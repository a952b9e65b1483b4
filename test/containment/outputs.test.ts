/**
 * What commands write for the user goes where the user said: a link that somebody planted there is not followed, and what it
 * leads to stays as it was.
 */
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { AppendFile, createBytes, readAppended, wholeFile, writeText, writeTree } from "../../src/host/index.ts";
import { checkGuest } from "../check/guests.ts";
import { inTemporaryDirectory, runBlackout } from "../end-to-end/command.ts";

/** A folder to write in, and a folder of somebody else's with files that must stay. */
function planted(work: (own: string, foreign: string) => void): void {
  inTemporaryDirectory((base) => {
    const [own, foreign] = [join(base, "own"), join(base, "foreign")];
    for (const folder of [own, foreign, join(foreign, "files")]) mkdirSync(folder);
    for (const name of ["victim", "journal", "files/pool"]) writeFileSync(join(foreign, name), "precious");
    const before = execFileSync("/usr/bin/find", [foreign, "-printf", "%P %s %T@ %i\n"], { encoding: "utf8" });
    work(own, foreign);
    expect(execFileSync("/usr/bin/find", [foreign, "-printf", "%P %s %T@ %i\n"], { encoding: "utf8" })).toBe(before);
    expect(readFileSync(join(foreign, "victim"), "utf8")).toBe("precious");
  });
}

const file = (text: string) => wholeFile(new TextEncoder().encode(text));

describe("a tree of files", () => {
  it("is written for its user alone, and again", () =>
    planted((own) => {
      for (const text of ["one", "two"]) writeTree(join(own, "a/b"), new Map([["1/files/../files//x", file(text)]]));
      expect(readFileSync(join(own, "a/b/1/files/x"), "utf8")).toBe("two");
      for (const made of ["a", "a/b", "a/b/1"]) expect(statSync(join(own, made)).mode & 0o777).toBe(0o700);
    }));
  it.each([
    ["the folder", "tree", "."],
    ["a folder in it", "tree/files", "files"],
    ["a file in it", "tree/files/pool", "files/pool"],
    ["a file in it that leads nowhere", "tree/files/pool", "files/new"],
  ])("does not follow a link for %s", (_what, link, target) =>
    planted((own, foreign) => {
      mkdirSync(join(own, link, ".."), { recursive: true });
      symlinkSync(join(foreign, target), join(own, link));
      for (const named of ["tree", "tree/", "tree/."])
        expect(() => writeTree(join(own, named), new Map([["files/pool", file("evil")]]))).toThrow(
          /is (a symbolic link|no regular file): name another place/,
        );
      expect(readlinkSync(join(own, link))).toBe(join(foreign, target));
    }),
  );
  it("does not write into a file that has another name elsewhere", () =>
    planted((own, foreign) => {
      linkSync(join(foreign, "victim"), join(own, "x"));
      writeTree(own, new Map([["x", file("ours")]]));
      expect(readFileSync(join(own, "x"), "utf8")).toBe("ours");
    }));
  it("is not led out by names in it", () =>
    planted((own) => {
      writeTree(join(own, "tree"), new Map([["../../foreign/victim", file("evil")]]));
      expect(existsSync(join(own, "tree/foreign/victim"))).toBe(true);
    }));
});

describe("a file", () => {
  it.each(["victim", "new"])("does not follow a link (to %s)", (target) =>
    planted((own, foreign) => {
      symlinkSync(join(foreign, target), join(own, "report"));
      for (const named of ["report", "./report", "report/."])
        expect(() => writeText(`${own}/${named}`, "evil")).toThrow(/report\S* is a symbolic link: name another place/);
      expect(() => createBytes(join(own, "report"))).toThrow(/is a symbolic link/);
      expect(readdirSync(own)).toEqual(["report"]);
    }),
  );
  it("is replaced whole, and keeps its mode", () =>
    planted((own) => {
      writeFileSync(join(own, "report"), "old");
      chmodSync(join(own, "report"), 0o640);
      writeText(join(own, "report"), "new");
      expect(readFileSync(join(own, "report"), "utf8")).toBe("new");
      expect(statSync(join(own, "report")).mode & 0o777).toBe(0o640);
      expect(readdirSync(own)).toEqual(["report"]);
    }));
  it("is not blocked by what a killed process left, which is cleared after a day", () =>
    planted((own) => {
      const left = [`.report.${process.pid}.partial`, ".report.1.partial", ".other.1.partial"];
      for (const name of left) writeFileSync(join(own, name), "half");
      writeText(join(own, "report"), "one");
      expect(readdirSync(own).sort((a, b) => (a < b ? -1 : 1))).toEqual(
        [...left, "report"].sort((a, b) => (a < b ? -1 : 1)),
      );
      for (const name of left) utimesSync(join(own, name), 1, 1);
      writeText(join(own, "report"), "two");
      expect(readdirSync(own).sort((a, b) => (a < b ? -1 : 1))).toEqual([".other.1.partial", "report"]);
    }));
  it("may be one of our own streams, wherever that leads", () =>
    planted((own) => {
      execFileSync("/bin/sh", [
        "-c",
        `"$0" trace --allow-empty --report /dev/stdout -- /bin/true > "$1"`,
        "./blackout",
        join(own, "out"),
      ]);
      expect(readFileSync(join(own, "out"), "utf8")).toMatch(/^SUMMARY/);
    }));
});

describe("a journal", () => {
  it("is not begun, read or gone on with through a link", () =>
    planted((own, foreign) => {
      symlinkSync(foreign, join(own, "kept"));
      expect(() => AppendFile.create(join(own, "kept"), "journal")).toThrow(
        /^The journal in \S+ cannot be written \(\S+ is a symbolic link\): name another directory/,
      );
      expect(() => AppendFile.resume(join(own, "kept"), "journal", 0)).toThrow(/is a symbolic link/);
      expect(() => readAppended(join(own, "kept"), "journal")).toThrow(/is a symbolic link/);
      mkdirSync(join(own, "real"));
      symlinkSync(join(foreign, "journal"), join(own, "real/journal"));
      expect(() => AppendFile.create(join(own, "real"), "journal")).toThrow(/is no regular file/);
      expect(() => AppendFile.resume(join(own, "real"), "journal", 0)).toThrow(/cannot be written/);
      expect(() => readAppended(join(own, "real"), "journal")).toThrow(/cannot be read/);
    }));
  it("has a lock that is no link either", () =>
    planted((own, foreign) => {
      symlinkSync(join(foreign, "victim"), join(own, "journal.lock"));
      AppendFile.create(own, "journal").remove();
      expect(existsSync(own)).toBe(false);
    }));
});

describe("commands", () => {
  it("keep to what they were told where links were planted", () =>
    planted((own, foreign) => {
      const program = checkGuest("creating", "ORDER");
      const words = ["--no-rules", "--no-fix", "--recover", `${program} a.pool check`];
      const check = (...options: string[]) =>
        runBlackout(["check", ...words, ...options, "--", program, "a.pool"], { cwd: own });
      symlinkSync(foreign, join(own, ".blackout"));
      symlinkSync(join(foreign, "victim"), join(own, "link"));
      expect(check("--bundle", "found").code).toBe(1);
      const refused = check("--witness", "link");
      expect(refused.stderr).toMatch(/blackout: link is a symbolic link: name another place/);
      expect(refused.code).toBe(2);
      rmSync(join(own, "found/crashed/1/files"), { recursive: true });
      symlinkSync(foreign, join(own, "found/crashed/1/files"));
      const { code, stderr } = runBlackout(["replay", "found", "--dump", "found/crashed"], { cwd: own });
      expect(stderr).toMatch(/found\/crashed\/1\/files is a symbolic link/);
      expect(code).toBe(2);
      expect(lstatSync(join(own, ".blackout")).isSymbolicLink()).toBe(true);
    }));
});
