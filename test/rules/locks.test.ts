/** Words that locked operations take and that are given back are told apart from data. */
import { expect, it } from "vitest";
import { pm } from "../trace/builder.ts";
import { type Build, fired } from "./support.ts";

const [word, data] = [pm + 64, pm + 128];
const take = { at: "take" };
const taken: Build = (t) => t.fence(take, "locked").store(word, 1n, take);

it.each<readonly [string, Build, readonly string[]]>([
  ["a lock that a plain store gives back", (t) => taken(t).store(word, 0n), ["transient-lock"]],
  ["a version", (t) => taken(t).fence(take, "locked").store(word, 2n, take), ["transient-lock"]],
  [
    "one on a line that is flushed at other times",
    (t) => taken(t.store(word, 0n).persist(word)).store(word, 0n),
    ["transient-lock"],
  ],
  ["a lock that is persisted", (t) => taken(t).store(word, 0n).persist(word), []],
  [
    "a pointer that is published and stays",
    (t) => t.fence(take, "locked").store(word, 0x5000n, take),
    ["transient-data"],
  ],
  [
    "one whose two records are the last of a batch of 4096 and the first of the next",
    (t) => {
      for (let event = 0; event < 4095; event++) t.fence(undefined, "lfence");
      return taken(t).store(word, 0n);
    },
    ["transient-lock"],
  ],
  ["data beside a lock", (t) => taken(t).store(word, 0n).store(data, 7n), ["transient-data", "transient-lock"]],
])("%s", (_name, build, rules) => {
  expect([...fired(build)].sort((a, b) => (a < b ? -1 : 1))).toEqual(rules);
});
