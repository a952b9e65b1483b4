/** Disturbs places for as long as a command runs. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { below, pick, type RandomState } from "../../../src/base/index.ts";
import { disturb, type Ground } from "./obstacles.ts";

/** What is half written and has a name by chance. */
const halves = ({ own }: Ground): readonly string[] =>
  readdirSync(own)
    .filter((name) => name.endsWith(".partial"))
    .map((name) => join(own, name));

/** In milliseconds. */
const longestPause = 20;

export async function whileRaced<T>(
  work: Promise<T>,
  places: readonly string[],
  ground: Ground,
  random: RandomState,
): Promise<T> {
  let isOver = false;
  const racing = async () => {
    while (!isOver) {
      disturb(pick(random, [...places, ...halves(ground)]), ground, random);
      await sleep(below(random, longestPause));
    }
  };
  const raced = racing();
  try {
    return await work;
  } finally {
    isOver = true;
    await raced;
  }
}
