/** What parts of the page have in common: sizes, the theme, keys, the address. */
import { type Inputs, useEffect, useLayoutEffect, useState } from "preact/hooks";
import { hashOf, type Route, routeFrom } from "./model/route.ts";

interface Size {
  readonly width: number;
  readonly height: number;
}

/** The room inside an element, as it changes. */
export function useSize(element: { readonly current: HTMLElement | null }): Size {
  const [size, setSize] = useState<Size>({ width: 600, height: 600 });
  useLayoutEffect(() => {
    const box = element.current;
    if (box === null) return undefined;
    const measure = () =>
      setSize((before) =>
        before.width === box.clientWidth && before.height === box.clientHeight
          ? before
          : { width: box.clientWidth, height: box.clientHeight },
      );
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(box);
    return () => observer.disconnect();
  }, [element]);
  return size;
}

/** Changes when the theme does: for what takes its colours from it once. */
export function useThemeTurn(): number {
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    const again = () => setTurn((before) => before + 1);
    const dark = matchMedia("(prefers-color-scheme: dark)");
    dark.addEventListener("change", again);
    const observer = new MutationObserver(again);
    observer.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    return () => {
      dark.removeEventListener("change", again);
      observer.disconnect();
    };
  }, []);
  return turn;
}

const withModifier = ({ ctrlKey, metaKey, altKey }: KeyboardEvent): boolean => ctrlKey || metaKey || altKey;

export type Keys = Readonly<Record<string, () => void>>;

/** Does what a key stands for; the browser then does nothing else with it. */
export function onKey(keys: Keys): (event: KeyboardEvent) => void {
  return (event) => {
    const does = withModifier(event) ? undefined : keys[event.key];
    if (does === undefined) return;
    event.preventDefault();
    does();
  };
}

/** Keys that work wherever nothing is typed. Taken over before anything else happens: keys may come fast. */
export function useKeys(keys: Keys): void {
  useLayoutEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const typing = event.target instanceof HTMLElement && event.target.matches("input, textarea, dialog, dialog *");
      if (!typing) onKey(keys)(event);
    };
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  });
}

export type Go = (route: Route, how?: "replace") => void;

/** Where the reader is, in step with the address. */
export function useRoute(): readonly [Route, Go] {
  const [route, setRoute] = useState(() => routeFrom(location.hash));
  useEffect(() => {
    const follow = () => setRoute(routeFrom(location.hash));
    for (const name of ["hashchange", "popstate"]) addEventListener(name, follow);
    return () => {
      for (const name of ["hashchange", "popstate"]) removeEventListener(name, follow);
    };
  }, []);
  const go: Go = (next, how) => {
    if (how === "replace") history.replaceState(null, "", hashOf(next));
    else history.pushState(null, "", hashOf(next));
    setRoute(next);
  };
  return [route, go];
}

/** Listens to the wheel over an element. Preact's own listeners are passive: they could not stop the page from scrolling. */
export function useWheel(
  element: { readonly current: HTMLElement | null },
  onWheel: (event: WheelEvent) => void,
  inputs: Inputs,
): void {
  useEffect(() => {
    const box = element.current;
    box?.addEventListener("wheel", onWheel, { passive: false });
    return () => box?.removeEventListener("wheel", onWheel);
  }, inputs);
}
