/** Virtual patches: the patched trace is the plain one with exactly what the patches say put in, and nothing else changes. */
import { beforeAll, describe, expect, test } from "vitest";
import { below, next32, pick, seedRandom } from "../../src/base/index.ts";
import { KeptCode, type Patch } from "../../src/machine/index.ts";
import { newTables, Recorder, type TraceEvent, type TraceTables } from "../../src/trace/events/index.ts";
import { machineKinds } from "../../src/trace/record/index.ts";
import { compileGuest, finish, loadGuest } from "../support/programs.ts";
import { expectedTrace, firstDifference, modulesOf, placeOf, show } from "./patched.ts";
import { collector } from "./support.ts";

const seed = Number(process.env["SEED"] ?? 0);
const program = compileGuest("trace/patched.c", ["-O2", "-static", "-pthread"]);
const pool = "/tmp/blackout-patched.img";

interface Traced {
  readonly events: readonly TraceEvent[];
  readonly tables: TraceTables;
  readonly end: Readonly<Record<string, unknown>>;
}

interface How {
  readonly hotAfter?: number;
  readonly patches?: readonly Patch[];
  readonly kept?: KeptCode;
  /** Instructions at a time. */
  readonly slice?: number;
  readonly words?: readonly string[];
  readonly file?: string;
}

function traced({ hotAfter = 0, patches = [], kept, slice, words = [], file = program }: How): Traced {
  const events: TraceEvent[] = [];
  let tables = newTables();
  const recorder = new Recorder([
    (own) => {
      tables = own;
      return collector(events)(own);
    },
  ]);
  const guest = loadGuest([file, pool, ...words], {
    hotAfter,
    patches,
    trace: { recorder, annotations: false },
    ...(kept && { keptCode: () => kept }),
  });
  if (slice !== undefined) while (guest.machine.run(slice).kind === "limit");
  const end = finish(guest);
  guest.machine.endTrace();
  return { events, tables, end: { ...end } };
}

const tiers = [
  ["interpreted", 0],
  ["compiled", 20],
] as const;

