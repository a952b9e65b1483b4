/** Compiled code cuts stores as `piecesOf` does, and marks the pieces. */
import { describe, expect, it } from "vitest";
import type { ScheduleOptions } from "../../src/machine/index.ts";
import { Recorder, type StoreKind, type TraceEvent } from "../../src/trace/events/index.ts";
import { piecesOf } from "../../src/trace/record/index.ts";
import { compileGuest, finish, loadGuest } from "../support/programs.ts";
import { collector } from "./support.ts";

type Stored = TraceEvent & { readonly kind: StoreKind };
const isStore = (event: TraceEvent): event is Stored => event.kind === "store" || event.kind === "non-temporal";

const low = 0x1122_3344_5566_7788n;
const high = BigInt.asUintN(64, ~low);
const wide = low | (high << 64n) | (high << 128n) | (low << 192n);

function storesOf(hotAfter: number, schedule?: ScheduleOptions): readonly Stored[][] {
  const events: TraceEvent[] = [];
  const program = compileGuest("trace/pieces.c", ["-O1", "-static"]);
  const guest = loadGuest([program, "/tmp/blackout-pieces.img"], {
    hotAfter,
    cpu: "v3",
    schedule,
    trace: { recorder: new Recorder([collector(events)]), annotations: false },
  });
  finish(guest);
  guest.machine.endTrace();
  const groups: Stored[][] = [];
  for (const event of events)
    if (isStore(event)) {
      if (event.further) groups.at(-1)!.push(event);
      else groups.push([event]);
    }
  return groups;
}

const joined = (pieces: readonly Stored[]): bigint =>
  pieces.reduce((all, { address, value }) => all | (value << BigInt(8 * (address - pieces[0]!.address))), 0n);

describe.each([
  ["interpreted", 0, undefined],
  ["compiled after 20", 20, undefined],
  ["by a schedule", 0, { seed: 1 }],
] as const)("%s", (_, hotAfter, schedule) => {
  const stores = storesOf(hotAfter, schedule);

  it("each store is there once", () => {
    expect(stores).toHaveLength(3 * (32 * 8 + 2 + 1));
  });
  it("cut at every aligned eight bytes, and nothing is lost", () => {
    for (const pieces of stores) {
      const bytes = pieces.reduce((sum, { size }) => sum + size, 0);
      const { address, site, kind } = pieces[0]!;
      expect(pieces.map((piece) => [piece.address, piece.size])).toEqual(
        [...piecesOf(address, bytes)].map((piece) => [piece.address, piece.bytes]),
      );
      expect(new Set(pieces.map((piece) => `${piece.kind} ${piece.site}`))).toEqual(new Set([`${kind} ${site}`]));
      expect(joined(pieces)).toBe(BigInt.asUintN(8 * bytes, wide));
    }
  });
});

it("a store's pieces cover it, each within eight aligned bytes", () => {
  for (let address = 64; address < 72; address++)
    for (let bytes = 1; bytes <= 64; bytes++) {
      const pieces = [...piecesOf(address, bytes)];
      let next = address;
      for (const piece of pieces) {
        expect(piece.address).toBe(next);
        expect((piece.address % 8) + piece.bytes).toBeLessThanOrEqual(8);
        next += piece.bytes;
      }
      expect(next).toBe(address + bytes);
      expect(pieces.slice(1, -1).every((piece) => piece.bytes === 8)).toBe(true);
    }
});
