/** What every part of the page sees: the report, and where the reader is in it. */
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type * as data from "../document/index.ts";
import type { Route } from "./model/route.ts";

export interface Shared {
  readonly report: data.Report;
  readonly route: Route;
  readonly go: (route: Route, how?: "replace") => void;
}

export const SharedContext = createContext<Shared | undefined>(undefined);

export function useShared(): Shared {
  const shared = useContext(SharedContext);
  if (shared === undefined) throw new Error("every part lies within the page");
  return shared;
}
