/** One finding, all of it. */
import { useEffect, useRef } from "preact/hooks";
import type * as data from "../../document/index.ts";
import { useShared } from "../context.ts";
import { hashOf } from "../model/route.ts";
import { plural } from "../model/words.ts";
import { SeverityDot, WholeNames } from "./bits.tsx";
import { Fix } from "./fix.tsx";
import { Replay, Robustness } from "./more.tsx";
import { Reads } from "./reads.tsx";
import { RecoveryTree } from "./recovery-tree.tsx";
import { Source } from "./source.tsx";
import { Story } from "./story.tsx";
import { Timeline } from "./timeline.tsx";

/** What its count counts. */
function countedWords({ recovery, robustness }: data.Finding): [one: string, many?: string] {
  if (recovery !== undefined) return ["crash state"];
  return robustness === undefined ? ["time"] : ["way of recovery", "ways of recovery"];
}

/** Stores out of order whose crash nobody cut: the later of the two, beside the one that is missing then. */
const firstEvent = ({ cut, robustness }: data.Finding): number | undefined =>
  cut === undefined ? robustness?.later.event : undefined;

export function FindingView({ finding }: { readonly finding: data.Finding }) {
  const { report } = useShared();
  const box = useRef<HTMLElement>(null);
  // Another finding begins at its beginning.
  useEffect(() => box.current?.scrollTo(0, 0), [finding]);
  const { fingerprint, timeline, reads, tree, cure, robustness, witness } = finding;
  const rule = report.rules.find(({ id }) => id === finding.rule);
  const counted = plural(finding.count, ...countedWords(finding));
  return (
    <article ref={box} class={`finding ${finding.severity}`} aria-labelledby="headline" tabIndex={-1} id="finding">
      <header class="finding-head">
        <p class="meta">
          <a class="back" href={hashOf({ view: "findings" })}>
            ← Findings
          </a>
          <span class={`badge ${finding.severity}`}>
            <SeverityDot severity={finding.severity} /> {finding.severity}
          </span>
          <span title={rule?.sentence}>{finding.rule}</span>
          <span>{counted}</span>
          <a class="fingerprint" href={hashOf({ view: "findings", fingerprint })} title="Link to this finding">
            #{fingerprint.slice(0, 8)}
          </a>
        </p>
        <h1 id="headline">
          <WholeNames text={finding.headline} />
        </h1>
      </header>
      <Source finding={finding} />
      <Story finding={finding} />
      {timeline !== undefined && (
        <Timeline key={fingerprint} timeline={timeline} fingerprint={fingerprint} first={firstEvent(finding)} />
      )}
      {reads !== undefined && reads.length > 0 && <Reads key={fingerprint} reads={reads} fingerprint={fingerprint} />}
      {tree !== undefined && <RecoveryTree key={fingerprint} tree={tree} />}
      {robustness !== undefined && <Robustness pair={robustness} />}
      {cure !== undefined && <Fix cure={cure} />}
      {witness !== undefined && <Replay witness={witness} />}
    </article>
  );
}
