/** The keys, in a dialog that a key opens. */
import { useEffect, useRef } from "preact/hooks";

const keys: readonly (readonly [string, string])[] = [
  ["/", "search findings"],
  ["j  k", "next and previous finding"],
  ["r", "the whole run, and back"],
  ["d", "light, dark, or as the system is"],
  ["← →", "along a timeline; open and close in a tree"],
  ["+  −  0", "zoom a timeline"],
  ["Home  End", "first and last"],
  ["?", "this help"],
];

export function Help({ onClose }: { readonly onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class="help" aria-labelledby="help-title" onClose={onClose}>
      <h2 id="help-title">Keys</h2>
      <dl>
        {keys.map(([key, does]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <button type="button" onClick={() => dialog.current?.close()}>
        Close
      </button>
    </dialog>
  );
}