describe("patched runs", () => {
  let plain: Traced;
  let repeated: ReadonlySet<number>;
  let sites: readonly number[];

  beforeAll(() => {
    plain = traced({});
    // A system call's events are the kernel's: nothing can be inserted there.
    const own = new Set<string>(machineKinds);
    sites = [...new Set(plain.events.flatMap(({ kind, site }) => (own.has(kind) ? [site] : [])))];
    // What stores twice in a row, and not in pieces, is a repeated string: the guest has no other loop around one store.
    repeated = new Set(
      plain.events.flatMap((event, i) => {
        const { kind, site, thread } = plain.events[i - 1] ?? {};
        const isSame = event.kind === "store" && kind === "store" && site === event.site && thread === event.thread;
        return isSame && !event.further ? [event.site] : [];
      }),
    );
    expect(repeated.size).toBe(2);
  });

  /** A compare-and-swap that fails flushes where the trace shows no store. */
  const storesAlways = (site: number): boolean =>
    plain.events.every(({ kind, site: at }, i) => {
      const next = plain.events[i + 1];
      return at !== site || kind !== "locked" || (next?.kind === "store" && next.site === site);
    });
  const isStored = (site: number): boolean =>
    storesAlways(site) && plain.events.some((event) => event.kind === "store" && event.site === site);

  function drawPatches(round: number): readonly Patch[] {
    const random = seedRandom(1000 * seed + round);
    const modules = modulesOf(plain.events);
    const contexts = plain.events.map(({ stack }) => stack).filter((stack) => stack !== 0);
    // Where a repeated string begins, its records do not tell.
    const whole = sites.filter((site) => !repeated.has(site));
    return Array.from({ length: 1 + below(random, 8) }, () => {
      const site = pick(random, sites);
      const flushes = isStored(site) ? (["clwb", "clflushopt", "clflush"] as const) : [];
      const calls = plain.tables.contexts.stack(pick(random, contexts));
      const isBelow = next32(random) % 2 === 0;
      const insert = pick(random, [...flushes, "sfence", "mfence"] as const);
      const isLater = insert.startsWith("cl") && next32(random) % 2 === 0;
      return {
        insert,
        at: placeOf(site, modules),
        ...(isBelow && { below: placeOf(pick(random, calls), modules) }),
        ...(isLater && { until: [0, 1].map(() => placeOf(pick(random, whole), modules)) }),
      };
    });
  }

  test.each(tiers)("random patches, %s: the trace is as its twin says, and the run is the same", (_, hotAfter) => {
    let inserted = 0;
    for (let round = 0; round < 5; round++) {
      const patches = drawPatches(round);
      const { events, tables, end } = traced({ hotAfter, patches });
      const message = `seed ${seed}, round ${round}: ${JSON.stringify(patches)}`;
      expect(end, message).toEqual(plain.end);
      const shown = events.map((event) => show(event, tables));
      const expected = expectedTrace(plain.events, plain.tables, patches, repeated);
      expect(firstDifference(shown, expected), message).toBeUndefined();
      const own = shown.filter(({ patch }) => patch === undefined);
      expect(own.length, message).toBe(plain.events.length);
      inserted += shown.length - own.length;
    }
    expect(inserted).toBeGreaterThan(500);
  });

  test("a run in slices has the same trace", () => {
    const patches = drawPatches(100);
    const whole = traced({ patches });
    const sliced = traced({ patches, slice: 997 });
    const shown = ({ events, tables }: Traced) => events.map((event) => show(event, tables));
    expect(firstDifference(shown(sliced), shown(whole))).toBeUndefined();
    expect(sliced.end).toEqual(whole.end);
  });

  test("a repeated string that stops on its way is flushed once, line by line", () => {
    const { events } = traced({ words: ["long"] });
    const last = events.findLast(({ kind }) => kind === "store")!.site;
    const patch: Patch = { insert: "clwb", at: placeOf(last, modulesOf(events)) };
    const lines = traced({ patches: [patch], words: ["long"] }).events.flatMap((event) =>
      event.kind === "clwb" && event.patch === 0 ? [Math.floor(event.address / 64)] : [],
    );
    expect(lines).toEqual(Array.from({ length: 2048 }, (_, i) => lines[0]! + i));
  });

  test("a load is followed by a flush of what it loaded", () => {
    const { machine } = loadGuest([program, pool]);
    const patch: Patch = { insert: "clflushopt", at: placeOf(machine.symbol("loads")!, modulesOf(plain.events)) };
    const { events } = traced({ patches: [patch] });
    const flushes = events.filter((event) => event.kind === "clflushopt" && event.patch === 0);
    const { start } = plain.events.find((event) => event.kind === "map" && event.persistent) as { start: number };
    expect(flushes.length).toBe(600);
    expect(new Set(flushes.map((event) => "address" in event && event.address))).toEqual(
      new Set([start, start + (1 << 16)]),
    );
  });

  test("a patch below a call of another library holds in the thread that came from there", () => {
    const file = compileGuest("trace/patched.c", ["-O2", "-pthread"]);
    const dynamic = traced({ file });
    const stores = dynamic.events.filter(({ kind }) => kind === "store");
    const { site, thread: first } = stores[0]!;
    const own = (isFirst: boolean) => stores.filter((one) => one.site === site && (one.thread === first) === isFirst);
    const sitesOf = (isFirst: boolean) => own(isFirst).flatMap(({ stack }) => dynamic.tables.contexts.stack(stack));
    const modules = modulesOf(dynamic.events);
    const shared = new Set(sitesOf(true));
    const elsewhere = sitesOf(false).find(
      (one) => !shared.has(one) && placeOf(one, modules).module !== placeOf(site, modules).module,
    )!;
    const patch: Patch = { insert: "mfence", at: placeOf(site, modules), below: placeOf(elsewhere, modules) };
    const { events } = traced({ file, patches: [patch] });
    const fences = events.filter((event) => event.kind === "mfence" && event.patch === 0);
    expect(fences.length).toBe(own(false).length);
    expect(fences.every(({ thread }) => thread !== first)).toBe(true);
  });

  test.each(tiers)("kept code serves patched and plain machines alike, %s", (_, hotAfter) => {
    const kept = new KeptCode();
    const patches = drawPatches(7);
    const fresh = traced({ hotAfter, patches });
    for (const how of [{}, { patches }, {}, { patches }]) {
      const { events, end } = traced({ hotAfter, kept, ...how });
      expect(end).toEqual(fresh.end);
      expect(events.length).toBe("patches" in how ? fresh.events.length : plain.events.length);
    }
    expect(kept.blocks.added).toBeGreaterThan(100);
  });
});
