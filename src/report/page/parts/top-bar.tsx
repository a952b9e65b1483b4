/** The bar above everything: what was run, the two views, the theme. */
import { useShared } from "../context.ts";
import { hashOf, type Route } from "../model/route.ts";
import { shellText } from "../model/words.ts";
import type { Theme } from "../theme.ts";

const themeSigns: Readonly<Record<Theme, string>> = { system: "◐", light: "☀", dark: "☾" };
const views: readonly (readonly [Route["view"], string])[] = [
  ["findings", "Findings"],
  ["run", "Run"],
];

export function TopBar(props: { readonly theme: Theme; readonly onTheme: () => void; readonly onHelp: () => void }) {
  const { report, route } = useShared();
  const { program, command } = report.run;
  const title = program === undefined ? command : shellText(program);
  const theme = `Theme: ${props.theme}`;
  return (
    <header class="top">
      <strong class="name">Blackout</strong>
      <code class="program" title={title}>
        {title}
      </code>
      <nav class="tabs" aria-label="Views">
        {views.map(([view, name]) => (
          <a key={view} href={hashOf({ ...route, view })} aria-current={route.view === view ? "page" : undefined}>
            {name}
          </a>
        ))}
      </nav>
      <button type="button" class="quiet" aria-label={theme} title={theme} onClick={props.onTheme}>
        {themeSigns[props.theme]}
      </button>
      <button type="button" class="quiet keys" aria-label="Keys" title="Keys" onClick={props.onHelp}>
        ?
      </button>
    </header>
  );
}
