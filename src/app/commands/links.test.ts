import { hostname } from "node:os";
import { expect, it } from "vitest";
import { finding, frame, reportOf } from "../../../test/report/findings.ts";
import { printableOutput } from "../../base/index.ts";
import { editorFormat, showsLinks, withLinks } from "./links.ts";

const other = { file: "/other/list.c" };
const report = reportOf([finding("a", "error", [frame("put", 3), frame("main", 7, { file: "/src/a b.c" })])]);
const link = (address: string, text: string) => `\u001b]8;;${address}\u001b\\${text}\u001b]8;;\u001b\\`;

it("links what the report names, to the editor", () => {
  const text = "list.c:3: a title, list.c:4, xlist.c:3, at /src/list.c:3:5";
  const vscode = (line: number) => link(`vscode://file/src/list.c:${line}`, `list.c:${line}`);
  expect(withLinks(text, report, editorFormat("vscode"))).toBe(
    `${vscode(3)}: a title, list.c:4, xlist.c:3, at /src/${vscode(3)}:5`,
  );
  expect(withLinks("list.c:3", report, editorFormat("file"))).toBe(link(`file://${hostname()}/src/list.c`, "list.c:3"));
  expect(withLinks("list.c:3", report, editorFormat("x-ed:{line}@{file}"))).toBe(
    link("x-ed:3@/src/list.c", "list.c:3"),
  );
  expect(withLinks("list.c:3", report, editorFormat("none"))).toBe("list.c:3");
});
it("leaves a name alone that two files have", () => {
  const both = reportOf([finding("a", "error", [frame("put", 3), frame("main", 3, other)])]);
  expect(withLinks("list.c:3", both, editorFormat("vscode"))).toBe("list.c:3");
});
it("survives what makes output fit to be printed, which nothing else with an escape does", () => {
  const text = withLinks("list.c:3", report, editorFormat("vscode"));
  expect(printableOutput(text)).toBe(text);
  for (const bad of [
    "\u001b]0;title\u0007",
    "\u001b]8;;x\u0007",
    "\u001b]8;;http://a\nb\u001b\\",
    "\u001b]8;id=1;a:b\u001b\\",
  ])
    expect(printableOutput(bad)).toContain("\\x1b");
  // A letter that shows nothing, of two units.
  expect(printableOutput("a\u{e0041}b")).toBe("a\\u{e0041}b");
});
it("knows which terminals have links, and which formats make sense", () => {
  expect(
    [{}, { TERM: "xterm-256color" }, { VTE_VERSION: "4800" }, { FORCE_HYPERLINK: "0", WT_SESSION: "x" }].map(
      showsLinks,
    ),
  ).toEqual([false, false, false, false]);
  for (const has of [
    { TERM_PROGRAM: "vscode" },
    { VTE_VERSION: "7006" },
    { TERM: "xterm-kitty" },
    { FORCE_HYPERLINK: "1" },
  ])
    expect(showsLinks(has), JSON.stringify(has)).toBe(true);
  for (const text of ["vim", "{file}", "vscode://file"]) expect(() => editorFormat(text)).toThrow("--editor is one of");
});
