/** The findings on the left, with a search and a switch for each severity. */
import type { RefObject } from "preact";
import type * as data from "../../document/index.ts";
import { framesOf, shownFrame } from "../../document/index.ts";
import { useShared } from "../context.ts";
import type { Filter } from "../model/filter.ts";
import { lineText, plural } from "../model/words.ts";
import { SeverityDot } from "./bits.tsx";
import { VirtualList } from "./virtual-list.tsx";

const severities: readonly data.Severity[] = ["error", "performance", "warning"];

/** Where it is; where the headline says so already, who called that: helpers are many a finding's place. */
function placeInList(report: data.Report, place: number, headline: string): string {
  const frame = shownFrame(report, place);
  const where = frame === undefined ? "" : lineText(frame);
  if (!headline.startsWith(`${where}:`)) return where;
  const caller = framesOf(report, place)
    .slice((report.places[place]?.own ?? 0) + 1)
    .find(({ library, file }) => library !== true && file !== undefined);
  return caller === undefined ? where : `${where} ← ${lineText(caller)}`;
}

function Row({ finding }: { readonly finding: data.Finding }) {
  const { report } = useShared();
  const [cause] = finding.places;
  return (
    <div class="list-row">
      <SeverityDot severity={finding.severity} />
      <div class="list-text">
        <div class="list-title">{finding.headline}</div>
        <div class="list-meta">
          <code>{cause === undefined ? "" : placeInList(report, cause.place, finding.headline)}</code>
          <span>{finding.rule}</span>
          {finding.count > 1 && <span>{finding.count.toLocaleString("en")}×</span>}
        </div>
      </div>
    </div>
  );
}

interface FilterProps {
  readonly filter: Filter;
  readonly onFilter: (filter: Filter) => void;
}

function Switches({ filter, onFilter }: FilterProps) {
  const { summary } = useShared().report;
  const names: Readonly<Record<data.Severity, string>> = {
    error: plural(summary.errors, "error"),
    performance: plural(summary.performance, "performance", "performance"),
    warning: plural(summary.warnings, "warning"),
  };
  const toggle = (severity: data.Severity) => {
    const hidden = new Set(filter.hidden);
    if (!hidden.delete(severity)) hidden.add(severity);
    onFilter({ ...filter, hidden });
  };
  return (
    <fieldset class="switches">
      <legend class="unseen">Severities shown</legend>
      {severities.map((severity) => (
        <button
          key={severity}
          type="button"
          class="switch"
          aria-pressed={!filter.hidden.has(severity)}
          onClick={() => toggle(severity)}
        >
          <span class={`dot ${severity}`} aria-hidden="true" />
          {names[severity]}
        </button>
      ))}
    </fieldset>
  );
}

interface ListProps extends FilterProps {
  /** Positions in the report's findings. */
  readonly shown: readonly number[];
  readonly selected: number;
  readonly onSelect: (row: number) => void;
  readonly search: RefObject<HTMLInputElement>;
}

export function FindingList({ filter, onFilter, shown, selected, onSelect, search }: ListProps) {
  const { findings } = useShared().report;
  const all = plural(findings.length, "finding");
  return (
    <nav class="list" aria-label="Findings">
      <div class="list-tools">
        <input
          ref={search}
          type="search"
          placeholder="Search findings"
          aria-label="Search findings"
          value={filter.words}
          onInput={(event) => onFilter({ ...filter, words: event.currentTarget.value })}
        />
        <Switches filter={filter} onFilter={onFilter} />
        <p class="list-count" role="status">
          {shown.length === findings.length ? all : `${shown.length.toLocaleString("en")} of ${all}`}
        </p>
      </div>
      {shown.length === 0 ? (
        <p class="empty">{findings.length === 0 ? "Nothing was found." : "No finding matches."}</p>
      ) : (
        <VirtualList
          id="findings"
          label="Findings"
          count={shown.length}
          rowHeight={76}
          selected={selected}
          onSelect={onSelect}
          row={(at) => <Row finding={findings[shown[at]!]!} />}
        />
      )}
    </nav>
  );
}
