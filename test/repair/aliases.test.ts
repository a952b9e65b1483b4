/** Scores of places for a fix, by the rules of Hippocrates' section 3.4.3. */
import { beforeAll, expect, it } from "vitest";
import { Aliases } from "../../src/engines/repair/aliases.ts";
import { SourceFunctions, type Syntax } from "../../src/program/source/index.ts";
import { openTestSyntax } from "../source/syntax.ts";

let syntax: Syntax;
beforeAll(async () => {
  syntax = await openTestSyntax();
});

const source = `
void update(char *addr, int idx, char val) { addr[idx] = val; }
void modify(char *addr) { update(addr, 5, 1); }
void both(char *to, const char *from) { update(to, from[0], 0); }
void numbers(int n) { modify(global); }
void nothing(void) { numbers(3); }
void foo(char *vol_addr, char *pm_addr) {
  for (int i = 0; i < 1000; i++) modify(vol_addr);
  modify(pm_addr);
  both(pm_addr, vol_addr);
  nothing();
}
void again(char *p) { if (p) again(p); update(p, 0, 0); }
int main(void) { char a[64]; char *b = map(); foo(a, b); again(b); }
`;

/** The run stored through what foo calls pm_addr, by modify. */
function scored() {
  const functions = new SourceFunctions();
  functions.add("a.c", syntax.parse(source, "c").rootNode);
  const aliases = new Aliases(functions);
  const callIn = (caller: string, callee: string, which = 0) =>
    functions.callsOf(callee).filter((call) => call.caller.name === caller)[which]!;
  const update = functions.named("update")!;
  const chain = [callIn("modify", "update"), callIn("foo", "modify", 1), callIn("main", "foo")];
  aliases.stored("addr", update, chain);
  return { aliases, callIn, update };
}

it("Listing 3.6: 1 where persistent memory is passed, -1 where it is not", () => {
  const { aliases, callIn } = scored();
  expect(aliases.scoreOfCall(callIn("foo", "modify", 1))).toBe(1);
  expect(aliases.scoreOfCall(callIn("foo", "modify", 0))).toBe(-1);
});

it("pointers count where they come from, each once, however often they are passed on", () => {
  const { aliases, update, callIn } = scored();
  // b is persistent; a and global are not; `both` and `again` pass b on.
  expect(aliases.scoreOfStore("addr", update)).toBe(1 - 2);
  expect(aliases.scoreOfCall(callIn("modify", "update"))).toBe(1 - 2);
  expect(aliases.scoreOfCall(callIn("again", "update"))).toBe(1);
});

it("all pointers of a call count; numbers alone are 0; no arguments are never chosen", () => {
  const { aliases, callIn } = scored();
  expect(aliases.scoreOfCall(callIn("foo", "both"))).toBe(1 - 1);
  expect(aliases.scoreOfCall(callIn("nothing", "numbers"))).toBe(0);
  expect(aliases.scoreOfCall(callIn("foo", "nothing"))).toBe(Number.NEGATIVE_INFINITY);
});
