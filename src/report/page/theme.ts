/** Light, dark, or as the system is; remembered where the browser lets a file remember. */
import { useEffect, useState } from "preact/hooks";

export const themes = ["system", "light", "dark"] as const;
export type Theme = (typeof themes)[number];
const key = "blackout-theme";

function remembered(): Theme {
  try {
    return themes.find((theme) => theme === localStorage.getItem(key)) ?? "system";
  } catch {
    return "system";
  }
}

function remember(theme: Theme): void {
  try {
    localStorage.setItem(key, theme);
  } catch {
    // A page opened from a file may have no storage: the theme lasts as long as the page.
  }
}

export function useThemeChoice(): readonly [Theme, () => void] {
  const [theme, setTheme] = useState<Theme>(remembered);
  useEffect(() => {
    if (theme === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    remember(theme);
  }, [theme]);
  return [theme, () => setTheme((before) => themes[(themes.indexOf(before) + 1) % themes.length]!)];
}
