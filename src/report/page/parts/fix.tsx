/** What to insert where, as a diff, and whether it was shown to cure the finding. */
import type * as data from "../../document/index.ts";
import { type DiffLine, diffLines } from "../../document/index.ts";
import { plural } from "../model/words.ts";
import { Code, CopyButton, PlaceName, Scroller, Section } from "./bits.tsx";

const signs: Readonly<Record<DiffLine["kind"], string>> = { added: "+", removed: "−", same: " ", hunk: "", file: "" };
const actions: Readonly<Record<data.Suggestion["insert"], string>> = {
  flush: "Flush",
  fence: "Fence",
  "flush-and-fence": "Flush and fence",
};

const Row = ({ line }: { readonly line: DiffLine }) => (
  <div class={`diff-line ${line.kind}`}>
    <span class="line-number" aria-hidden="true">
      {line.new ?? line.old ?? ""}
    </span>
    <code class="line-text">
      <span class="diff-sign">{signs[line.kind]}</span>
      {line.kind === "hunk" || line.kind === "file" ? line.text : <Code text={line.text} />}
    </code>
  </div>
);

function Verified({ verification }: { readonly verification: data.Verification | undefined }) {
  if (verification === undefined || verification.result === "not-tried") return <span class="badge">not tested</span>;
  const states = verification.states === undefined ? "" : `, ${plural(verification.states, "crash state")} judged`;
  return verification.result === "cured" ? (
    <span class="badge good">fix tested: the failure is gone{states}</span>
  ) : (
    <span class="badge bad">does not cure it{states}</span>
  );
}

export function Fix({ cure }: { readonly cure: data.Cure }) {
  const { suggestions = [], verification, diff } = cure;
  const bound = verification?.bound;
  if (suggestions.length === 0 && diff === undefined && bound === undefined) return null;
  return (
    <Section id="fix" title="Fix" aside={<Verified verification={verification} />}>
      {suggestions.length > 0 && (
        <ul class="suggestions">
          {suggestions.map(({ insert, what, after }, at) => (
            <li key={at}>
              {actions[insert]} {what !== undefined && <code>{what}</code>} after <PlaceName place={after} />
            </li>
          ))}
        </ul>
      )}
      {bound !== undefined && (
        <p>
          Not tried within the check's bound of {plural(bound, "instruction")}: <code>--fix</code>, or{" "}
          <code>blackout fix</code>, does.
        </p>
      )}
      {diff !== undefined && (
        <figure class="source diff">
          <figcaption>
            patch <CopyButton text={diff} what="the patch" />
          </figcaption>
          <Scroller class="source-lines" label="Patch">
            {diffLines(diff).map((line, at) => (
              <Row key={at} line={line} />
            ))}
          </Scroller>
        </figure>
      )}
    </Section>
  );
}
