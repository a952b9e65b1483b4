/** A tree as the rows of a list: what is open is followed by what lies in it. */
export interface TreeRow<Node> {
  readonly node: Node;
  /** Its place in the tree: the positions on the way to it. */
  readonly path: string;
  readonly depth: number;
  readonly hasChildren: boolean;
  readonly open: boolean;
  /** Among its siblings, from 1. */
  readonly position: number;
  readonly siblings: number;
}

export function rowsOf<Node>(
  roots: readonly Node[],
  childrenOf: (node: Node) => readonly Node[],
  isOpen: (path: string) => boolean,
): TreeRow<Node>[] {
  const rows: TreeRow<Node>[] = [];
  const visit = (nodes: readonly Node[], above: string, depth: number): void => {
    for (const [at, node] of nodes.entries()) {
      const path = above === "" ? String(at) : `${above}.${at}`;
      const children = childrenOf(node);
      const open = children.length > 0 && isOpen(path);
      rows.push({
        node,
        path,
        depth,
        hasChildren: children.length > 0,
        open,
        position: at + 1,
        siblings: nodes.length,
      });
      if (open) visit(children, path, depth + 1);
    }
  };
  visit(roots, "", 0);
  return rows;
}

/** What an arrow key does at a row: opens or closes it, or moves to another; undefined when nothing. */
export function treeKey<Node>(
  key: string,
  rows: readonly TreeRow<Node>[],
  at: number,
): { readonly toggle: string } | { readonly move: number } | undefined {
  const row = rows[at];
  if (row === undefined) return undefined;
  if (key === "ArrowRight" && row.hasChildren) return row.open ? { move: at + 1 } : { toggle: row.path };
  if (key !== "ArrowLeft") return undefined;
  if (row.open) return { toggle: row.path };
  const above = rows.findIndex(({ path }) => path === row.path.replace(/\.?\d+$/, ""));
  return above < 0 ? undefined : { move: above };
}
