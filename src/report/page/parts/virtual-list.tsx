/** A list of which only the rows in sight exist. The list itself has the focus; keys move the chosen row. */
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useSize } from "../hooks.ts";
import { rowAfterKey, rowsInSight, scrollTo } from "../model/window.ts";

export interface VirtualListProps {
  readonly id: string;
  readonly label: string;
  readonly count: number;
  readonly rowHeight: number;
  /** The chosen row, or -1. */
  readonly selected: number;
  readonly onSelect: (row: number) => void;
  readonly row: (at: number) => ComponentChildren;
  readonly role?: "listbox" | "tree";
  /** More attributes of a row. */
  readonly rowProps?: (at: number) => JSX.HTMLAttributes<HTMLDivElement>;
  /** Keys that the list does not know itself; true when it was one. */
  readonly onOtherKey?: (key: string) => boolean;
  /** As high as its rows, up to so many of them; otherwise as high as there is room. */
  readonly mostRows?: number;
}

const rowId = (list: string, at: number): string => `${list}-${at}`;

export function VirtualList(props: VirtualListProps) {
  const { id, label, count, rowHeight, selected, onSelect, row, role = "listbox", rowProps, onOtherKey } = props;
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const { height } = useSize(box);
  const [from, to] = rowsInSight({ count, rowHeight }, top, height);
  useEffect(() => {
    if (box.current === null || selected < 0) return;
    box.current.scrollTop = scrollTo({ count, rowHeight }, selected, box.current.scrollTop, box.current.clientHeight);
  }, [selected, count, rowHeight]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const page = Math.max(1, Math.floor(height / rowHeight) - 1);
    const next = rowAfterKey(event.key, selected, count, page);
    if (next !== undefined) onSelect(next);
    else if (!onOtherKey?.(event.key)) return;
    event.preventDefault();
  };
  const style = props.mostRows === undefined ? {} : { height: `${Math.min(count, props.mostRows) * rowHeight + 2}px` };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the role is listbox or tree, which the linter does not see
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: the role is listbox or tree, which the linter does not see
    <div
      ref={box}
      id={id}
      class="virtual"
      role={role}
      aria-label={label}
      tabIndex={0}
      aria-activedescendant={selected >= from && selected < to ? rowId(id, selected) : undefined}
      style={style}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
      onKeyDown={onKeyDown}
    >
      <div class="virtual-all" role="presentation" style={{ height: `${count * rowHeight}px` }}>
        {Array.from({ length: to - from }, (_, offset) => from + offset).map((at) => (
          // biome-ignore lint/a11y/noStaticElementInteractions: the role is option or treeitem, which the linter does not see
          // biome-ignore lint/a11y/useAriaPropsSupportedByRole: likewise
          // biome-ignore lint/a11y/useKeyWithClickEvents: the list itself has the keys
          <div
            key={at}
            id={rowId(id, at)}
            class={`virtual-row${at === selected ? " selected" : ""}`}
            role={role === "tree" ? "treeitem" : "option"}
            aria-selected={at === selected}
            aria-setsize={count}
            aria-posinset={at + 1}
            style={{ top: `${at * rowHeight}px`, height: `${rowHeight}px` }}
            onClick={() => onSelect(at)}
            {...rowProps?.(at)}
          >
            {row(at)}
          </div>
        ))}
      </div>
    </div>
  );
}
