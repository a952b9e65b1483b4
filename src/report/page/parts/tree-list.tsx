/** A tree as a list with keys: right opens, left closes or goes up. */
import type { ComponentChildren } from "preact";
import { useMemo, useState } from "preact/hooks";
import { rowsOf, type TreeRow, treeKey } from "../model/tree.ts";
import { VirtualList } from "./virtual-list.tsx";

interface TreeProps<Node> {
  readonly id: string;
  readonly label: string;
  readonly roots: readonly Node[];
  readonly childrenOf: (node: Node) => readonly Node[];
  /** Open from the start. */
  readonly opens: (node: Node, depth: number) => boolean;
  readonly row: (node: Node) => ComponentChildren;
}

const shownRows = 14;

/** The rows of what is open, and what opens and closes one. */
function useRows<Node>({ roots, childrenOf, opens }: TreeProps<Node>) {
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set());
  const initial = useMemo(() => {
    const all = rowsOf(roots, childrenOf, () => true);
    return new Set(all.filter(({ node, depth }) => opens(node, depth)).map(({ path }) => path));
  }, [roots, childrenOf, opens]);
  const toggle = (path: string) =>
    setToggled((before) => {
      const after = new Set(before);
      if (!after.delete(path)) after.add(path);
      return after;
    });
  return [rowsOf(roots, childrenOf, (path) => initial.has(path) !== toggled.has(path)), toggle] as const;
}

const ariaOf = ({ depth, hasChildren, open, position, siblings }: TreeRow<unknown>) => ({
  "aria-level": depth + 1,
  "aria-posinset": position,
  "aria-setsize": siblings,
  ...(hasChildren && { "aria-expanded": open }),
});

export function TreeList<Node>(props: TreeProps<Node>) {
  const [rows, toggle] = useRows(props);
  const [selected, setSelected] = useState(0);
  const onOtherKey = (key: string): boolean => {
    const row = rows[selected];
    const does = key === "Enter" && row?.hasChildren ? { toggle: row.path } : treeKey(key, rows, selected);
    if (does === undefined) return false;
    if ("toggle" in does) toggle(does.toggle);
    else setSelected(does.move);
    return true;
  };
  const row = ({ node, path, depth, hasChildren, open }: TreeRow<Node>) => (
    <div class="tree-row" style={{ paddingLeft: `${Math.min(depth, 24) * 16 + 4}px` }}>
      <span class="twisty" aria-hidden="true" onClick={() => toggle(path)}>
        {hasChildren ? (open ? "▾" : "▸") : ""}
      </span>
      {props.row(node)}
    </div>
  );
  return (
    <VirtualList
      id={props.id}
      label={props.label}
      role="tree"
      count={rows.length}
      rowHeight={28}
      mostRows={shownRows}
      selected={Math.min(selected, rows.length - 1)}
      onSelect={setSelected}
      onOtherKey={onOtherKey}
      rowProps={(at) => ariaOf(rows[at]!)}
      row={(at) => row(rows[at]!)}
    />
  );
}
