/** The page: the bar above, findings on the left, one of them or the run on the right. */
import { useMemo, useRef, useState } from "preact/hooks";
import type * as data from "../document/index.ts";
import { SharedContext } from "./context.ts";
import { useKeys, useRoute } from "./hooks.ts";
import { type Filter, FindingIndex, noFilter } from "./model/filter.ts";
import type { LineSums } from "./model/points.ts";
import { FindingList } from "./parts/finding-list.tsx";
import { FindingView } from "./parts/finding-view.tsx";
import { Help } from "./parts/help.tsx";
import { RunView } from "./parts/run-view.tsx";
import { TopBar } from "./parts/top-bar.tsx";
import { useThemeChoice } from "./theme.ts";

const Nothing = ({ report: { findings, coverage } }: { readonly report: data.Report }) => (
  <div class="nothing">
    <h1>{findings.length === 0 ? "Nothing was found" : "No finding matches"}</h1>
    {findings.length === 0 && coverage !== undefined && (
      <p>{coverage.exhaustive ? "Every crash state was judged." : "Not every crash state was judged: see the run."}</p>
    )}
  </div>
);

/** The findings that are shown, and which of them is: the one that the address names, else the first. */
function useFindings(report: data.Report, filter: Filter, fingerprint: string | undefined) {
  const index = useMemo(() => new FindingIndex(report), [report]);
  const shown = useMemo(() => index.matching(filter), [index, filter]);
  const positions = useMemo(() => new Map(report.findings.map((each, at) => [each.fingerprint, at])), [report]);
  const linked = fingerprint === undefined ? undefined : positions.get(fingerprint);
  const at = linked ?? shown[0];
  return {
    shown,
    linked: linked !== undefined,
    selected: at === undefined ? -1 : shown.indexOf(at),
    finding: at === undefined ? undefined : report.findings[at],
  };
}

export function App({ report }: { readonly report: data.Report }) {
  const [route, go] = useRoute();
  const [filter, setFilter] = useState<Filter>(noFilter);
  const [help, setHelp] = useState(false);
  const [theme, nextTheme] = useThemeChoice();
  const search = useRef<HTMLInputElement>(null);
  const { shown, linked, selected, finding } = useFindings(report, filter, route.fingerprint);
  const select = (row: number) => {
    const chosen = report.findings[shown[row] ?? -1];
    if (chosen !== undefined) go({ view: "findings", fingerprint: chosen.fingerprint });
  };
  const step = (by: number) => select(Math.min(shown.length - 1, Math.max(0, selected + by)));
  const onLine = ({ title }: LineSums) => {
    setFilter({ words: title, hidden: new Set() });
    go({ view: "findings" });
  };
  useKeys({
    "/": () => search.current?.focus(),
    j: () => step(1),
    k: () => step(-1),
    r: () => go({ ...route, view: route.view === "run" ? "findings" : "run" }),
    d: nextTheme,
    "?": () => setHelp(true),
  });
  const list = { filter, onFilter: setFilter, shown, selected, onSelect: select, search };
  return (
    <SharedContext.Provider value={{ report, route, go }}>
      <div class={`page${route.view === "run" || linked ? " shows-one" : ""}`}>
        <button type="button" class="skip" onClick={() => document.querySelector<HTMLElement>("main article")?.focus()}>
          Skip to the finding
        </button>
        <TopBar theme={theme} onTheme={nextTheme} onHelp={() => setHelp(true)} />
        <FindingList {...list} />
        <main class="main">
          {route.view === "run" ? (
            <RunView onLine={onLine} />
          ) : finding === undefined ? (
            <Nothing report={report} />
          ) : (
            <FindingView finding={finding} />
          )}
        </main>
        {help && <Help onClose={() => setHelp(false)} />}
      </div>
    </SharedContext.Provider>
  );
}
