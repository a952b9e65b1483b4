import { describe, expect, it } from "vitest";
import { answerRequest, ownTransaction, type RequestContext } from "../../src/trace/events/index.ts";

const base = 0x5043_0000n;
const context: RequestContext = { thread: 3, readText: () => "hello", persistence: () => 2 };
const ask = (number: bigint, ...args: readonly bigint[]) =>
  answerRequest(number, [args[0] ?? 0n, args[1] ?? 0n, args[2] ?? 0n, args[3] ?? 0n, args[4] ?? 0n], context);

describe("client requests", () => {
  it("say that the program runs on Valgrind", () => expect(ask(0x1001n)).toEqual({ result: 1n }));
  it("become events", () => {
    expect(ask(base + 5n, 0x1000n, 64n)?.event).toMatchObject({ request: "flush", start: 0x1000, length: 64 });
    expect(ask(base + 22n, 0x1000n, 8n)?.event).toMatchObject({ request: "tx-add", transaction: ownTransaction(3) });
    expect(ask(base + 23n, 7n, 0x1000n, 8n)?.event).toMatchObject({ request: "tx-add", transaction: 7, start: 0x1000 });
    expect(ask(base + 30n, 0x2000n)?.event).toEqual({ kind: "marker", text: "hello" });
    expect(ask(0x1305n, 1n, 0x3000n, 32n)?.event).toMatchObject({
      request: "object-allocated",
      start: 0x3000,
      length: 32,
    });
  });
  it("ask about memory", () => expect(ask(base + 3n, 0x1000n, 8n)?.result).toBe(2n));
  it("make libpmemobj tell of its objects", () => expect(ask(0x4d43_0008n)).toEqual({ result: 3n }));
  it("are left alone when unknown", () => expect(ask(0x1234_0000n)).toBeUndefined());
});
