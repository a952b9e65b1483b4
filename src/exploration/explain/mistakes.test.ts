import { describe, expect, it } from "vitest";
import type { CrashFacts, Finding, StoreFact } from "../../crash/finding/index.ts";
import type { Frame } from "../../trace/events/index.ts";
import { mergeFindings, mistakeOf } from "./mistakes.ts";
import { recoveryRules } from "./rules.ts";

/** A store by its instruction, with the functions that led to it. */
interface Place {
  readonly site: number;
  /** Of a library's own instruction, the call that led to it. */
  readonly call?: number;
  readonly functions: readonly string[];
}

const linkTo: Place = { site: 1, functions: ["link_to", "enqueue"] };
const node: Place = { site: 2, functions: ["enqueue"] };
const zeroed: Place = { site: 3, functions: ["memset (libpmemobj)", "enqueue"] };
const total: Place = { site: 4, functions: ["add_to", "enqueue"] };
const elsewhere: Place = { site: 5, functions: ["rebuild"] };

const framesOf = ({ site, call, functions }: Place): readonly Frame[] =>
  functions.map((name, depth): Frame => {
    const module = name.endsWith("(libpmemobj)") ? "/usr/lib/libpmemobj.so.1" : "/home/queue";
    const address = 100 * (call ?? site) + depth;
    const place = { function: name, file: "queue.c", line: site, column: undefined, inlined: false };
    return { address, module, offset: address, ...place };
  });

const storeAt = (place: Place): StoreFact => ({
  path: "/pool",
  mark: { seq: place.site, thread: 1, site: place.site, stack: 1, address: 64, size: 8 },
  frames: framesOf(place),
});

type Told = Pick<CrashFacts, "verdict" | "lost" | "kept"> & Partial<Pick<CrashFacts, "turning">>;

function failing(cause: Place, facts: Told, count: number): Finding {
  const { mark, frames } = storeAt(cause);
  const crash = {
    ...{ before: "sfence", cut: storeAt(cause), lostLines: facts.lost.length, stdout: "", stderr: "" },
    ...{ otherEnds: [], elsewhere: [], witness: {} as CrashFacts["witness"] },
    ...facts,
    ...(facts === exits && { lost: [storeAt(cause)], lostLines: 1 }),
  };
  const rule = recoveryRules[facts.verdict.kind];
  return { rule, says: "", cause: mark, frames, evidence: [], count, crash, fingerprint: mistakeOf(frames) };
}

const exits: Told = { verdict: { kind: "exit", code: 1 }, lost: [], kept: [] };

/** Recovery fails with every store kept, from this one on. */
const turnedBy = (place: Place): Finding =>
  failing(
    place,
    { verdict: { kind: "exit", code: 3 }, lost: [], kept: [], turning: { ...storeAt(place), kind: "store" } },
    5,
  );

/** Recovery is killed where the one store is lost and the other kept. */
const lostBefore = (lost: Place, kept: Place): Finding =>
  failing(
    lost,
    {
      verdict: { kind: "signal", name: "SIGSEGV", site: "", address: 16n },
      lost: [storeAt(lost)],
      kept: [storeAt(kept)],
    },
    7,
  );

/** A store of `append` that was lost, and one that survived where recovery needs that. */
const lostField = (line: number, name: string, late?: true): Finding => {
  const finding = failing({ site: line, functions: ["append"] }, exits, 1);
  const lost = finding.crash!.lost.map((store) => ({ ...store, name }));
  return { ...finding, crash: { ...finding.crash!, lost, ...(late && { late }) } };
};

const told = (findings: readonly Finding[]) =>
  mergeFindings(findings).map(({ cause, count }) => `${cause.site}: ${count}`);

describe("a store that turns recovery, and survives what it needs", () => {
  it.each([
    ["what the program stored", node],
    ["what a library stored for it", zeroed],
  ])("is one mistake, told by that store: %s", (_, lost) => {
    const [finding, ...more] = mergeFindings([lostBefore(lost, linkTo), turnedBy(linkTo)]);
    expect(more).toEqual([]);
    expect([finding!.cause.site, finding!.count]).toEqual([linkTo.site, 12]);
    expect(finding!.crash!.otherEnds.map(({ verdict }) => verdict.kind)).toEqual(["signal"]);
    expect(finding!.also).toEqual([mistakeOf(framesOf(lost))]);
  });

  it("is told with where else it shows, but for libraries", () => {
    const alsoAt = (lost: Place) =>
      mergeFindings([lostBefore(lost, linkTo), turnedBy(linkTo)])[0]!.crash!.elsewhere.map(({ mark }) => mark.site);
    expect(alsoAt(node)).toEqual([node.site]);
    expect(alsoAt(zeroed)).toEqual([]);
  });

  it("are two where another store survives", () =>
    expect(told([lostBefore(node, total), turnedBy(linkTo)])).toEqual(["2: 7", "1: 5"]));

  it("are two where a crash that loses the same also takes another survivor", () =>
    expect(told([lostBefore(node, linkTo), lostBefore(node, total), turnedBy(linkTo)])).toEqual(["2: 14", "1: 5"]));

  it("are two where neither function is within the other", () =>
    expect(told([lostBefore(elsewhere, linkTo), turnedBy(linkTo)])).toEqual(["5: 7", "1: 5"]));

  it("are two where another store of the same call of a library survives", () => {
    const [one, other] = [6, 7].map((site) => ({
      site,
      call: 6,
      functions: ["copy (libpmemobj)", "link_to", "enqueue"],
    }));
    expect(told([lostBefore(node, one!), turnedBy(one!)])).toEqual(["6: 12"]);
    expect(told([lostBefore(node, one!), turnedBy(other!)])).toEqual(["2: 7", "7: 5"]);
  });
});

describe("two stores of one function, each lost with the same end of recovery", () => {
  const [count, record] = [lostField(15, "log->count"), lostField(11, "log->record[3]")];
  const [text, size] = [lostField(11, "log->entry[3].text"), lostField(12, "log->entry[4].size")];
  const sites = (findings: readonly Finding[]) => findings.map(({ cause }) => cause.site);

  it("are two mistakes where they are of different objects", () =>
    expect(sites(mergeFindings([count, record]))).toEqual([15, 11]));

  it("are one where they are of one object, and nothing fences in between", () => {
    const [finding, ...more] = mergeFindings([text, size], (first, second) => first === 11 && second === 12);
    expect(more).toEqual([]);
    expect(finding!.also).toEqual([mistakeOf(size.frames)]);
  });

  it("are two where the one is fenced before the other is stored", () =>
    expect(sites(mergeFindings([text, size], () => false))).toEqual([11, 12]));

  it("are two beside an update that is not atomic, where the program went on without the one", () => {
    const turned = turnedBy({ site: 9, functions: ["append"] });
    const half: Finding = { ...count, crash: { ...count.crash!, kept: [storeAt({ site: 9, functions: ["append"] })] } };
    const late: Finding = { ...half, crash: { ...half.crash!, late: true } };
    expect(sites(mergeFindings([turned, half]))).toEqual([9]);
    expect(new Set(sites(mergeFindings([turned, late])))).toEqual(new Set([15, 9]));
  });
});
