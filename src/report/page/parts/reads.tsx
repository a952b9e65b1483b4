/** What recovery read of persistent memory, and which read was fatal. */
import { useState } from "preact/hooks";
import type * as data from "../../document/index.ts";
import { shownFrame } from "../../document/index.ts";
import { useShared } from "../context.ts";
import { lineText, rangeText, valueText } from "../model/words.ts";
import { Section } from "./bits.tsx";
import { Stack } from "./stack.tsx";
import { VirtualList } from "./virtual-list.tsx";

function sawText({ store, lost }: data.RecoveryRead): string {
  const saw = store === undefined ? "what was there before the run" : `the store of event ${store}`;
  return lost === undefined ? saw : `${saw}; event ${lost} was lost`;
}

function ReadRow({ read }: { readonly read: data.RecoveryRead }) {
  const { report } = useShared();
  const frame = shownFrame(report, read.place);
  return (
    <div class={`read-row${read.fatal ? " fatal" : read.lost === undefined ? "" : " stale"}`}>
      <span class="read-mark">{read.fatal ? "fatal" : ""}</span>
      <code class="read-what">{read.name ?? rangeText(read)}</code>
      <code class="read-value">{valueText(read)}</code>
      <span class="read-saw">{sawText(read)}</span>
      <code class="read-place">{frame === undefined ? "" : lineText(frame)}</code>
    </div>
  );
}

export function Reads(props: { readonly reads: readonly data.RecoveryRead[]; readonly fingerprint: string }) {
  const { reads, fingerprint } = props;
  const { go } = useShared();
  const [selected, setSelected] = useState(() => reads.findIndex(({ fatal }) => fatal));
  const chosen = reads[selected];
  return (
    <Section id="reads" title="What recovery read">
      <VirtualList
        id="read-list"
        label="Reads of recovery"
        count={reads.length}
        rowHeight={30}
        mostRows={8}
        selected={selected}
        onSelect={setSelected}
        row={(at) => <ReadRow read={reads[at]!} />}
      />
      {chosen !== undefined && (
        <div class="read-detail">
          <p>
            Read {rangeText(chosen)}
            {chosen.bytes !== undefined && (
              <>
                {": saw "}
                <code>{valueText(chosen)}</code>
              </>
            )}
            , {sawText(chosen)}.{chosen.fatal && " With another answer recovery would not have failed."}
            {chosen.lost !== undefined && (
              <button
                type="button"
                class="link"
                onClick={() => go({ view: "findings", fingerprint, event: chosen.lost! }, "replace")}
              >
                Show the lost store
              </button>
            )}
          </p>
          <Stack place={chosen.place} />
        </div>
      )}
    </Section>
  );
}
