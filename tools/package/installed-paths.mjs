/** What `make install` puts below its prefix, and `make uninstall` takes away again. */
export const home = "lib/blackout";
export const launcher = "bin/blackout";
export const completions = {
  bash: "share/bash-completion/completions/blackout",
  zsh: "share/zsh/site-functions/_blackout",
  fish: "share/fish/vendor_completions.d/blackout.fish",
};

export const manual = "share/man/man1/blackout.1";

/** Paths below PREFIX, or below DESTDIR and PREFIX, of a command's words. */
export function belowPrefix([prefix, destination = ""]) {
  if (!prefix?.startsWith("/")) {
    console.error("blackout: PREFIX is an absolute path, such as PREFIX=$HOME/.local or PREFIX=/usr/local.");
    process.exit(2);
  }
  return (path) => `${destination}${prefix.replace(/\/+$/, "")}/${path}`;
}
