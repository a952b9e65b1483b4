/** Commands that have ended hold no machine: whoever runs many of them in one process needs the memory of one. */
import { expect, it } from "vitest";
import { check } from "../../src/check.ts";
import { reportOf } from "../support/findings.ts";
import { noteMemories } from "../support/memories.ts";
import { compileGuest } from "../support/programs.ts";

const pool = "/tmp/blackout-released-pool.img";
const program = (): string => compileGuest("check/hidden/wrap-around.c", ["-O1", "-g", "-DBUG", "-static"]);
const words = (): readonly string[] => ["--recover", `${program()} ${pool} check`, "--", program(), pool];

it.each([
  ["check, called by a program", () => check({ program: [program(), pool], recover: [program(), pool, "check"] })],
  ["check, with exploration and fixes", () => reportOf("check and explore", words())],
  ["explore", () => reportOf("explore", words())],
  ["represent", () => reportOf("represent", words())],
  ["robust", () => reportOf("robust", words())],
] as const)("%s", async (_, command) => {
  const memories = noteMemories();
  try {
    await command();
    expect(memories.made).toBeGreaterThan(1);
    expect(await memories.alive()).toBe(0);
  } finally {
    memories.end();
  }
});
