import { expect, it } from "vitest";
import { BoundReached, WorkBound } from "./bound.ts";

it("is reached by what goes beyond it, and from then on", () => {
  const { spend } = new WorkBound(10);
  spend(4);
  spend(6);
  spend(0);
  expect(() => spend(1)).toThrow(BoundReached);
  expect(() => spend(0)).toThrow(BoundReached);
});
