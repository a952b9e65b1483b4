/** Smaller parts of a finding: the pair of a robustness violation, and how to see it again. */
import type * as data from "../../document/index.ts";
import { choiceText, rangeText, shellText } from "../model/words.ts";
import { CopyButton, PlaceName, Section } from "./bits.tsx";

const Side = ({
  title,
  tone,
  write,
}: {
  readonly title: string;
  readonly tone: string;
  readonly write: data.Write;
}) => (
  <div class={`pair-side ${tone}`}>
    <b>{title}</b>
    <div>
      {write.name !== undefined && <code>{write.name}</code>} {rangeText(write)}
    </div>
    <PlaceName place={write.place} />
  </div>
);

export const Robustness = ({ pair }: { readonly pair: data.RobustnessPair }) => (
  <Section id="robustness" title="Order of persisting">
    <div class="pair">
      <Side title="Visible first, lost" tone="lost" write={pair.earlier} />
      <Side title="Visible later, kept" tone="kept" write={pair.later} />
    </div>
    <p class="faint">
      Recovery {pair.kind === "too-old" ? "reads a value that is too old" : "reads a value that is too new"} for any
      execution in which stores persist in the order they become visible.
    </p>
    {pair.reads?.map((place, at) => (
      <p key={at}>
        Read at <PlaceName place={place} />
      </p>
    ))}
  </Section>
);

export function Replay({ witness }: { readonly witness: data.Witness }) {
  const command = witness.replay && shellText(witness.replay);
  return (
    <Section id="replay" title="See it again">
      {command !== undefined && (
        <div class="command">
          <code>{command}</code>
          <CopyButton text={command} what="the command" />
        </div>
      )}
      <details>
        <summary>The choices that lead here</summary>
        <ol class="choices">
          {witness.choices.map((choice, at) => (
            <li key={at}>{choiceText(choice)}</li>
          ))}
        </ol>
      </details>
    </Section>
  );
}
