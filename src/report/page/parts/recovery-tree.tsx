/** The tree of recoveries: each goes on from the one above, cut again or reading something else. */
import { useMemo } from "preact/hooks";
import type * as data from "../../document/index.ts";
import { choiceText, cutText, plural, rangeText, valueText, verdictText } from "../model/words.ts";
import { PlaceName, Section } from "./bits.tsx";
import { TreeList } from "./tree-list.tsx";

const childrenOf = ({ children }: data.RecoveryNode) => children;

/** Whether a failure lies in or below a node: those are open from the start. */
function failsBelow(root: data.RecoveryNode): ReadonlySet<data.RecoveryNode> {
  const failing = new Set<data.RecoveryNode>();
  const visit = (node: data.RecoveryNode): boolean => {
    const below = node.children.map(visit).some(Boolean);
    if (below || node.fails) failing.add(node);
    return below || (node.fails ?? false);
  };
  visit(root);
  return failing;
}

function Node({ node }: { readonly node: data.RecoveryNode }) {
  const { choices, cut, read, verdict, fails, states } = node;
  const tone = verdict === undefined ? "open" : fails ? "failed" : "passed";
  return (
    <>
      <span
        class={`outcome ${tone}`}
        role="img"
        aria-label={verdict === undefined ? "goes on" : fails ? "fails" : "succeeds"}
      />
      <span class="tree-text">
        {cut !== undefined && (
          <>
            cut {cutText(cut.before)} <PlaceName place={cut.place} />{" "}
          </>
        )}
        {read !== undefined && (
          <>
            reads <code>{read.name ?? rangeText(read)}</code> = <code>{valueText(read)}</code>{" "}
          </>
        )}
        {cut === undefined && read === undefined && (choices.map(choiceText).join(", ") || "recovery")}
        {verdict !== undefined && <span class={fails ? "bad" : "good"}> {verdictText(verdict)}</span>}
      </span>
      <span class="tree-count faint">{plural(states, "state")}</span>
    </>
  );
}

export function RecoveryTree({ tree }: { readonly tree: data.RecoveryNode }) {
  const failing = useMemo(() => failsBelow(tree), [tree]);
  const roots = useMemo(() => [tree], [tree]);
  const opens = useMemo(() => (node: data.RecoveryNode, depth: number) => depth === 0 || failing.has(node), [failing]);
  return (
    <Section id="tree" title="Tree of recoveries">
      <TreeList
        id="recoveries"
        label="Recoveries"
        roots={roots}
        childrenOf={childrenOf}
        opens={opens}
        row={(node) => <Node node={node} />}
      />
    </Section>
  );
}
