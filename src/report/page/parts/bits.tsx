/** Small things that many parts use. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type * as data from "../../document/index.ts";
import { bareName, shownFrame } from "../../document/index.ts";
import { useShared } from "../context.ts";
import { tokensOf } from "../model/tokens.ts";
import { lineText } from "../model/words.ts";

export const severityNames: Readonly<Record<data.Severity, string>> = {
  error: "error",
  performance: "performance",
  warning: "warning",
};

export const SeverityDot = ({ severity }: { readonly severity: data.Severity }) => (
  <span class={`dot ${severity}`} role="img" aria-label={severityNames[severity]} title={severityNames[severity]} />
);

/** A titled part of a finding. */
export function Section(props: {
  readonly id: string;
  readonly title: string;
  readonly aside?: ComponentChildren;
  readonly children: ComponentChildren;
}) {
  return (
    <section id={props.id} class="section" aria-labelledby={`${props.id}-title`}>
      <header class="section-head">
        <h2 id={`${props.id}-title`}>{props.title}</h2>
        {props.aside}
      </header>
      {props.children}
    </section>
  );
}

/** A sentence of ours, in which commands stand between backticks. */
export const Words = ({ text }: { readonly text: string }) => (
  <>{text.split("`").map((part, at) => (at % 2 === 0 ? part : <code key={at}>{part}</code>))}</>
);

/** Text in which no line ends within "l->rec", where a browser takes the minus for a hyphen. */
export const WholeNames = ({ text }: { readonly text: string }) => (
  <>
    {text.split(/(\S*->\S*)/).map((part, at) =>
      at % 2 === 0 ? (
        part
      ) : (
        <span key={at} class="whole">
          {part}
        </span>
      ),
    )}
  </>
);

/** One line of source, coloured. */
export const Code = ({ text }: { readonly text: string }) => (
  <>
    {tokensOf(text).map(({ kind, text: part }, at) =>
      kind === "plain" ? (
        part
      ) : (
        <span key={at} class={`token-${kind}`}>
          {part}
        </span>
      ),
    )}
  </>
);

/** "log.c:22 in append", with the whole path to see on hover. */
export function PlaceName({ place }: { readonly place: number }) {
  const { report } = useShared();
  const frame = shownFrame(report, place);
  if (frame === undefined) return <span class="faint">an unknown place</span>;
  return (
    <span class="place-name" title={frame.file ?? frame.module}>
      <code>{lineText(frame)}</code>
      {frame.function !== undefined && (
        <>
          {" in "}
          <code title={frame.function}>{bareName(frame.function)}</code>
        </>
      )}
    </span>
  );
}

/** Copies text; where the browser does not let it, the text is there to be marked. */
export function CopyButton({ text, what }: { readonly text: string; readonly what: string }) {
  const [done, setDone] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setDone(true);
      setTimeout(() => setDone(false), 1500);
    } catch {
      setDone(false);
    }
  };
  return (
    <button type="button" class="quiet" onClick={copy} aria-label={`Copy ${what}`}>
      {done ? "Copied" : "Copy"}
    </button>
  );
}

/** Shares of a whole, side by side. */
export function ShareBar(props: {
  readonly label: string;
  readonly total: number;
  readonly parts: readonly { readonly name: string; readonly tone: string; readonly value: number }[];
}) {
  const text = props.parts.map(({ name, value }) => `${value.toLocaleString("en")} ${name}`).join(", ");
  return (
    <div class="share" role="img" aria-label={`${props.label}: ${text}`}>
      {props.parts.map(({ name, tone, value }) => (
        <span
          key={name}
          class={`share-part ${tone}`}
          title={`${value.toLocaleString("en")} ${name}`}
          style={{ width: `${props.total === 0 ? 0 : (100 * value) / props.total}%` }}
        />
      ))}
    </div>
  );
}

/** What may be wider or higher than there is room. Keys scroll it only if it can have the focus. */
export const Scroller = (props: {
  readonly class: string;
  readonly label: string;
  readonly children: ComponentChildren;
}) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: axe's scrollable-region-focusable asks for it
  <section class={props.class} aria-label={props.label} tabIndex={0}>
    {props.children}
  </section>
);
