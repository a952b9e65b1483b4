/** The whole run: what was run, how much was covered, where the failure points are, how long it took. */
import { useMemo } from "preact/hooks";
import type * as data from "../../document/index.ts";
import { baseName, exploredShare } from "../../document/index.ts";
import { useShared } from "../context.ts";
import { type CallNode, callTree, type LineSums, pointsByLine } from "../model/points.ts";
import { sourceLine } from "../model/source.ts";
import { plural, secondsText, shellText } from "../model/words.ts";
import { Code, PlaceName, Section, ShareBar } from "./bits.tsx";
import { TreeList } from "./tree-list.tsx";
import { VirtualList } from "./virtual-list.tsx";

const stopWords: Readonly<Record<NonNullable<data.Coverage["stop"]>, string>> = {
  interrupt: "it was interrupted",
  time: "the time given was over",
  "host-memory": "the memory given was used up",
  "max-states": "no more crash states were asked for",
  "max-executions": "no more recoveries were asked for",
  first: "one error was enough",
  tree: "no more recoveries could be kept in mind",
  files: "a recovery changed a persistent file by calls, or mapped one that the program did not",
};

function Facts() {
  const { run, tool } = useShared().report;
  const facts: readonly (readonly [string, string | undefined])[] = [
    ["Program", run.program && shellText(run.program)],
    ["Recovery", run.recovery && shellText(run.recovery)],
    ["Set-up", run.setup && shellText(run.setup)],
    ["Command", `blackout ${run.command}`],
    ["Engines", run.engines.join(", ")],
    ["Events", run.events.toLocaleString("en")],
    ["Version", tool.version],
  ];
  return (
    <dl class="run-facts">
      {facts.map(([name, value]) =>
        value === undefined ? null : (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <code>{value}</code>
            </dd>
          </div>
        ),
      )}
    </dl>
  );
}

function Covered({ coverage, effort }: { readonly coverage: data.Coverage; readonly effort: data.Effort | undefined }) {
  const { run } = useShared().report;
  const { failurePoints: points, crashStates: states, stop, explored } = coverage;
  // Who goes every way counts what it runs, not the states that it stands for.
  const goesAllWays = !run.engines.includes("inject");
  const statesText = (count: number) =>
    goesAllWays ? plural(count, "recovery", "recoveries") : plural(count, "crash state");
  const skipped = Math.min(effort?.skipped ?? 0, states.judged);
  const parts = [
    { name: "tested", tone: "good", value: states.judged - skipped },
    { name: "skipped, equal to a tested one", tone: "soft", value: skipped },
    { name: "not judged", tone: "none", value: states.total - states.judged },
  ].filter(({ value }) => value > 0);
  return (
    <Section
      id="coverage"
      title="Coverage"
      aside={
        <span class={`badge ${coverage.exhaustive ? "good" : "bad"}`}>
          {coverage.exhaustive ? "exhaustive" : "not exhaustive"}
        </span>
      }
    >
      <p>
        {plural(points.judged, "failure point")} of {points.total.toLocaleString("en")} and {statesText(states.judged)}{" "}
        of {states.total.toLocaleString("en")} judged
        {stop === undefined ? "" : `: ${stopWords[stop]}`}.
        {explored !== undefined &&
          ` Then every crash state of ${exploredShare(explored)} was explored, in ${plural(explored.recoveries, "recovery", "recoveries")}.`}
      </p>
      <ShareBar label={goesAllWays ? "Recoveries" : "Crash states"} total={states.total} parts={parts} />
      <ul class="share-keys">
        {parts.map(({ name, tone, value }) => (
          <li key={name}>
            <span class={`share-part ${tone}`} aria-hidden="true" /> {value.toLocaleString("en")} {name}
          </li>
        ))}
      </ul>
    </Section>
  );
}

const shownStores = 200;

/** "insert list.c:31": where stores are that the findings say nothing of. */
const storeText = ({ function: name, file, line }: data.UncoveredStore): string =>
  [name, file === undefined ? undefined : `${baseName(file)}${line === undefined ? "" : `:${line}`}`]
    .filter((part) => part !== undefined)
    .join(" ") || "code without a name";

function Stores({ title, stores }: { readonly title: string; readonly stores: readonly data.UncoveredStore[] }) {
  if (stores.length === 0) return null;
  return (
    <>
      <p>{title}</p>
      <ul class="uncovered">
        {stores.slice(0, shownStores).map((store) => (
          <li key={storeText(store)}>
            <code>{storeText(store)}</code>
          </li>
        ))}
        {stores.length > shownStores && <li>and {(stores.length - shownStores).toLocaleString("en")} more</li>}
      </ul>
    </>
  );
}

