/** Requests that the runtime records itself, against those that go through TypeScript: the same record, answer and rip. */
import { expect, it } from "vitest";
import { below, next64, pick, seedRandom } from "../../base/index.ts";
import { cpuOffset } from "../../isa/ir/index.ts";
import { answerRequest, encodeEvent, newTables, type RequestArguments } from "../../trace/events/index.ts";
import { recordWords } from "../../trace/record/index.ts";
import { GuestMemory } from "../memory/index.ts";
import {
  cell,
  cpuAddress,
  createFloatHelpers,
  createRuntime,
  layout,
  requestBytes,
  requestTables,
} from "../runtime/index.ts";
import { writeRequestRows } from "./request-rows.ts";

const code = 0x40_0000;
const words = 0x50_0ff0;
const thread = 7;
const passedOn = 99;
const [rax, rdx] = [0, 2];

const memory = new GuestMemory();
const { view } = memory;
memory.map(code, 4096, 7);
memory.map(words & ~0xfff, 3 * 4096, 3);
memory.load(code, new Uint8Array(requestBytes));
const runtime = createRuntime(memory.wasm, {
  touch: (page) => memory.touch(page),
  mirror: () => {},
  emptyEvents: () => {},
  usesFull: () => {},
  complex: () => passedOn,
  slow: () => {},
  helpers: createFloatHelpers(memory.wasm.buffer),
});
const gpr = (index: number) => cpuAddress(cpuOffset.gpr + 8 * index);
const ask = (number: number, args: RequestArguments, defaultAnswer: bigint): number => {
  memory.load(words, new Uint8Array(new BigUint64Array([BigInt(number), ...args]).buffer));
  view.setBigUint64(gpr(rax), BigInt(words), true);
  view.setBigUint64(gpr(rdx), defaultAnswer, true);
  view.setBigUint64(cpuAddress(cpuOffset.rip), BigInt(code), true);
  view.setUint32(cpuAddress(cell.eventNext), layout.events, true);
  return (runtime.exports.complex as () => number)();
};

writeRequestRows(view);
view.setUint32(cpuAddress(cell.thread), thread, true);
view.setUint32(cpuAddress(cell.frameNext), layout.frames, true);

it("leaves all to the host until requests are answered", () => {
  view.setUint32(cpuAddress(cell.requests), 0, true);
  expect(ask(0x5043_0005, [1n, 2n, 3n, 4n, 5n], 1n)).toBe(passedOn);
});

it("records what TypeScript would", () => {
  view.setUint32(cpuAddress(cell.requests), 1, true);
  const random = seedRandom(29);
  const numbers = requestTables.flatMap(({ first, rows }) => Array.from({ length: rows }, (_, index) => first + index));
  const context = { thread, readText: () => "", persistence: () => 0 as const };
  const expected = new Uint32Array(recordWords);
  let recorded = 0;
  for (let round = 0; round < 4000; round++) {
    const number = pick(random, numbers) + (below(random, 50) === 0 ? 0x1000 : 0);
    const args = Array.from({ length: 5 }, () => next64(random)) as unknown as RequestArguments;
    const defaultAnswer = next64(random);
    if (ask(number, args, defaultAnswer) === passedOn) {
      expect(view.getUint32(cpuAddress(cell.eventNext), true), "nothing is recorded").toBe(layout.events);
      continue;
    }
    recorded++;
    const answer = answerRequest(BigInt(number), args, context);
    expect(view.getBigUint64(cpuAddress(cpuOffset.rip), true)).toBe(BigInt(code + requestBytes.length));
    expect(view.getBigUint64(gpr(rdx), true), `${number}`).toBe(answer?.result ?? defaultAnswer);
    const end = view.getUint32(cpuAddress(cell.eventNext), true);
    if (!answer?.event) expect(end).toBe(layout.events);
    else {
      encodeEvent(expected, 0, { thread, site: code, stack: 0 }, answer.event, newTables().texts);
      expect([...new Uint32Array(memory.bytes.buffer, layout.events, recordWords)]).toEqual([...expected]);
    }
  }
  expect(recorded).toBeGreaterThan(2000);
});
