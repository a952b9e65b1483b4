/** The calls that led to a place: the user's own, with libraries folded until asked for. */
import type * as data from "../../document/index.ts";
import { bareName, framesOf } from "../../document/index.ts";
import { useShared } from "../context.ts";
import { folded } from "../model/stack.ts";
import { lineText } from "../model/words.ts";

const Call = ({ frame }: { readonly frame: data.Frame }) => (
  <>
    <code class="call-name" title={frame.function}>
      {frame.function === undefined ? frame.address : bareName(frame.function)}
    </code>
    <code class="faint" title={frame.file ?? frame.module}>
      {lineText(frame)}
    </code>
    {frame.inlined && <span class="faint">inlined</span>}
  </>
);

export function Stack({ place }: { readonly place: number }) {
  const { report } = useShared();
  const calls = folded(framesOf(report, place));
  if (calls.length === 0) return <p class="faint">No calls are known.</p>;
  return (
    <ol class="stack" aria-label="Calls, innermost first">
      {calls.map((call, at) =>
        call.kind === "own" ? (
          <li key={at}>
            <Call frame={call.frame} />
          </li>
        ) : (
          <li key={at} class="library">
            <details>
              <summary>
                in <code>{call.title}</code>
                {call.frames.length > 1 && <span class="faint"> and {call.frames.length - 1} more</span>}
              </summary>
              <ol>
                {call.frames.map((frame, inner) => (
                  <li key={inner}>
                    <Call frame={frame} />
                  </li>
                ))}
              </ol>
            </details>
          </li>
        ),
      )}
    </ol>
  );
}
