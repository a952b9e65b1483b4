/** A crash finding in words: how recovery failed, what it takes to fail, and what cures it. */

import { type CrashFacts, describeStore, type StoreFact } from "../../crash/finding/index.ts";
import { describeVerdict, lastWords } from "../../crash/states/index.ts";
import { eventWord } from "../document/index.ts";
import { printedAgainst, printedTexts } from "./printed-text.ts";
import { leakText } from "./verdict-text.ts";

/** How recovery failed, with what it said of it. */
function failureText({ verdict, stdout, stderr, expected, leaked }: CrashFacts): string {
  if (leaked !== undefined) return `recovery ${leakText(leaked)}`;
  if (expected !== undefined)
    return `recovery prints ${printedAgainst(stdout, expected, ([before, after]) => `${before} before the operation under way and ${after} after it`)}`;
  const said = lastWords({ stderr });
  return `recovery ${describeVerdict(verdict)}${said === "" ? "" : `, saying ${printedTexts([said])[0]}`}`;
}

/** "; other crash states show that it is killed by SIGABRT, or exits with 4". */
function otherEndsText({ otherEnds }: CrashFacts): string {
  const ways = otherEnds.map(({ verdict }) => describeVerdict(verdict));
  return ways.length === 0 ? "" : `; at other crash states it ${ways.join(", or ")}`;
}

/** "8 bytes at 0x40 (value 0x1) of /pm/pool and 2 more". */
function storesText([first, ...more]: readonly StoreFact[]): string {
  if (first === undefined) return "";
  const place = `${describeStore(first.mark)} of ${first.path}`;
  return more.length === 0 ? place : `${place} and ${more.length} more`;
}

/** What it takes to fail, and what cures it. */
function cureText({ lost, lostLines, turning, leaked }: CrashFacts): string {
  const [well, wrong] = leaked === undefined ? ["recovery succeeds", "fails"] : ["nothing is leaked", "something is"];
  if (lostLines === 0)
    return turning === undefined
      ? "although every store before the power cut was kept: no flush or fence can cure it"
      : `although every store before the power cut was kept: no flush or fence can cure it; ${well} before this ${eventWord(turning.kind)} and ${wrong} after it`;
  const these = lost.length === 1 ? "this store is" : `these ${lost.length} stores are`;
  const line = lost.length === 1 ? "its line" : lostLines === 1 ? "their line" : `any of their ${lostLines} lines`;
  return `when ${these} lost and all others are kept: ${storesText(lost)}; with ${line} kept, the failure is gone`;
}

export const crashText = (crash: CrashFacts): string =>
  `${failureText(crash)}, ${cureText(crash)}${otherEndsText(crash)}`;

export function cutText({ before, previous }: CrashFacts): string {
  const [who, again] = previous === undefined ? ["the program", ""] : ["recovery", " again"];
  return before === "end"
    ? `the power is cut${again} after ${who}'s last event`
    : `the power is cut${again} before this ${eventWord(before)}`;
}
