/** What happened, step by step: what was written, where the power was cut, how recovery ended, what would cure it. */
import type { ComponentChildren } from "preact";
import type * as data from "../../document/index.ts";
import { shownFrame } from "../../document/index.ts";
import { useShared } from "../context.ts";
import { cutText, lineText, plural, rangeText, shellText, verdictText, writtenText } from "../model/words.ts";
import { PlaceName, Scroller, Section, Words } from "./bits.tsx";
import { Stack } from "./stack.tsx";

function Step(props: {
  readonly tone: string;
  readonly title: ComponentChildren;
  readonly place?: number | undefined;
  readonly children?: ComponentChildren;
}) {
  return (
    <li class={`step ${props.tone}`}>
      <div class="step-title">{props.title}</div>
      {props.children}
      {props.place !== undefined && (
        <details class="calls">
          <summary>
            <PlaceName place={props.place} />
          </summary>
          <Stack place={props.place} />
        </details>
      )}
    </li>
  );
}

const WriteFacts = ({ write }: { readonly write: data.Write }) => (
  <div class="facts">
    {write.bytes !== undefined && <code class="bytes">{writtenText(write)}</code>}
    {write.stores !== undefined && <span class="faint">{plural(write.stores, "store")}</span>}
  </div>
);

interface Tone {
  readonly tone: "lost" | "kept";
  /** What a write is called where it is not by its tone. */
  readonly tag?: string | undefined;
}

const Wrote = ({ write, tone, tag = tone }: Tone & { readonly write: data.Write }) => (
  <Step
    tone={tone}
    place={write.place}
    title={
      <>
        <b class="tag">{tag}</b>
        {write.name !== undefined && <code>{write.name}</code>}
        <span class="faint">
          {rangeText(write)}, event {write.event}
        </span>
      </>
    }
  >
    <WriteFacts write={write} />
  </Step>
);

/** What a guest printed, as it came. */
const Said = ({ stream, text }: { readonly stream: string; readonly text: string }) => (
  <figure class="said">
    <figcaption>{stream}</figcaption>
    <Scroller class="said-text" label={`What recovery wrote to ${stream}`}>
      {text}
    </Scroller>
  </figure>
);

function Expected({ verdict }: { readonly verdict: data.Verdict }) {
  if (verdict.kind !== "output") return null;
  return (
    <>
      <Said stream="printed" text={verdict.printed} />
      {verdict.expected.map((text, at) => (
        <Said key={at} stream={at === 0 ? "expected before the operation" : "or after it"} text={text} />
      ))}
    </>
  );
}

const Recovered = ({ recovery }: { readonly recovery: data.Recovery }) => (
  <Step
    tone="end"
    place={recovery.end?.place}
    title={
      <>
        <b class="tag">recovery</b>
        {verdictText(recovery.verdict)}
        {recovery.command !== undefined && <code class="faint"> {shellText(recovery.command)}</code>}
      </>
    }
  >
    <Expected verdict={recovery.verdict} />
    {recovery.stdout !== undefined && recovery.verdict.kind !== "output" && (
      <Said stream="stdout" text={recovery.stdout} />
    )}
    {recovery.stderr !== undefined && <Said stream="stderr" text={recovery.stderr} />}
  </Step>
);

/** What was tried of the lost writes; nothing where another store is to blame, or recovery does not fail at all. */
function cureSentence(finding: data.Finding): string {
  const { cure, lost: { length: lost } = [] } = finding;
  if (cure === undefined || lost === 0 || isTurned(finding)) return "";
  const { kind, stores } = cure;
  if (kind === "none")
    return "It fails although every store before the power cut was kept: no flush or fence can cure it.";
  if (stores.length < lost)
    return `With ${plural(stores.length, "of these writes", "of these writes")} kept, the failure is gone.`;
  return lost === 1
    ? "With this write kept, the failure is gone."
    : "With any of these writes kept, the failure is gone.";
}

/** The steps of a finding of a rule: its places as they are told. */
const Told = ({ finding }: { readonly finding: data.Finding }) => (
  <>
    {finding.places
      .filter(({ role }) => role !== "also")
      .map(({ role, says, event, place }, at) => (
        <Step
          key={at}
          tone={role}
          place={place}
          title={
            <>
              {at === 0 ? finding.message : says}
              <span class="faint"> event {event}</span>
            </>
          }
        />
      ))}
    <Also finding={finding} />
  </>
);

const shownWrites = 12;
const Writes = ({ writes, tone, tag }: Tone & { readonly writes: readonly data.Write[] }) => (
  <>
    {writes.slice(0, shownWrites).map((write, at) => (
      <Wrote key={at} write={write} tone={tone} tag={tag} />
    ))}
    {writes.length > shownWrites && (
      <Step tone={tone} title={`and ${plural(writes.length - shownWrites, "more write")}`} />
    )}
  </>
);

const Crash = ({ finding }: { readonly finding: data.Finding }) => (
  <>
    <Turning finding={finding} />
    <Writes writes={finding.lost ?? []} tone="lost" tag={isTurned(finding) ? "until this" : undefined} />
    <Writes writes={finding.kept ?? []} tone="kept" />
    {finding.cut !== undefined && (
      <Step
        tone="cut"
        place={finding.cut.place}
        title={
          <>
            <b class="tag">power cut</b>
            {cutText(finding.cut.before)}
            <span class="faint">, event {finding.cut.event}</span>
          </>
        }
      />
    )}
    {finding.recovery !== undefined && <Recovered recovery={finding.recovery} />}
    <Also finding={finding} />
  </>
);

/** Whether a store turned a good state into a bad one, which lasts until those that a crash loses: these are not to blame. */
const isTurned = ({ places }: data.Finding): boolean => places[0]?.fact === "turns";

function Turning({ finding }: { readonly finding: data.Finding }) {
  const [cause] = finding.places;
  if (cause === undefined || !isTurned(finding)) return null;
  return (
    <Step
      tone="cause"
      place={cause.place}
      title={
        <>
          {cause.says}
          <span class="faint">, event {cause.event}</span>
        </>
      }
    />
  );
}

/** Other places of the same mistake: each line once. */
function Also({ finding: { places } }: { readonly finding: data.Finding }) {
  const { report } = useShared();
  const byLine = new Map<string, data.MarkedPlace[]>();
  for (const also of places) {
    if (also.role !== "also") continue;
    const frame = shownFrame(report, also.place);
    const key = `${also.says} ${frame === undefined ? also.place : lineText(frame)}`;
    byLine.set(key, [...(byLine.get(key) ?? []), also]);
  }
  return (
    <>
      {[...byLine].map(([key, [first, ...more]]) => (
        <Step
          key={key}
          tone="also"
          place={first!.place}
          title={more.length === 0 ? first!.says : `${first!.says}, ${more.length + 1} times`}
        />
      ))}
    </>
  );
}

export function Story({ finding }: { readonly finding: data.Finding }) {
  return (
    <Section id="story" title="What happens">
      <ol class="story">{finding.recovery === undefined ? <Told finding={finding} /> : <Crash finding={finding} />}</ol>
      <p class="advice">
        {cureSentence(finding)} <b>To fix:</b> <Words text={finding.advice} />
      </p>
    </Section>
  );
}
