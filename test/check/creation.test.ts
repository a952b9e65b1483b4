/** Crashes while a run creates its file are one finding of their own kind, decided by where the power was cut. */
import { expect, it } from "vitest";
import { findingsOf, reportOf } from "../support/findings.ts";
import { checkGuest, pool } from "./guests.ts";

async function check(bug: string | undefined, ...options: readonly string[]) {
  return await found("check", bug, "--no-rules", ...options);
}

async function found(command: "check" | "explore", bug: string | undefined, ...options: readonly string[]) {
  const program = checkGuest("creating", bug);
  const words = ["--recover", `${program} ${pool} check`, ...options];
  const setup = options.includes("--setup") ? [`${program} ${pool} new`] : [];
  const findings = await findingsOf(command, [...words, ...setup, "--", program, pool]);
  return findings.map(({ rule, severity, message }) => `${severity} ${rule}: ${/exits with \d/.exec(message)?.[0]}`);
}

const creation = "warning creation-not-atomic: exits with 7";

it("is a warning by default, an error or nothing when asked", async () => {
  expect(await check(undefined)).toEqual([creation]);
  expect(await check(undefined, "--creation", "error")).toEqual([creation.replace("warning", "error")]);
  expect(await check(undefined, "--creation", "ignore")).toEqual([]);
});
it("leaves what fails later an error, in the same function too", async () => {
  expect(await check("ORDER")).toEqual(["error recovery-fails: exits with 8", creation]);
  expect(await check("ORDER", "--creation", "ignore")).toEqual(["error recovery-fails: exits with 8"]);
});
it("is nothing of a file that was there before", async () => {
  expect(await check(undefined, "--setup")).toEqual([]);
  expect(await check("ORDER", "--setup")).toEqual(["error recovery-fails: exits with 8"]);
});
it("leaves a constructor's mistake an error", async () => {
  expect(await check("CONSTRUCTOR")).toEqual(["error recovery-fails: exits with 6", creation]);
});

it("is told apart by exploration too", async () => {
  expect(await found("explore", undefined)).toEqual([creation]);
  expect(await found("explore", undefined, "--creation", "ignore")).toEqual([]);
  expect(await found("explore", "ORDER")).toEqual(["error recovery-fails: exits with 8", creation]);
  expect(await found("explore", "CONSTRUCTOR")).toEqual(["error recovery-fails: exits with 6", creation]);
});

it("in the set-up is said to be without power cuts", async () => {
  const program = checkGuest("creating", undefined);
  const words = ["--no-rules", "--recover", `${program} ${pool} check`, "--setup", `${program} ${pool} new`];
  const { coverage } = await reportOf("check", [...words, "--", program, pool]);
  expect(new Set(coverage?.onlyInSetup?.map((place) => place.function))).toEqual(new Set(["create"]));
});