function Uncovered({ coverage }: { readonly coverage: data.Coverage }) {
  const { uncovered = [], onlyInSetup = [], functions } = coverage;
  const { total, neverRan } = functions ?? { total: 0, neverRan: [] };
  if (uncovered.length + onlyInSetup.length + neverRan.length === 0) return null;
  return (
    <Section id="uncovered" title="Not covered">
      <Stores title="No power cut fell on these stores before they were persisted:" stores={uncovered} />
      <Stores title="Only the set-up stores here, which no power cut falls on:" stores={onlyInSetup} />
      <Stores title={`Of ${total.toLocaleString("en")} functions, these never ran:`} stores={neverRan} />
    </Section>
  );
}

function Time({ time }: { readonly time: readonly data.Phase[] }) {
  const total = time.reduce((sum, { seconds }) => sum + seconds, 0);
  return (
    <Section id="time" title="Time" aside={<span class="faint">{secondsText(total)}</span>}>
      <ul class="bars">
        {time.map(({ name, seconds }) => (
          <li key={name}>
            <span>{name}</span>
            <span class="bar" aria-hidden="true">
              <span style={{ width: `${total === 0 ? 0 : (100 * seconds) / total}%` }} />
            </span>
            <span class="bar-value">{secondsText(seconds)}</span>
          </li>
        ))}
      </ul>
    </Section>
  );
}

const Failing = ({ sums }: { readonly sums: { readonly states: number; readonly failing: number } }) => (
  <span class={`failing${sums.failing > 0 ? " bad" : ""}`}>
    {sums.failing.toLocaleString("en")} of {sums.states.toLocaleString("en")}
  </span>
);

function LineRow({ line, most }: { readonly line: LineSums; readonly most: number }) {
  const { report } = useShared();
  const text = line.frame && sourceLine(report, line.frame);
  return (
    <div class="line-row">
      <code class="line-where" title={line.frame?.file}>
        {line.title}
      </code>
      <code class="one-line">{text === undefined ? (line.frame?.function ?? "") : <Code text={text.trim()} />}</code>
      <span class="bar" aria-hidden="true">
        <span style={{ width: `${(100 * line.states) / most}%` }} />
        <span class="bad" style={{ width: `${(100 * line.failing) / most}%` }} />
      </span>
      <Failing sums={line} />
    </div>
  );
}

const childrenOf = ({ children }: CallNode) => children;
const opens = (node: CallNode, depth: number) => depth < 2 || node.children.length === 1 || node.failing > 0;

function Points({ onLine }: { readonly onLine: (line: LineSums) => void }) {
  const { report } = useShared();
  const lines = useMemo(() => pointsByLine(report), [report]);
  const roots = useMemo(() => [callTree(report)], [report]);
  const most = Math.max(1, ...lines.map(({ states }) => states));
  return (
    <>
      <Section
        id="points"
        title="Failure points by line"
        aside={<span class="faint">crash states that fail, of how many</span>}
      >
        <VirtualList
          id="lines"
          label="Failure points by source line"
          count={lines.length}
          rowHeight={30}
          mostRows={12}
          selected={-1}
          onSelect={(at) => onLine(lines[at]!)}
          row={(at) => <LineRow line={lines[at]!} most={most} />}
        />
      </Section>
      <Section id="calls" title="Failure points by calls">
        <TreeList
          id="call-tree"
          label="Failure points by calls"
          roots={roots}
          childrenOf={childrenOf}
          opens={opens}
          row={(node) => (
            <>
              <code class={`tree-text${node.library ? " faint" : ""}`}>
                {node.title} <span class="faint">{node.where}</span>
              </code>
              <span class="tree-count">
                <Failing sums={node} />
              </span>
            </>
          )}
        />
      </Section>
    </>
  );
}

export function RunView({ onLine }: { readonly onLine: (line: LineSums) => void }) {
  const { report } = useShared();
  const { coverage, effort, warnings = [] } = report;
  return (
    <article class="run" aria-labelledby="run-title" id="run" tabIndex={-1}>
      <h1 id="run-title">{report.run.program === undefined ? "The run" : shellText(report.run.program)}</h1>
      <Facts />
      {warnings.length > 0 && (
        <Section id="warnings" title="Warnings">
          <ul>
            {warnings.map(({ says, place }, at) => (
              <li key={at}>
                {says} {place !== undefined && <PlaceName place={place} />}
              </li>
            ))}
          </ul>
        </Section>
      )}
      {coverage !== undefined && <Covered coverage={coverage} effort={effort} />}
      {coverage !== undefined && <Uncovered coverage={coverage} />}
      {coverage?.points !== undefined && coverage.points.length > 0 && <Points onLine={onLine} />}
      {effort?.time !== undefined && <Time time={effort.time} />}
    </article>
  );
}
