/** What was done in each scene, kept for who will want to hear more of its findings than their stories. */
import type { Finding } from "../../crash/finding/index.ts";
import type { LeadScene, PlacedPoints, Plan, UnitResult } from "./engine.ts";

/** Findings of one scene, with more to be said of each. */
export type AddDetails = (scene: LeadScene, findings: readonly Finding[]) => readonly Finding[];

type AnyPlan = Plan<unknown, unknown, unknown, UnitResult<unknown>>;

export class Remembered {
  readonly #addDetails: AddDetails;
  readonly #findings = new Map<LeadScene, Finding[]>();
  readonly #points: PlacedPoints[] = [];
  readonly #pointsOf = new Set<LeadScene>();

  constructor(addDetails: AddDetails) {
    this.#addDetails = addDetails;
  }

  /** A plan has come to its end in a scene, with findings that nobody had before. */
  add(scene: LeadScene, plan: AnyPlan, findings: readonly Finding[]): void {
    const told = findings.map((finding) => withWays(finding, plan));
    this.#findings.set(scene, [...(this.#findings.get(scene) ?? []), ...told]);
    if (plan.placedPoints === undefined || this.#pointsOf.has(scene)) return;
    this.#pointsOf.add(scene);
    for (const point of plan.placedPoints()) this.#points.push(point);
  }

  /** Failure points by place, of the first engine that tells them in each scene. */
  get points(): readonly PlacedPoints[] {
    return this.#points;
  }

  /** The findings with what can be said of them when their scenes are looked at again. */
  told(findings: readonly Finding[]): readonly Finding[] {
    const told = [...this.#findings].flatMap(([scene, own]) => this.#addDetails(scene, own));
    const histories = new Map(told.map(({ fingerprint, history }) => [fingerprint, history]));
    return findings.map((finding) => {
      const history = histories.get(finding.fingerprint);
      return history === undefined ? finding : { ...finding, history };
    });
  }
}

/** How recoveries part where it happened, if its plan went all ways there. */
function withWays(finding: Finding, plan: AnyPlan): Finding {
  const tree = finding.crash && plan.waysAt?.(finding.crash);
  return tree === undefined ? finding : { ...finding, history: { ...finding.history, tree } };
}
