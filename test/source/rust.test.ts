/** Where a flush goes in Rust, what it flushes and in whose words. Each result must compile, where there is a rustc. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  applyInsertions,
  helpersIn,
  idiomAt,
  insertAfter,
  nodeAt,
  placeAfter,
  repeatableCalls,
  type Syntax,
  writtenAt,
} from "../../src/program/source/index.ts";
import { isInstalled } from "../elf/compile.ts";
import { openTestSyntax } from "./syntax.ts";

const hasRust = isInstalled("rustc");
if (!hasRust) console.log("There is no rustc here: whether what is written into Rust compiles is not tried.");
const folder = mkdtempSync(join(tmpdir(), "blackout-rust-"));
afterAll(() => rmSync(folder, { recursive: true }));

let syntax: Syntax;
beforeAll(async () => {
  syntax = await openTestSyntax();
});

const raw = "unsafe { std::arch::x86_64::_mm_clflush(place as *const u8) }";
const helper = (signature: string, body = raw) => `fn ${signature} { ${body}; fence() }\n`;
const pointers = helper("persist(place: *const u8, _bytes: usize)");

const prelude = `#![allow(dead_code, unused)]
use std::sync::atomic::{AtomicU64, Ordering};
struct S { a: u64, b: [u64; 4], c: AtomicU64, text: [u8; 64] }
fn fence() { unsafe { std::arch::x86_64::_mm_sfence() } }
fn nth(p: *mut u64, n: usize) -> *mut u64 { unsafe { p.add(n) } }
fn taken(p: &mut *mut u64) -> *mut u64 { *p = std::ptr::null_mut(); *p }
`;

/** The body with what makes durable what is at ^, or why there is nothing. */
function persisted(body: string, words = pointers): string {
  const at = body.indexOf("^");
  const head = `${prelude}${words}fn f(s: &mut S, mut p: *mut u64, n: usize) {\n`;
  const source = `${head}${body.replace("^", "")}\n}\n`;
  const lines = source.slice(0, head.length + at).split("\n");
  const root = syntax.parse(source, "rust").rootNode;
  const node = nodeAt(root, { line: lines.length, column: lines.at(-1)!.length + 1 })!;
  const placement = placeAfter(node);
  if (placement.kind === "nowhere") return placement.reason;
  const written = writtenAt(node, placement.statement, repeatableCalls([root]));
  if (written === undefined) return "nobody knows what it writes";
  const said = idiomAt(node, helpersIn([root]), source, [], { withinLine: true }).persist?.(written);
  if (said === undefined) return "nothing can be called";
  const result = applyInsertions(source, insertAfter(source, placement, said));
  if (hasRust) compile(result);
  return result.slice(head.length, result.length - "\n}\n".length);
}

function compile(text: string): void {
  writeFileSync(join(folder, "lib.rs"), text);
  const words = ["--edition=2021", "--crate-type=lib", "--emit=metadata", "lib.rs"];
  execFileSync("rustc", words, { cwd: folder, stdio: "pipe" });
}

const field = "persist(std::ptr::addr_of!(s.a) as *const u8, std::mem::size_of_val(&s.a));";
const through = "persist(p as *const u8, std::mem::size_of_val(&*p));";

describe("what is written is persisted", () => {
  it.each([
    ["    s.a ^= 1; // one", `    s.a = 1; // one\n    ${field}`],
    ["    if n > 0 { s.a ^+= 1 }", `    if n > 0 { s.a += 1; ${field} }`],
    ["    match n { 0 => s.a ^= 1, _ => () }", `    match n { 0 => { s.a = 1; ${field} }, _ => () }`],
    [
      "    unsafe { *p ^= 1 };",
      "    unsafe { *p = 1; persist(std::ptr::addr_of!(*p) as *const u8, std::mem::size_of_val(&*p)); };",
    ],
    ["    unsafe { p.^write(1) }", `    unsafe { p.write(1); ${through} }`],
    ["    unsafe { std::ptr::^write_volatile(p, 1); }", `    unsafe { std::ptr::write_volatile(p, 1); ${through} }`],
    [
      "    unsafe { *nth(p, n) ^= 1; }",
      "    unsafe { *nth(p, n) = 1; persist(std::ptr::addr_of!(*nth(p, n)) as *const u8, std::mem::size_of_val(&*nth(p, n))); }",
    ],
    [
      "    unsafe { std::ptr::^copy(p, p.add(8), n + 1); }",
      "    unsafe { std::ptr::copy(p, p.add(8), n + 1); persist(p.add(8) as *const u8, (n + 1) * std::mem::size_of_val(&*p.add(8))); }",
    ],
    [
      "    s.text[..n].^fill(7);",
      "    s.text[..n].fill(7);\n    persist(s.text[..n].as_ptr() as *const u8, std::mem::size_of_val(&s.text[..n]));",
    ],
    [
      "    s.c.^fetch_add(1, Ordering::SeqCst);",
      "    s.c.fetch_add(1, Ordering::SeqCst);\n    unsafe { persist(s.c.as_ptr() as *const u8, std::mem::size_of_val(&*s.c.as_ptr())); }",
    ],
  ])("%s", (body, result) => expect(persisted(body)).toBe(result));

  it.each([
    [
      "    let old = if s.c.^swap(1, Ordering::SeqCst) > 0 { 1 } else { 2 };",
      "it is part of the head of if expression",
    ],
    ["    let mut set = |v| s.a ^= v; set(1);", "it is part of the head of closure expression"],
    ["    let old = { s.c.^swap(1, Ordering::SeqCst) };", "its value is that of the block around it"],
    ["    unsafe { *taken(&mut p) ^= 1; }", "nobody knows what it writes"],
    ["    s.a ^= 1; return;", `    s.a = 1; ${field} return;`],
  ])("%s: %s", (body, reason) => expect(persisted(body)).toBe(reason));
});

describe("in the words of", () => {
  const assigned = (words: string) => persisted("    s.a ^= 1;", words).split("\n").slice(1).join("\n");
  it.each([
    [
      "a helper for any reference",
      helper("durable<T>(place: &T)", raw.replace("place", "place as *const T")),
      "durable(&s.a);",
    ],
    [
      "a helper for any pointer",
      helper("durable<T>(place: *const T, n: usize)"),
      "durable(std::ptr::addr_of!(s.a), std::mem::size_of_val(&s.a));",
    ],
    [
      "a helper that is unsafe",
      `unsafe ${helper("durable(place: *mut u8, n: u64)")}`,
      "unsafe { durable(std::ptr::addr_of!(s.a) as *mut u8, std::mem::size_of_val(&s.a) as u64); }",
    ],
    [
      "a library",
      'extern "C" { fn pmem_persist(place: *const u8, bytes: usize); }\n',
      "unsafe { pmem_persist(std::ptr::addr_of!(s.a) as *const u8, std::mem::size_of_val(&s.a)); }",
    ],
    [
      "a helper for something else",
      helper("durable(place: &S)", raw.replace("place", "place as *const S")),
      "unsafe { std::arch::x86_64::_mm_clflush(std::ptr::addr_of!(s.a) as *const u8); }\n    fence();",
    ],
  ])("%s", (_name, words, said) => expect(assigned(words)).toBe(`    ${said}`));

  it("nobody", () => expect(persisted("    s.a ^= 1;", "")).toBe("nothing can be called"));
});
