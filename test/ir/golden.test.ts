/** What lifting and compiling make of small pieces of code, as text: a change of either shows as a difference here. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { folder, goldenText, names } from "./golden.ts";

test.each(names)("%s", async (name) => {
  await expect(goldenText(name)).toMatchFileSnapshot(join(folder, name));
});
